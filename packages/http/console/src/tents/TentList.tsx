// The pages of the workspace: search, status, addresses, and the ways to new ones.
import { Button, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import type { ListedTent } from "@tentpole/client"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { PlusIcon, TableIcon, TentsIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { SearchField } from "../parts/fields/SearchField.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { isTentStatus, type TentListSearch, tent_filters } from "./search.ts"
import { shortAddress, stateOf, tentTones } from "./tent.ts"

const NewTent = lazy(async () => ({ default: (await import("./making/NewTent.tsx")).NewTent }))

const columnsOf = (words: Words["tents"]): ReadonlyArray<Column<ListedTent>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 2fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "11rem",
    isOnPhone: true,
    cell: (tent) => {
      const state = stateOf(tent)
      return <StatusBadge tone={tentTones[state]} label={words.states[state]} />
    },
  },
  {
    key: "address",
    label: words.address,
    width: "minmax(12rem, 2fr)",
    cell: ({ publication }) => {
      const url = publication?.published_url
      return url === undefined ? <span className="nothing">–</span> : shortAddress(url)
    },
  },
  {
    key: "by",
    label: words.writtenBy,
    width: "8rem",
    cell: ({ generated_by }) =>
      generated_by === null ? <span className="nothing">–</span> : generated_by === "sample" ? words.sample : words.ai,
  },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    isOnPhone: true,
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

const Filters = () => {
  const words = useWords("tents")
  const isPhone = useIsPhone()
  const { search = "", status } = useSearch({ from: "/tents" })
  const navigate = useNavigate({ from: "/tents" })
  const go = (next: TentListSearch) => void navigate({ search: next, replace: true })
  const data = [
    { value: "all", label: words.all },
    ...tent_filters.map((each) => ({ value: each, label: words.filters[each] })),
  ]
  const choose = (next: string) =>
    go({ ...(isTentStatus(next) ? { status: next } : {}), ...(search === "" ? {} : { search }) })
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

const example = { name: "Spring sale", prompt: "A landing page for our spring sale of garden chairs" }

export const TentList = () => {
  const words = useWords("tents")
  const { may } = useSession()
  const asked = useSearch({ from: "/tents" })
  const [isCreating, setCreating] = useState(false)
  const rows = useCursor("tents", "list", { query: asked })
  const create = () => setCreating(true)
  useKeys(may("editor") ? { n: create } : {})
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0 && Object.keys(asked).length === 0
  const button = may("editor") && (
    <Button leftSection={<PlusIcon size={16} />} onClick={create}>
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={words.title}
        actions={
          <>
            <CurlButton call={["tents", "list", { query: asked }]} />
            {may("editor") && (
              <Button component={Link} to="/tents/bulk" variant="default" leftSection={<TableIcon size={16} />}>
                {words.bulk}
              </Button>
            )}
            {button}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<TentsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
          <CurlButton call={["tents", "create", { payload: example }]} />
        </Empty>
      ) : (
        <>
          <Filters />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            pathOf={({ id }) => `/tents/${id}`}
            none={words.none}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewTent onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
