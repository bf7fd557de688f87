// The flows of the workspace: status, members, and the way to a new one.
import { Button } from "@mantine/core"
import type { Flow } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { usePages } from "../api/rows.ts"
import { FlowsIcon, PlusIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Filters } from "../parts/table/Filters.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"
import { flowTones, presentIn } from "./flow.ts"
import { flow_filters } from "./search.ts"

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

const example = { name: "Welcome", triggers: [{ type: "contact_created" }], steps: [] } as const

export const FlowList = () => {
  const words = useWords("flows")
  const { may } = useSession()
  const asked = useSearch({ from: "/flows" })
  const navigate = useNavigate({ from: "/flows" })
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        rows={usePages("flows", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ flow_id }) => flow_id}
        nameOf={({ name }) => name}
        pathOf={({ flow_id }) => `/flows/${flow_id}`}
        none={words.none}
        totals={words}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <FlowsIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          may("editor") && (
            <Button leftSection={<PlusIcon size={16} />} onClick={create}>
              {words.create}
            </Button>
          )
        }
        onNew={may("editor") ? create : null}
        curl={<CurlButton call={["flows", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["flows", "create", { payload: example }]} />}
        filters={
          <Filters
            asked={asked}
            by="status"
            options={flow_filters.map((each) => ({ value: each, label: words.states[each] }))}
            labels={{ search: words.search, by: words.status, all: words.all }}
            onChange={(search) => void navigate({ search, replace: true })}
          />
        }
      />
      <Suspense fallback={null}>{isCreating && <NewFlow onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
