// Documents: the use cases that emails, email templates and tent templates share.
import { DateTime, Effect } from "effect"
import { ApprovalId, GenerationId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, decodeCursor, page_limit_default, type Sliced } from "../kernel/Page.ts"
import { type Invalid, type InvalidState, NotFound } from "../kernel/Refusal.ts"
import { decideWith, type Parse, Parsers } from "../ports/Parsers.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import { Actor } from "../kernel/changes/Actor.ts"
import type { ContentStatus, Current, Design, DocumentTypes, Edit, Locked, IdOf } from "./Document.ts"
import type { ApprovalVersionStale, GenerationInProgress, HtmlTooLarge, TemplateNotReady } from "./DocumentErrors.ts"
import { checkPrompt, type Generation } from "./Generation.ts"
import { documentGenerations, type GenerationRules } from "./GenerationRunner.ts"
import { type DocumentChange, isUnchanged } from "./machine.ts"
import { type ContentVersion, versionId } from "./Versions.ts"

/** A slice of a listing. */
type Sliceable = Pick<ListedBy, "cursor" | "limit">

export interface ListedVersion extends ContentVersion {
  readonly approved: boolean
}

export interface ListedBy<Status extends string = ContentStatus> {
  readonly status?: Status
  readonly search?: string
  readonly cursor?: string
  readonly limit?: number
}

export interface Designed {
  readonly version: number
  readonly html: string
  readonly design: Design | null
}

export interface Created<T extends DocumentTypes> {
  readonly document: T["document"]
  /** The generation that writes the first version; null if the document has HTML. */
  readonly generationId: GenerationId | null
}

export interface Documents<T extends DocumentTypes> {
  readonly get: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<T["document"], NotFound>
  /** Newest first, ties by id. */
  readonly list: (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Sliced<T["document"]>, BrokenCursor>
  /** Omitted fields stay, null clears. Creates no version. */
  readonly update: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    patch: T["patch"],
  ) => Effect.Effect<T["document"], NotFound | Invalid>
  /** Deletes versions and generations too. The content that approvals froze stays. */
  readonly delete: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<void, NotFound | T["inUse"]>
  /** A draft with the current content. */
  readonly duplicate: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    createdByName: string,
  ) => Effect.Effect<T["document"], NotFound | TemplateNotReady>
  /** The HTML of a version, or of the current one. */
  readonly content: (workspace: WorkspaceId, id: IdOf<T>, version?: number) => Effect.Effect<string, NotFound>
  /** A version, or the current one, with its design. */
  readonly designed: (workspace: WorkspaceId, id: IdOf<T>, version?: number) => Effect.Effect<Designed, NotFound>
  /** The newest first. */
  readonly versions: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    by: Sliceable,
  ) => Effect.Effect<Sliced<ListedVersion>, NotFound | BrokenCursor>
  readonly setContent: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    content: { readonly html: string; readonly design?: Design | null; readonly byName: string },
  ) => Effect.Effect<T["document"], NotFound | Invalid | HtmlTooLarge>
  readonly approve: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    options: { readonly version?: number },
  ) => Effect.Effect<T["document"], NotFound | TemplateNotReady | ApprovalVersionStale | T["notReady"]>
  readonly unapprove: (
    workspace: WorkspaceId,
    id: IdOf<T>,
  ) => Effect.Effect<T["document"], NotFound | InvalidState | T["inUse"]>
  /** Requests the next version from the AI. Takes a credit. */
  readonly startGeneration: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    request: Pick<Generation, "prompt" | "createdByName">,
  ) => Effect.Effect<Generation, NotFound | Invalid | GenerationInProgress | InsufficientCredits>
  readonly generation: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    generation: GenerationId,
  ) => Effect.Effect<Generation, NotFound>
  /** Newest first, ties by id. */
  readonly generations: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    by: Sliceable,
  ) => Effect.Effect<Sliced<Generation>, NotFound | BrokenCursor>
  /** For workers: writes the version. Two may run the same generation: the first outcome counts. */
  readonly runGeneration: (workspace: WorkspaceId, id: IdOf<T>, generation: GenerationId) => Effect.Effect<void>
  /** For workers, after the last attempt: fails the generation and returns its credit. */
  readonly abandonGeneration: (workspace: WorkspaceId, id: IdOf<T>, generation: GenerationId) => Effect.Effect<void>
}

/** Additional use cases of emails and email templates. */
export interface PlainTexts<T extends DocumentTypes> {
  /** The override, or the text derived from the current HTML. */
  readonly plainText: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<string, NotFound>
  /** Null restores the text derived from the HTML. */
  readonly setPlainText: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    text: string | null,
  ) => Effect.Effect<T["document"], NotFound | Invalid>
}

