// Templates of emails and of tents in memory.
import { statusOf } from "@tentpole/core/documents/Approval"
import type { GenerationId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type { Sliced } from "@tentpole/core/kernel/Page"
import type {
  ApprovedTemplate,
  CurrentTemplate,
  Kinds,
  ShownTemplate,
  Template,
  TemplateKind,
} from "@tentpole/core/templates/Template"
import { TemplateChange } from "@tentpole/core/templates/TemplateChange"
import {
  EmailTemplateStore,
  type TemplateQuery,
  type TemplateStoreOf,
  TentTemplateStore,
} from "@tentpole/core/templates/TemplateStore"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/Transactor"
import { Effect, Layer } from "effect"
import { activeFlowsUsing } from "../flows/FlowTables.ts"
import { findGeneration, forgetGenerations, latestGenerations, writeGeneration } from "../documents/Generations.ts"
import { MemoryDatabase, type Rows, type Table, table } from "../kernel/MemoryDatabase.ts"

interface Tables<Kind extends TemplateKind> {
  /** As a refusal names one. */
  readonly noun: string
  readonly templates: Table<Template<Kind>>
  /** HTML, by `<template id>.<version>`. */
  readonly versions: Table<string>
  readonly approvals: Table<ApprovedTemplate<Kind>>
  /** Where flows name those that they make something from. */
  readonly used: "emailTemplates" | "tentTemplates"
}

export const emailTemplates: Tables<"email"> = {
  noun: "email template",
  templates: table("email_template"),
  versions: table("email_template_version"),
  approvals: table("email_template_approval"),
  used: "emailTemplates",
}

export const tentTemplates: Tables<"tent"> = {
  noun: "tent template",
  templates: table("tent_template"),
  versions: table("tent_template_version"),
  approvals: table("tent_template_approval"),
  used: "tentTemplates",
}

const versionKey = (id: string, version: number): string => `${id}.${version}`

const found = <Row>(row: Row | undefined, resource: string): Effect.Effect<Row, NotFound> =>
  row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)

const matches = (template: Template, { status, search, after }: TemplateQuery): boolean => {
  const at = template.createdAt.epochMilliseconds
  return (
    (status === null || statusOf(template) === status) &&
    (search === null || fold(template.name).includes(fold(search))) &&
    (after === null || at < after.at || (at === after.at && template.id > after.id))
  )
}

const newestFirst = (left: Template, right: Template): number =>
  right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1)

const applyTemplate = Effect.fnUntraced(function* <Kind extends TemplateKind>(
  db: Rows,
  { templates, versions, approvals }: Tables<Kind>,
  workspace: WorkspaceId,
  change: TemplateChange<Kind>,
) {
  yield* Transaction
  if (!TemplateChange.is(change)) return yield* Effect.die("a template can only be written by a TemplateChange")
  const { before, after, html, approved, generation } = change
  const id = (after ?? before)?.id ?? ""
  const row = yield* db.find(templates, workspace, id)
  if (row?.currentVersion !== before?.currentVersion || row?.approval?.id !== before?.approval?.id) {
    return yield* Effect.die("the template is not what the change was decided on: lock it first")
  }
  if (after === null) {
    for (let version = 1; version <= (before?.currentVersion ?? 0); version++) {
      yield* db.remove(versions, workspace, versionKey(id, version))
    }
    yield* forgetGenerations(db, workspace, id, change.credits_taken)
    return yield* db.remove(templates, workspace, id)
  }
  yield* db.put(templates, workspace, id, after)
  if (generation !== null) yield* writeGeneration(db, workspace, id, generation)
  if (html !== null) yield* db.put(versions, workspace, versionKey(id, after.currentVersion), html)
  if (approved !== null) yield* db.put(approvals, workspace, approved.approvalId, approved)
})

const storeOver = <Kind extends TemplateKind>(db: Rows, tables: Tables<Kind>): TemplateStoreOf<Kind> => {
  const { noun, templates, versions, approvals, used } = tables
  const shown = (workspace: WorkspaceId, all: ReadonlyArray<Template<Kind>>) =>
    Effect.map(
      latestGenerations(
        db,
        workspace,
        all.map(({ id }) => id),
      ),
      (latest) => all.map((template): ShownTemplate<Kind> => ({ template, latest: latest.get(template.id) ?? null })),
    )
  const find = Effect.fnUntraced(function* (workspace: WorkspaceId, id: Kinds[Kind]["id"]) {
    const template = yield* Effect.flatMap(db.find(templates, workspace, id), (row) => found(row, noun))
    const [one] = yield* shown(workspace, [template])
    return one ?? { template, latest: null }
  })
  const current = Effect.fnUntraced(function* (workspace: WorkspaceId, id: Kinds[Kind]["id"]) {
    const one = yield* find(workspace, id)
    const html = yield* db.find(versions, workspace, versionKey(id, one.template.currentVersion))
    const whole: CurrentTemplate<Kind> = { ...one, html: html ?? null }
    return whole
  })
  const slice = Effect.fnUntraced(function* (workspace: WorkspaceId, query: TemplateQuery) {
    const all = (yield* db.all(templates, workspace)).filter((row) => matches(row, query)).sort(newestFirst)
    const items = yield* shown(workspace, all.slice(0, query.limit))
    const last = items.at(-1)?.template
    const next =
      all.length <= query.limit || last === undefined ? null : { at: last.createdAt.epochMilliseconds, id: last.id }
    const sliced: Sliced<ShownTemplate<Kind>> = { items, next }
    return sliced
  })
  return {
    find,
    current,
    slice,
    lock: (workspace, id) => Effect.andThen(Transaction, current(workspace, id)),
    html: (workspace, id, version) =>
      Effect.flatMap(db.find(versions, workspace, versionKey(id, version)), (html) => found(html, `${noun} version`)),
    generation: (workspace, id, generation: GenerationId) => findGeneration(db, workspace, id, generation),
    approved: (workspace, id) =>
      Effect.flatMap(db.find(approvals, workspace, id), (row) => found(row, `approved ${noun}`)),
    uses: (workspace, id) =>
      Effect.andThen(
        Transaction,
        activeFlowsUsing(db, workspace, (named) => named[used].some((each) => each === id)),
      ).pipe(Effect.map((flows) => flows.map(({ name }) => ({ kind: "email flow", name }) as const))),
    apply: (workspace, change) => applyTemplate(db, tables, workspace, change),
  }
}

export const layer = Layer.mergeAll(
  Layer.effect(
    EmailTemplateStore,
    Effect.map(MemoryDatabase, (db) => EmailTemplateStore.of(storeOver(db, emailTemplates))),
  ),
  Layer.effect(
    TentTemplateStore,
    Effect.map(MemoryDatabase, (db) => TentTemplateStore.of(storeOver(db, tentTemplates))),
  ),
)
