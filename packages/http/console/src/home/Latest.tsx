// The latest blasts, flows in which people wait, and pages with traffic.
import { Stack } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { stateOf, toneOf } from "../blasts/blast.ts"
import { useFormat } from "../format.ts"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useWords } from "../words/Words.tsx"
import { Line, MaybeLink, Panel } from "./Panel.tsx"

const shown_max = 5

export const LatestBlasts = ({ blasts }: { readonly blasts: ReadonlyArray<Blast> }) => {
  const words = useWords("home")
  const { states } = useWords("blasts")
  const { number, share } = useFormat()
  if (blasts.length === 0) return null
  return (
    <Panel title={words.latestBlasts} path="/blasts">
      <Stack gap={6}>
        {blasts.map((blast) => {
          const { blast_delivered_count, blast_opened_count, blast_sent_count } = blast.details
          return (
            <Line
              key={blast.blast_id}
              name={
                <MaybeLink path={`/blasts/${blast.blast_id}`} route="/blasts/$blastId">
                  {blast.name}
                </MaybeLink>
              }
            >
              {blast_sent_count > 0 && (
                <span className="figures">
                  {words.sentTo(number(blast_sent_count))} ·{" "}
                  {words.openedBy(share(blast_opened_count, blast_delivered_count))}
                </span>
              )}
              <StatusBadge tone={toneOf(blast)} label={states[stateOf(blast)]} />
            </Line>
          )
        })}
      </Stack>
    </Panel>
  )
}

export const WaitingFlows = () => {
  const words = useWords("home")
  const found = useQuery(queryOf("flows", "list", { query: { status: "active", limit: 25 } }))
  const flows = (found.data?.flows ?? [])
    .filter(({ details }) => details.active_count + details.waiting_count > 0)
    .slice(0, shown_max)
  if (flows.length === 0) return null
  return (
    <Panel title={words.flows} path="/flows">
      <Stack gap={6}>
        {flows.map(({ details, flow_id, name }) => (
          <Line
            key={flow_id}
            name={
              <MaybeLink path={`/flows/${flow_id}`} route="/flows/$flowId">
                {name}
              </MaybeLink>
            }
          >
            {words.inFlow(details.active_count + details.waiting_count)}
          </Line>
        ))}
      </Stack>
    </Panel>
  )
}

export const PagesWithTraffic = () => {
  const words = useWords("home")
  const found = useQuery(queryOf("analytics", "workspace"))
  const pages = (found.data?.top_tents ?? []).slice(0, shown_max)
  if (pages.length === 0) return null
  return (
    <Panel title={words.pages} path="/tents">
      <Stack gap={6}>
        {pages.map(({ name, pageviews, tent_id }) => (
          <Line
            key={tent_id}
            name={
              <MaybeLink path={`/tents/${tent_id}`} route="/tents/$tentId">
                {name}
              </MaybeLink>
            }
          >
            {words.views(pageviews)}
          </Line>
        ))}
      </Stack>
    </Panel>
  )
}
