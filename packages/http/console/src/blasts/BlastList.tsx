// The blasts of the workspace: search, filters by status, and their opens and clicks as small bars.
import { Button, Group, NativeSelect, Progress, SegmentedControl } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { useChanges } from "../api/changes.ts"
import { usePages } from "../api/rows.ts"
import { useFormat } from "../format.ts"
import { BlastsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { useSession } from "../session.tsx"
import { announce } from "../shell/Announcer.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { percentOf, stateOf, toneOf } from "./blast.ts"
import { blast_filters, type BlastListSearch, isStatus } from "./search.ts"

const NewBlast = lazy(async () => ({ default: (await import("./NewBlast.tsx")).NewBlast }))

/** A share of the delivered messages, as a number and a small bar. */
const Share = ({ color, part, whole }: { readonly part: number; readonly whole: number; readonly color: string }) => {
  const { share } = useFormat()
  if (whole === 0) return <span className="nothing">–</span>
  return (
    <span className="share">
      {share(part, whole)}
      <Progress value={percentOf(part, whole)} color={color} size={4} aria-hidden="true" />
    </span>
  )
}

const columnsOf = (words: Words["blasts"]): ReadonlyArray<Column<Blast>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "8rem",
    isOnPhone: true,
    cell: (blast) => <StatusBadge tone={toneOf(blast)} label={words.states[stateOf(blast)]} />,
  },
  {
    key: "recipients",
    label: words.recipients,
    width: "7rem",
    isNumber: true,
    isOnPhone: true,
    cell: ({ details }) => (details.blast_recipient_count === 0 ? "–" : words.number(details.blast_recipient_count)),
  },
  {
    key: "opened",
    label: words.opened,
    width: "7rem",
    cell: ({ details }) => (
      <Share part={details.blast_opened_count} whole={details.blast_delivered_count} color="pine.5" />
    ),
  },
  {
    key: "clicked",
    label: words.clicked,
    width: "7rem",
    cell: ({ details }) => (
      <Share part={details.blast_clicked_count} whole={details.blast_delivered_count} color="indigo.5" />
    ),
  },
  {
    key: "time",
    label: words.time,
    width: "10rem",
    cell: ({ scheduled_at, sent_at, status, updated_at }) =>
      status === "scheduled" && scheduled_at !== null ? (
        <Time at={scheduled_at} />
      ) : (
        <Time at={sent_at ?? updated_at} as="relative" />
      ),
  },
]

const Filters = () => {
  const words = useWords("blasts")
  const isPhone = useIsPhone()
  const asked = useSearch({ from: "/blasts" })
  const navigate = useNavigate({ from: "/blasts" })
  const { search = "", status } = asked
  const go = (next: BlastListSearch) => void navigate({ search: next, replace: true })
  const data = [
    { value: "all", label: words.all },
    ...blast_filters.map((each) => ({ value: each, label: words.states[each] })),
  ]
  const choose = (next: string) =>
    go({ ...(isStatus(next) ? { status: next } : {}), ...(search === "" ? {} : { search }) })
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={words.search}
        value={search}
        onChange={(text) =>
          go({ ...(status === undefined ? {} : { status }), ...(text === "" ? {} : { search: text }) })
        }
      />
      {isPhone ? (
        <NativeSelect
          aria-label={words.status}
          value={status ?? "all"}
          data={data}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      ) : (
        <SegmentedControl size="xs" aria-label={words.status} value={status ?? "all"} data={data} onChange={choose} />
      )}
    </Group>
  )
}

export const BlastList = () => {
  const words = useWords("blasts")
  const { may } = useSession()
  const asked = useSearch({ from: "/blasts" })
  const [isCreating, setCreating] = useState(false)
  const rows = usePages("blasts", "list", { query: asked })
  useChanges(["workspace"])
  const { isPending, total } = rows
  const mayWrite = may("editor")
  const create = () => setCreating(true)
  useKeys(mayWrite ? { n: create } : {})
  useEffect(() => {
    if (!isPending) announce(words.count(total))
  }, [isPending, total, words])
  const { search, status } = asked
  const isEmpty = !isPending && rows.error === null && total === 0 && search === undefined && status === undefined
  const button = mayWrite && (
    <Button leftSection={<PlusIcon size={16} />} onClick={create}>
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={words.title}
        beside={isPending || isEmpty ? null : <span className="count">{words.number(total)}</span>}
        actions={
          <>
            <CurlButton call={["blasts", "list", { query: asked }]} />
            {button}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<BlastsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
          <CurlButton call={["blasts", "create", { payload: { name: words.exampleName } }]} />
        </Empty>
      ) : (
        <>
          <Filters />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ blast_id }) => blast_id}
            nameOf={({ name }) => name}
            pathOf={({ blast_id }) => `/blasts/${blast_id}`}
            none={words.none}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewBlast onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
