// The lists of a contact: those that it was added to, and those whose rules match it now.
import { ActionIcon, Button, Group, Skeleton, Text } from "@mantine/core"
import type { ListOfContact } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { CrossIcon } from "../../Icons.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"

/** Shown before the person asks for all. */
const shown_first = 5

interface RowProps {
  readonly list: ListOfContact
  /** Null where the contact can't be removed. */
  readonly onRemove: (() => void) | null
}

const Row = ({ list: { added_at, kind, list_id, name }, onRemove }: RowProps) => {
  const words = useWords("contacts")
  return (
    <li>
      <div className="found-name">
        <Link to="/lists/$listId" params={{ listId: list_id }} className="link">
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {kind === "dynamic" || added_at === null ? (
            words.byRules
          ) : (
            <>
              {words.addedAt} <Time at={added_at} as="date" />
            </>
          )}
        </Text>
      </div>
      {onRemove !== null && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.removeFrom(name)}
          title={words.removeFromList}
          onClick={onRemove}
        >
          <CrossIcon size={16} />
        </ActionIcon>
      )}
    </li>
  )
}

export const ListsOf = ({ contactId }: { readonly contactId: string }) => {
  const words = useWords("contacts")
  const { may } = useSession()
  const [isWhole, setWhole] = useState(false)
  const { data, error, refetch } = useQuery(queryOf("contacts", "lists", { params: { contact_id: contactId } }))
  const remove = useMutationOf("lists", "removeMembers", { done: ({ removed_count }) => words.removed(removed_count) })
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="late" h={60} />
  const { lists } = data
  if (lists.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.noLists}
      </Text>
    )
  }
  return (
    <>
      <ul className="found">
        {(isWhole ? lists : lists.slice(0, shown_first)).map((list) => (
          <Row
            key={list.list_id}
            list={list}
            onRemove={
              list.kind === "static" && may("editor")
                ? () => remove.mutate({ params: { listId: list.list_id }, payload: { contact_ids: [contactId] } })
                : null
            }
          />
        ))}
      </ul>
      {remove.isError && <Problem error={remove.error} />}
      {!isWhole && lists.length > shown_first && (
        <Group mt={4}>
          <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
            {words.allLists(lists.length)}
          </Button>
        </Group>
      )}
    </>
  )
}
