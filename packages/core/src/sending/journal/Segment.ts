// Segments of the send journal: their keys in the blob store, and which of them a restore has to read.
import { DateTime } from "effect"

export const journal_folder = "send-journal"

/** A segment is replaced by a longer one with each write until it has this size. */
export const segment_bytes_max = 32_768

export interface Segment {
  /** The day of its first record, by the worker's clock: `2026-11-23`. */
  readonly day: string
  /** The process that wrote it. */
  readonly run: string
  /** The last value of the epoch that the run had written before. */
  readonly counter: number
  /** Its number within the run, from 0. */
  readonly number: number
  /** After a write that failed, the same number is written under another key: the failed write may still arrive. */
  readonly attempt: number
}

export const keyOfSegment = ({ attempt, counter, day, number, run }: Segment): string =>
  `${journal_folder}/${day}/${run}/${counter}-${number}-${attempt}`

const pattern = new RegExp(
  `^${journal_folder}/(\\d{4}-\\d{2}-\\d{2})/([0-9a-f-]{36})/(\\d{1,15})-(\\d{1,15})-(\\d{1,15})$`,
)

/** Undefined for a key that no worker has written. */
export const segmentOfKey = (key: string): Segment | undefined => {
  const [, day, run, counter, number, attempt] = pattern.exec(key) ?? []
  return day === undefined || run === undefined
    ? undefined
    : { day, run, counter: Number(counter), number: Number(number), attempt: Number(attempt) }
}

export const dayOf = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(0, 10)

/** The first day that stays when segments are stored for so many days. */
export const firstDayKept = (now: DateTime.Utc, days: number): string => dayOf(DateTime.subtract(now, { days }))

export interface SegmentsToRead {
  /** Run by run, in the order in which they were written. */
  readonly segments: ReadonlyArray<Segment>
  /** One of them is missing. */
  readonly gap: boolean
}

/**
 * The segments that may have records of the time after the counter. A run begins a segment after each value of the epoch that
 * it writes. So the records of a segment were written before the run's next value but one: a segment is left out only if that
 * value is not after the counter.
 */
export const segmentsAfter = (all: ReadonlyArray<Segment>, counter: number): SegmentsToRead => {
  let gap = false
  const segments = [...Map.groupBy(all, ({ run }) => run).values()].flatMap((group) => {
    const ordered = group.toSorted((left, right) => left.number - right.number || left.attempt - right.attempt)
    const counters = [...new Set(ordered.map((each) => each.counter))]
    const next = new Map(counters.map((each, at) => [each, counters[at + 2] ?? Infinity]))
    const read = ordered.filter((each) => (next.get(each.counter) ?? Infinity) > counter)
    if (read.some((each, at) => each.number > (read[at - 1] ?? each).number + 1)) gap = true
    return read
  })
  return { segments, gap }
}
