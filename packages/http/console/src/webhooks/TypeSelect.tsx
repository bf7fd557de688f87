// The choice of one event type, by groups.
import { NativeSelect } from "@mantine/core"
import { useWords } from "../words/Words.tsx"
import { batch_type, groupsOf } from "./patterns.ts"
import { useCatalogue } from "./useEventTypes.ts"
import { useGroupName } from "./useGroupName.ts"

interface Props {
  readonly label: string
  /** Empty: all types. */
  readonly value: string
  readonly onChange: (type: string) => void
  readonly hasAutofocus?: boolean
  /** A filter of deliveries: all types, and batches, can be chosen. Its name is not shown. */
  readonly isFilter?: boolean
}

const filter_width_px = 230

export const TypeSelect = ({ hasAutofocus = false, isFilter = false, label, onChange, value }: Props) => {
  const words = useWords("webhooks")
  const groupName = useGroupName()
  const types = useCatalogue().data?.event_types.map(({ type }) => type) ?? []
  const known = [...types, ...(isFilter ? [batch_type] : [])]
  const options = [
    ...(isFilter ? [{ value: "", label: words.allTypes }] : []),
    // One of the address that the catalogue does not have.
    ...(value === "" || known.includes(value) ? [] : [value]),
    ...[...groupsOf(types)].map(([group, items]) => ({ group: groupName(group), items: [...items] })),
    ...(isFilter ? [{ group: words.batches, items: [batch_type] }] : []),
  ]
  return (
    <NativeSelect
      {...(isFilter ? { "aria-label": label, maw: filter_width_px, className: "grow" } : { label })}
      {...(hasAutofocus ? { "data-autofocus": true } : {})}
      value={value}
      data={options}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
