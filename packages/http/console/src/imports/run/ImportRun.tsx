// The screen of one run: its progress while it runs, what became of the rows, and the way to mend those that were rejected.
import { Alert, Group, Paper, Progress as Bar, Skeleton, Stack, Text } from "@mantine/core"
import type { ImportRun as Run } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useCallback, useEffect, useState } from "react"
import { useChanges } from "../../api/changes.ts"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { RefusedIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { announce } from "../../shell/Announcer.tsx"
import { useWords } from "../../words/Words.tsx"
import { runTones } from "../ImportList.tsx"
import { left_s, rateOf, type Sample, sampled } from "./pace.ts"
import { RejectedRows } from "./RejectedRows.tsx"
import { Results } from "./Results.tsx"

/** Follows the run. Returns the rows a second, from the counts that arrive. */
const useRate = ({ import_run_id }: Run): number | null => {
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  const hear = useCallback((_: string, value: unknown) => {
    const { processed_rows: rows } = (value ?? {}) as { readonly processed_rows?: unknown }
    if (typeof rows === "number") setSamples((before) => sampled(before, { at_ms: Date.now(), rows }))
  }, [])
  useChanges([`import:${import_run_id}`], hear)
  return rateOf(samples)
}

const Going = ({ run }: { readonly run: Run }) => {
  const words = useWords("imports")
  const { duration, number } = useFormat()
  const { processed_rows, status, total_rows } = run
  const rate = useRate(run)
  const left = left_s(rate, processed_rows, total_rows)
  const text =
    status === "queued"
      ? words.waiting
      : total_rows === null
        ? words.counting
        : [
            words.of(number(processed_rows), number(total_rows)),
            ...(rate === null ? [] : [words.per_second(number(Math.round(rate)))]),
            ...(left === null ? [] : [words.left(duration(left))]),
          ].join(" · ")
  return (
    <Stack gap={6}>
      <Bar
        value={total_rows === null || total_rows === 0 ? 0 : (processed_rows * 100) / total_rows}
        size="lg"
        animated={status === "running"}
        aria-label={text}
      />
      <Text size="sm">{text}</Text>
      <Text size="xs" c="dimmed">
        {words.goesOn}
      </Text>
    </Stack>
  )
}

const Ended = ({ run }: { readonly run: Run }) => {
  const words = useWords("imports")
  const { duration, number } = useFormat()
  const { completed_at, error, processed_rows, started_at, status } = run
  if (status === "failed") {
    return (
      <Alert color="red" icon={<RefusedIcon />} title={words.failedTitle} role="alert">
        <Text size="sm">{error}</Text>
        <Text size="sm">{words.failedText}</Text>
      </Alert>
    )
  }
  const took_s = (Date.parse(completed_at ?? "") - Date.parse(started_at ?? "")) / 1_000
  return <Text size="sm">{words.doneText(number(processed_rows), duration(Math.max(0, took_s)))}</Text>
}

const Counts = ({ run }: { readonly run: Run }) => {
  const words = useWords("imports")
  const { number } = useFormat()
  const figures = [
    [words.created, run.created_count],
    [words.updated, run.updated_count],
    [words.skipped, run.skipped_count],
    [words.failed, run.error_count],
    ...(run.confirmations_waiting_count > 0
      ? [[words.confirmationsWaiting, run.confirmations_waiting_count] as const]
      : []),
    ...(run.warning_count > 0 ? [[words.warned, run.warning_count] as const] : []),
  ] as const
  return (
    <Group component="dl" gap="xl" m={0}>
      {figures.map(([label, count]) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" fw={650} className="figure" m={0}>
            {number(count)}
          </Text>
        </div>
      ))}
    </Group>
  )
}

const isEnded = ({ status }: Run): boolean => status === "completed" || status === "failed"

/** The name of the file, which only the listing has. */
const useFileName = (runId: string): string | null => {
  const listed = useQuery(queryOf("imports", "list", { query: { limit: 100 } }))
  return listed.data?.runs.find((run) => run.import_run_id === runId)?.file_name ?? null
}

const OpenRun = ({ run }: { readonly run: Run }) => {
  const words = useWords("imports")
  const hasEnded = isEnded(run)
  useEffect(() => {
    if (hasEnded) announce(words.statuses[run.status])
  }, [hasEnded, run.status, words])
  return (
    <Stack gap="md">
      <Paper p="md" component="section" aria-label={words.steps.run}>
        <Stack gap="md">
          {hasEnded ? <Ended run={run} /> : <Going run={run} />}
          <Counts run={run} />
          <RejectedRows run={run} />
        </Stack>
      </Paper>
      <Results run={run} />
    </Stack>
  )
}

export const ImportRun = () => {
  const words = useWords("imports")
  const { runId } = useParams({ from: "/imports/$runId" })
  const params = { import_run_id: runId }
  const found = useQuery(queryOf("imports", "find", { params }))
  const name = useFileName(runId)
  const run = found.data
  return (
    <>
      <PageHeader
        above={<BackLink to="/imports" label={words.title} />}
        title={name ?? words.run}
        beside={run !== undefined && <StatusBadge tone={runTones[run.status]} label={words.statuses[run.status]} />}
        text={
          run !== undefined && (
            <>
              {words.as[run.as]} · <Time at={run.created_at} />
            </>
          )
        }
        actions={<CurlButton call={["imports", "find", { params }]} />}
      />
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      {run === undefined && !found.isError && <Skeleton className="late" h={240} radius="lg" />}
      {run !== undefined && <OpenRun key={runId} run={run} />}
    </>
  )
}
