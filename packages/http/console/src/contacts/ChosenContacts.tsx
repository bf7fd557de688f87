// The bar of actions for chosen contacts.
import { Button, Group, Paper, Text } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { TrashIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { AddToList } from "./AddToList.tsx"

/** Contacts of one request. */
const deletion_max = 100

interface Props {
  readonly chosen: ReadonlySet<string>
  readonly onNone: () => void
}

export const ChosenContacts = ({ chosen, onNone }: Props) => {
  const words = useWords("contacts")
  const { table } = useWords("shell")
  const [isDeleting, setDeleting] = useState(false)
  const remove = useMutationOf("contacts", "delete", {
    done: ({ deleted_count }) => words.deleted(deleted_count),
    onDone: () => {
      setDeleting(false)
      onNone()
    },
  })
  const isTooMany = chosen.size > deletion_max
  return (
    <Paper px="sm" py={6} mb="sm" className="chosen">
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {table.chosen(chosen.size)}
        </Text>
        <AddToList contactIds={[...chosen]} onDone={onNone} isSmall />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<TrashIcon size={15} />}
          disabled={isTooMany}
          onClick={() => setDeleting(true)}
        >
          {words.deleteThese}
        </Button>
        {isTooMany && (
          <Text size="xs" c="dimmed">
            {words.deletionMax(deletion_max)}
          </Text>
        )}
        <Button size="compact-sm" variant="subtle" color="gray" ml="auto" onClick={onNone}>
          {table.chooseNone}
        </Button>
      </Group>
      {isDeleting && (
        <Confirm
          title={words.deleteTitle(chosen.size)}
          text={words.deleteText}
          action={words.deleteAction}
          typed={String(chosen.size)}
          isPending={remove.isPending}
          error={remove.error}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove.mutate({ payload: { items: [...chosen].map((contact_id) => ({ contact_id })) } })}
        />
      )}
    </Paper>
  )
}
