// Use cases of exports. The job that writes a file can run twice: it writes the same file, and ignores ended exports.
import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { type BlobInfo, type BlobNotFound, BlobStore, type BlobUnavailable } from "../ports/BlobStore.ts"
import { LinkRefused, readLink, signLink } from "../ports/SignedLink.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { byte_order_mark, csvText } from "../kernel/Csv.ts"
import { ExportId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import {
  type CompletedExport,
  expiryOf,
  type Export,
  export_bytes_max,
  exportKey,
  type ExportKind,
  type ExportOwner,
  type ExportSubject,
  isExpired,
  isOwnedBy,
  isPending,
  link_lifetime_ms,
} from "./Export.ts"
import { ExportChange } from "./machine.ts"
import { deletedErrors, exportTables, type OpenTable } from "./ExportTables.ts"
import { ExportStore } from "./ExportStore.ts"

/** An export with the address of its file, if it is completed. */
export interface ExportView {
  readonly record: Export
  readonly link: { readonly url: string; readonly expiresAt: DateTime.Utc } | null
}

export interface Download extends BlobInfo {
  readonly fileName: string
  readonly bytes: Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
}

/** The API's path of files, for a blob store that signs no addresses. */
export const downloads_path = "/downloads"

const link_purpose = "export"

export class Exports extends Context.Service<
  Exports,
  {
    readonly create: (workspace: WorkspaceId, subject: ExportSubject) => Effect.Effect<Export, NotFound>
    /**
     * Fails when the list or blast is deleted, or a day after the export has ended. The link is valid for an hour at most.
     */
    readonly get: (
      workspace: WorkspaceId,
      owner: ExportOwner,
      id: ExportId,
    ) => Effect.Effect<ExportView, NotFound | BlobUnavailable>
    /** The progress of an export of any owner. */
    readonly getRecord: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<Export, NotFound>
    /** The file of a link that this service signed. */
    readonly download: (token: string) => Effect.Effect<Download, LinkRefused | BlobUnavailable>
    /** Writes the file. Run by a job; fails when the blob store does not answer, and is retried. */
    readonly run: (workspace: WorkspaceId, id: ExportId) => Effect.Effect<void, BlobUnavailable>
    /** Ends an export that can't complete as `failed`. `reason` is a sentence for users. */
    readonly abandon: (workspace: WorkspaceId, id: ExportId, reason: string) => Effect.Effect<void>
    /** Deletes an export and its file. Run by a job a day after its end. */
    readonly expire: (workspace: WorkspaceId, kind: ExportKind, id: ExportId) => Effect.Effect<void, BlobUnavailable>
  }
>()("tentpole/Exports") {
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const settings = yield* Settings
      const secrets = yield* Secrets
      const store = yield* ExportStore
      const { check, open } = yield* exportTables
      const blobs = yield* BlobStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const write = Effect.fnUntraced(function* (workspace: WorkspaceId, change: ExportChange) {
        const applied = yield* store.apply(workspace, change)
        if (!applied) return yield* Effect.die("an export changed although it was locked")
      })

      /** Applies a decision to the locked export, if it is not null. Returns the resulting export. */
      const move = (
        workspace: WorkspaceId,
        id: ExportId,
        decide: (before: Export, now: DateTime.Utc) => ExportChange | null,
      ) =>
        transact(
          Effect.gen(function* () {
            const before = yield* store.lock(workspace, id)
            const change = decide(before, yield* DateTime.now)
            if (change === null) return before
            yield* write(workspace, change)
            return change.after ?? before
          }),
        )

      const getRecord = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ExportId) {
        const found = yield* store.get(workspace, id)
        return isExpired(found, yield* DateTime.now) ? yield* new NotFound({ resource: "export" }) : found
      })

      const abandon = (workspace: WorkspaceId, id: ExportId, reason: string) =>
        move(workspace, id, (before, now) => ExportChange.fail(before, reason, now)).pipe(
          Effect.catchTag("NotFound", ignoreDeleted),
          Effect.asVoid,
        )

      /** Streams the table into the file; returns the number of rows. */
      const writeFile = Effect.fnUntraced(function* (key: string, table: OpenTable) {
        let rowCount = 0
        const rows = Stream.map(table.rows, (some) => {
          rowCount += some.length
          return csvText(some)
        })
        const text = Stream.concat(Stream.succeed(byte_order_mark + csvText([table.header])), rows)
        yield* blobs.put(key, Stream.map(text, encodeText), {
          contentType: "text/csv; charset=utf-8",
          bytes_max: export_bytes_max,
        })
        return rowCount
      })

      const work = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ExportId) {
        const started = yield* move(workspace, id, (before) => ExportChange.start(before))
        if (!isPending(started)) return
        const { kind } = started.subject
        const table = yield* open(workspace, started.subject).pipe(
          Effect.catchTag("NotFound", () => Effect.succeed(null)),
        )
        if (table === null) return yield* abandon(workspace, id, deletedErrors[kind])
        const key = exportKey(workspace, kind, id)
        const rowCount = yield* writeFile(key, table)
        const written = { stem: table.stem, rowCount }
        yield* move(workspace, id, (before, now) => ExportChange.complete(before, written, now)).pipe(
          // The workspace was deleted meanwhile, so no row names the file.
          Effect.tapErrorTag("NotFound", () => blobs.delete(key)),
        )
      })

      const ownUrl = (workspaceId: WorkspaceId, { id }: CompletedExport, expiresAt: DateTime.Utc): string =>
        `${settings.publicApiUrl}${downloads_path}/${signLink(secrets, link_purpose, { workspaceId, id, expiresAt })}`

      const linkTo = Effect.fnUntraced(function* (workspace: WorkspaceId, it: CompletedExport, now: DateTime.Utc) {
        const expiresAt = DateTime.min(DateTime.add(now, { milliseconds: link_lifetime_ms }), expiryOf(it))
        const signed = yield* blobs.downloadUrl(exportKey(workspace, it.subject.kind, it.id), {
          fileName: it.fileName,
          validFor: DateTime.distance(now, expiresAt),
        })
        return { url: signed ?? ownUrl(workspace, it, expiresAt), expiresAt }
      })

      return Exports.of({
        create: Effect.fn("Exports.create")(function* (workspace, subject) {
          yield* check(workspace, subject)
          const id = ExportId.make(yield* ids.next)
          const { change, begun } = ExportChange.begin({ id, subject }, yield* DateTime.now)
          yield* transact(write(workspace, change))
          return begun
        }),

        get: Effect.fn("Exports.get")(function* (workspace, owner, id) {
          const found = yield* getRecord(workspace, id)
          const now = yield* DateTime.now
          if (!isOwnedBy(found, owner)) return yield* new NotFound({ resource: "export" })
          return { record: found, link: found.status === "completed" ? yield* linkTo(workspace, found, now) : null }
        }),

        getRecord,

        download: Effect.fn("Exports.download")(function* (token) {
          const link = yield* Effect.fromResult(readLink(secrets, link_purpose, token, yield* DateTime.now))
          const refused = new LinkRefused({ purpose: link_purpose })
          const id = ExportId.make(link.id)
          const it = yield* store.get(link.workspaceId, id).pipe(Effect.catchTag("NotFound", () => refused))
          if (it.status !== "completed") return yield* refused
          const key = exportKey(link.workspaceId, it.subject.kind, id)
          const info = yield* blobs.info(key).pipe(Effect.catchTag("BlobNotFound", () => refused))
          return { ...info, fileName: it.fileName, bytes: blobs.get(key) }
        }),

        run: Effect.fn("Exports.run")(function* (workspace, id) {
          yield* work(workspace, id).pipe(
            Effect.catchTags({ NotFound: ignoreDeleted, BlobTooLarge: () => abandon(workspace, id, tooLarge) }),
          )
        }),

        abandon: Effect.fn("Exports.abandon")(abandon),

        expire: Effect.fn("Exports.expire")(function* (workspace, kind, id) {
          // The row is deleted first, so that no link to a deleted file is returned.
          yield* move(workspace, id, (before) => ExportChange.forget(before)).pipe(
            Effect.catchTag("NotFound", ignoreDeleted),
          )
          yield* blobs.delete(exportKey(workspace, kind, id))
        }),
      })
    }),
  )
}

const tooLarge = `The export is larger than ${export_bytes_max / 2 ** 30} GB. Export less at a time: smaller lists, one category of recipients after the other, or one topic or month of consent records`

/** The workspace was deleted with its exports. */
const ignoreDeleted = (_: NotFound) => Effect.void
