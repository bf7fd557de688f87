// What can be done with exports of lists: ask for one, follow it, fetch its file. The job that writes the file is here too:
// done a second time it writes the same file again, and an export that has ended is left alone.
import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { type BlobInfo, type BlobNotFound, BlobStore, type BlobUnavailable } from "../blobs/BlobStore.ts"
import { LinkRefused, readLink, signLink } from "../blobs/SignedLink.ts"
import { encodeText } from "../Bytes.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { byte_order_mark, csvText } from "../Csv.ts"
import { Ids, ListExportId, type ListId, type WorkspaceId } from "../Ids.ts"
import { Jobs } from "../Jobs.ts"
import { NotFound } from "../Refusal.ts"
import { Secrets } from "../Secrets.ts"
import { Settings } from "../Settings.ts"
import { Transactor } from "../Transactor.ts"
import { exportTable } from "./ExportTable.ts"
import type { List } from "./List.ts"
import {
  type CompletedExport,
  expiryOf,
  export_bytes_max,
  exportKey,
  isExpired,
  isPending,
  link_lifetime_ms,
  type ListExport,
  ListExportChange,
} from "./ListExport.ts"
import { ListExportStore } from "./ListExportStore.ts"
import { ListStore } from "./ListStore.ts"

/** An export with the address of its file, once there is one. */
export interface ShownExport {
  readonly listExport: ListExport
  readonly link: { readonly url: string; readonly expiresAt: DateTime.Utc } | null
}

/** A file on its way to whoever has its link. */
export interface Download extends BlobInfo {
  readonly fileName: string
  readonly bytes: Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
}

/** Under this path of the API's origin lie the files of a store that signs no addresses. */
export const downloads_path = "/downloads"

const link_purpose = "list_export"

export class ListExports extends Context.Service<
  ListExports,
  {
    readonly begin: (
      workspace: WorkspaceId,
      list: ListId,
      options: { readonly excludeUnsubscribed: boolean },
    ) => Effect.Effect<ListExport, NotFound>
    /** While its list is there, and until a day after its end. The link is good for an hour, or for what is left of the day. */
    readonly find: (
      workspace: WorkspaceId,
      list: ListId,
      id: ListExportId,
    ) => Effect.Effect<ShownExport, NotFound | BlobUnavailable>
    /** The file that a link of this service's own names. */
    readonly download: (token: string) => Effect.Effect<Download, LinkRefused | BlobUnavailable>
    /** Writes the file. A job's: it fails when the store of files does not answer, and is tried again. */
    readonly run: (workspace: WorkspaceId, id: ListExportId) => Effect.Effect<void, BlobUnavailable>
    /** Ends an export that can't be got to its end as `failed`; `reason` is a sentence for people. */
    readonly giveUp: (workspace: WorkspaceId, id: ListExportId, reason: string) => Effect.Effect<void>
    /** Removes an export and its file, whatever became of its list. A job's, a day after its end. */
    readonly expire: (workspace: WorkspaceId, id: ListExportId) => Effect.Effect<void, BlobUnavailable>
  }
