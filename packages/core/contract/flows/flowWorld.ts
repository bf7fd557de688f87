// Fixture of a workspace in which flows can be written and activated, created through the rooms' own ports.
import { type DateTime, Effect, Result } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { FieldChange } from "../../src/contacts/CustomField.ts"
import type { ValueType } from "../../src/contacts/ContactFields.ts"
import { EmailChange } from "../../src/emails/Email.ts"
import type { Flow } from "../../src/flows/definition/Flow.ts"
import { createFlow, decide, type FlowChange } from "../../src/flows/definition/machine.ts"
import { resolveDraft, readNewFlow } from "../../src/flows/definition/FlowInput.ts"
import { FlowStore } from "../../src/flows/definition/FlowStore.ts"
import { namedBy } from "../../src/flows/definition/FlowReferences.ts"
import { type EmailId, FieldDefinitionId, FlowId, ListId } from "../../src/kernel/Ids.ts"
import { ListChange, type NewList } from "../../src/lists/List.ts"
import { nameCandidates } from "../../src/lists/ListName.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { EmailTemplateChange } from "../../src/templates/Template.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { furnished, later, noon, type Rooms } from "../blasts/blastWorld.ts"
import {
  begin as beginTemplates,
  emailTemplateSample,
  type Ports as TemplatePorts,
  tentTemplateSample,
} from "../documents/documentWorld.ts"
import { moves } from "../tents/tentMoves.ts"

export type FlowRooms = Rooms | TemplatePorts | ContactFieldStore | FlowStore | TentStore | Outbox

export const send = (step_id: string, over: object = {}) => ({ type: "send_email", step_id, ...over })
export const day = (step_id: string, next_step_id: string | null) => ({
  type: "wait",
  step_id,
  duration_amount: 1,
  duration_unit: "days",
  next_step_id,
})
export const onList = (listId: ListId) => ({
  kind: "condition",
  source: "list_membership",
  listId,
  operator: "is_member",
})

export const flowWorld = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const world = yield* furnished(fields)
  const { fresh, transact, workspace, emails, lists } = world
  const store = yield* FlowStore
  const fieldStore = yield* ContactFieldStore
  const tents = yield* TentStore
  const emailTemplates = yield* beginTemplates(emailTemplateSample, workspace)
  const tentTemplates = yield* beginTemplates(tentTemplateSample, workspace)

  const write = (change: FlowChange) => transact(store.apply(workspace, change))

  /** A draft with this body, as sent to the API. */
  const flow = Effect.fnUntraced(function* (name: string, body: object = {}, now: DateTime.Utc = noon) {
    const whole = { name, ...body }
    const draft = readNewFlow(whole)
    const named = yield* transact(store.lockNamed(workspace, namedBy(draft.pieces)))
    const change = createFlow(FlowId.make(yield* fresh.id), Result.getOrThrow(resolveDraft(draft, named)), now)
    yield* write(change)
    return change.after
  })

  const activating = Effect.fnUntraced(function* (id: FlowId, held: Effect.Effect<void> = Effect.void) {
    const { flow: before, facts } = yield* store.lockForActivation(workspace, id)
    yield* held
    const change = yield* Effect.fromResult(decide(before, { _tag: "activate", facts }, later(1)))
    yield* store.apply(workspace, change)
    return change.after
  })
  const activate = (id: FlowId) => transact(activating(id))
  const activated = Effect.fnUntraced(function* (name: string, body: object) {
    return yield* activate((yield* flow(name, body)).id)
  }, Effect.orDie)
  const pause = (before: Flow) => write(Result.getOrThrow(decide(before, { _tag: "pause" }, later(2))))

  const field = Effect.fnUntraced(function* (apiName: string, valueType: ValueType = "string") {
    const wanted = { apiName, displayName: apiName, valueType, isEditable: true, description: null }
    const ids = [FieldDefinitionId.make(yield* fresh.id)]
    return yield* transact(
      Effect.gen(function* () {
        const facts = { existing: yield* fieldStore.lock(workspace), ids, now: noon }
        const options = { provenanceKind: "api", pathOf: () => "" } as const
        const made = FieldChange.create([{ ...wanted, showInPeopleListDefault: false }], facts, options)
        const change = yield* Effect.orDie(Effect.fromResult(made))
        yield* fieldStore.apply(workspace, change)
        return change.creates[0] ?? (yield* Effect.die("a field that is made is there"))
      }),
    )
  })
  const archiving = Effect.fnUntraced(function* (id: FieldDefinitionId, held: Effect.Effect<void> = Effect.void) {
    const existing = yield* fieldStore.lock(workspace)
    const { change } = yield* Effect.fromResult(FieldChange.archive(id, { existing, now: later(3) }))
    yield* fieldStore.apply(workspace, change)
    yield* held
  }, Effect.orDie)

  /** The inline audience of a blast. */
  const inlineList = Effect.fnUntraced(function* (name: string) {
    const blast = yield* world.draft(name)
    const candidates = nameCandidates({ text: name, origin: "given" }, yield* fresh.id)
    const wanted: NewList = {
      id: ListId.make(yield* fresh.id),
      candidates,
      description: null,
      content: { kind: "static", contactIds: [] },
    }
    return yield* transact(
      Effect.gen(function* () {
        const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds: [], named: [] })
        const made = yield* Effect.fromResult(ListChange.createInline(wanted, blast.id, facts, noon))
        yield* lists.apply(workspace, made.change)
        return made.list.id
      }),
    )
  }, Effect.orDie)

  const unapproving = Effect.fnUntraced(function* (id: EmailId, held: Effect.Effect<void> = Effect.void) {
    const { document: email } = yield* emails.lock(workspace, id)
    yield* held
    const uses = yield* emails.uses(workspace, id)
    yield* Effect.orDie(
      emails
        .apply(workspace, yield* Effect.fromResult(EmailChange.unapprove(email, uses, later(3))))
        .pipe(Effect.catchTag("InsufficientCredits", Effect.die)),
    )
  })
  const deletingList = Effect.fnUntraced(function* (id: ListId, held: Effect.Effect<void> = Effect.void) {
    const facts = yield* lists.lockForDelete(workspace, id)
    yield* held
    const change = yield* Effect.fromResult(ListChange.delete(facts, later(3)))
    yield* Effect.catchTag(lists.apply(workspace, change), "ListNameExists", Effect.die)
  })
  const deletingTemplate = Effect.fnUntraced(function* (
    id: Parameters<typeof emailTemplates.store.lock>[1],
    held: Effect.Effect<void> = Effect.void,
  ) {
    const current = yield* emailTemplates.store.lock(workspace, id)
    yield* held
    const uses = yield* emailTemplates.store.uses(workspace, id)
    const change = yield* Effect.fromResult(EmailTemplateChange.remove(current, uses))
    yield* Effect.catchTag(emailTemplates.store.apply(workspace, change), "InsufficientCredits", Effect.die)
  })

  const usesOfEmail = (id: EmailId) =>
    transact(Effect.andThen(Effect.orDie(emails.lock(workspace, id)), emails.uses(workspace, id)))
  const usesOfList = (id: ListId) =>
    Effect.map(Effect.orDie(transact(lists.lockForDelete(workspace, id))), ({ uses }) => uses)

  return {
    ...world,
    flows: store,
    tents,
    tentMoves: moves(tents, transact, fresh),
    emailTemplates,
    tentTemplates,
    writeFlow: write,
    flow,
    activating,
    activate,
    activated,
    pause,
    field,
    archiving,
    inlineList,
    unapproving,
    deletingList,
    deletingTemplate,
    usesOfEmail,
    usesOfList,
  }
})
