// Use cases of tents. The API calls all but `runGeneration`, which the worker calls.
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { decideWith, Parsers, type TooComplex } from "../ports/Parsers.ts"
import { Ai } from "../ports/Ai.ts"
import { Ids, TentId, type TentTemplateId, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../kernel/Page.ts"
import { type Invalid, InvalidState, NotFound, Unavailable } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import type { ListedBy } from "../documents/Documents.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { approvedNamed, TentTemplateStore } from "../templates/TemplateStore.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { type Alias, readTentName, root_in_path, type TentName } from "./Alias.ts"
import { attempts_max, etagOf, storablePage, tentGenerations } from "./TentGeneration.ts"
import type { Asset } from "./assets/Asset.ts"
import { AssetStore } from "./assets/AssetStore.ts"
import { checkFilled, shownVariables, UnfilledVariables } from "./Variables.ts"
import { type CheckedTent, checkNewTent, type NewTent } from "./NewTent.ts"
import { autoPublish, publish, TentChange } from "./machine.ts"
import type { PublishInput } from "./Publishing.ts"
import { tentUrl } from "./pages/PageAddress.ts"
import {
  type AliasTaken,
  HasGeneration,
  InvalidPromptIntent,
  type PublishLimitExceeded,
  type Tent,
  TentNotReady,
  type TentRequest,
  type TentStatus,
} from "./Tent.ts"
import { TentStore } from "./TentStore.ts"

export interface TentView {
  readonly tent: Tent
  readonly url: string | null
}

export class Tents extends Context.Service<
  Tents,
  {
    /** With `html` the tent has its page, and is published if requested; with `prompt` the generation has started. */
    readonly create: (
      workspace: WorkspaceId,
      tent: NewTent,
      createdByName: string,
    ) => Effect.Effect<
      TentView,
      | HtmlTooLarge
      | Invalid
      | NotFound
      | TemplateNotApproved
      | UnfilledVariables
      | HasGeneration
      | InvalidPromptIntent
      | TooComplex
      | InsufficientCredits
      | Unavailable
    >
    readonly get: (workspace: WorkspaceId, id: TentId) => Effect.Effect<TentView, NotFound>
    readonly list: (workspace: WorkspaceId, by: ListedBy<TentStatus>) => Effect.Effect<Sliced<TentView>, BrokenCursor>
    /** Omitted fields stay. */
    readonly update: (
      workspace: WorkspaceId,
      id: TentId,
      patch: { readonly name?: string },
    ) => Effect.Effect<TentView, NotFound>
    /** The HTML of a version, or of the current one. */
    readonly content: (
      workspace: WorkspaceId,
      id: TentId,
      version?: number,
    ) => Effect.Effect<string, NotFound | TentNotReady>
    /** `changed` false: the same page was live already. */
    readonly publish: (
      workspace: WorkspaceId,
      id: TentId,
      input: PublishInput,
    ) => Effect.Effect<
      TentView & { readonly changed: boolean },
      NotFound | TentNotReady | AliasTaken | UnfilledVariables | PublishLimitExceeded
    >
    readonly unpublish: (
      workspace: WorkspaceId,
      id: TentId,
    ) => Effect.Effect<TentView & { readonly changed: boolean }, NotFound | InvalidState>
    /** By id, current alias or `__index__`. */
    readonly delete: (workspace: WorkspaceId, name: string) => Effect.Effect<TentId, Invalid | NotFound>
    /**
     * The worker's part: generates the page, stores it, and publishes it if requested. Safe to call again and concurrently:
     * an ended generation does not change. `attempt` counts the job's attempts from 1; too many end the generation as
     * failed.
     */
    readonly runGeneration: (
      workspace: WorkspaceId,
      id: TentId,
      options?: { readonly attempt: number },
    ) => Effect.Effect<void>
  }
>()("tentpole/Tents") {
  static readonly layer = Layer.effect(
    Tents,
    Effect.gen(function* () {
      const store = yield* TentStore
      const settings = yield* Settings
      const toViews = tentViews(settings, store)
      const assets = yield* AssetStore
      const { transact } = yield* Transactor
      const ids = yield* Ids
      const secrets = yield* Secrets
      const parsers = yield* Parsers
      const ai = yield* Ai
      const templates = yield* TentTemplateStore
      const generations = yield* tentGenerations
      const storableHtml = yield* storablePage

      const toView = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: Tent) {
        const [one] = yield* toViews(workspace, [tent])
        return one ?? { tent, url: null }
      })

      const asksForPage = (workspace: WorkspaceId, prompt: string, hasTemplate: boolean) =>
        ai
          .asksForPage(workspace, prompt, { hasTemplate })
          .pipe(Effect.catchTag("AiUnavailable", () => new Unavailable({ part: "AI provider" })))

      /** The template with its current approval. Later edits of the template do not affect this tent. */
      const approvedTemplate = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        id: TentTemplateId | undefined,
        { prompt, variables }: Pick<TentRequest, "prompt" | "variables">,
      ) {
        const approved = id === undefined ? null : yield* approvedNamed(templates, workspace, id)
        yield* Effect.fromResult(checkFilled(approved === null ? [prompt] : [approved.html, prompt], variables))
        return approved === null ? null : { id: approved.templateId, approvalId: approved.approvalId }
      })

      /** An idle tent that the body names, locked; null: a new tent. */
      const lockIdle = Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId | undefined) {
        if (id === undefined) return null
        const idle = yield* Effect.mapError(store.lock(workspace, id), inBody)
        return idle.generation.status === "pending" ? idle : yield* new HasGeneration()
      })

      /** What both kinds of new tents store, in the transaction that writes them. */
      const requested = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        { tentId, name, userId }: NewTent,
        newId: TentId,
      ) {
        const idle = yield* lockIdle(workspace, tentId)
        const id = tentId ?? newId
        return { idle, id, name, userId: userId ?? null, now: yield* DateTime.now }
      })

      const createByPrompt = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        input: NewTent,
        { request: checked, ...given }: CheckedTent & { readonly createdByName: string },
      ) {
        const { tentId } = input
        const idle = tentId && (yield* store.get(workspace, tentId).pipe(Effect.mapError(inBody)))
        if (idle && idle.generation.status !== "pending") return yield* new HasGeneration()
        const template = yield* approvedTemplate(workspace, input.templateId, checked)
        const request = { ...checked, template, assetIds: [...new Set(input.assetIds)] }
        if (tentId) yield* refuseUnknown(input.assetIds, yield* assets.ofTent(workspace, tentId))
        if (!(yield* asksForPage(workspace, request.prompt, request.template !== null)))
          return yield* new InvalidPromptIntent()
        const newId = TentId.make(yield* ids.random)
        return yield* transact(
          Effect.gen(function* () {
            const change = TentChange.accept({ ...(yield* requested(workspace, input, newId)), ...given, request })
            yield* store.apply(workspace, change).pipe(Effect.catchTag("AliasTaken", Effect.die))
            return change.after
          }),
        )
      })

      const createByHtml = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        input: NewTent & { readonly html: string },
        { request, ...given }: CheckedTent & { readonly createdByName: string },
      ) {
        const html = yield* storableHtml(input.html, workspace)
        const names = request.autoPublish ? shownVariables(html) : []
        if (names.length > 0) return yield* new UnfilledVariables({ names })
        // Before the transaction: the page contains it, and is parsed before it.
        const newId = TentId.make(yield* ids.random)
        return yield* transact(
          Effect.gen(function* () {
            const started = yield* requested(workspace, input, newId)
            const it = { ...started, ...given, html, autoPublish: request.autoPublish }
            const created = TentChange.create(it)
            const change = request.autoPublish ? yield* published(workspace, created, it) : created
            // An uploaded page costs no credit, and its alias is chosen under the publishing lock.
            yield* store.apply(workspace, change).pipe(Effect.orDie)
            return change.after
          }),
        )
      })

      const published = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        created: TentChange<Tent>,
        { html, now, requestedAlias }: { html: string; now: DateTime.Utc; requestedAlias: Alias | null },
      ) {
        const facts = yield* Effect.orDie(store.lockPublishing(workspace, created.after.id, requestedAlias))
        const urlOf = tentUrl(settings, yield* Effect.orDie(store.site(workspace)))
        const context = { facts, html, etagOf: etagOf(secrets), urlOf, now }
        return yield* Effect.orDie(
          decideWith(parsers, workspace)((parse) => autoPublish(created, { ...context, parse })),
        )
      })

      return Tents.of({
        create: Effect.fn("Tents.create")(function* (workspace, input, createdByName) {
          const checked = { ...(yield* Effect.fromResult(checkNewTent(input))), createdByName }
          const { html } = input
          const tent =
            html === undefined
              ? yield* createByPrompt(workspace, input, checked)
              : yield* createByHtml(workspace, { ...input, html }, checked)
          return yield* Effect.orDie(toView(workspace, tent))
        }),

        get: Effect.fn("Tents.get")(function* (workspace, id) {
          return yield* toView(workspace, yield* store.get(workspace, id))
        }),

        list: Effect.fn("Tents.list")(function* (workspace, { cursor, limit = page_limit_default, ...filter }) {
          const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
          const { items, next } = yield* store.list(workspace, { ...filter, after, limit })
          return { items: yield* toViews(workspace, items).pipe(Effect.orDie), next }
        }),

        update: Effect.fn("Tents.update")(function* (workspace, id, { name }) {
          const tent = yield* store.lock(workspace, id)
          const change = name === undefined ? null : TentChange.update(tent, { name }, yield* DateTime.now)
          if (change !== null) yield* store.apply(workspace, change).pipe(Effect.orDie)
          return yield* toView(workspace, change?.after ?? tent)
        }, transact),

        content: Effect.fn("Tents.content")(function* (workspace, id, version) {
          if (version !== undefined) return yield* store.html(workspace, id, version)
          const html = yield* store.content(workspace, id)
          if (html !== null) return html
          return yield* new TentNotReady({ status: (yield* store.get(workspace, id)).generation.status })
        }),

        publish: Effect.fn("Tents.publish")(function* (workspace, id, input) {
          const { outcome, tent } = yield* transact(
            Effect.gen(function* () {
              const before = yield* store.lock(workspace, id)
              const html = yield* store.content(workspace, id)
              const alias = input.alias === undefined ? before.alias : input.alias
              const facts = yield* store.lockPublishing(workspace, id, alias)
              const urlOf = tentUrl(settings, yield* store.site(workspace))
              const context = { facts, html: html ?? "", etagOf: etagOf(secrets), urlOf, now: yield* DateTime.now }
              const decision = yield* Effect.orDie(
                decideWith(parsers, workspace)((parse) => publish(before, input, { ...context, parse })),
              )
              const decided = yield* Effect.fromResult(decision)
              if (decided.change !== null) {
                yield* store.apply(workspace, decided.change).pipe(Effect.catchTag("InsufficientCredits", Effect.die))
              }
              return { outcome: decided, tent: decided.change?.after ?? before }
            }),
          )
          // Returns the refusal after the commit, because the failure is stored.
          if (outcome.refusal !== null) return yield* outcome.refusal
          return { ...(yield* toView(workspace, tent)), changed: outcome.change !== null }
        }),

        unpublish: Effect.fn("Tents.unpublish")(function* (workspace, id) {
          const before = yield* store.lock(workspace, id)
          const change = TentChange.unpublish(before, yield* DateTime.now)
          if (change !== null) {
            yield* store.apply(workspace, change).pipe(Effect.orDie)
            return { tent: change.after, url: null, changed: true }
          }
          if (before.publication?.status === "unpublished") return { tent: before, url: null, changed: false }
          return yield* new InvalidState({
            resource: "tent",
            status: before.publication?.status ?? "not published",
            move: "unpublished",
          })
        }, transact),

        delete: Effect.fn("Tents.delete")(function* (workspace, text) {
          const name = yield* Effect.fromResult(readTentName("tentId", text, root_in_path))
          const found = yield* findNamed(store, workspace, name)
          const before = yield* store.lock(workspace, found.id)
          if (name.by === "alias" && before.alias !== name.alias) return yield* new NotFound({ resource: "tent" })
          const assetIds = (yield* assets.ofTent(workspace, before.id)).map((asset) => asset.id)
          const change = TentChange.remove({ tent: before, assetIds }, yield* DateTime.now)
          yield* store.apply(workspace, change).pipe(Effect.orDie)
          return before.id
        }, transact),

        runGeneration: (workspace, id, { attempt } = { attempt: 1 }) =>
          attempt > attempts_max ? generations.abandon(workspace, id) : generations.run(workspace, id),
      })
    }),
  )
}