>()("tentpole/ListExports") {
  static readonly layer = Layer.effect(
    ListExports,
    Effect.gen(function* () {
      const settings = yield* Settings
      const secrets = yield* Secrets
      const store = yield* ListExportStore
      const lists = yield* ListStore
      const fieldStore = yield* ContactFieldStore
      const blobs = yield* BlobStore
      const jobs = yield* Jobs
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const write = Effect.fnUntraced(function* (workspace: WorkspaceId, change: ListExportChange) {
        const applied = yield* store.apply(workspace, change)
        if (!applied) return yield* Effect.die("an export moved although it was locked")
        for (const { job, ...options } of change.jobs) yield* jobs.enqueue(job, options)
      })

      /** Moves the export by a decision on its state, if there is one to make; answers the export as it is then. */
      const move = (
        workspace: WorkspaceId,
        id: ListExportId,
        decide: (before: ListExport, now: DateTime.Utc) => ListExportChange | null,
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

      const giveUp = (workspace: WorkspaceId, id: ListExportId, reason: string) =>
        move(workspace, id, (before, now) => ListExportChange.fail(workspace, before, reason, now)).pipe(
          Effect.catchTag("NotFound", nobodyWaits),
          Effect.asVoid,
        )

      /** Streams the members into the file; answers how many they were. */
      const writeFile = Effect.fnUntraced(function* (workspace: WorkspaceId, list: List, it: ListExport) {
        // Every field of the workspace: those that the rules name are among them.
        const fields = yield* fieldStore.all(workspace)
        const { header, row } = exportTable(fields)
        let rowCount = 0
        const rows = store.members(workspace, { list, fields, now: yield* DateTime.now }, it).pipe(
          Stream.map((members) => {
            rowCount += members.length
            return csvText(members.map(row))
          }),
        )
        const text = Stream.concat(Stream.succeed(byte_order_mark + csvText([header])), rows)
        yield* blobs.put(exportKey(workspace, it.id), Stream.map(text, encodeText), {
          contentType: "text/csv; charset=utf-8",
          bytes_max: export_bytes_max,
        })
        return rowCount
      })

      const work = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ListExportId) {
        const started = yield* move(workspace, id, (before) => ListExportChange.start(before))
        if (!isPending(started)) return
        const list = yield* lists
          .find(workspace, started.listId)
          .pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
        if (list === null) return yield* giveUp(workspace, id, listGone)
        const rowCount = yield* writeFile(workspace, list, started)
        const written = { slug: list.slug, rowCount }
        yield* move(workspace, id, (before, now) => ListExportChange.complete(workspace, before, written, now)).pipe(
          // The workspace was deleted meanwhile: nobody else knows of the file.
          Effect.tapErrorTag("NotFound", () => blobs.remove(exportKey(workspace, id))),
        )
      })

      const ownUrl = (workspaceId: WorkspaceId, { id }: CompletedExport, expiresAt: DateTime.Utc): string =>
        `${settings.publicApiUrl}${downloads_path}/${signLink(secrets, link_purpose, { workspaceId, id, expiresAt })}`

      const linkTo = Effect.fnUntraced(function* (workspace: WorkspaceId, it: CompletedExport, now: DateTime.Utc) {
        const expiresAt = DateTime.min(DateTime.add(now, { milliseconds: link_lifetime_ms }), expiryOf(it))
        const signed = yield* blobs.downloadUrl(exportKey(workspace, it.id), {
          fileName: it.fileName,
          validFor: DateTime.distance(now, expiresAt),
        })
        return { url: signed ?? ownUrl(workspace, it, expiresAt), expiresAt }
      })

      return ListExports.of({
        begin: Effect.fn("ListExports.begin")(function* (workspace, listId, { excludeUnsubscribed }) {
          yield* lists.find(workspace, listId)
          const id = ListExportId.make(yield* ids.next)
          const wanted = { id, listId, excludeUnsubscribed }
          const { change, begun } = ListExportChange.begin(workspace, wanted, yield* DateTime.now)
          yield* transact(write(workspace, change))
          return begun
        }),

        find: Effect.fn("ListExports.find")(function* (workspace, listId, id) {
          const listExport = yield* store.find(workspace, id)
          const now = yield* DateTime.now
          if (listExport.listId !== listId || isExpired(listExport, now)) {
            return yield* new NotFound({ resource: "export" })
          }
          return {
            listExport,
            link: listExport.status === "completed" ? yield* linkTo(workspace, listExport, now) : null,
          }
        }),

        download: Effect.fn("ListExports.download")(function* (token) {
          const link = yield* Effect.fromResult(readLink(secrets, link_purpose, token, yield* DateTime.now))
          const refused = new LinkRefused({ purpose: link_purpose })
          const id = ListExportId.make(link.id)
          const it = yield* store.find(link.workspaceId, id).pipe(Effect.catchTag("NotFound", () => refused))
          if (it.status !== "completed") return yield* refused
          const key = exportKey(link.workspaceId, id)
          const info = yield* blobs.info(key).pipe(Effect.catchTag("BlobNotFound", () => refused))
          return { ...info, fileName: it.fileName, bytes: blobs.get(key) }
        }),

        run: Effect.fn("ListExports.run")(function* (workspace, id) {
          yield* work(workspace, id).pipe(
            Effect.catchTags({ NotFound: nobodyWaits, BlobTooLarge: () => giveUp(workspace, id, tooLarge) }),
          )
        }),

        giveUp: Effect.fn("ListExports.giveUp")(giveUp),

        expire: Effect.fn("ListExports.expire")(function* (workspace, id) {
          // The record first: nobody is shown a link to a file that is gone.
          yield* move(workspace, id, (before) => ListExportChange.forget(before)).pipe(
            Effect.catchTag("NotFound", nobodyWaits),
          )
          yield* blobs.remove(exportKey(workspace, id))
        }),
      })
    }),
  )
}

const listGone = "The list was deleted before its members were exported"

const tooLarge = `The export is larger than ${export_bytes_max / 2 ** 30} GB. Export smaller lists, one after the other`

/** The workspace was deleted, and its exports with it. */
const nobodyWaits = (_: NotFound) => Effect.void
