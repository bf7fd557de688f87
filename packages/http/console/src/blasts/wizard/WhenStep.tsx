// Step 3: when it is sent, now or at a time of the workspace's zone, and whether it is operational mail.
import { Alert, Paper, Radio, Stack, Switch, TextInput } from "@mantine/core"
import { useNow } from "../../format.ts"
import { WarningIcon } from "../../Icons.tsx"
import { useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import type { BlastSearch } from "../search.ts"
import { UtcTime } from "./UtcTime.tsx"
import { NextStep, type StepProps } from "./NextStep.tsx"
import { instantOf, localOf, scheduledAt } from "./zone.ts"

const hour_ms = 3_600_000

/** The next full hour that is at least an hour away. */
const suggested = (timeZone: string): string => localOf((Math.ceil(Date.now() / hour_ms) + 1) * hour_ms, timeZone)

const without = ({ at: _, ...rest }: BlastSearch): BlastSearch => rest

const TimeField = ({ asked, onAsked }: Pick<StepProps, "asked" | "onAsked">) => {
  const words = useWords("blasts")
  const timeZone = useTimeZone()
  const now_ms = useNow()
  const { at = "" } = asked
  const found = instantOf(at, timeZone)
  const isPast = found.kind !== "invalid" && Date.parse(found.at) <= now_ms
  return (
    <Stack gap={6} pl={28}>
      <TextInput
        type="datetime-local"
        label={words.scheduledAt}
        value={at}
        maw={260}
        error={isPast ? words.past : undefined}
        onChange={({ currentTarget }) => onAsked({ ...asked, at: currentTarget.value })}
      />
      {found.kind !== "invalid" && <UtcTime at={found.at} />}
      {found.kind === "skipped" && (
        <Alert color="yellow" icon={<WarningIcon />} title={words.skipped}>
          {words.skippedText}
        </Alert>
      )}
      {found.kind === "twice" && (
        <Alert color="yellow" icon={<WarningIcon />} title={words.twice}>
          {words.twiceText}
        </Alert>
      )}
    </Stack>
  )
}

export const WhenStep = ({ asked, onAsked, onStep }: StepProps) => {
  const words = useWords("blasts")
  const timeZone = useTimeZone()
  const now_ms = useNow()
  const isNow = asked.at === undefined
  return (
    <>
      <Paper p="md" maw={760}>
        <Stack gap="lg">
          <Radio.Group
            aria-label={words.steps.when}
            value={isNow ? "now" : "later"}
            onChange={(next) =>
              onAsked(next === "now" ? without(asked) : { ...asked, at: asked.at ?? suggested(timeZone) })
            }
          >
            <Stack gap="sm">
              <Radio value="now" label={words.now} description={words.nowText} />
              <Radio value="later" label={words.later} description={words.laterText} />
              {!isNow && <TimeField asked={asked} onAsked={onAsked} />}
            </Stack>
          </Radio.Group>
          <Switch
            label={words.operational}
            description={words.operationalText}
            checked={asked.operational === true}
            onChange={({ currentTarget }) => {
              const { operational: _, ...rest } = asked
              onAsked(currentTarget.checked ? { ...rest, operational: true } : rest)
            }}
          />
        </Stack>
      </Paper>
      <NextStep
        back="what"
        next="review"
        isReady={isNow || scheduledAt(asked.at, timeZone, now_ms) !== null}
        onStep={onStep}
      />
    </>
  )
}
