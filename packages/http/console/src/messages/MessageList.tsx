// The single messages of the workspace, the newest first, by status, address and tag.
import { Badge, Group, NativeSelect } from "@mantine/core"
import type { EmailMessage } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCursor } from "../api/rows.ts"
import { inSelect } from "../formats.ts"
import { MessagesIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { Time } from "../parts/Time.tsx"
import { TopicName } from "../topics/TopicName.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { messageTones, tagTexts } from "./message.ts"
import { message_statuses, type MessageSearch, queryOfSearch, searching } from "./search.ts"

const columnsOf = (words: Words["messages"]): ReadonlyArray<Column<EmailMessage>> => [
  { key: "subject", label: words.subject, width: "minmax(12rem, 2.4fr)", cell: ({ subject }) => subject },
  {
    key: "to",
    label: words.to,
    width: "minmax(11rem, 1.8fr)",
    isOnPhone: true,
    cell: ({ to }) => to.email ?? <span className="nothing">{words.erased}</span>,
  },
  {
    key: "status",
    label: words.status,
    width: "minmax(9rem, 1.2fr)",
    isOnPhone: true,
    cell: ({ reason, status }) => (
      <span title={reason === null ? undefined : words.reasons[reason]}>
        <StatusBadge tone={messageTones[status]} label={words.statuses[status]} />
      </span>
    ),
  },
  {
    key: "topic",
    label: words.topic,
    width: "minmax(7rem, 1fr)",
    cell: ({ topic_id }) => (topic_id === null ? "–" : <TopicName topicId={topic_id} />),
  },
  {
    key: "tags",
    label: words.tags,
    width: "minmax(8rem, 1.2fr)",
    cell: ({ tags }) => (
      <Group gap={4} wrap="nowrap">
        {tagTexts(tags).map((tag) => (
          <Badge key={tag} size="sm" color="gray">
            {tag}
          </Badge>
        ))}
      </Group>
    ),
  },
  {
    key: "created",
    label: words.created,
    width: "9rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} as="relative" />,
  },
]

interface FilterProps {
  readonly asked: MessageSearch
  readonly onChange: (next: MessageSearch) => void
}

const Filters = ({ asked, onChange }: FilterProps) => {
  const words = useWords("messages")
  const change = (name: keyof MessageSearch) => (text: string) => onChange(searching(asked, name, text))
  return (
    <Group mb="sm" gap="xs" role="group" aria-label={words.filters}>
      <NativeSelect
        aria-label={words.status}
        value={asked.status ?? ""}
        data={inSelect([
          { value: "", label: words.all },
          ...message_statuses.map((each) => ({ value: each, label: words.statuses[each] })),
        ])}
        onChange={({ currentTarget }) => change("status")(currentTarget.value)}
      />
      <SearchField label={words.searchTo} value={asked.to ?? ""} maxLength={320} onChange={change("to")} />
      <SearchField label={words.searchTag} value={asked.tag ?? ""} maxLength={151} onChange={change("tag")} />
    </Group>
  )
}

const example = {
  to: { email: "ann@example.org" },
  subject: "Your table",
  text: "It is reserved for 19:30.",
  from_address: "orders@example.org",
}

export const MessageList = () => {
  const words = useWords("messages")
  const asked = useSearch({ from: "/messages" })
  const navigate = useNavigate({ from: "/messages" })
  const query = queryOfSearch(asked)
  return (
    <Listing
      label={words.title}
      text={words.text}
      rows={useCursor("emailMessages", "list", { query })}
      columns={columnsOf(words)}
      keyOf={({ message_id }) => message_id}
      nameOf={({ subject }) => subject}
      pathOf={({ message_id }) => `/messages/${message_id}`}
      none={words.none}
      isFiltered={Object.keys(asked).length > 0}
      empty={{ icon: <MessagesIcon size={22} />, title: words.empty, text: words.emptyText }}
      additions={null}
      onNew={null}
      curl={<CurlButton call={["emailMessages", "list", { query }]} />}
      emptyCurl={<CurlButton call={["emailMessages", "send", { payload: example }]} />}
      filters={<Filters asked={asked} onChange={(search) => void navigate({ search, replace: true })} />}
    />
  )
}
