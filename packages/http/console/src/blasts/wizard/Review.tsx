// Step 4: what is missing, what may be a mistake, the dry run, and the button that sends or schedules. No key sends.
import { Alert, Button, Group, List, Stack, Text } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { useFormat, useNow } from "../../format.ts"
import { BlastsIcon, ClockIcon, RefusedIcon, WarningIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CopyButton, CurlButton } from "../../parts/Copy.tsx"
import { useSession, useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { stepOfMissing, stepOfWarning, typedFor } from "../blast.ts"
import type { WizardStep } from "../search.ts"
import { DryRun, useDryRun } from "./DryRun.tsx"
import { UtcTime } from "./UtcTime.tsx"
import type { StepProps } from "./NextStep.tsx"
import { scheduledAt } from "./zone.ts"

interface Mend {
  readonly text: string
  readonly step: WizardStep | null
}

const Mends = ({ mends, onStep }: { readonly mends: ReadonlyArray<Mend>; readonly onStep: StepProps["onStep"] }) => {
  const words = useWords("blasts")
  return (
    <List size="sm" spacing={4}>
      {mends.map(({ step, text }) => (
        <List.Item key={text}>
          {text}{" "}
          {step !== null && (
            <Button variant="subtle" size="compact-xs" onClick={() => onStep(step)}>
              {words.mendIn(words.steps[step])}
            </Button>
          )}
        </List.Item>
      ))}
    </List>
  )
}

const Readiness = ({ blast, onStep }: Pick<StepProps, "blast" | "onStep">) => {
  const words = useWords("blasts")
  const { missing = [], warnings = [] } = blast.approval_readiness ?? {}
  const lacking = missing.filter((part) => part !== "schedule")
  return (
    <>
      {lacking.length > 0 && (
        <Alert color="red" icon={<RefusedIcon />} title={words.notReady}>
          <Mends
            mends={lacking.map((part) => ({ text: words.missing[part], step: stepOfMissing[part] }))}
            onStep={onStep}
          />
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" icon={<WarningIcon />} title={words.warningsTitle}>
          <Mends
            mends={warnings.map((warning) => ({ text: words.warnings[warning], step: stepOfWarning[warning] }))}
            onStep={onStep}
          />
        </Alert>
      )}
    </>
  )
}

interface LaunchProps {
  readonly blast: Blast
  readonly count: number
  /** Undefined: now. */
  readonly at: string | undefined
  readonly operational: boolean
  readonly onClose: () => void
}

/** The question before a launch. More than 1,000 people have to be typed. */
const Launch = ({ at, blast, count, onClose, operational }: LaunchProps) => {
  const words = useWords("blasts")
  const { dateTime } = useFormat()
  const params = { blastId: blast.blast_id }
  const send = useMutationOf("blasts", "sendNow", { done: () => words.sending(blast.name), onDone: onClose })
  const schedule = useMutationOf("blasts", "schedule", {
    done: () => words.scheduled(blast.name),
    onDone: onClose,
  })
  const typed = typedFor(count)
  const common = {
    ...(typed === undefined ? {} : { typed }),
    isDangerous: false,
    onClose,
  }
  if (at === undefined) {
    return (
      <Confirm
        {...common}
        title={words.sendTitle(count)}
        text={words.sendText}
        action={words.sendAction}
        isPending={send.isPending}
        error={send.error}
        onConfirm={() => send.mutate({ params, payload: { operational } })}
      />
    )
  }
  return (
    <Confirm
      {...common}
      title={words.scheduleTitle(count)}
      text={
        <>
          {dateTime(at)}
          <UtcTime at={at} />
        </>
      }
      action={words.scheduleAction}
      isPending={schedule.isPending}
      error={schedule.error}
      onConfirm={() => schedule.mutate({ params, payload: { scheduled_at: at, operational } })}
    />
  )
}

/** Who may not send passes on the address of this review. */
const AskForSend = () => {
  const words = useWords("blasts")
  return (
    <Alert color="gray" title={words.askTitle}>
      <Group gap="xs">
        <Text size="sm">{words.askText}</Text>
        <CopyButton value={location.href} label={words.askTitle} />
      </Group>
    </Alert>
  )
}

export const Review = ({ asked, blast, onStep }: StepProps) => {
  const words = useWords("blasts")
  const { may } = useSession()
  const { dateTime } = useFormat()
  const timeZone = useTimeZone()
  const [isAsking, setAsking] = useState(false)
  const operational = asked.operational === true
  const run = useDryRun(blast, operational)
  const at = scheduledAt(asked.at, timeZone, useNow())
  const count = run.data?.qualified_count ?? 0
  const params = { blastId: blast.blast_id }
  const isReady = blast.approval_readiness?.ready === true && at !== null && run.data !== undefined
  return (
    <Stack>
      <Readiness blast={blast} onStep={onStep} />
      {at === null && (
        <Alert color="red" icon={<RefusedIcon />} title={words.notReady}>
          <Mends mends={[{ text: words.noTime, step: "when" }]} onStep={onStep} />
        </Alert>
      )}
      <DryRun blast={blast} operational={operational} />
      {!may("sender") && <AskForSend />}
      <Group gap="xs">
        <Button variant="default" onClick={() => onStep("when")}>
          {words.changeTime}
        </Button>
        {may("sender") && (
          <Button
            leftSection={at === undefined ? <BlastsIcon size={16} /> : <ClockIcon size={16} />}
            disabled={!isReady}
            onClick={() => setAsking(true)}
          >
            {typeof at === "string" ? words.scheduleFor(dateTime(at)) : words.sendNow}
          </Button>
        )}
        <CurlButton
          call={
            typeof at === "string"
              ? ["blasts", "schedule", { params, payload: { scheduled_at: at, operational } }]
              : ["blasts", "sendNow", { params, payload: { operational } }]
          }
        />
      </Group>
      {isAsking && at !== null && (
        <Launch blast={blast} count={count} at={at} operational={operational} onClose={() => setAsking(false)} />
      )}
    </Stack>
  )
}