export interface NewDocument<T extends DocumentTypes> {
  readonly fields: T["given"]
  readonly createdByName: string
}

export interface DocumentRules<T extends DocumentTypes> extends GenerationRules<T> {
  readonly toId: (uuid: string) => IdOf<T>
  readonly facts: (workspace: WorkspaceId) => Effect.Effect<T["facts"]>
}

/** The shared use cases, and the parts of which each kind composes its own. */
export const documents = Effect.fnUntraced(function* <T extends DocumentTypes>(name: string, rules: DocumentRules<T>) {
  const { machine, storable, store } = rules
  const { transact } = yield* Transactor
  const ids = yield* Ids
  const parsers = yield* Parsers
  const generations = yield* documentGenerations(name, rules)

  const write = (workspace: WorkspaceId, change: DocumentChange<T>) =>
    isUnchanged(change) ? Effect.void : store.apply(workspace, change)

  const edit = Effect.all({ by: Actor, now: DateTime.now })

  /** Locks, decides and writes. Only an accepted generation takes credits, and none is accepted here. */
  const change = Effect.fnUntraced(function* <After extends T["document"] | null, E>(
    workspace: WorkspaceId,
    id: IdOf<T>,
    decide: (locked: Locked<T["document"]>, edit: Edit) => Effect.Effect<DocumentChange<T, After>, E>,
  ) {
    const locked = yield* store.lock(workspace, id)
    const decided = yield* decide(locked, yield* edit)
    yield* Effect.orDie(write(workspace, decided))
    return decided.after
  }, transact)

  const decideFor = (workspace: WorkspaceId) => decideWith(parsers, workspace)

  const storableHtml = (html: string, workspace: WorkspaceId) =>
    Effect.catchTag(storable(html, workspace), "TooComplex", Effect.die)

  /** A new document's id, author and time. */
  const start = Effect.fnUntraced(function* (createdByName: string) {
    return { id: rules.toId(yield* ids.next), createdByName, ...(yield* edit) }
  })

  const request = Effect.fnUntraced(function* (prompt: string, createdByName: string) {
    return { id: GenerationId.make(yield* ids.next), prompt, createdByName, createdBy: yield* Actor }
  })

  const created = Effect.fnUntraced(function* (workspace: WorkspaceId, decided: DocumentChange<T, T["document"]>) {
    yield* transact(write(workspace, decided))
    return { document: decided.after, generationId: decided.generation?.after.id ?? null } satisfies Created<T>
  })

  const create = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    it: NewDocument<T> & { readonly html: string; readonly design?: Design | null },
  ) {
    const html = yield* storableHtml(it.html, workspace)
    const input = { ...(yield* start(it.createdByName)), fields: it.fields, html, design: it.design ?? null }
    const decision = yield* Effect.orDie(decideFor(workspace)((parse) => machine.create(input, parse)))
    return yield* created(workspace, yield* Effect.fromResult(decision))
  })

  const createByPrompt = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    { fields, createdByName, prompt, basis }: NewDocument<T> & { readonly prompt: string; readonly basis?: string },
  ) {
    const input = { ...(yield* start(createdByName)), fields, request: yield* request(prompt, createdByName) }
    const decision = machine.createByPrompt(basis === undefined ? input : { ...input, basis })
    return yield* created(workspace, yield* Effect.fromResult(decision))
  })

  /** `check` can refuse what is otherwise ready. Its result is returned as `checked`. */
  const approve = Effect.fnUntraced(function* <A, E>(
    workspace: WorkspaceId,
    id: IdOf<T>,
    options: { readonly version?: number },
    check: (locked: Locked<T["document"]>) => Effect.Effect<A, E>,
  ) {
    const locked = yield* store.lock(workspace, id)
    const facts = yield* rules.facts(workspace)
    const approvalId = ApprovalId.make(yield* ids.next)
    const approving = yield* edit
    const decision = yield* Effect.orDie(
      decideFor(workspace)((parse) => machine.approve(locked, facts, { ...options, approvalId }, approving, parse)),
    )
    const decided = yield* Effect.fromResult(decision)
    const checked = yield* check(locked)
    yield* Effect.orDie(write(workspace, decided))
    return { document: decided.after, checked }
  }, transact)

  const verbs: Documents<T> = {
    approve: Effect.fn(`${name}.approve`)((workspace, id, options) =>
      Effect.map(
        approve(workspace, id, options, () => Effect.void),
        ({ document }) => document,
      ),
    ),

    get: store.get,

    list: Effect.fn(`${name}.list`)(function* (workspace, { cursor, ...query }) {
      const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
      const { status = null, search = null, limit = page_limit_default } = query
      return yield* store.list(workspace, { status, search, after, limit })
    }),

    update: Effect.fn(`${name}.update`)((workspace, id, patch) =>
      change(workspace, id, (locked, its) =>
        decideFor(workspace)((parse) => machine.update(locked, patch, its, parse)).pipe(
          Effect.orDie,
          Effect.flatMap(Effect.fromResult),
        ),
      ),
    ),

    delete: Effect.fn(`${name}.delete`)((workspace, id) =>
      change(workspace, id, (locked) =>
        Effect.flatMap(store.uses(workspace, id), (uses) => Effect.fromResult(machine.remove(locked, uses))),
      ),
    ),

    duplicate: Effect.fn(`${name}.duplicate`)(function* (workspace, id, createdByName) {
      const current = yield* store.current(workspace, id)
      const { currentVersion } = current.document
      const design = current.html === null ? null : yield* store.design(workspace, id, currentVersion)
      const decided = yield* Effect.fromResult(machine.duplicate(current, yield* start(createdByName), design))
      return (yield* Effect.catchTag(created(workspace, decided), "InsufficientCredits", Effect.die)).document
    }),

    content: Effect.fn(`${name}.content`)(function* (workspace, id, version) {
      if (version !== undefined) return yield* store.html(workspace, id, version)
      const { html } = yield* store.current(workspace, id)
      return html ?? (yield* new NotFound({ resource: `${machine.kind.noun} version` }))
    }),

    designed: Effect.fn(`${name}.designed`)(function* (workspace, id, asked) {
      const version = asked ?? (yield* store.get(workspace, id)).currentVersion
      const html = yield* store.html(workspace, id, version)
      return { version, html, design: yield* store.design(workspace, id, version) }
    }),

    versions: Effect.fn(`${name}.versions`)(function* (workspace, id, { cursor, limit = page_limit_default }) {
      const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor, versionId))
      const { approval } = yield* store.get(workspace, id)
      const { items, next } = yield* store.versions(workspace, id, { after, limit })
      return { items: items.map((item) => ({ ...item, approved: item.version === approval?.version })), next }
    }),

    setContent: Effect.fn(`${name}.setContent`)(function* (workspace, id, { html, ...written }) {
      const content = { ...written, html: yield* storableHtml(html, workspace) }
      return yield* change(workspace, id, ({ document }, its) =>
        decideFor(workspace)((parse) => machine.setContent(document, content, its, parse)).pipe(
          Effect.orDie,
          Effect.flatMap(Effect.fromResult),
        ),
      )
    }),

    unapprove: Effect.fn(`${name}.unapprove`)((workspace, id) =>
      change(workspace, id, ({ document }, { now }) =>
        Effect.flatMap(store.uses(workspace, id), (uses) => Effect.fromResult(machine.unapprove(document, uses, now))),
      ),
    ),

    startGeneration: Effect.fn(`${name}.startGeneration`)(function* (workspace, id, { prompt, createdByName }) {
      const generation = yield* request(yield* Effect.fromResult(checkPrompt(prompt)), createdByName)
      const locked = yield* store.lock(workspace, id)
      const decided = yield* Effect.fromResult(machine.generate(locked, generation, yield* DateTime.now))
      yield* write(workspace, decided)
      return decided.generation?.after ?? (yield* Effect.die("an accepted generation is in its change"))
    }, transact),

    generation: store.generation,

    generations: Effect.fn(`${name}.generations`)(function* (workspace, id, { cursor, limit = page_limit_default }) {
      const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor))
      yield* store.get(workspace, id)
      return yield* store.generations(workspace, id, { after, limit })
    }),

    runGeneration: generations.run,
    abandonGeneration: generations.abandon,
  }

  const plainTexts = (textOf: (current: Current<T["document"]>, parse: Parse) => string): PlainTexts<T> => ({
    plainText: Effect.fn(`${name}.plainText`)((workspace, id) =>
      Effect.flatMap(store.current(workspace, id), (current) =>
        Effect.orDie(decideFor(workspace)((parse) => textOf(current, parse))),
      ),
    ),
    setPlainText: Effect.fn(`${name}.setPlainText`)((workspace, id, text) =>
      change(workspace, id, ({ document }, its) => Effect.fromResult(machine.setPlainText(document, text, its))),
    ),
  })

  return { verbs, plainTexts, approve, start, created, create, createByPrompt, storableHtml }
})
