// What can be done with the members of flows: they are listed and shown, added, removed, and brought in by a call.
import { Context, Effect, Layer, Result } from "effect"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { parsePhone } from "../kernel/values/PhoneNumber.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, FlowId, MembershipId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import { MembershipRunner } from "./engine/MembershipRunner.ts"
import type { CompiledFlow } from "./definition/CompiledFlow.ts"
import {
  AlreadyInFlow,
  apiEntry,
  type ApiTriggerNotConfigured,
  type Entry,
  type EntryRefusal,
  manualEntry,
  type ManualMembershipDisabled,
} from "./members/Enrollment.ts"
import type { TokenRefusal } from "./members/EntryTokens.ts"
import { Enroller } from "./engine/EnrollBatch.ts"
import { type FlowMemberQuery, type MemberRun, MembershipStore, type ShownMember } from "./members/MembershipStore.ts"

/** Who is to be brought in. `where` in the body they are named; null: in the path. */
export type Named =
  | { readonly by: "contact_id"; readonly id: ContactId; readonly where: "contact_id" | null }
  | { readonly by: "email"; readonly email: string }
  | { readonly by: "phone"; readonly phone: string; readonly defaultCountry: string }

export class Memberships extends Context.Service<
  Memberships,
  {
    readonly list: (
      ws: WorkspaceId,
      flow: FlowId,
      query: FlowMemberQuery,
    ) => Effect.Effect<Paged<ShownMember>, NotFound>
    /** With the timeline. */
    readonly get: (ws: WorkspaceId, flow: FlowId, id: MembershipId) => Effect.Effect<MemberRun, NotFound>
    /** `tokens` are JSON, as they were sent. */
    readonly add: (
      ws: WorkspaceId,
      flow: FlowId,
      contact: ContactId,
      tokens: unknown,
    ) => Effect.Effect<MemberRun, NotFound | EntryRefusal | ManualMembershipDisabled | TokenRefusal>
    /** By the flow's `service_api` trigger. */
    readonly trigger: (
      ws: WorkspaceId,
      flow: FlowId,
      who: Named,
      tokens: unknown,
    ) => Effect.Effect<MemberRun, NotFound | EntryRefusal | ApiTriggerNotConfigured | TokenRefusal>
    /** Null: the contact was not on the way. Works while the flow is paused, too. */
    readonly remove: (ws: WorkspaceId, flow: FlowId, contact: ContactId) => Effect.Effect<MemberRun | null, NotFound>
  }
>()("tentpole/Memberships") {
  static readonly layer = Layer.effect(
    Memberships,
    Effect.gen(function* () {
      const store = yield* MembershipStore
      const contacts = yield* ContactStore
      const { transact } = yield* Transactor
      const { enter } = yield* Enroller
      const { advanceHeld } = yield* MembershipRunner

      const entered = <E>(
        ws: WorkspaceId,
        flowId: FlowId,
        who: Named,
        bring: (flow: CompiledFlow) => Result.Result<Omit<Entry, "id">, E>,
      ): Effect.Effect<MembershipId, NotFound | E | EntryRefusal, Transaction> =>
        Effect.gen(function* () {
          const contactId = yield* contactOf(contacts, ws, who)
          const { flows, outcomes, standing } = yield* enter(ws, [{ flowId, contactId, bring }], { onward: false })
          const [outcome] = outcomes
          const flow = flows.get(flowId)
          if (flow === undefined) return yield* new NotFound({ resource: "flow" })
          if (outcome === undefined || outcome === null) return yield* unknown(who)
          const change = yield* Effect.fromResult(outcome)
          // Somebody else was faster by the blink of an eye.
          if (!standing.has(change)) return yield* new AlreadyInFlow({ flow: flow.name })
          return change.after.id
        })

      const removed = Effect.fnUntraced(function* (ws: WorkspaceId, flowId: FlowId, contactId: ContactId) {
        const held = yield* store.lockMembers(ws, { _tag: "contact", flowId, contactId })
        if (!held.flows.has(flowId)) return yield* new NotFound({ resource: "flow" })
        yield* advanceHeld(ws, held, () => [{ type: "removed" }])
        return held.members[0]?.id ?? null
      }, transact)

      return Memberships.of({
        list: Effect.fn("Memberships.list")(store.list),

        get: Effect.fn("Memberships.get")(store.get),

        add: Effect.fn("Memberships.add")(function* (ws, flow, contact, tokens) {
          const who = inPath(contact)
          const id = yield* transact(entered(ws, flow, who, (compiled) => manualEntry(compiled, tokens)))
          return yield* store.get(ws, flow, id)
        }),

        trigger: Effect.fn("Memberships.trigger")(function* (ws, flow, who, tokens) {
          const id = yield* transact(entered(ws, flow, who, (compiled) => apiEntry(compiled, tokens)))
          return yield* store.get(ws, flow, id)
        }),

        remove: Effect.fn("Memberships.remove")(function* (ws, flow, contact) {
          yield* contactOf(contacts, ws, inPath(contact))
          const id = yield* removed(ws, flow, contact)
          return id === null ? null : yield* store.get(ws, flow, id)
        }),
      })
    }),
  )
}

const inPath = (id: ContactId): Named => ({ by: "contact_id", id, where: null })

const unknown = (who: Named): NotFound => {
  const path = who.by === "contact_id" ? who.where : who.by
  return new NotFound({ resource: "contact", ...(path === null ? {} : { path }) })
}

/** Among those who are there: nobody is made. */
const contactOf = Effect.fnUntraced(function* (contacts: ContactStore["Service"], ws: WorkspaceId, who: Named) {
  if (who.by === "contact_id") {
    const { id } = yield* Effect.mapError(contacts.get(ws, who.id), () => unknown(who))
    return id
  }
  const identity = who.by === "email" ? parseEmail(who.email)?.normalized : parsePhone(who.phone, who.defaultCountry)
  const identities = identity == null ? [] : [identity]
  const [found] =
    identities.length === 0
      ? []
      : yield* contacts.findByIdentity(ws, {
          emails: who.by === "email" ? identities : [],
          phones: who.by === "phone" ? identities : [],
        })
  return found === undefined ? yield* unknown(who) : found.id
})
