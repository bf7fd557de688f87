// Adds a contact to a static list, found by name or address.
import type { ContactList } from "@tentpole/client"
import { useMutationOf } from "../api/mutations.ts"
import { ContactPicker } from "../contacts/ContactPicker.tsx"
import { PlusIcon } from "../Icons.tsx"
import { ChoosePopover } from "../parts/fields/ChoosePopover.tsx"
import { useWords } from "../words/Words.tsx"

export const AddMember = ({ list }: { readonly list: ContactList }) => {
  const words = useWords("lists")
  const add = useMutationOf("lists", "addMembers", {
    done: ({ added_count }) => (added_count === 0 ? words.alreadyMember : words.added(added_count)),
  })
  return (
    <ChoosePopover
      button={words.add}
      icon={<PlusIcon size={16} />}
      picker={(value, onChange) => <ContactPicker label={words.person} value={value} onChange={onChange} />}
      action={words.addAction}
      isPending={add.isPending}
      error={add.error}
      onChosen={(contactId, close) =>
        add.mutate(
          { params: { listId: list.list_id }, payload: { contact_ids: [contactId] } },
          { onSuccess: () => close() },
        )
      }
    />
  )
}
