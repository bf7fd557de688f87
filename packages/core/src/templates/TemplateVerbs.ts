// What can be done with a template of either kind. `EmailTemplates` and `TentTemplates` add what only one of them can.
import { DateTime, Effect } from "effect"
import type { ContentStatus } from "../documents/Approval.ts"
import { checkPrompt, type Generation, type GenerationInProgress } from "../documents/Generation.ts"
import type { ApprovalVersionStale, HtmlTooLarge, TemplateNotReady } from "../emails/EmailErrors.ts"
import { ApprovalId, GenerationId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { Jobs } from "../kernel/Jobs.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../kernel/Page.ts"
import { type Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { CurrentTemplate, Kinds, ShownTemplate, TemplateKind } from "./Template.ts"
import { TemplateChange } from "./TemplateChange.ts"
import { type TemplateWriting, templateWriting } from "./TemplateGeneration.ts"
import type { TemplateInUse } from "./TemplateErrors.ts"
import type { TemplateRules } from "./TemplateRules.ts"

export interface ListedBy {
  readonly status?: ContentStatus
  readonly search?: string
  readonly cursor?: string
  readonly limit?: number
}

export interface TemplateVerbs<Kind extends TemplateKind> extends TemplateWriting<Kind> {
  readonly find: (workspace: WorkspaceId, id: Kinds[Kind]["id"]) => Effect.Effect<ShownTemplate<Kind>, NotFound>
  readonly slice: (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Sliced<ShownTemplate<Kind>>, BrokenCursor>
  /** The HTML of a version, or of the current one. */
  readonly content: (workspace: WorkspaceId, id: Kinds[Kind]["id"], version?: number) => Effect.Effect<string, NotFound>
  readonly setContent: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    html: string,
  ) => Effect.Effect<ShownTemplate<Kind>, NotFound | Invalid | HtmlTooLarge>
  readonly approve: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    options: { readonly version?: number },
  ) => Effect.Effect<ShownTemplate<Kind>, NotFound | TemplateNotReady | ApprovalVersionStale | GenerationInProgress>
  readonly unapprove: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
  ) => Effect.Effect<ShownTemplate<Kind>, NotFound | InvalidState | TemplateInUse>
  /** A draft with the HTML of the current version and what stands beside it. */
  readonly duplicate: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    createdByName: string,
  ) => Effect.Effect<ShownTemplate<Kind>, NotFound | TemplateNotReady>
  readonly remove: (workspace: WorkspaceId, id: Kinds[Kind]["id"]) => Effect.Effect<void, NotFound | TemplateInUse>
  /** Asks the AI for the next version, built on the current one. Takes a credit. */
  readonly generate: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    asked: { readonly prompt: string; readonly createdByName: string },
  ) => Effect.Effect<Generation, NotFound | Invalid | GenerationInProgress | InsufficientCredits>
  readonly generation: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    generation: GenerationId,
  ) => Effect.Effect<Generation, NotFound>
}

/** How a new template begins: with HTML, or with what the AI is asked for. */
export type Beginning = { readonly html: string } | { readonly prompt: string }

export interface NewTemplateParts<Kind extends TemplateKind> {
  readonly name: string
  readonly sourceId: Kinds[Kind]["sourceId"] | null
  readonly mail: Kinds[Kind]["mail"]
  readonly createdByName: string
}

