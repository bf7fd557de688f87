// The filter of an endpoint: the lists, blasts, flows and pages whose events it takes.
import { Group, Pill, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { type Choice, choices_max, Picker } from "../../parts/fields/Picker.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Filter, FilterKey } from "./draft.ts"

const name_fresh_ms = 60_000

/** The first characters of an id whose thing has no name any more. */
const id_shown_length = 8

type PickerProps<Page> = Parameters<typeof Picker<Page>>[0]

interface NameProps<One> {
  readonly id: string
  readonly find: (id: string) => ReturnType<PickerProps<One>["source"]>
  readonly nameOf: (one: One) => string
  readonly onRemove?: (() => void) | undefined
}

const Name = <One,>({ find, id, nameOf, onRemove }: NameProps<One>) => {
  const words = useWords("webhooks")
  const { data } = useQuery({ ...find(id), staleTime: name_fresh_ms })
  const name = data === undefined ? id.slice(0, id_shown_length) : nameOf(data)
  if (onRemove === undefined) return <Pill>{name}</Pill>
  return (
    <Pill
      withRemoveButton
      removeButtonProps={{ "aria-label": words.removeFilter(name), "aria-hidden": false, tabIndex: 0 }}
      onRemove={onRemove}
    >
      {name}
    </Pill>
  )
}

interface ThingsProps<Page, One>
  extends Pick<PickerProps<Page>, "source" | "choicesOf">, Pick<NameProps<One>, "find" | "nameOf"> {
  readonly label: string
  readonly error: string | undefined
  readonly ids: ReadonlyArray<string>
  /** Absent: it is read only. */
  readonly onIds?: ((ids: ReadonlyArray<string>) => void) | undefined
}

const Things = <Page, One>(props: ThingsProps<Page, One>) => {
  const { choicesOf, error, find, ids, label, nameOf, onIds, source } = props
  if (onIds === undefined && ids.length === 0) return null
  const names = ids.length > 0 && (
    <Group gap={6}>
      {ids.map((id) => (
        <Name
          key={id}
          id={id}
          find={find}
          nameOf={nameOf}
          onRemove={onIds === undefined ? undefined : () => onIds(ids.filter((each) => each !== id))}
        />
      ))}
    </Group>
  )
  if (onIds === undefined) {
    return (
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          {label}
        </Text>
        {names}
      </div>
    )
  }
  const add = (id: string | null, _choice: Choice | null) => {
    if (id !== null && !ids.includes(id)) onIds([...ids, id])
  }
  return (
    <Stack gap={6}>
      {/* Each choice begins with an empty field. */}
      <Picker
        key={ids.length}
        label={label}
        value={null}
        source={source}
        choicesOf={choicesOf}
        error={error}
        onChange={add}
      />
      {names}
    </Stack>
  )
}

interface Props {
  readonly filter: Filter
  readonly errors?: Readonly<Record<string, string>>
  /** Absent: it is read only. */
  readonly onChange?: (filter: Filter) => void
}

const asked = (search: string) => ({ query: { limit: choices_max, ...(search === "" ? {} : { search }) } })

export const FilterFields = ({ errors = {}, filter, onChange }: Props) => {
  const words = useWords("webhooks")
  const of = (key: FilterKey) => ({
    label: words.filters[key],
    error: errors[key],
    ids: filter[key] ?? [],
    onIds: onChange === undefined ? undefined : (ids: ReadonlyArray<string>) => onChange({ ...filter, [key]: ids }),
  })
  return (
    <Stack gap="sm">
      <Things
        {...of("list_ids")}
        source={(search) => queryOf("lists", "list", asked(search))}
        choicesOf={({ lists }) => lists.map(({ list_id, name }) => ({ value: list_id, label: name }))}
        find={(id) => queryOf("lists", "find", { params: { listId: id } })}
        nameOf={({ name }) => name}
      />
      <Things
        {...of("blast_ids")}
        source={(search) => queryOf("blasts", "list", asked(search))}
        choicesOf={({ blasts }) => blasts.map(({ blast_id, name }) => ({ value: blast_id, label: name }))}
        find={(id) => queryOf("blasts", "find", { params: { blastId: id } })}
        nameOf={({ name }) => name}
      />
      <Things
        {...of("flow_ids")}
        source={(search) => queryOf("flows", "list", asked(search))}
        choicesOf={({ flows }) => flows.map(({ flow_id, name }) => ({ value: flow_id, label: name }))}
        find={(id) => queryOf("flows", "find", { params: { flowId: id } })}
        nameOf={({ name }) => name}
      />
      <Things
        {...of("tent_ids")}
        source={(search) => queryOf("tents", "list", asked(search))}
        choicesOf={({ tents }) => tents.map(({ id, name }) => ({ value: id, label: name }))}
        find={(id) => queryOf("tents", "show", { params: { tentId: id } })}
        nameOf={({ name }) => name}
      />
    </Stack>
  )
}
