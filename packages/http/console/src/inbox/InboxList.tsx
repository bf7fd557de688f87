// The inbox: messages that the service wrote to files, the newest first.
import { Button, Group } from "@mantine/core"
import type { LocalMail } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { problemOf } from "../api/problems.ts"
import { useCursor } from "../api/rows.ts"
import { InboxIcon, TrashIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { searching } from "./search.ts"

const ClearInbox = lazy(async () => ({ default: (await import("./ClearInbox.tsx")).ClearInbox }))

const columnsOf = (words: Words["inbox"]): ReadonlyArray<Column<LocalMail>> => [
  {
    key: "subject",
    label: words.subject,
    width: "minmax(14rem, 3fr)",
    cell: ({ subject }) => (subject === "" ? words.noSubject : subject),
  },
  { key: "to", label: words.to, width: "minmax(12rem, 2fr)", isOnPhone: true, cell: ({ to }) => to },
  {
    key: "kind",
    label: words.kind,
    width: "8rem",
    cell: ({ kind }) => <StatusBadge tone={kind === "test" ? "quiet" : "good"} label={words.kinds[kind]} />,
  },
  {
    key: "at",
    label: words.at,
    width: "9rem",
    isOnPhone: true,
    cell: ({ at }) => <Time at={at} as="relative" />,
  },
]

export const InboxList = () => {
  const words = useWords("inbox")
  const { may } = useSession()
  const asked = useSearch({ from: "/inbox" })
  const navigate = useNavigate({ from: "/inbox" })
  const [isClearing, setClearing] = useState(false)
  const rows = useCursor("outbox", "list", { query: asked })
  const isOff = rows.error !== null && problemOf(rows.error).kind === "missing"
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0 && Object.keys(asked).length === 0
  const search = (name: "to" | "subject") => (text: string) =>
    void navigate({ search: searching(asked, name, text), replace: true })
  return (
    <>
      <PageHeader
        title={words.title}
        text={isOff ? undefined : words.text}
        actions={
          <>
            <CurlButton call={["outbox", "list", { query: asked }]} />
            {may("editor") && !isOff && !isEmpty && (
              <Button variant="default" leftSection={<TrashIcon size={16} />} onClick={() => setClearing(true)}>
                {words.clear}
              </Button>
            )}
          </>
        }
      />
      {isOff && <Empty icon={<InboxIcon size={22} />} title={words.off} text={words.offText} />}
      {isEmpty && <Empty icon={<InboxIcon size={22} />} title={words.empty} text={words.emptyText} />}
      {!isOff && !isEmpty && (
        <>
          <Group mb="sm" gap="xs">
            <SearchField label={words.searchTo} value={asked.to ?? ""} onChange={search("to")} />
            <SearchField label={words.searchSubject} value={asked.subject ?? ""} onChange={search("subject")} />
          </Group>
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ message_id }) => message_id}
            nameOf={({ subject }) => subject}
            pathOf={({ message_id }) => `/inbox/${message_id}`}
            none={words.none}
          />
        </>
      )}
      {isClearing && (
        <Suspense fallback={null}>
          <ClearInbox onClose={() => setClearing(false)} />
        </Suspense>
      )}
    </>
  )
}