/** The verbs of a kind; `make`, which each kind's own `create` ends with; and `change`: lock, decide, write. */
export const templateVerbs = <Kind extends TemplateKind>(rules: TemplateRules<Kind>) =>
  Effect.gen(function* () {
    const { store } = rules
    const { transact } = yield* Transactor
    const ids = yield* Ids
    const jobs = yield* Jobs

    /** Writes a change, and queues the work that it asks for. */
    const apply = Effect.fnUntraced(function* (workspace: WorkspaceId, change: TemplateChange<Kind>) {
      if (!change.isNothing) yield* store.apply(workspace, change)
      const asked = change.generation
      if (asked !== null && asked.before === null && change.after !== null) {
        const job = rules.job(workspace, change.after.id, asked.after.id)
        yield* jobs.enqueue(job, { id: `${job.type}:${asked.after.id}` })
      }
    })

    /** Only an accepted generation takes credits. */
    const applyFree = (workspace: WorkspaceId, change: TemplateChange<Kind>) =>
      Effect.catchTag(apply(workspace, change), "InsufficientCredits", Effect.die)

    const change = <E, R>(
      workspace: WorkspaceId,
      id: Kinds[Kind]["id"],
      decide: (current: CurrentTemplate<Kind>, now: DateTime.Utc) => Effect.Effect<TemplateChange<Kind>, E, R>,
    ) =>
      Effect.gen(function* () {
        const current = yield* store.lock(workspace, id)
        const decided = yield* decide(current, yield* DateTime.now)
        yield* applyFree(workspace, decided)
        return shownAfter(decided, current)
      }).pipe(transact)

    const newAsked = Effect.fnUntraced(function* (prompt: string, createdByName: string) {
      return { id: GenerationId.make(yield* ids.next), prompt, createdByName }
    })

    const make = Effect.fn("Templates.make")(function* (
      workspace: WorkspaceId,
      parts: NewTemplateParts<Kind>,
      beginning: Beginning,
    ) {
      const facts = { ...parts, id: rules.toId(yield* ids.next), now: yield* DateTime.now }
      const decided =
        "html" in beginning
          ? TemplateChange.create<Kind>(facts, yield* Effect.fromResult(rules.keep(beginning.html)))
          : TemplateChange.createGenerating<Kind>(facts, yield* newAsked(beginning.prompt, parts.createdByName))
      yield* transact(apply(workspace, decided))
      return shownAfter(decided, { latest: null })
    })

    const verbs: TemplateVerbs<Kind> = {
      ...(yield* templateWriting(rules)),

      find: store.find,

      slice: Effect.fn("Templates.slice")(function* (workspace, { status, search, cursor, limit }) {
        const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
        return yield* store.slice(workspace, {
          status: status ?? null,
          search: search ?? null,
          after,
          limit: limit ?? page_limit_default,
        })
      }),

      content: Effect.fn("Templates.content")(function* (workspace, id, version) {
        if (version !== undefined) return yield* store.html(workspace, id, version)
        const { html } = yield* store.current(workspace, id)
        return html ?? (yield* new NotFound({ resource: "template version" }))
      }),

      setContent: Effect.fn("Templates.setContent")(function* (workspace, id, html) {
        const kept = yield* Effect.fromResult(rules.keep(html))
        return yield* change(workspace, id, ({ template }, now) =>
          Effect.succeed(TemplateChange.setContent(template, kept, now)),
        )
      }),

      approve: Effect.fn("Templates.approve")(function* (workspace, id, options) {
        const approvalId = ApprovalId.make(yield* ids.next)
        const { waitsForGeneration } = rules
        return yield* change(workspace, id, (current, now) =>
          Effect.fromResult(TemplateChange.approve(current, { ...options, approvalId, waitsForGeneration }, now)),
        )
      }),

      unapprove: Effect.fn("Templates.unapprove")(function* (workspace, id) {
        return yield* change(workspace, id, ({ template }, now) =>
          Effect.flatMap(store.uses(workspace, id), (uses) =>
            Effect.fromResult(TemplateChange.unapprove(template, uses, now)),
          ),
        )
      }),

      duplicate: Effect.fn("Templates.duplicate")(function* (workspace, id, createdByName) {
        const current = yield* store.current(workspace, id)
        const copy = { id: rules.toId(yield* ids.next), mail: rules.copied(current.template), createdByName }
        const decided = yield* Effect.fromResult(TemplateChange.duplicate(current, copy, yield* DateTime.now))
        yield* transact(applyFree(workspace, decided))
        return shownAfter(decided, { latest: null })
      }),

      remove: Effect.fn("Templates.remove")(function* (workspace, id) {
        const current = yield* store.lock(workspace, id)
        const uses = yield* store.uses(workspace, id)
        yield* applyFree(workspace, yield* Effect.fromResult(TemplateChange.remove(current, uses)))
      }, transact),

      generate: Effect.fn("Templates.generate")(function* (workspace, id, { prompt, createdByName }) {
        const asked = yield* newAsked(yield* Effect.fromResult(checkPrompt(prompt)), createdByName)
        const current = yield* store.lock(workspace, id)
        const decided = TemplateChange.generate(current, asked, yield* DateTime.now)
        const accepted = yield* Effect.fromResult(decided)
        yield* apply(workspace, accepted)
        return accepted.generation?.after ?? (yield* Effect.die("an accepted generation is there"))
      }, transact),

      generation: store.generation,
    }
    return { verbs, make, change }
  })

/** What is shown once a change is written. */
const shownAfter = <Kind extends TemplateKind>(
  { after, generation }: TemplateChange<Kind>,
  { latest }: Pick<ShownTemplate<Kind>, "latest">,
): ShownTemplate<Kind> => {
  if (after === null) throw new Error("a template that goes is not shown")
  return { template: after, latest: generation?.after ?? latest }
}
