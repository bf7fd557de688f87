// The runner of imports: counts the file, then applies it chunk by chunk, each in one transaction. A killed run continues
// after its last committed chunk. Two workers on one run take turns without harm.
import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { BlobStore, type BlobUnavailable } from "../ports/BlobStore.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import type { Contact } from "../contacts/Contact.ts"
import { ContactStore, retryOnIdentityConflict } from "../contacts/ContactStore.ts"
import { fieldsByName } from "../contacts/batch/ContactItem.ts"
import { ConsentRecordId, ContactId, Ids, type ImportRunId, type WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { SuppressionStore } from "../sending/SuppressionStore.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { noTopics } from "./ChunkConsent.ts"
import { ConfirmationQueue } from "./confirmations/ConfirmationQueue.ts"
import { CsvReader } from "./CsvReader.ts"
import { chunk_rows_max, frozenKey, type ImportRun } from "./Import.ts"
import { ImportChange } from "./machine.ts"
import { chunkIdentities, ImportChunkChange, type ChunkRow } from "./ImportChunk.ts"
import { importFiles } from "./ImportFile.ts"
import { topicsNamed } from "./ImportConsent.ts"
import { ImportStore } from "./ImportStore.ts"
import { rowReader } from "./Rows.ts"
import { suppressionReader } from "./SuppressionRows.ts"
import { rowsOf } from "./Table.ts"

export class ImportRuns extends Context.Service<
  ImportRuns,
  {
    /**
     * Applies the remaining rows; does nothing for an ended run. An unreadable file ends the run as `failed`, if possible
     * before its first row is applied. Fails when the blob store does not answer; then the job is retried.
     */
    readonly run: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<void, BlobUnavailable>
    /** Ends a run that can't complete as `failed`. `reason` is a sentence for users. Applied rows stay. */
    readonly abandon: (workspace: WorkspaceId, id: ImportRunId, reason: string) => Effect.Effect<void>
  }
>()("tentpole/ImportRuns") {
  static readonly layer = Layer.effect(
    ImportRuns,
    Effect.gen(function* () {
      const store = yield* ImportStore
      const contacts = yield* ContactStore
      const suppressions = yield* SuppressionStore
      const topicStore = yield* TopicStore
      const consents = yield* ConsentStore
      const confirmations = yield* ConfirmationQueue
      const fieldStore = yield* ContactFieldStore
      const workspaces = yield* WorkspaceStore
      const blobs = yield* BlobStore
      const files = importFiles(blobs, yield* CsvReader)
      const { transact } = yield* Transactor
      const ids = yield* Ids

      /** Applies a decision to the locked run, if it is not null. Returns the resulting run. */
      const move = (
        workspace: WorkspaceId,
        id: ImportRunId,
        decide: (run: ImportRun, now: DateTime.Utc) => ImportChange | null,
      ) =>
        transact(
          Effect.gen(function* () {
            const before = yield* store.lockRun(workspace, id)
            const change = decide(before, yield* DateTime.now)
            if (change === null) return before
            if (!(yield* store.apply(workspace, change)))
              return yield* Effect.die("a run changed although it was locked")
            return change.run?.after ?? before
          }),
        )

      /** Locks what is recorded of the existing contacts for the topics of the run. New ones have nothing. */
      const consentFacts = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        run: ImportRun,
        existing: ReadonlyArray<Contact>,
        rows_count: number,
      ) {
        const named = run.as === "contacts" ? topicsNamed(run) : []
        if (named.length === 0) return noTopics
        const contactIds = existing.map(({ id }) => id)
        const choices = yield* consents.lock(workspace, contactIds, named)
        const topics = yield* topicStore.many(workspace, named)
        const recordIds = yield* ids.many(rows_count * topics.length)
        return { topics, choices, recordIds: recordIds.map((each) => ConsentRecordId.make(each)) }
      })

      /** False: another worker has ended the run. */
      const applyChunk = (
        workspace: WorkspaceId,
        id: ImportRunId,
        headers: ReadonlyArray<string>,
        chunk: ReadonlyArray<ChunkRow>,
      ) =>
        Effect.gen(function* () {
          const run = yield* store.lockRun(workspace, id)
          if (run.status !== "running") return false
          // Another worker may have applied these rows. The header is row 1.
          const rows = chunk.filter(({ row }) => row.rowNumber > run.processedRows + 1)
          if (rows.length === 0) return true
          const identities = chunkIdentities(rows)
          const existing = yield* contacts.lock(workspace, identities)
          const suppressed = run.as === "suppressions" ? yield* suppressions.lock(workspace, identities.emails) : []
          const fresh = (yield* ids.many(rows.length)).map((each) => ContactId.make(each))
          const change = ImportChunkChange.decide(run, headers, rows, {
            ...(yield* consentFacts(workspace, run, existing, rows.length)),
            existing,
            suppressions: suppressed,
            ids: fresh,
            now: yield* DateTime.now,
          })
          if (!(yield* store.applyChunk(workspace, change)))
            return yield* Effect.die("a run changed although it was locked")
          yield* consents.apply(workspace, change.choices)
          yield* confirmations.add(workspace, change.waiting)
          return true
        }).pipe(transact, retryOnIdentityConflict)

      const count = (run: ImportRun, source: "upload" | "rows", key: string) =>
        run.totalRows !== null
          ? Effect.succeed(run.totalRows)
          : Effect.map(Stream.runCount(files.records(source, key)), (records) => Math.max(0, records - 1))

      const work = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: ImportRunId) {
        const queued = yield* store.getRun(workspaceId, id)
        if (queued.status === "completed" || queued.status === "failed") return
        const workspace = yield* workspaces.get(workspaceId)
        const session = yield* store.getSession(workspaceId, queued.sessionId)
        const key = frozenKey(workspaceId, queued)
        const { headers } = yield* files.head(session.source, key, 0)
        const totalRows = yield* count(queued, session.source, key)
        const run = yield* move(workspaceId, id, (before, now) => ImportChange.start(before, totalRows, now))
        const reading = { ...run, headers, formulaGuarded: session.source === "upload" }
        const header = run.consent?.collectedAtHeader ?? null
        const read =
          run.as === "suppressions"
            ? suppressionReader(reading)
            : rowReader({
                ...reading,
                fields: fieldsByName(yield* fieldStore.list(workspaceId)),
                defaultCountry: workspace.defaultCountry,
                ...(header === null ? {} : { collectedAt: { header, now: yield* DateTime.now } }),
              })
        yield* rowsOf(files.records(session.source, key)).pipe(
          Stream.drop(run.processedRows),
          // Before the rows are collected: they arrive a few at a time, and other work continues between them.
          Stream.map((row): ChunkRow => ({ row, read: read(row) })),
          inChunks(topicsNamed(run).length),
          // Reads and decodes the next chunk while the database writes this one.
          Stream.buffer({ capacity: 1 }),
          Stream.mapEffect((chunk) => applyChunk(workspaceId, id, headers, chunk)),
          Stream.takeWhile((continues) => continues),
          Stream.runDrain,
        )
        const ended = yield* move(workspaceId, id, (before, now) => ImportChange.complete(before, now))
        if (ended.status === "running") return yield* Effect.die("an import ended before its last row")
        yield* Effect.ignore(blobs.delete(key))
      })

      const abandon = (workspace: WorkspaceId, id: ImportRunId, reason: string) =>
        move(workspace, id, (before, now) => ImportChange.fail(before, reason, now)).pipe(
          Effect.tap((run) => Effect.ignore(blobs.delete(frozenKey(workspace, run)))),
          Effect.catchTag("NotFound", ignoreDeleted),
          Effect.asVoid,
        )

      return ImportRuns.of({
        run: Effect.fn("ImportRuns.run")(function* (workspace, id) {
          yield* work(workspace, id).pipe(
            Effect.catchTags({
              NotFound: ignoreDeleted,
              ImportUnreadable: (error) => abandon(workspace, id, error.message),
              UploadMissing: () => abandon(workspace, id, fileDeleted),
              BlobNotFound: () => abandon(workspace, id, fileDeleted),
            }),
          )
        }),
        abandon: Effect.fn("ImportRuns.abandon")(abandon),
      })
    }),
  )
}

