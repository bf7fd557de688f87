// The bar of actions for chosen contacts.
import { Button, Group, Paper, Text } from "@mantine/core"
import type { ListedContact } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { saveCsv } from "../csv.ts"
import { DownloadIcon, TrashIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { useWords } from "../words/Words.tsx"
import { AddToList, RemoveFromList } from "./AddToList.tsx"
import { text_fields } from "./person.ts"

/** Contacts of one request. */
const deletion_max = 100

const exported = ["contact_id", ...text_fields, "unsubscribed", "created_at", "updated_at", "last_activity_at"] as const

interface Props {
  /** By id. */
  readonly chosen: ReadonlyMap<string, ListedContact>
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
  const ids = [...chosen.keys()]
  const isTooMany = chosen.size > deletion_max
  return (
    <Paper px="sm" py={6} mb="sm" className="chosen">
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {table.chosen(chosen.size)}
        </Text>
        <AddToList contactIds={ids} onDone={onNone} isSmall />
        <RemoveFromList contactIds={ids} onDone={onNone} isSmall />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<DownloadIcon size={15} />}
          onClick={() => saveCsv("contacts.csv", exported, chosen.values())}
        >
          {words.exportChosen}
        </Button>
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
          onConfirm={() => remove.mutate({ payload: { items: ids.map((contact_id) => ({ contact_id })) } })}
        />
      )}
    </Paper>
  )
}
