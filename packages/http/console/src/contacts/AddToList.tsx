// Adds contacts to a static list, which is found by its name.
import { Button, Popover, Stack } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { ListsIcon } from "../Icons.tsx"
import { ListPicker } from "../lists/ListPicker.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly contactIds: ReadonlyArray<string>
  readonly onDone?: () => void
  /** For a bar of small buttons. */
  readonly isSmall?: boolean
}

export const AddToList = ({ contactIds, isSmall = false, onDone }: Props) => {
  const words = useWords("contacts")
  const [isOpen, setOpen] = useState(false)
  const [listId, setListId] = useState<string | null>(null)
  const add = useMutationOf("lists", "addMembers", {
    done: ({ added_count }) => words.added(added_count),
    onDone: () => {
      setOpen(false)
      onDone?.()
    },
  })
  return (
    <Popover opened={isOpen} onChange={setOpen} width={300} shadow="md" trapFocus position="bottom-start">
      <Popover.Target>
        <Button
          size={isSmall ? "compact-sm" : "sm"}
          variant="default"
          leftSection={<ListsIcon size={15} />}
          onClick={() => setOpen(!isOpen)}
        >
          {words.addToList}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <ListPicker label={words.list} kind="static" value={listId} onChange={setListId} />
          {add.isError && <Problem error={add.error} />}
          <Button
            disabled={listId === null}
            loading={add.isPending}
            onClick={() => {
              if (listId !== null) add.mutate({ params: { listId }, payload: { contact_ids: contactIds } })
            }}
          >
            {words.add(contactIds.length)}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
