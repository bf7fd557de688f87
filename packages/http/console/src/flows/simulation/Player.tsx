// The film of a simulation: its timeline beside the canvas, with the keys of a player.
import { ActionIcon, Group, NativeSelect, Stack, Text, UnstyledButton } from "@mantine/core"
import type { FlowSimulation } from "@tentpole/client"
import { useEffect, useMemo, useRef } from "react"
import { useFormat } from "../../format.ts"
import { LeftIcon, PauseIcon, PlayIcon, RightIcon } from "../../Icons.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import type { Structure } from "../draft/steps.ts"
import { memberTones } from "../flow.ts"
import { entryTexts, useTexts } from "../parts/texts.ts"
import { dark, type Frame, framesOf, litAt, type Lit, spanOf } from "./playback.ts"
import { type Playback, speeds, usePlayback } from "./usePlayback.ts"

const Controls = ({ playback }: { readonly playback: Playback }) => {
  const words = useWords("flows")
  const { isAtEnd, isPlaying, pause, play, setSpeed, speed, step } = playback
  return (
    <Group gap="xs" wrap="nowrap" role="group" aria-label={words.player}>
      <ActionIcon.Group>
        <ActionIcon variant="default" size="lg" aria-label={words.stepBack} onClick={() => step(-1)}>
          <LeftIcon size={16} />
        </ActionIcon>
        <ActionIcon
          variant="filled"
          size="lg"
          aria-label={isPlaying ? words.pausePlay : words.play}
          onClick={isPlaying ? pause : play}
        >
          {isPlaying ? <PauseIcon size={16} /> : <PlayIcon size={16} />}
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label={words.stepOn} disabled={isAtEnd} onClick={() => step(1)}>
          <RightIcon size={16} />
        </ActionIcon>
      </ActionIcon.Group>
      <NativeSelect
        size="xs"
        aria-label={words.speed}
        value={String(speed)}
        data={speeds.map((each) => ({ value: String(each), label: words.times(each) }))}
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
      />
    </Group>
  )
}

interface FrameProps {
  readonly frame: Frame
  readonly isCurrent: boolean
  readonly isLater: boolean
  readonly subject: string | null
  readonly nameOf: (id: string) => string
  readonly onSeek: () => void
}

const FrameRow = ({ frame, isCurrent, isLater, nameOf, onSeek, subject }: FrameProps) => {
  const words = useWords("flows")
  const { dateTime } = useFormat()
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: "nearest" })
  }, [isCurrent])
  const { detail, text } = entryTexts(words, frame.entry, nameOf)
  const { amount, unit } = spanOf(frame.after_ms)
  return (
    <li>
      <UnstyledButton
        ref={row}
        className="flow-frame"
        aria-current={isCurrent ? "step" : undefined}
        data-later={isLater || undefined}
        onClick={onSeek}
      >
        <span className="flow-frame-time" title={dateTime(frame.entry.timestamp)}>
          {words.spans[unit](amount)}
        </span>
        <span>
          {text}
          {[subject, detail].map((each) =>
            each === null ? null : (
              <Text key={each} component="span" size="xs" c="dimmed" display="block" className="break">
                {each}
              </Text>
            ),
          )}
        </span>
      </UnstyledButton>
    </li>
  )
}

/** The subject of the message that an entry speaks of. */
const subjectOf = ({ emails }: FlowSimulation, { entry }: Frame): string | null => {
  if (entry.type !== "email_sent") return null
  return emails.find(({ at, step_id }) => step_id === entry.step_id && at === entry.timestamp)?.subject ?? null
}

interface Props {
  readonly simulation: FlowSimulation
  readonly structure: Structure
  readonly onLit: (lit: Lit) => void
}

export const Player = ({ onLit, simulation, structure }: Props) => {
  const words = useWords("flows")
  const { names } = useEditing()
  const { nameOf } = useTexts(structure, names)
  const frames = useMemo(() => framesOf(simulation, structure), [simulation, structure])
  const playback = usePlayback(frames.length)
  const { at } = playback
  const report = useRef(onLit)
  useEffect(() => {
    report.current(litAt(frames, at))
  }, [frames, at])
  useEffect(() => () => report.current(dark), [])
  return (
    <Stack gap="sm" component="section" aria-label={words.timeline}>
      <Group justify="space-between">
        <Controls playback={playback} />
        <StatusBadge tone={memberTones[simulation.status]} label={words.memberStates[simulation.status]} />
      </Group>
      <ol className="flow-frames">
        {frames.map((frame, index) => (
          <FrameRow
            // oxlint-disable-next-line react/no-array-index-key -- the timeline of a simulation never changes
            key={index}
            frame={frame}
            isCurrent={index === at}
            isLater={index > at}
            subject={subjectOf(simulation, frame)}
            nameOf={nameOf}
            onSeek={() => playback.seek(index)}
          />
        ))}
      </ol>
    </Stack>
  )
}
