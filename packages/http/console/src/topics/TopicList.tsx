// The topics of the workspace: what contacts can subscribe to, and how many did.
import { Button, SegmentedControl } from "@mantine/core"
import type { Topic } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { PlusIcon, TopicsIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { topic_statuses } from "./search.ts"
import { topicTones } from "./topic.ts"

const NewTopic = lazy(async () => ({ default: (await import("./form/NewTopic.tsx")).NewTopic }))

const columnsOf = (words: Words["topics"]): ReadonlyArray<Column<Topic>> => [
  { key: "name", label: words.name, width: "minmax(12rem, 2fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "8rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={topicTones[status]} label={words.statuses[status]} />,
  },
  {
    key: "subscribed",
    label: words.subscribedCount,
    width: "8rem",
    isNumber: true,
    isOnPhone: true,
    cell: ({ subscribed_count }) => words.number(subscribed_count),
  },
  {
    key: "default",
    label: words.default,
    width: "minmax(9rem, 1fr)",
    cell: ({ default_subscription }) => words.defaults[default_subscription],
  },
  {
    key: "visibility",
    label: words.visibility,
    width: "8rem",
    cell: ({ visibility }) => words.visibilities[visibility],
  },
  {
    key: "confirmation",
    label: words.confirmation,
    width: "9rem",
    cell: ({ double_opt_in }) => words.confirmations[double_opt_in ? "yes" : "no"],
  },
]

const example = { name: "Monthly news", default_subscription: "unsubscribed" } as const

export const TopicList = () => {
  const words = useWords("topics")
  const { may } = useSession()
  const asked = useSearch({ from: "/topics" })
  const navigate = useNavigate({ from: "/topics" })
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        text={words.text}
        rows={useCursor("topics", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ topic_id }) => topic_id}
        nameOf={({ name }) => name}
        pathOf={({ topic_id }) => `/topics/${topic_id}`}
        none={words.none}
        isFiltered={asked.status !== undefined}
        empty={{ icon: <TopicsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          <>
            <Button component={Link} to="/topics/requests" variant="default">
              {words.requests}
            </Button>
            {may("editor") && (
              <Button leftSection={<PlusIcon size={16} />} onClick={create}>
                {words.create}
              </Button>
            )}
          </>
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["topics", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["topics", "create", { payload: example }]} />}
        filters={
          <SegmentedControl
            size="xs"
            mb="sm"
            aria-label={words.status}
            value={asked.status ?? "all"}
            data={[
              { value: "all", label: words.all },
              ...topic_statuses.map((each) => ({ value: each, label: words.statuses[each] })),
            ]}
            onChange={(value) => {
              const status = topic_statuses.find((each) => each === value)
              void navigate({ search: status === undefined ? {} : { status }, replace: true })
            }}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewTopic onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
