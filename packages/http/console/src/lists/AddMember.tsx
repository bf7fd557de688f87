// Adds a contact to a static list, found by name or address.
import { Button, Popover, Stack } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { ContactPicker } from "../contacts/ContactPicker.tsx"
import { PlusIcon } from "../Icons.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly list: ContactList
}

export const AddMember = ({ list }: Props) => {
  const words = useWords("lists")
  const [isOpen, setOpen] = useState(false)
  const [contactId, setContactId] = useState<string | null>(null)
  const add = useMutationOf("lists", "addMembers", {
    done: ({ added_count }) => (added_count === 0 ? words.alreadyMember : words.added(added_count)),
    onDone: () => setOpen(false),
  })
  return (
    <Popover opened={isOpen} onChange={setOpen} width={320} shadow="md" trapFocus position="bottom-start">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<PlusIcon size={16} />}
          onClick={() => {
            setContactId(null)
            setOpen(!isOpen)
          }}
        >
          {words.add}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <ContactPicker label={words.person} value={contactId} onChange={setContactId} />
          {add.isError && <Problem error={add.error} />}
          <Button
            disabled={contactId === null}
            loading={add.isPending}
            onClick={() => {
              if (contactId === null) return
              add.mutate({ params: { listId: list.list_id }, payload: { contact_ids: [contactId] } })
            }}
          >
            {words.addAction}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
