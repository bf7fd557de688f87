// The screen of one flow: the canvas or the list of its steps, the editor beside it, and its actions above.
import { Skeleton } from "@mantine/core"
import type { Flow as FlowValue } from "@tentpole/client"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useCallback, useMemo } from "react"
import { useChanges } from "../api/changes.ts"
import { queryOf } from "../api/queries.ts"
import { BackLink } from "../parts/BackLink.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { OpenFlow } from "./OpenFlow.tsx"

/** Members at each step, kept current by the stream of changes. The figures of the flow follow them. */
const useCounts = (flowId: string): ReadonlyMap<string, number> => {
  const stale = useQueryClient()
  const graph = useQuery(queryOf("flows", "graph", { params: { flowId } }))
  const hear = useCallback(
    () => void stale.invalidateQueries({ queryKey: queryOf("flows", "find", { params: { flowId } }).queryKey }),
    [stale, flowId],
  )
  useChanges([`flow:${flowId}`], hear)
  return useMemo(() => new Map(graph.data?.nodes.map(({ count, step_id }) => [step_id, count])), [graph.data])
}

const Counted = ({ flow }: { readonly flow: FlowValue }) => (
  <OpenFlow key={flow.flow_id} flow={flow} counts={useCounts(flow.flow_id)} />
)

export const Flow = () => {
  const words = useWords("flows")
  const { flowId } = useParams({ from: "/flows/$flowId" })
  const found = useQuery(queryOf("flows", "find", { params: { flowId } }))
  if (found.isPending) return <Skeleton className="late" h={480} radius="lg" />
  if (found.isError) {
    return (
      <>
        <PageHeader above={<BackLink to="/flows" label={words.title} />} title={words.flow} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  return <Counted flow={found.data} />
}
