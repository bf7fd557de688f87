// The worker's part of a tent: the page is asked for outside any transaction, and kept in one that looks again whether it
// is still wanted.
import { DateTime, Effect, Result } from "effect"
import { Ai } from "../ports/Ai.ts"
import { BlobStore } from "../ports/BlobStore.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { asked } from "../documents/askAi.ts"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { TentTemplateStore } from "../templates/TemplateStore.ts"
import { Transactor } from "../kernel/Transactor.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { Cleaner, dangersOf } from "../documents/Clean.ts"
import { AssetStore } from "./assets/AssetStore.ts"
import { pageAssets, withPictures } from "./assets/PageAssets.ts"
import { Settings } from "../kernel/Settings.ts"
import type { Tent, TentRequest } from "./Tent.ts"
import { autoPublish, TentChange } from "./machine.ts"
import { TentStore } from "./TentStore.ts"

/** What `Tents.generate` is made of. */
export const generate = Effect.gen(function* () {
  const store = yield* TentStore
  const secrets = yield* Secrets
  const { transact } = yield* Transactor
  const write = yield* writer

  /** The tent to generate for; null when there is nothing to do, or no longer. */
  const begin = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId, attempt: number) {
    const tent = yield* store.lock(workspace, id)
    const now = yield* DateTime.now
    if (attempt > attempts_max) {
      yield* apply(store, workspace, TentChange.fail(tent, brokenOff, now))
      return null
    }
    const change = TentChange.begin(tent, now)
    yield* apply(store, workspace, change)
    // One that is being generated already was left by a worker that died, or is another's: the first answer will stand.
    return change?.after ?? (tent.generation.status === "generating" ? tent : null)
  }, transact)

  const settle = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId, page: Result.Result<string, string>) {
    const tent = yield* store.lock(workspace, id)
    const now = yield* DateTime.now
    if (Result.isFailure(page)) return yield* apply(store, workspace, TentChange.fail(tent, page.failure, now))
    const completed = TentChange.complete(tent, page.success, now)
    if (completed === null || tent.publication === null) return yield* apply(store, workspace, completed)
    const facts = yield* store.lockPublishing(workspace, id, tent.publication.requestedAlias)
    const context = { facts, html: page.success, etagOf: etagOf(secrets), now }
    yield* apply(store, workspace, autoPublish(completed, context))
  }, transact)

  return Effect.fn("Tents.generate")(
    function* (workspace: WorkspaceId, id: TentId, options: { readonly attempt: number } = { attempt: 1 }) {
      const tent = yield* begin(workspace, id, options.attempt)
      if (tent !== null) yield* settle(workspace, id, yield* write(workspace, tent))
    },
    // A tent that was deleted meanwhile wants nothing any more.
    Effect.catchTag("NotFound", () => Effect.void),
  )
})

/** Writes a page for a tent: clean and of bearable size, or the sentence that says why there is none. */
const writer = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const templates = yield* TentTemplateStore
  const assets = yield* AssetStore
  const blobs = yield* BlobStore
  const ai = yield* Ai
  const cleaner = yield* Cleaner
  const { html_bytes_max } = yield* Settings

  /** What the template's approval froze, whatever became of the template since: that is kept for ever. */
  const frozen = ({ template }: TentRequest, workspace: WorkspaceId) =>
    template === null
      ? Effect.succeed(null)
      : templates.approved(workspace, template.approvalId).pipe(
          Effect.map(({ html }) => html),
          Effect.orDie,
        )

  /** The files that go with the request, as far as they are still there. */
  const enclosed = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId, { assetIds }: TentRequest) {
    if (assetIds.length === 0) return []
    const held = yield* assets.ofTent(workspace, id)
    const named = assetIds.flatMap((wanted) => held.find((asset) => asset.id === wanted) ?? [])
    // A store of files that does not answer breaks this attempt off: the job comes again.
    return yield* Effect.orDie(pageAssets(blobs, workspace, named))
  })

  return Effect.fnUntraced(function* (workspace: WorkspaceId, { id, name, request }: Tent) {
    if (request === null) return Result.fail("Nothing was asked for")
    const brand = request.includeBrand ? (yield* workspaces.find(workspace)).brand : null
    const template = yield* frozen(request, workspace)
    const files = yield* enclosed(workspace, id, request)
    const { prompt, reasoning } = request
    const answer = yield* asked(ai.page({ prompt, name, brand, template, assets: files, reasoning }))
    return answer.pipe(
      Result.map((html) => withPictures(html, files)),
      Result.flatMap((html) => Result.mapError(cleaner.clean(html), (unclean) => unclean.message)),
      Result.flatMap((html) => checked(html, html_bytes_max)),
    )
  })
})

const apply = (store: TentStore["Service"], workspace: WorkspaceId, change: TentChange | null) =>
  // Giving back never lacks credits, and an alias is chosen while nobody else publishes.
  change === null
    ? Effect.void
    : store.apply(workspace, change).pipe(Effect.catchTags({ AliasTaken: Effect.die, InsufficientCredits: Effect.die }))

/** What the cleaner let through is looked at once more, by other eyes. */
const checked = (html: string, html_bytes_max: number): Result.Result<string, string> => {
  if (encodeText(html).length > html_bytes_max) {
    return Result.fail(`The page is larger than ${html_bytes_max / 2 ** 20} MB. Ask for a shorter one`)
  }
  const dangers = dangersOf(html)
  return dangers.length === 0
    ? Result.succeed(html)
    : Result.fail(`The page could not be made safe: it has ${dangers.slice(0, 5).join(", ")}`)
}

/** Names the bytes of a page: equal pages, equal etags. */
export const etagOf =
  (secrets: Secrets["Service"]) =>
  (html: string): string =>
    Array.from(secrets.sha256(encodeText(html)).subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")

const attempts_max = 5
const brokenOff = `The generation was broken off ${attempts_max} times. Nothing was charged: try again with another prompt`
