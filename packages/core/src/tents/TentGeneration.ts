// The generation of a tent's page: the request to the AI, and the handling of its answer.
import { DateTime, Effect, Result } from "effect"
import { Hex } from "effect/encoding"
import { Ai } from "../ports/Ai.ts"
import { decideWith, Parsers, type TooComplex } from "../ports/Parsers.ts"
import { BlobStore } from "../ports/BlobStore.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { askAi, generationRunner } from "../documents/GenerationRunner.ts"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { TentTemplateStore } from "../templates/TemplateStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { AssetStore } from "./assets/AssetStore.ts"
import { Cleaner, pageDangers, storable, type Unclean } from "../documents/Clean.ts"
import { pageAssets, picturesParser } from "./assets/PageAssets.ts"
import { tentUrl } from "./pages/PageAddress.ts"
import { successUrlParser } from "./pages/PageDocument.ts"
import type { Tent, TentRequest } from "./Tent.ts"
import { autoPublish, TentChange } from "./machine.ts"
import { TentStore } from "./TentStore.ts"
import { fillHtml, fillText, shownVariables, UnfilledVariables } from "./Variables.ts"

/** A job that was interrupted this often is abandoned, so that its credit is given back. */
export const attempts_max = 5

export const tentGenerations = Effect.gen(function* () {
  const store = yield* TentStore
  const secrets = yield* Secrets
  const settings = yield* Settings
  const parsers = yield* Parsers
  const { provider } = yield* Ai
  const write = yield* writer

  const apply = (workspace: WorkspaceId, change: TentChange | null) =>
    // Giving credits back can't fail for lack of credits, and the alias is chosen under the publishing lock.
    change === null ? Effect.void : Effect.orDie(store.apply(workspace, change))

  return yield* generationRunner<[workspace: WorkspaceId, id: TentId], Tent, string>("Tents", {
    abandoned: `The generation was broken off ${attempts_max} times. Nothing was charged: try again with another prompt`,
    begin: Effect.fnUntraced(function* (workspace, id) {
      const tent = yield* store.lock(workspace, id)
      const change = TentChange.begin(tent, yield* DateTime.now)
      yield* apply(workspace, change)
      // A running generation belongs to another worker, alive or not: the first outcome counts.
      return change?.after ?? (tent.generation.status === "generating" ? tent : null)
    }),
    write: (tent, workspace) => write(workspace, tent),
    settle: Effect.fnUntraced(function* (page, workspace, id) {
      const tent = yield* store.lock(workspace, id)
      const now = yield* DateTime.now
      if (Result.isFailure(page)) return yield* apply(workspace, TentChange.fail(tent, page.failure, now))
      const completed = TentChange.complete(tent, page.success, provider, now)
      if (completed === null || tent.publication === null) return yield* apply(workspace, completed)
      const facts = yield* store.lockPublishing(workspace, id, tent.publication.requestedAlias)
      const urlOf = tentUrl(settings, yield* store.site(workspace))
      const context = { facts, html: page.success, etagOf: etagOf(secrets), urlOf, now }
      const published = decideWith(parsers, workspace)((parse) => autoPublish(completed, { ...context, parse }))
      const change = yield* Effect.catchTag(published, "TooComplex", ({ message }) =>
        Effect.succeed(TentChange.fail(tent, message, now)),
      )
      yield* apply(workspace, change)
    }),
  })
})

/**
 * The page of an AI's answer as it may be stored, else a sentence for users: without active content, and without success addresses
 * that the page or template that it changed does not have. `pageDangers` shares no code with the cleaner and checks its result.
 */
export const finisher = Effect.gen(function* () {
  const cleaner = yield* Cleaner
  const parsers = yield* Parsers
  const { html_bytes_max } = yield* Settings

  const finished = Effect.fnUntraced(function* (
    withPictures: Effect.Effect<string, TooComplex>,
    basis: string | null,
    workspace: WorkspaceId,
  ): Effect.fn.Return<string, string | Unclean | TooComplex> {
    const clean = yield* cleaner.clean(yield* withPictures, workspace)
    const cleaned = yield* parsers.run(successUrlParser, { html: clean, basis }, workspace)
    if (encodeText(cleaned).length > html_bytes_max) {
      return yield* Effect.fail(`The page is larger than ${html_bytes_max / 2 ** 20} MB. Ask for a shorter one`)
    }
    const variables = shownVariables(cleaned)
    if (variables.length > 0) return yield* Effect.fail(new UnfilledVariables({ names: variables }).message)
    const dangers = yield* parsers.run(pageDangers, cleaned, workspace)
    if (dangers.length === 0) return cleaned
    return yield* Effect.fail(`The page could not be made safe: it has ${dangers.slice(0, 5).join(", ")}`)
  })

  return (...input: Parameters<typeof finished>) =>
    finished(...input).pipe(
      Effect.catchTags({
        Unclean: ({ reason }) => Effect.fail(`The page ${reason}`),
        TooComplex: ({ reason }) => Effect.fail(`The page ${reason}. Ask for a simpler one`),
      }),
      Effect.result,
    )
})

/** Generates a page, cleans it and checks its size. Fails with a sentence for users. */
const writer = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const templates = yield* TentTemplateStore
  const assets = yield* AssetStore
  const blobs = yield* BlobStore
  const ai = yield* Ai
  const parsers = yield* Parsers
  const finished = yield* finisher

  /** The HTML of the template's approval, which does not change when the template is edited or deleted. */
  const approvedHtml = ({ template }: TentRequest, workspace: WorkspaceId) =>
    template === null
      ? Effect.succeed(null)
      : Effect.orDie(Effect.map(templates.approval(workspace, template.approvalId), ({ html }) => html))

  /** The assets of the request that still exist. */
  const assetsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId, { assetIds }: TentRequest) {
    if (assetIds.length === 0) return []
    const existing = yield* assets.ofTent(workspace, id)
    const named = assetIds.flatMap((wanted) => existing.find((asset) => asset.id === wanted) ?? [])
    // When the blob store does not answer, this attempt dies and the job is retried.
    return yield* Effect.orDie(pageAssets(blobs, workspace, named))
  })

  return Effect.fnUntraced(function* (workspace: WorkspaceId, { id, name, request }: Tent) {
    if (request === null) return Result.fail("The tent has no request")
    const brand = request.includeBrand ? (yield* workspaces.get(workspace)).brand : null
    const approved = yield* approvedHtml(request, workspace)
    const template = approved === null ? null : fillHtml(approved, request.variables)
    const files = yield* assetsOf(workspace, id, request)
    const { reasoning, variables } = request
    const prompt = fillText(request.prompt, variables)
    const answer = yield* askAi(ai.generatePage(workspace, { prompt, name, brand, template, assets: files, reasoning }))
    if (Result.isFailure(answer)) return answer
    const withPictures = parsers.run(picturesParser, { html: answer.success, assets: files }, workspace)
    return yield* finished(withPictures, template, workspace)
  })
})

/** A digest of a page's bytes: equal pages have equal etags. */
export const etagOf =
  (secrets: Secrets["Service"]) =>
  (html: string): string =>
    Hex.encode(secrets.sha256(encodeText(html)).subarray(0, 16))

/** HTML of a user, cleaned as the AI's pages are. */
export const storablePage = Effect.gen(function* () {
  const cleaner = yield* Cleaner
  const parsers = yield* Parsers
  const { html_bytes_max: bytes_max } = yield* Settings
  const check = storable(cleaner.clean, pageDangers, { bytes_max, parsers })
  return (html: string, workspace: WorkspaceId) => Effect.catchTag(check(html, workspace), "TooComplex", Effect.die)
})