const readTentId = Schema.decodeUnknownOption(TentId)

/** The tent that the body names as `tent_id`. */
const inBody = () => new NotFound({ resource: "tent", path: "tent_id" })

/** Finds a tent by id or alias. A malformed id names no tent. */
export const findNamed = (store: TentStore["Service"], workspace: WorkspaceId, name: TentName) => {
  if (name.by === "alias") return store.findByAlias(workspace, name.alias)
  return Option.match(name.by === "id" ? readTentId(name.id) : Option.none(), {
    onNone: () => Effect.fail(new NotFound({ resource: "tent" })),
    onSome: (id) => store.get(workspace, id),
  })
}

/** Refuses assets of other tents. The path is the asset's place in the body. */
const refuseUnknown = (named: NewTent["assetIds"], existing: ReadonlyArray<Asset>): Effect.Effect<void, NotFound> => {
  const place = named.findIndex((id) => !existing.some((asset) => asset.id === id))
  return place < 0 ? Effect.void : Effect.fail(new NotFound({ resource: "asset", path: `asset_ids.${place}` }))
}

/** Adds public addresses to tents. Reads the workspace's site only when one of the tents is published. */
export const tentViews = (settings: Settings["Service"], store: TentStore["Service"]) =>
  Effect.fnUntraced(function* (workspace: WorkspaceId, tents: ReadonlyArray<Tent>) {
    if (!tents.some(isPublished)) return tents.map((tent): TentView => ({ tent, url: null }))
    const urlOf = tentUrl(settings, yield* store.site(workspace))
    return tents.map((tent): TentView => ({ tent, url: isPublished(tent) ? urlOf(tent) : null }))
  })

const isPublished = ({ publication }: Tent): boolean => publication?.status === "published"
