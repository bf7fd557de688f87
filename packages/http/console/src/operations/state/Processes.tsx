// The processes of the service: kind, start, memory and event loop. Those that are gone are marked.
import { Table } from "@mantine/core"
import { useFormat } from "../../format.ts"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { FigureTable } from "../../parts/table/FigureTable.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { goneOf, type Operations } from "./state.ts"

/** Above it, requests and messages wait for the process. */
const slow_ms = 200

export const Processes = ({ processes }: Pick<Operations, "processes">) => {
  const words = useWords("operations").state
  const { bytes, number } = useFormat()
  const gone = goneOf(processes)
  return (
    <FigureTable
      title={words.processes}
      none={words.noProcesses}
      isEmpty={processes.length === 0}
      heads={[words.process, words.started, words.memory, words.eventLoop, words.seen]}
      width_px={600}
    >
      {processes.map(({ event_loop_p99_ms, kind, process_id, rss_bytes, seen_at, started_at }) => {
        const isGone = gone.has(process_id)
        const loop = words.milliseconds(number(Math.round(event_loop_p99_ms * 10) / 10))
        return (
          <Table.Tr key={process_id}>
            <Table.Td>
              <StatusBadge
                tone={isGone ? "bad" : "good"}
                label={isGone ? words.gone(words.kinds[kind]) : words.kinds[kind]}
              />
            </Table.Td>
            <Table.Td ta="end">
              <Time at={started_at} as="relative" />
            </Table.Td>
            <Table.Td ta="end">{bytes(rss_bytes)}</Table.Td>
            <Table.Td ta="end">
              {event_loop_p99_ms > slow_ms && !isGone ? (
                <StatusBadge tone="warning" label={`${loop} · ${words.slow}`} />
              ) : (
                loop
              )}
            </Table.Td>
            <Table.Td ta="end">
              <Time at={seen_at} as="relative" />
            </Table.Td>
          </Table.Tr>
        )
      })}
    </FigureTable>
  )
}