const fileDeleted = "The file of this import was deleted. Start the import again"

/** The workspace was deleted with its imports. */
const ignoreDeleted = (_: NotFound) => Effect.void

/** The maximum of text in a chunk, however few its rows. */
const chunk_chars_max = 2_000_000

/** An empty cell takes as much time as these characters. */
const cell_chars = 16

/** A topic is a choice, a record, an activity and an event of each row. */
const topic_chars = 500

const weigh = ({ row: { cells } }: ChunkRow): number => cells.reduce((sum, cell) => sum + cell_chars + cell.length, 0)

const inChunks =
  (topics_count: number) =>
  <E, R>(rows: Stream.Stream<ChunkRow, E, R>): Stream.Stream<ReadonlyArray<ChunkRow>, E, R> =>
    rows.pipe(
      Stream.mapAccum(
        (): { readonly rows: Array<ChunkRow>; readonly chars: number } => ({ rows: [], chars: 0 }),
        (pending, row) => {
          const chars = pending.chars + weigh(row) + topics_count * topic_chars
          pending.rows.push(row)
          return pending.rows.length >= chunk_rows_max || chars >= chunk_chars_max
            ? [{ rows: [], chars: 0 }, [pending.rows]]
            : [{ rows: pending.rows, chars }, []]
        },
        { onHalt: (pending) => (pending.rows.length === 0 ? [] : [pending.rows]) },
      ),
    )
