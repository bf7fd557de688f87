// What goes on: blasts that are being sent and imports that run, as they change.
import { Group, Progress, Stack, Text } from "@mantine/core"
import type { GoingOn as Value } from "../api/changes.ts"
import { doneOf, percentOf } from "../blasts/blast.ts"
import { useFormat } from "../format.ts"
import { useWords } from "../words/Words.tsx"
import { shareOfRows } from "./home.ts"
import { MaybeLink, Panel } from "./Panel.tsx"

const BlastRow = ({ blast }: { readonly blast: Value["blasts"][number] }) => {
  const words = useWords("home")
  const states = useWords("blasts").states
  const { number, percent, time } = useFormat()
  const { progress } = blast
  const { done, total } = doneOf(progress)
  const says = [
    percent(total === 0 ? 0 : done / total),
    ...(progress.paused
      ? [states.paused]
      : [
          words.perSecond(number(Math.round(progress.per_second ?? 0))),
          ...(progress.estimated_end_at === null ? [] : [words.doneAt(time(progress.estimated_end_at))]),
        ]),
  ]
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={550} component="div">
          <MaybeLink path={`/blasts/${blast.blast_id}`} route="/blasts/$blastId">
            {blast.name}
          </MaybeLink>
        </Text>
        <Text size="sm" c="dimmed">
          {says.join(" · ")}
        </Text>
      </Group>
      <Progress
        value={percentOf(done, total)}
        color={progress.paused ? "yellow.5" : "pine.6"}
        aria-label={words.progressOf(blast.name)}
      />
    </div>
  )
}

const ImportRow = ({ run }: { readonly run: Value["imports"][number] }) => {
  const words = useWords("home")
  const { number } = useFormat()
  const name = run.file_name ?? words.import
  const share = shareOfRows(run)
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={550} component="div">
          <MaybeLink path={`/imports/${run.import_run_id}`} route="/imports/$runId">
            {name}
          </MaybeLink>
        </Text>
        <Text size="sm" c="dimmed">
          {run.total_rows === null
            ? words.rows(number(run.processed_rows))
            : words.rowsOf(number(run.processed_rows), number(run.total_rows))}
        </Text>
      </Group>
      <Progress value={(share ?? 0) * 100} color="indigo.5" aria-label={words.progressOf(name)} />
    </div>
  )
}

export const GoingOn = ({ goingOn: { blasts, imports } }: { readonly goingOn: Value }) => {
  const words = useWords("home")
  if (blasts.length + imports.length === 0) return null
  return (
    <Panel title={words.goingOn}>
      <Stack gap="md">
        {blasts.map((blast) => (
          <BlastRow key={blast.blast_id} blast={blast} />
        ))}
        {imports.map((run) => (
          <ImportRow key={run.import_run_id} run={run} />
        ))}
      </Stack>
    </Panel>
  )
}
