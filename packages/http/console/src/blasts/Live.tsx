// A blast while it is sent: how far it is, how fast, when it ends, what it waits for and why it stalls.
import { Alert, Button, Grid, Group, Paper, Progress, Skeleton, Stack, Text } from "@mantine/core"
import type { Blast, BlastProgress } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { adminQueryOf, queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { PauseIcon, PlayIcon, StopIcon, WarningIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { Plot } from "../parts/plot/Plot.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { doneOf, percentOf } from "./blast.ts"

const first_opens = 5
const plot_height_px = 170

/** The workspace's limit of messages a second, which only owners can read. Null: none, or not known. */
const useLimit = (): number | null => {
  const { may, membership } = useSession()
  const found = useQuery({
    ...adminQueryOf("workspaces", "find", { params: { workspace_id: membership.workspace_id } }),
    enabled: may("owner"),
  })
  return found.data?.sending_limits.per_second ?? null
}

const Controls = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const { back } = useWords("shell")
  const [isCancelling, setCancelling] = useState(false)
  const params = { blastId: blast.blast_id }
  const pause = useMutationOf("blasts", "pause", { done: () => words.pausedNow })
  const resume = useMutationOf("blasts", "resume", { done: () => words.resumedNow })
  const cancel = useMutationOf("blasts", "cancel", { done: () => words.cancelled(blast.name) })
  const error = pause.error ?? resume.error
  return (
    <>
      <Group gap="xs">
        {blast.paused ? (
          <Button
            leftSection={<PlayIcon size={16} />}
            loading={resume.isPending}
            onClick={() => resume.mutate({ params })}
          >
            {words.resume}
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<PauseIcon size={16} />}
            loading={pause.isPending}
            onClick={() => pause.mutate({ params })}
          >
            {words.pause}
          </Button>
        )}
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<StopIcon size={16} />}
          onClick={() => setCancelling(true)}
        >
          {words.cancel}
        </Button>
      </Group>
      {error !== null && <Problem error={error} />}
      {isCancelling && (
        <Confirm
          title={words.cancelTitle(blast.name)}
          text={words.cancelText}
          action={words.cancelAction}
          dismiss={back}
          isPending={cancel.isPending}
          error={cancel.error}
          onClose={() => setCancelling(false)}
          onConfirm={() => cancel.mutate({ params })}
        />
      )}
    </>
  )
}

const Fact = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fw={600} component="div">
      {children}
    </Text>
  </div>
)

const Facts = ({ limit, progress }: { readonly progress: BlastProgress; readonly limit: number | null }) => {
  const words = useWords("blasts")
  const { number, time } = useFormat()
  const { blocked, deferred, estimated_end_at, failed, per_second, sent } = progress
  const rate = per_second ?? 0
  return (
    <Group gap="xl">
      <Fact label={words.rate}>
        {words.perSecond(number(Math.round(rate * 10) / 10))}
        {limit !== null && ` ${words.ofLimit(number(limit))}`}
      </Fact>
      <Fact label={words.ends}>{estimated_end_at === null ? "–" : time(estimated_end_at)}</Fact>
      <Fact label={words.sent}>{number(sent)}</Fact>
      <Fact label={words.failed}>{number(failed)}</Fact>
      <Fact label={words.blocked}>{number(blocked)}</Fact>
      {deferred > 0 && <Fact label={words.deferred}>{number(deferred)}</Fact>}
    </Group>
  )
}

/** Why nothing is sent, if nothing is. */
const Stalled = ({ progress }: { readonly progress: BlastProgress }) => {
  const words = useWords("blasts")
  const { next_attempt_at, paused, stalled } = progress
  if (paused) {
    return (
      <Alert color="yellow" icon={<PauseIcon />} title={words.states.paused}>
        {words.pausedText}
      </Alert>
    )
  }
  if (stalled === null) return null
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={words.stalls[stalled].title}>
      {words.stalls[stalled].text}
      {stalled === "refused" && next_attempt_at !== null && (
        <>
          {" "}
          {words.nextAttempt} <Time at={next_attempt_at} />
        </>
      )}
    </Alert>
  )
}

