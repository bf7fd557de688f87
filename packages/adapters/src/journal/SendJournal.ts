// The send journal in the blob store. A process writes numbered segments. A segment is replaced by a longer one until it is full,
// because the store can't append.
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { Ids } from "@tentpole/core/kernel/Ids"
import { BlobStore, BlobUnavailable } from "@tentpole/core/ports/BlobStore"
import { decodeRecords, encodeRecord, type JournalRecord } from "@tentpole/core/sending/journal/JournalRecord"
import {
  dayOf,
  firstDayKept,
  journal_folder,
  keyOfSegment,
  type Segment,
  segment_bytes_max,
  segmentOfKey,
  segmentsAfter,
} from "@tentpole/core/sending/journal/Segment"
import { SendJournal, type SendJournalService } from "@tentpole/core/sending/journal/SendJournal"
import { DateTime, Effect, Latch, Layer, Semaphore, Stream } from "effect"

export interface SendJournalOptions {
  readonly on: boolean
}

/** How long outcomes wait for the next write. */
const note_linger_ms = 40
const retry_ms = 1_000
/** A message waits no longer for the store: its mail server waits for the body meanwhile. */
const write_timeout = "10 seconds"
/** More than a segment: the records that wait while the store does not answer are written at once. */
const write_bytes_max = 64 * 2 ** 20

type Blobs = BlobStore["Service"]

const segmentsIn = (blobs: Blobs) =>
  Effect.map(Stream.runCollect(blobs.list(journal_folder)), (keys) =>
    keys.flatMap((key): ReadonlyArray<Segment> => {
      const segment = segmentOfKey(key)
      return segment === undefined ? [] : [segment]
    }),
  )

const reading = (blobs: Blobs): Pick<SendJournalService, "read" | "deleteOld"> => ({
  read: (counter) =>
    Effect.map(segmentsIn(blobs), (all) => {
      const { gap, segments } = segmentsAfter(all, counter)
      return {
        gap,
        segments: Stream.mapEffect(Stream.fromIterable(segments), (segment) =>
          blobs.get(keyOfSegment(segment)).pipe(
            Stream.decodeText,
            Stream.mkString,
            Effect.map((text) => ({ run: segment.run, records: decodeRecords(text) })),
            // It was deleted since it was listed.
            Effect.catchTag("BlobNotFound", () => Effect.succeed({ run: segment.run, records: undefined })),
          ),
        ),
      }
    }),
  deleteOld: Effect.fnUntraced(function* (days) {
    const kept = firstDayKept(yield* DateTime.now, days)
    for (const segment of yield* segmentsIn(blobs)) {
      if (segment.day < kept) yield* blobs.delete(keyOfSegment(segment))
    }
  }),
})

/** Leaves a record of a process that does not journal, in an installation that has a journal. */
const marking = (blobs: Blobs, run: string): Pick<SendJournalService, "beat"> => {
  let marked = false
  return {
    beat: Effect.fnUntraced(function* (counter) {
      if (marked) return
      const [first] = yield* blobs.list(journal_folder).pipe(Stream.take(1), Stream.runCollect)
      if (first !== undefined) {
        const segment = { day: dayOf(yield* DateTime.now), run, counter, number: 0, attempt: 0 }
        yield* put(blobs, segment, encodeRecord({ _tag: "unjournaled", counter }))
      }
      marked = true
    }),
  }
}

const put = (blobs: Blobs, segment: Segment, text: string): Effect.Effect<void, BlobUnavailable> =>
  blobs
    .put(keyOfSegment(segment), Stream.succeed(encodeText(text)), {
      contentType: "text/plain",
      bytes_max: write_bytes_max,
    })
    .pipe(
      Effect.catchTag("BlobTooLarge", Effect.die),
      Effect.timeout(write_timeout),
      Effect.catchTag("TimeoutError", (cause) => Effect.fail(new BlobUnavailable({ cause }))),
      Effect.asVoid,
    )

const writing = Effect.fnUntraced(function* (blobs: Blobs, run: string) {
  const lock = yield* Semaphore.make(1)
  const noted = yield* Latch.make(false)
  let segment: Segment | undefined
  /** What the stored segment contains. */
  let stored = ""
  const waiting: Array<string> = []
  let counter = 0
  let added_count = 0
  let stored_count = 0

  const next = Effect.map(DateTime.now, (now): Segment => ({
    day: dayOf(now),
    run,
    counter,
    number: (segment?.number ?? -1) + 1,
    attempt: 0,
  }))

  const write = Effect.gen(function* () {
    if (
      segment === undefined ||
      (stored !== "" && (stored.length >= segment_bytes_max || segment.counter !== counter))
    ) {
      segment = yield* next
      stored = ""
    }
    const written = segment
    const lines = [...waiting]
    const text = stored + lines.join("")
    yield* Effect.onError(put(blobs, written, text), () =>
      Effect.gen(function* () {
        // The failed write may still arrive: nothing more is written under its key.
        segment = stored === "" ? { ...written, attempt: written.attempt + 1 } : yield* next
        stored = ""
      }),
    )
    stored = text
    stored_count += lines.length
    waiting.splice(0, lines.length)
  })

  const add = (records: ReadonlyArray<JournalRecord>) => {
    waiting.push(...records.map(encodeRecord))
    added_count += records.length
  }
  /** A write that begins later may contain the records of callers that wait. */
  const through = (count: number) =>
    lock.withPermit(Effect.suspend(() => (stored_count >= count ? Effect.void : write)))
  const flush = Effect.suspend(() => through(added_count))

  yield* noted.await.pipe(
    Effect.andThen(Effect.sleep(note_linger_ms)),
    Effect.andThen(Effect.sync(() => noted.closeUnsafe())),
    Effect.andThen(flush),
    Effect.catchCause(() =>
      Effect.andThen(
        Effect.sleep(retry_ms),
        Effect.sync(() => noted.openUnsafe()),
      ),
    ),
    Effect.forever,
    Effect.forkScoped,
  )

  return {
    beat: (written) =>
      Effect.suspend(() => {
        counter = written
        add([{ _tag: "beat", counter }])
        return flush
      }),
    append: (intents) =>
      Effect.suspend(() => {
        add(intents)
        return flush
      }),
    note: (outcomes) =>
      Effect.sync(() => {
        add(outcomes)
        noted.openUnsafe()
      }),
    flush,
  } satisfies Partial<SendJournalService>
})

export const layer = ({ on }: SendJournalOptions) =>
  Layer.effect(
    SendJournal,
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const run = yield* (yield* Ids).random
      const off = { append: () => Effect.void, note: () => Effect.void, flush: Effect.void }
      return { on, ...off, ...marking(blobs, run), ...reading(blobs), ...(on ? yield* writing(blobs, run) : {}) }
    }),
  )
