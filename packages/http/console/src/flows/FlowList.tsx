// The flows of the workspace: status, members, and the way to a new one.
import { Button, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import type { Flow } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { usePages } from "../api/rows.ts"
import { FlowsIcon, PlusIcon } from "../Icons.tsx"
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
import { announce } from "../shell/Announcer.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords, type Words } from "../words/Words.tsx"
import { flowTones, presentIn } from "./flow.ts"
import { type FlowListSearch, flow_filters, isFlowStatus } from "./search.ts"

const NewFlow = lazy(async () => ({ default: (await import("./NewFlow.tsx")).NewFlow }))

const countOf = (words: Words["flows"], count: number) =>
  count === 0 ? <span className="nothing">–</span> : words.number(count)

const columnsOf = (words: Words["flows"]): ReadonlyArray<Column<Flow>> => [
  { key: "name", label: words.name, width: "minmax(14rem, 3fr)", cell: ({ name }) => name },
  {
    key: "status",
    label: words.status,
    width: "7rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={flowTones[status]} label={words.states[status]} />,
  },
  {
    key: "steps",
    label: words.steps,
    width: "5rem",
    isNumber: true,
    cell: ({ steps }) => countOf(words, steps.length),
  },
  {
    key: "here",
    label: words.here,
    width: "7rem",
    isNumber: true,
    isOnPhone: true,
    cell: (flow) => countOf(words, presentIn(flow)),
  },
  {
    key: "completed",
    label: words.memberStates.completed,
    width: "7rem",
    isNumber: true,
    cell: ({ details }) => countOf(words, details.completed_count),
  },
  {
    key: "failed",
    label: words.memberStates.failed,
    width: "6rem",
    isNumber: true,
    cell: ({ details }) => countOf(words, details.failed_count),
  },
  {
    key: "updated",
    label: words.updated,
    width: "9rem",
    cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
  },
]

const Filters = () => {
  const words = useWords("flows")
  const isPhone = useIsPhone()
  const { search = "", status } = useSearch({ from: "/flows" })
  const navigate = useNavigate({ from: "/flows" })
  const go = (next: FlowListSearch) => void navigate({ search: next, replace: true })
  const data = [
    { value: "all", label: words.all },
    ...flow_filters.map((each) => ({ value: each, label: words.states[each] })),
  ]
  const choose = (next: string) =>
    go({ ...(isFlowStatus(next) ? { status: next } : {}), ...(search === "" ? {} : { search }) })
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

const example = { name: "Welcome", triggers: [{ type: "contact_created" }], steps: [] } as const

export const FlowList = () => {
  const words = useWords("flows")
  const { may } = useSession()
  const asked = useSearch({ from: "/flows" })
  const [isCreating, setCreating] = useState(false)
  const rows = usePages("flows", "list", { query: asked })
  const { isPending, total } = rows
  const create = () => setCreating(true)
  useKeys(may("editor") ? { n: create } : {})
  useEffect(() => {
    if (!isPending) announce(words.count(total))
  }, [isPending, total, words])
  const isEmpty = !isPending && rows.error === null && total === 0 && Object.keys(asked).length === 0
  const button = may("editor") && (
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
            <CurlButton call={["flows", "list", { query: asked }]} />
            {button}
          </>
        }
      />
      {isEmpty ? (
        <Empty icon={<FlowsIcon size={22} />} title={words.empty} text={words.emptyText}>
          {button}
          <CurlButton call={["flows", "create", { payload: example }]} />
        </Empty>
      ) : (
        <>
          <Filters />
          {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
          <DataTable
            label={words.title}
            rows={rows}
            columns={columnsOf(words)}
            keyOf={({ flow_id }) => flow_id}
            nameOf={({ name }) => name}
            pathOf={({ flow_id }) => `/flows/${flow_id}`}
            none={words.none}
          />
        </>
      )}
      <Suspense fallback={null}>{isCreating && <NewFlow onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
