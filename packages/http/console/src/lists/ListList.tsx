// The lists of the workspace: search, kinds, and the way to a new one.
import { Button, Group, SegmentedControl } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { usePages } from "../api/rows.ts"
import { ListsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { StatusBadge, type Tone } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { announce } from "../shell/Announcer.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { isKind, kinds } from "./search.ts"

const NewList = lazy(async () => ({ default: (await import("./NewList.tsx")).NewList }))

export const kindTones: Readonly<Record<ContactList["kind"], Tone>> = {
  static: "quiet",
  dynamic: "busy",
  system: "quiet",
}

const columnsOf = (words: Words["lists"]): ReadonlyArray<Column<ContactList>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "kind",
    label: words.kind,
    width: "8rem",
    isOnPhone: true,
    cell: ({ kind }) => <StatusBadge tone={kindTones[kind]} label={words.kinds[kind]} />,
  },
  {
    key: "members",
    label: words.memberCount,
    width: "8rem",
    isNumber: true,
    isOnPhone: true,
    cell: ({ member_count }) => (member_count === null ? "–" : words.number(member_count)),
  },
  { key: "text", label: words.description, width: "minmax(10rem, 2fr)", cell: ({ description }) => description },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

const Filters = () => {
  const words = useWords("lists")
  const { kind, search = "" } = useSearch({ from: "/lists" })
  const navigate = useNavigate({ from: "/lists" })
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={words.search}
        value={search}
        onChange={(text) =>
          void navigate({
            search: { ...(kind === undefined ? {} : { kind }), ...(text === "" ? {} : { search: text }) },
            replace: true,
          })
        }
      />
      <SegmentedControl
        size="xs"
        aria-label={words.kind}
        value={kind ?? "all"}
        data={[{ value: "all", label: words.all }, ...kinds.map((each) => ({ value: each, label: words.kinds[each] }))]}
        onChange={(next) =>
          void navigate({
            search: { ...(isKind(next) ? { kind: next } : {}), ...(search === "" ? {} : { search }) },
            replace: true,
          })
        }
      />
    </Group>
  )
}

export const ListList = () => {
  const words = useWords("lists")
  const { may } = useSession()
  const asked = useSearch({ from: "/lists" })
  const [isCreating, setCreating] = useState(false)
  const rows = usePages("lists", "list", { query: asked })
  const { isPending, total } = rows
  const { kind, search = "" } = asked
  const create = () => setCreating(true)
  useKeys(may("editor") ? { n: create } : {})
  useEffect(() => {
    if (!isPending) announce(words.count(total))
  }, [isPending, total, words])
  const isEmpty = !isPending && rows.error === null && total === 0 && search === "" && kind === undefined
  const button = may("editor") && (
    <>
      <Button component={Link} to="/lists/new" variant="default" leftSection={<PlusIcon size={16} />}>
        {words.createSegment}
      </Button>
      <Button leftSection={<PlusIcon size={16} />} onClick={create}>
        {words.create}
      </Button>
    </>
  )
  return (
    <>
      <PageHeader
        title={words.title}
        beside={isPending || isEmpty ? null : <span className="count">{words.number(total)}</span>}
        actions={
          <>
            <CurlButton call={["lists", "list", { query: asked }]} />
            {button}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<ListsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
        </Empty>
      ) : (
        <>
          <Filters />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ list_id }) => list_id}
            nameOf={({ name }) => name}
            pathOf={({ list_id }) => `/lists/${list_id}`}
            none={words.none}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewList onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
