// Chooses a contact by name, email or phone.
import { queryOf } from "../api/queries.ts"
import { type Choice, choices_max, Picker } from "../parts/fields/Picker.tsx"
import { addressOf, fullNameOf, nameOf } from "./person.ts"

interface Props {
  readonly label: string
  readonly value: string | null
  readonly chosenLabel?: string | null
  readonly onChange: (contactId: string | null, choice: Choice | null) => void
  readonly isCompact?: boolean
}

export const ContactPicker = (props: Props) => (
  <Picker
    {...props}
    source={(search) =>
      queryOf("contacts", "list", { query: { limit: choices_max, ...(search === "" ? {} : { search }) } })
    }
    choicesOf={({ items }) =>
      items.map((contact) => ({
        value: contact.contact_id,
        label: nameOf(contact),
        detail: fullNameOf(contact) === null ? null : addressOf(contact),
      }))
    }
  />
)
