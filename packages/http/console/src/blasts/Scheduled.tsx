// A scheduled blast: its time, its dry run, and the ways to change or cancel it.
import { Button, Group, Paper, Stack, Text } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { useFormat, useNow } from "../format.ts"
import { ClockIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { DryRun } from "./wizard/DryRun.tsx"
import { UtcTime } from "./wizard/UtcTime.tsx"

export const Scheduled = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const { back } = useWords("shell")
  const { dateTime, relative } = useFormat()
  const now_ms = useNow()
  const { may } = useSession()
  const [isCancelling, setCancelling] = useState(false)
  const params = { blastId: blast.blast_id }
  const unschedule = useMutationOf("blasts", "unschedule", { done: () => words.unscheduled })
  const cancel = useMutationOf("blasts", "cancel", { done: () => words.cancelled(blast.name) })
  const at = blast.scheduled_at ?? blast.updated_at
  return (
    <Stack>
      <Paper p="md" component="section" aria-label={words.states.scheduled}>
        <Group justify="space-between" align="flex-start">
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <ClockIcon size={20} />
            <div>
              <Text fw={600}>{dateTime(at)}</Text>
              <UtcTime at={at} />
              <Text size="sm" c="dimmed">
                {relative(at, now_ms)}
              </Text>
            </div>
          </Group>
          {may("sender") && (
            <Group gap="xs">
              <Button variant="default" loading={unschedule.isPending} onClick={() => unschedule.mutate({ params })}>
                {words.unschedule}
              </Button>
              <Button variant="default" c="var(--mantine-color-error)" onClick={() => setCancelling(true)}>
                {words.cancel}
              </Button>
            </Group>
          )}
        </Group>
        {unschedule.isError && <Problem error={unschedule.error} />}
      </Paper>
      <DryRun blast={blast} operational={blast.operational} />
      {isCancelling && (
        <Confirm
          title={words.cancelTitle(blast.name)}
          text={words.cancelScheduledText}
          action={words.cancelAction}
          dismiss={back}
          isPending={cancel.isPending}
          error={cancel.error}
          onClose={() => setCancelling(false)}
          onConfirm={() => cancel.mutate({ params })}
        />
      )}
    </Stack>
  )
}
