// The use cases of flow members: list, get, add, remove, and enroll by the flow's `service_api` trigger.
import { Context, Effect, Layer, Result } from "effect"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { parsePhone } from "../kernel/values/PhoneNumber.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, FlowId, MembershipId, WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, type ListedBy, type Paged, type Sliced, sliceOf } from "../kernel/Page.ts"
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
import { Enroller } from "./engine/Enroller.ts"
import {
  type ContactMembership,
  type FlowMemberQuery,
  type MemberDetails,
  MembershipStore,
  type MemberView,
} from "./members/MembershipStore.ts"

/** The contact that a request names. `where` is the id's key in the body; null: the id is in the path. */
export type ContactReference =
  | { readonly by: "contact_id"; readonly id: ContactId; readonly where: "contact_id" | null }
  | { readonly by: "email"; readonly email: string }
  | { readonly by: "phone"; readonly phone: string; readonly defaultCountry: string }

export class Memberships extends Context.Service<
  Memberships,
  {
    readonly list: (
      workspace: WorkspaceId,
      flow: FlowId,
      query: FlowMemberQuery,
    ) => Effect.Effect<Paged<MemberView>, NotFound>
    /** Those that began last first. */
    readonly listByContact: (
      workspace: WorkspaceId,
      contact: ContactId,
      by: ListedBy,
    ) => Effect.Effect<Sliced<ContactMembership>, NotFound | BrokenCursor>
    /** Includes the timeline. */
    readonly get: (workspace: WorkspaceId, flow: FlowId, id: MembershipId) => Effect.Effect<MemberDetails, NotFound>
    /** `tokens` is undecoded JSON. */
    readonly add: (
      workspace: WorkspaceId,
      flow: FlowId,
      contact: ContactId,
      tokens: unknown,
    ) => Effect.Effect<MemberDetails, NotFound | EntryRefusal | ManualMembershipDisabled | TokenRefusal>
    /** Needs a `service_api` trigger in the flow. */
    readonly trigger: (
      workspace: WorkspaceId,
      flow: FlowId,
      contact: ContactReference,
      tokens: unknown,
    ) => Effect.Effect<MemberDetails, NotFound | EntryRefusal | ApiTriggerNotConfigured | TokenRefusal>
    /** Null: the contact was not a live member. Works while the flow is paused, too. */
    readonly remove: (
      workspace: WorkspaceId,
      flow: FlowId,
      contact: ContactId,
    ) => Effect.Effect<MemberDetails | null, NotFound>
  }
>()("tentpole/Memberships") {
  static readonly layer = Layer.effect(
    Memberships,
    Effect.gen(function* () {
      const store = yield* MembershipStore
      const contacts = yield* ContactStore
      const { transact } = yield* Transactor
      const { enrollBatch } = yield* Enroller
      const { advanceLocked } = yield* MembershipRunner

      const enrollContact = <E>(
        workspace: WorkspaceId,
        flowId: FlowId,
        contact: ContactReference,
        entryFor: (flow: CompiledFlow) => Result.Result<Omit<Entry, "id">, E>,
      ): Effect.Effect<MembershipId, NotFound | E | EntryRefusal, Transaction> =>
        Effect.gen(function* () {
          const contactId = yield* findContactId(contacts, workspace, contact)
          const { flows, outcomes, applied } = yield* enrollBatch(workspace, [{ flowId, contactId, entryFor }], {
            advance: false,
          })
          const [outcome] = outcomes
          const flow = flows.get(flowId)
          if (flow === undefined) return yield* new NotFound({ resource: "flow" })
          if (outcome === undefined || outcome === null) return yield* contactNotFound(contact)
          const change = yield* Effect.fromResult(outcome)
          // A concurrent request enrolled the contact first.
          if (!applied.has(change)) return yield* new AlreadyInFlow({ flow: flow.name })
          return change.after.id
        })

      const removeContact = Effect.fnUntraced(function* (workspace: WorkspaceId, flowId: FlowId, contactId: ContactId) {
        const locked = yield* store.lockMembers(workspace, { _tag: "contact", flowId, contactId })
        if (!locked.flows.has(flowId)) return yield* new NotFound({ resource: "flow" })
        yield* advanceLocked(workspace, locked, () => [{ type: "removed" }])
        return locked.members[0]?.id ?? null
      }, transact)

      return Memberships.of({
        list: Effect.fn("Memberships.list")(store.list),

        listByContact: Effect.fn("Memberships.listByContact")(function* (workspace, contact, by) {
          yield* contacts.get(workspace, contact)
          return yield* store.listByContact(workspace, contact, yield* sliceOf(by))
        }),

        get: Effect.fn("Memberships.get")(store.get),

        add: Effect.fn("Memberships.add")(function* (workspace, flow, contact, tokens) {
          const reference = contactInPath(contact)
          const id = yield* transact(
            enrollContact(workspace, flow, reference, (compiled) => manualEntry(compiled, tokens)),
          )
          return yield* store.get(workspace, flow, id)
        }),

        trigger: Effect.fn("Memberships.trigger")(function* (workspace, flow, contact, tokens) {
          const id = yield* transact(enrollContact(workspace, flow, contact, (compiled) => apiEntry(compiled, tokens)))
          return yield* store.get(workspace, flow, id)
        }),

        remove: Effect.fn("Memberships.remove")(function* (workspace, flow, contact) {
          yield* findContactId(contacts, workspace, contactInPath(contact))
          const id = yield* removeContact(workspace, flow, contact)
          return id === null ? null : yield* store.get(workspace, flow, id)
        }),
      })
    }),
  )
}

const contactInPath = (id: ContactId): ContactReference => ({ by: "contact_id", id, where: null })

const contactNotFound = (contact: ContactReference): NotFound => {
  const path = contact.by === "contact_id" ? contact.where : contact.by
  return new NotFound({ resource: "contact", ...(path === null ? {} : { path }) })
}

/** The id of an existing contact. Never creates one. */
const findContactId = Effect.fnUntraced(function* (
  contacts: ContactStore["Service"],
  workspace: WorkspaceId,
  contact: ContactReference,
) {
  if (contact.by === "contact_id") {
    const { where } = contact
    const { id } = yield* Effect.mapError(contacts.get(workspace, contact.id), (error) =>
      where === null ? error : error.at(where),
    )
    return id
  }
  const identity =
    contact.by === "email" ? parseEmail(contact.email)?.normalized : parsePhone(contact.phone, contact.defaultCountry)
  if (identity == null) return yield* contactNotFound(contact)
  const [found] = yield* contacts.findByIdentity(workspace, {
    emails: contact.by === "email" ? [identity] : [],
    phones: contact.by === "phone" ? [identity] : [],
  })
  return found === undefined ? yield* contactNotFound(contact) : found.id
})
