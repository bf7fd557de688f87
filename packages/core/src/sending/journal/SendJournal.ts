// The port to the send journal: what workers were about to send, and how it ended, stored outside the database. After a restore
// it proves which messages of the lost time were sent.
import { Context, Effect, Stream } from "effect"
import type { BlobUnavailable } from "../../ports/BlobStore.ts"
import type { IntentRecord, JournalRecord, OutcomeRecord } from "./JournalRecord.ts"

export interface JournalReading {
  /** A segment is missing or damaged: the journal proves nothing. */
  readonly gap: boolean
  /** The records of one segment, run by run, each run in its order. Undefined: the segment is damaged. */
  readonly segments: Stream.Stream<
    { readonly run: string; readonly records: ReadonlyArray<JournalRecord> | undefined },
    BlobUnavailable
  >
}

export interface SendJournalService {
  /** Off: nothing is recorded. */
  readonly on: boolean
  /** This process has written a value of the epoch. It comes before everything else that the process records. */
  readonly beat: (counter: number) => Effect.Effect<void, BlobUnavailable>
  /** Ends when the intents are stored, and everything that was noted before. Concurrent calls share a write. */
  readonly append: (intents: ReadonlyArray<IntentRecord>) => Effect.Effect<void, BlobUnavailable>
  /** Adds outcomes. They are stored with the next write, or soon. */
  readonly note: (outcomes: ReadonlyArray<OutcomeRecord>) => Effect.Effect<void>
  /** Ends when everything that was noted is stored. */
  readonly flush: Effect.Effect<void, BlobUnavailable>
  /** The records that may have been written after this value of the epoch, older ones among them. Also when it is off. */
  readonly read: (counter: number) => Effect.Effect<JournalReading, BlobUnavailable>
  /** Deletes what is older than so many days. Also when it is off. */
  readonly deleteOld: (days: number) => Effect.Effect<void, BlobUnavailable>
}

const none: SendJournalService = {
  on: false,
  beat: () => Effect.void,
  append: () => Effect.void,
  note: () => Effect.void,
  flush: Effect.void,
  read: () => Effect.succeed({ gap: true, segments: Stream.empty }),
  deleteOld: () => Effect.void,
}

/** Without an adapter nothing is recorded, and nothing proven. */
export const SendJournal = Context.Reference<SendJournalService>("tentpole/SendJournal", { defaultValue: () => none })
