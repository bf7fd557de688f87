// The search and the filter by one field above a table.
import { Group, NativeSelect, SegmentedControl } from "@mantine/core"
import { SearchField } from "../fields/SearchField.tsx"
import { inSelect } from "../../formats.ts"
import { useIsPhone } from "../phone.ts"

/** The search parameters of an address: a text, and the value of the field `By`. */
type Asked<By extends string, Choice extends string> = { readonly search?: string } & {
  readonly [Each in By]?: Choice
}

interface Props<By extends string, Choice extends string> {
  readonly asked: Asked<By, NoInfer<Choice>>
  readonly by: By
  readonly options: ReadonlyArray<{ readonly value: Choice; readonly label: string }>
  readonly labels: { readonly search: string; readonly by: string; readonly all: string }
  readonly onChange: (asked: Asked<By, NoInfer<Choice>>) => void
}

/** More options than these are a list on a phone. */
const buttons_on_phone = 3

export const Filters = <By extends string, Choice extends string>({
  asked,
  by,
  labels,
  onChange,
  options,
}: Props<By, Choice>) => {
  const isPhone = useIsPhone()
  const { search = "" } = asked
  const chosen = (asked as { readonly [Each in By]?: Choice })[by]
  const go = (text: string, choice: Choice | undefined) =>
    onChange({
      ...(text === "" ? {} : { search: text }),
      ...(choice === undefined ? {} : { [by]: choice }),
    } as Asked<By, Choice>)
  const choice = {
    "aria-label": labels.by,
    value: chosen ?? "all",
    data: [{ value: "all", label: labels.all }, ...options],
  }
  const choose = (value: string) => go(search, options.find((option) => option.value === value)?.value)
  return (
    <Group mb="sm" gap="xs">
      <SearchField label={labels.search} value={search} onChange={(text) => go(text, chosen)} />
      {isPhone && options.length > buttons_on_phone ? (
        <NativeSelect
          {...choice}
          data={inSelect(choice.data)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      ) : (
        <SegmentedControl size="xs" {...choice} onChange={choose} />
      )}
    </Group>
  )
}
