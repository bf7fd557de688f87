// Deletes a list. A list that is in use is not deleted: the refusal names who uses it.
import { List, Stack, Text } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { ApiError } from "@tentpole/client/Failures"
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../api/mutations.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { useWords } from "../words/Words.tsx"
import { isUse, type Use, UseLink } from "./UsedBy.tsx"

/** Who uses the list, of a refusal. */
const usesIn = (error: unknown): ReadonlyArray<Use> => {
  const used = error instanceof ApiError && error.code === "contact_list_in_use" ? error.body["used_by"] : []
  return Array.isArray(used) ? used.filter(isUse) : []
}

interface Props {
  readonly list: ContactList
  readonly onClose: () => void
}

export const DeleteList = ({ list, onClose }: Props) => {
  const words = useWords("lists")
  const navigate = useNavigate()
  const remove = useMutationOf("lists", "remove", {
    done: () => words.deleted(list.name),
    onDone: () => navigate({ to: "/lists" }),
  })
  const uses = usesIn(remove.error)
  return (
    <Confirm
      title={words.deleteTitle(list.name)}
      text={
        <Stack gap="xs">
          <Text size="sm">{words.deleteText}</Text>
          {uses.length > 0 && (
            <List size="sm">
              {uses.map((use) => (
                <List.Item key={use.id}>
                  <UseLink use={use} />
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      }
      action={words.deleteAction}
      typed={list.name}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { listId: list.list_id } })}
    />
  )
}