/** The domains with the most recipients that still wait. */
const Waiting = ({ waiting }: Pick<BlastProgress, "waiting">) => {
  const words = useWords("blasts")
  const { number } = useFormat()
  const most = Math.max(...waiting.map(({ count }) => count))
  return (
    <Paper p="md" h="100%" component="section" aria-label={words.waiting}>
      <Text component="h2" fw={600} size="sm" mt={0} mb="sm">
        {words.waiting}
      </Text>
      <Stack gap={8}>
        {waiting.map(({ count, domain, per_second }) => (
          <div key={domain}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm" truncate>
                {domain}
              </Text>
              <Text size="sm" c="dimmed">
                {number(count)}
                {per_second !== null && ` · ${words.perSecond(number(per_second))}`}
              </Text>
            </Group>
            <Progress value={percentOf(count, most)} size={4} color="gray.5" aria-hidden="true" />
          </div>
        ))}
      </Stack>
    </Paper>
  )
}

const FirstOpens = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const opened = blast.details.blast_opened_count
  const query = { category: "opened", sort: "opened_at", order: "asc", limit: first_opens } as const
  const found = useQuery({
    ...queryOf("blasts", "recipients", { params: { blastId: blast.blast_id }, query }),
    enabled: opened > 0,
  })
  const { refetch } = found
  const shown = found.data?.contacts.length ?? 0
  // The first ones do not change once they are known.
  useEffect(() => {
    if (opened > shown && shown < first_opens && shown > 0) void refetch()
  }, [opened, shown, refetch])
  if (found.data === undefined || shown === 0) return null
  return (
    <Paper p="md" h="100%" component="section" aria-label={words.firstOpens}>
      <Text component="h2" fw={600} size="sm" mt={0} mb="sm">
        {words.firstOpens}
      </Text>
      <Stack gap={6}>
        {found.data.contacts.map(({ display_name, email, opened_at, recipient_id }) => (
          <Group key={recipient_id} justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" truncate>
              {display_name ?? email ?? words.noAddress}
            </Text>
            {opened_at !== null && (
              <Text size="sm" c="dimmed" component="span">
                <Time at={opened_at} as="relative" />
              </Text>
            )}
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

const Bar = ({ progress }: { readonly progress: BlastProgress }) => {
  const words = useWords("blasts")
  const { percent, number } = useFormat()
  const { done, total } = doneOf(progress)
  const { blocked, failed, sent } = progress
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text fw={650} size="xl">
          {percent(total === 0 ? 0 : done / total)}
        </Text>
        <Text size="sm" c="dimmed">
          {words.doneOf(number(done), number(total))}
        </Text>
      </Group>
      <Progress.Root
        size="lg"
        role="progressbar"
        aria-label={words.progress}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <Progress.Section value={percentOf(sent, total)} color="pine.6" withAria={false} />
        <Progress.Section value={percentOf(failed, total)} color="red.6" withAria={false} />
        <Progress.Section value={percentOf(blocked, total)} color="gray.5" withAria={false} />
      </Progress.Root>
    </div>
  )
}

export const Live = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const { may } = useSession()
  const params = { blastId: blast.blast_id }
  const found = useQuery(queryOf("blasts", "progress", { params }))
  const limit = useLimit()
  if (found.isPending) return <Skeleton className="late" h={220} radius="lg" mb="md" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  const progress = found.data
  return (
    <Stack mb="lg">
      <Paper p="md" component="section" aria-label={words.live}>
        <Stack gap="md">
          <Bar progress={progress} />
          <Group justify="space-between" align="flex-end">
            <Facts progress={progress} limit={limit} />
            <Group gap="xs">
              <CurlButton call={["blasts", "progress", { params }]} />
              {may("sender") && <Controls blast={blast} />}
            </Group>
          </Group>
        </Stack>
      </Paper>
      <Stalled progress={progress} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: "auto" }}>
          <Plot
            title={words.lastMinutes}
            points={progress.points}
            series={[{ name: "sent", label: words.sent, color: "pine.6" }]}
            interval="minute"
            height_px={plot_height_px}
          />
        </Grid.Col>
        {progress.waiting.length > 0 && (
          <Grid.Col span={{ base: 12, sm: 6, md: 3 }}>
            <Waiting waiting={progress.waiting} />
          </Grid.Col>
        )}
        {blast.details.blast_opened_count > 0 && (
          <Grid.Col span={{ base: 12, sm: 6, md: 3 }}>
            <FirstOpens blast={blast} />
          </Grid.Col>
        )}
      </Grid>
    </Stack>
  )
}
