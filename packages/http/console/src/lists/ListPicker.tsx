// Chooses a list by its name.
import { queryOf } from "../api/queries.ts"
import { type Choice, choices_max, Picker } from "../parts/fields/Picker.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly label: string
  readonly kind?: "static" | "dynamic"
  readonly value: string | null
  readonly chosenLabel?: string | null
  readonly onChange: (listId: string | null, choice: Choice | null) => void
  readonly isCompact?: boolean
  readonly isDisabled?: boolean
}

export const ListPicker = ({ kind, ...rest }: Props) => {
  const words = useWords("lists")
  return (
    <Picker
      {...rest}
      source={(search) =>
        queryOf("lists", "list", {
          query: { limit: choices_max, ...(search === "" ? {} : { search }), ...(kind === undefined ? {} : { kind }) },
        })
      }
      choicesOf={({ lists }) =>
        lists.map(({ kind: of, list_id, member_count, name }) => ({
          value: list_id,
          label: name,
          detail: member_count === null ? words.kinds[of] : words.members(member_count),
        }))
      }
    />
  )
}
