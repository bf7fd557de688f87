// Use cases of imports: upload a file, preview it, execute it, and follow its run. `ImportRuns.ts` has the run itself.
import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { type BlobInfo, type BlobNotFound, BlobStore, BlobTooLarge, type BlobUnavailable } from "../ports/BlobStore.ts"
import { LinkRefused, readLink, signLink } from "../ports/SignedLink.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { Ids, ImportRunId, ImportSessionId, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Paged, type Sliced } from "../kernel/Page.ts"
import { Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { encodeText } from "../kernel/Bytes.ts"
import type { SuppressionReason } from "../sending/Suppression.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { FairLimit } from "../kernel/runtime/FairLimit.ts"
import { inSteps } from "../kernel/runtime/Steps.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { type ConfirmationRefusal, subscribing } from "../subscriptions/Subscribing.ts"
import type { TopicArchived } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { ConfirmationQueue } from "./confirmations/ConfirmationQueue.ts"
import { evidenceOfImport } from "./confirmations/WaitingConfirmation.ts"
import { CsvReader, type ImportUnreadable } from "./CsvReader.ts"
import {
  columns_max,
  frozenKey,
  type ImportRun,
  type ImportSession,
  type RowResult,
  type RunView,
  upload_lifetime_ms,
} from "./Import.ts"
import { type Execution, ImportChange, isExpired } from "./machine.ts"
import { topicsNamed } from "./ImportConsent.ts"
import { importFiles, type UploadBroken, UploadMissing, UploadTooLarge } from "./ImportFile.ts"
import { ImportStore, type NamedRun, type ResultsQuery } from "./ImportStore.ts"
import { type ImportPreview, preview_rows_max, previewOf, analyzeHeaders } from "./Preview.ts"
import { suggestionService } from "./mapping/Suggestions.ts"
import { type RejectedRowsExport, rejectedRowsExport } from "./RejectedRows.ts"
import { encodeRows, rowColumns, rows_content_type, type RowValue } from "./Table.ts"

/** Refusals that are about the file. */
export type FileRefusal = ImportUnreadable | UploadMissing | UploadTooLarge | BlobUnavailable

/** A session with its upload address, which is valid for an hour. */
export interface UploadSession {
  readonly session: ImportSession
  readonly uploadUrl: string
}

/** The API's path of upload addresses, for a blob store that signs none. */
export const uploads_path = "/uploads"

const link_purpose = "import_upload"

type PreviewedWorkspace = Pick<Workspace, "id" | "defaultCountry">

/** Previews that a process calculates at a time, and those of one workspace among them. Others wait. */
export const previews_max = 4
export const previews_share_max = 2

export class Imports extends Context.Service<
  Imports,
  {
    /** `throughService`: the upload goes through this service, even if the blob store signs addresses. */
    readonly beginUpload: (
      workspace: WorkspaceId,
      file: { readonly fileName: string; readonly contentType: string; readonly throughService?: boolean },
    ) => Effect.Effect<UploadSession, BlobUnavailable>
    readonly beginRows: (
      workspace: WorkspaceId,
      rows: ReadonlyArray<Readonly<Record<string, RowValue>>>,
      fileName: string | null,
    ) => Effect.Effect<ImportSession, Invalid | UploadTooLarge | BlobUnavailable>
    /** Streams bytes to the session that the token names, and replaces an earlier upload. */
    readonly upload: <R>(
      token: string,
      bytes: Stream.Stream<Uint8Array, UploadBroken, R>,
    ) => Effect.Effect<void, UploadBroken | LinkRefused | UploadTooLarge | BlobUnavailable, R>
    readonly preview: (
      workspace: PreviewedWorkspace,
      id: ImportSessionId,
    ) => Effect.Effect<ImportPreview, NotFound | FileRefusal>
    readonly execute: (
      workspace: WorkspaceId,
      id: ImportSessionId,
      wanted: Execution,
    ) => Effect.Effect<RunView, NotFound | TopicArchived | Invalid | InvalidState | ConfirmationRefusal | FileRefusal>
    /** Starts a run that suppresses the addresses of rows or of a CSV text. The columns are recognised by their names. */
    readonly importSuppressions: (
      workspace: WorkspaceId,
      file: { readonly rows: ReadonlyArray<Readonly<Record<string, RowValue>>> } | { readonly csv: string },
      reason: SuppressionReason | null,
    ) => Effect.Effect<RunView, Invalid | Exclude<FileRefusal, UploadMissing>>
    readonly getRun: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<RunView, NotFound>
    /** Newest first. */
    readonly listRuns: (
      workspace: WorkspaceId,
      by: { readonly cursor?: string; readonly limit?: number },
    ) => Effect.Effect<Sliced<NamedRun & RunView>, BrokenCursor>
    readonly results: (
      workspace: WorkspaceId,
      run: ImportRunId,
      query: ResultsQuery,
    ) => Effect.Effect<Paged<RowResult>, NotFound>
    /** The rows that were rejected so far with their reasons, as a file to correct and import again. */
    readonly exportRejected: (workspace: WorkspaceId, run: ImportRunId) => Effect.Effect<RejectedRowsExport, NotFound>
    /** Deletes the files of a session. Run by a job when no upload address of the session is valid any more. */
    readonly expire: (workspace: WorkspaceId, id: ImportSessionId) => Effect.Effect<void, BlobUnavailable>
  }
>()("tentpole/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const { import_bytes_max, publicApiUrl } = yield* Settings
      const secrets = yield* Secrets
      const store = yield* ImportStore
      const fieldStore = yield* ContactFieldStore
      const topicStore = yield* TopicStore
      const confirmations = yield* ConfirmationQueue
      const blobs = yield* BlobStore
      const { head } = importFiles(blobs, yield* CsvReader)
      const { checkMail } = yield* subscribing
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const write = Effect.fnUntraced(function* (workspace: WorkspaceId, change: ImportChange) {
        const applied = yield* store.apply(workspace, change)
        if (!applied) return yield* Effect.die("an import changed although it was locked")
      })

      const begin = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        file: Pick<ImportSession, "source" | "fileName" | "contentType">,
      ) {
        const id = ImportSessionId.make(yield* ids.next)
        const change = ImportChange.begin(workspace, id, file, yield* DateTime.now)
        yield* transact(write(workspace, change))
        return yield* Effect.fromNullishOr(change.session?.after).pipe(Effect.orDie)
      })

      const suggest = yield* suggestionService
      const previews = new FairLimit<WorkspaceId>({
        concurrency_max: previews_max,
        share_max: previews_share_max,
        of: { items: "previews of imports", part: "previews of imports" },
      })

      const preview = Effect.fnUntraced(function* (workspace: PreviewedWorkspace, session: ImportSession) {
        yield* checked(blobs.info(session.blobKey))
        const table = yield* head(session.source, session.blobKey, preview_rows_max)
        const file = { ...table, formulaGuarded: session.source === "upload" }
        const facts = { fields: yield* fieldStore.list(workspace.id), defaultCountry: workspace.defaultCountry }
        const reading = yield* inSteps(analyzeHeaders(file, facts))
        const answer = yield* suggest(workspace.id, session, reading)
        return yield* inSteps(previewOf(session.id, file, facts, reading, answer))
      })

      const openSession = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ImportSessionId) {
        const session = yield* store.getSession(workspace, id)
        const expired = session.executedAt === null && isExpired(session, yield* DateTime.now)
        return expired ? yield* new NotFound({ resource: "import session" }) : session
      })

      const ownUploadUrl = Effect.fnUntraced(function* (workspaceId: WorkspaceId, session: ImportSession) {
        const expiresAt = DateTime.add(yield* DateTime.now, { milliseconds: upload_lifetime_ms })
        const token = signLink(secrets, link_purpose, { workspaceId, id: session.id, expiresAt })
        return `${publicApiUrl}${uploads_path}/${token}`
      })

      /**
       * An upload to an address that the blob store signed does not pass this service, so its size is checked afterwards.
       */
      const checked = (file: Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>) =>
        Effect.gen(function* () {
          const { size_bytes } = yield* Effect.catchTag(file, "BlobNotFound", () => new UploadMissing())
          if (size_bytes > import_bytes_max) return yield* new UploadTooLarge({ bytes_max: import_bytes_max })
        })

      const put = <E, R>(session: ImportSession, bytes: Stream.Stream<Uint8Array, E, R>) =>
        blobs
          .put(session.blobKey, bytes, { contentType: session.contentType, bytes_max: import_bytes_max })
          .pipe(
            Effect.mapError((error) =>
              error instanceof BlobTooLarge ? new UploadTooLarge({ bytes_max: error.bytes_max }) : error,
            ),
          )

      /** After a failure: deletes the run's file unless the run was written. */
      const dropUnlessWritten = (workspace: WorkspaceId, run: ImportRunId, key: string) =>
        store.getRun(workspace, run).pipe(
          Effect.catchTag("NotFound", () => blobs.delete(key)),
          Effect.ignoreCause,
        )

      const beginRows = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        rows: ReadonlyArray<Readonly<Record<string, RowValue>>>,
        fileName: string | null,
      ) {
        const columns_count = rowColumns(rows).length
        if (columns_count > columns_max) return yield* tooManyColumns(columns_count)
        const session = yield* begin(workspace, { source: "rows", fileName, contentType: rows_content_type })
        yield* put(session, Stream.succeed(encodeRows(rows)))
        return session
      })

      const beginCsv = Effect.fnUntraced(function* (workspace: WorkspaceId, text: string) {
        const session = yield* begin(workspace, { source: "upload", fileName: null, contentType: "text/csv" })
        yield* put(session, Stream.succeed(encodeText(text)))
        return session
      })

      const viewsOf = Effect.fnUntraced(function* <Run extends ImportRun>(
        workspace: WorkspaceId,
        runs: ReadonlyArray<Run>,
      ) {
        const asking = runs.filter(({ consent }) => consent?.doubleOptIn === true).map(({ id }) => id)
        const counts = asking.length === 0 ? null : yield* confirmations.counts(workspace, asking)
        return runs.map((run) => ({ ...run, confirmationsWaiting: counts?.get(run.id) ?? 0 }))
      })

      const mailRefusal = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        run: ImportRunId,
        { consent }: Execution,
      ): Effect.fn.Return<ConfirmationRefusal | null> {
        if (consent?.doubleOptIn !== true) return null
        return yield* Effect.match(checkMail(workspace, evidenceOfImport(run, consent)), {
          onFailure: (refusal) => refusal,
          onSuccess: () => null,
        })
      })

      const execute = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ImportSessionId, wanted: Execution) {
        const session = yield* openSession(workspace, id)
        yield* Effect.fromResult(ImportChange.mayExecute(session, yield* DateTime.now))
        const runId = ImportRunId.make(yield* ids.next)
        const frozen = frozenKey(workspace, { id: runId, sessionId: id })
        return yield* Effect.gen(function* () {
          yield* checked(blobs.copy(session.blobKey, frozen))
          const { headers } = yield* head(session.source, frozen, 0)
          const unmailable = yield* mailRefusal(workspace, runId, wanted)
          return yield* transact(
            Effect.gen(function* () {
              const locked = yield* store.lockSession(workspace, id)
              const facts = {
                headers,
                fields: yield* fieldStore.lock(workspace),
                lists: yield* store.listKinds(workspace, wanted.listIds),
                topics: yield* topicStore.many(workspace, topicsNamed(wanted)),
                mailRefusal: unmailable,
                now: yield* DateTime.now,
              }
              const change = yield* Effect.fromResult(ImportChange.execute(locked, runId, wanted, facts))
              yield* write(workspace, change)
              const run = yield* Effect.fromNullishOr(change.run?.after).pipe(Effect.orDie)
              return { ...run, confirmationsWaiting: 0 }
            }),
          )
        }).pipe(Effect.onError(() => dropUnlessWritten(workspace, runId, frozen)))
      })

      return Imports.of({
        beginUpload: Effect.fn("Imports.beginUpload")(function* (workspace, { throughService = false, ...file }) {
          const session = yield* begin(workspace, { ...file, source: "upload" })
          const signed = throughService
            ? null
            : yield* blobs.uploadUrl(session.blobKey, {
                contentType: session.contentType,
                validFor: upload_lifetime_ms,
              })
          return { session, uploadUrl: signed ?? (yield* ownUploadUrl(workspace, session)) }
        }),

        beginRows: Effect.fn("Imports.beginRows")(beginRows),

        upload: Effect.fn("Imports.upload")(function* (token, bytes) {
          const now = yield* DateTime.now
          const link = yield* Effect.fromResult(readLink(secrets, link_purpose, token, now))
          const refused = new LinkRefused({ purpose: link_purpose })
          const session = yield* store
            .getSession(link.workspaceId, ImportSessionId.make(link.id))
            .pipe(Effect.catchTag("NotFound", () => refused))
          if (session.executedAt !== null || isExpired(session, now)) return yield* refused
          yield* put(session, bytes)
        }),

        preview: Effect.fn("Imports.preview")(function* (workspace, id) {
          const session = yield* openSession(workspace.id, id)
          return yield* previews.run(workspace.id, preview(workspace, session))
        }),

        execute: Effect.fn("Imports.execute")(execute),

        importSuppressions: Effect.fn("Imports.importSuppressions")(function* (workspace, file, suppressionReason) {
          const session =
            "rows" in file ? yield* beginRows(workspace, file.rows, null) : yield* beginCsv(workspace, file.csv)
          return yield* execute(workspace, session.id, { ...asSuppressions, suppressionReason }).pipe(
            // The session is new and has its file. No person has to confirm.
            Effect.catchTags({
              EmailNotReady: Effect.die,
              InvalidState: Effect.die,
              MessageTooLarge: Effect.die,
              NotFound: Effect.die,
              TooComplex: Effect.die,
              TopicArchived: Effect.die,
              UploadMissing: Effect.die,
            }),
          )
        }),

        getRun: Effect.fn("Imports.getRun")(function* (workspace, id) {
          const run = yield* store.getRun(workspace, id)
          const [view = { ...run, confirmationsWaiting: 0 }] = yield* viewsOf(workspace, [run])
          return view
        }),
        listRuns: Effect.fn("Imports.listRuns")(function* (workspace, { cursor, limit = page_limit_default }) {
          const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
          const { items, ...rest } = yield* store.runs(workspace, { after, limit })
          return { ...rest, items: yield* viewsOf(workspace, items) }
        }),
        results: store.results,
        exportRejected: Effect.fn("Imports.exportRejected")((workspace, id) =>
          rejectedRowsExport(store, workspace, id),
        ),

        expire: Effect.fn("Imports.expire")(function* (workspace, id) {
          const session = yield* store
            .getSession(workspace, id)
            .pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
          if (session === null) return
          yield* blobs.delete(session.blobKey)
          const run = yield* store.runOf(workspace, id)
          if (run === null) return yield* transact(store.deleteSession(workspace, id))
          if (run.status === "completed" || run.status === "failed") yield* blobs.delete(frozenKey(workspace, run))
        }),
      })
    }),
  )
}

const asSuppressions: Omit<Execution, "suppressionReason"> = {
  as: "suppressions",
  mappings: null,
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  createdFieldDefinitionIds: [],
  consent: null,
}

/** Rows with different keys would multiply: every row gets a cell in every column. */
const tooManyColumns = (count: number) =>
  new Invalid({
    issues: [
      { path: "rows", message: `must have at most ${columns_max} different keys, the columns: these have ${count}` },
    ],
  })
