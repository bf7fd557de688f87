// The queues of background jobs: a bar and the counts of each type.
import { Progress, Table } from "@mantine/core"
import { useFormat } from "../../format.ts"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { FigureTable } from "../../parts/table/FigureTable.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { type JobCounts, job_states, type JobState, type Operations, totalOf } from "./state.ts"

const colors: Readonly<Record<JobState, string>> = {
  running: "pine.6",
  ready: "indigo.5",
  later: "gray.5",
  dead: "red.7",
}

/** The name of a type of jobs. Of a newer release, the type itself. */
export const typeOf = ({ types }: Words["operations"]["state"], type: string): string =>
  (types as Readonly<Record<string, string>>)[type] ?? type

const Bar = ({ jobs, largest }: { readonly jobs: JobCounts; readonly largest: number }) => (
  <Progress.Root size={4} mt={4} maw={220} aria-hidden="true">
    {job_states.map((state) => (
      <Progress.Section key={state} value={(jobs[state] / largest) * 100} color={colors[state]} />
    ))}
  </Progress.Root>
)

export const Queues = ({ jobs }: Pick<Operations, "jobs">) => {
  const words = useWords("operations").state
  const { duration, number } = useFormat()
  const largest = Math.max(1, ...jobs.map(totalOf))
  return (
    <FigureTable
      title={words.queues}
      none={words.noJobs}
      isEmpty={jobs.length === 0}
      heads={[words.type, ...job_states.map((state) => words.jobStates[state]), words.oldest]}
      width_px={520}
    >
      {jobs.map((counts) => (
        <Table.Tr key={counts.type}>
          <Table.Td>
            {typeOf(words, counts.type)}
            <Bar jobs={counts} largest={largest} />
          </Table.Td>
          {job_states.map((state) => (
            <Table.Td key={state} ta="end">
              {state === "dead" && counts.dead > 0 ? (
                <StatusBadge tone="bad" label={number(counts.dead)} />
              ) : (
                number(counts[state])
              )}
            </Table.Td>
          ))}
          <Table.Td ta="end">{counts.oldest_s === null ? "–" : duration(counts.oldest_s)}</Table.Td>
        </Table.Tr>
      ))}
    </FigureTable>
  )
}
