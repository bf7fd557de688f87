// The topics of a contact: what it chose, and the controls to change it.
import { Button, Skeleton, Text } from "@mantine/core"
import type { Contact, TopicOfContact } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { choiceTones } from "../../topics/topic.ts"
import { useWords } from "../../words/Words.tsx"

const GiveConsent = lazy(async () => ({ default: (await import("./GiveConsent.tsx")).GiveConsent }))

interface RowProps {
  readonly topic: TopicOfContact
  /** Null for those who may not change it. */
  readonly onChange: (() => void) | null
  readonly isPending: boolean
}

const Row = ({ isPending, onChange, topic: { changed_at, name, source, status, topic_id } }: RowProps) => {
  const { chosen: words, sources } = useWords("topics")
  const isSubscribed = status === "subscribed"
  return (
    <li>
      <div className="found-name">
        <Link to="/topics/$topicId" params={{ topicId: topic_id }} className="link">
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {source === null || changed_at === null ? (
            words.byDefault
          ) : (
            <>
              {sources[source]} · <Time at={changed_at} as="date" />
            </>
          )}
        </Text>
      </div>
      <div className="topic-choice">
        <StatusBadge tone={choiceTones[status]} label={words.statuses[status]} />
        {onChange !== null && (
          <Button
            size="compact-sm"
            variant="default"
            loading={isPending}
            aria-label={isSubscribed ? words.unsubscribeFrom(name) : words.subscribeTo(name)}
            onClick={onChange}
          >
            {isSubscribed ? words.unsubscribe : words.subscribe}
          </Button>
        )}
      </div>
    </li>
  )
}

export const TopicsOf = ({ contact: { contact_id, unsubscribed } }: { readonly contact: Contact }) => {
  const { chosen: words } = useWords("topics")
  const { may } = useSession()
  const params = { contact_id }
  const [asked, setAsked] = useState<TopicOfContact | null>(null)
  const { data, error, refetch } = useQuery(queryOf("topics", "listByContact", { params }))
  const nameOf = (id: string | undefined) => data?.items.find(({ topic_id }) => topic_id === id)?.name ?? ""
  const change = useMutationOf("topics", "updateByContact", {
    done: ({ rejected_count }, { payload: { items } }) => {
      const [item] = items
      if (rejected_count > 0) return null
      return item?.status === "subscribed"
        ? words.subscribed(nameOf(item.topic_id))
        : words.unsubscribed(nameOf(item?.topic_id))
    },
    // The service says which choices need the consent of the person.
    onDone: ({ items: [item] }) => {
      if (item?.status === "rejected") setAsked(data?.items.find(({ topic_id }) => topic_id === item.topic_id) ?? null)
    },
  })
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="late" h={60} />
  if (data.items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.none}
      </Text>
    )
  }
  const changed = change.isPending ? change.variables.payload.items[0]?.topic_id : undefined
  return (
    <>
      {unsubscribed && (
        <Text size="sm" c="dimmed" mb={4}>
          {words.all}
        </Text>
      )}
      <ul className="found spaced">
        {data.items.map((topic) => {
          const { status, topic_id } = topic
          const next = status === "subscribed" ? "unsubscribed" : "subscribed"
          const choose = () => change.mutate({ params, payload: { items: [{ topic_id, status: next }] } })
          return (
            <Row
              key={topic_id}
              topic={topic}
              isPending={changed === topic_id}
              onChange={may("editor") ? choose : null}
            />
          )
        })}
      </ul>
      {change.isError && <Problem error={change.error} />}
      <Suspense fallback={null}>
        {asked !== null && <GiveConsent contactId={contact_id} topic={asked} onClose={() => setAsked(null)} />}
      </Suspense>
    </>
  )
}
