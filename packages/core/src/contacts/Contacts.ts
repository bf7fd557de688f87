// What can be done with contacts.
import { Context, DateTime, Effect, Layer, Schedule } from "effect"
import { ContactId, Ids, type WorkspaceId } from "../Ids.ts"
import type { Paged } from "../Page.ts"
import { type NotFound, Unavailable } from "../Refusal.ts"
import { Transactor } from "../Transactor.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import {
  apiUpsert,
  type BatchDecision,
  type BatchFacts,
  decideCreates,
  decideUpserts,
  identitiesOf,
  type ItemResult,
} from "./Batch.ts"
import type { Contact, CustomValue } from "./Contact.ts"
import { ContactFieldStore } from "./ContactFieldStore.ts"
import { type ContactQuery, ContactStore } from "./ContactStore.ts"
import { shownValues } from "./CustomField.ts"
import { parseEmail } from "./Email.ts"
import { fieldsByName, type ItemRefusal, readItem, type ReadItem } from "./Item.ts"
import { parsePhone } from "./Phone.ts"

/** As far as contacts care: whose they are, and what a phone number without country code is read by. */
export type ContactsWorkspace = Pick<Workspace, "id" | "defaultCountry">

/** A contact with its custom values as they are shown: active fields only, null where it has none. */
export interface ShownContact {
  readonly contact: Contact
  readonly customFields: Readonly<Record<string, CustomValue | null>>
}

/** What became of an item of a batch, in the order of the request. */
export type BatchItem = { readonly clientItemId: string | null } & (
  | { readonly status: "created" | "updated"; readonly shown: ShownContact }
  | { readonly status: "rejected"; readonly refusal: ItemRefusal }
)

export class Contacts extends Context.Service<
  Contacts,
  {
    /** Items as they came; whatever is wrong with one refuses that one. */
    readonly create: (
      workspace: ContactsWorkspace,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<BatchItem>>
    readonly upsert: (
      workspace: ContactsWorkspace,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<BatchItem>>
    readonly find: (workspace: WorkspaceId, id: ContactId) => Effect.Effect<ShownContact, NotFound>
    /** Nobody or one; a value that can't be normalised finds nobody. */
    readonly lookUp: (
      workspace: ContactsWorkspace,
      by: { readonly email: string } | { readonly phone: string },
    ) => Effect.Effect<ReadonlyArray<ShownContact>>
    readonly page: (workspace: WorkspaceId, query: ContactQuery) => Effect.Effect<Paged<Contact>>
  }
>()("tentpole/Contacts") {
  static readonly layer = Layer.effect(
    Contacts,
    Effect.gen(function* () {
      const store = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      const decideAndApply = (
        workspace: WorkspaceId,
        items: ReadonlyArray<ReadItem>,
        decide: (facts: BatchFacts) => BatchDecision,
      ) =>
        Effect.gen(function* () {
          const existing = yield* store.lock(workspace, identitiesOf(items))
          const fresh = (yield* ids.many(items.length)).map((id) => ContactId.make(id))
          const { change, results } = decide({ existing, ids: fresh, now: yield* DateTime.now })
          yield* store.apply(workspace, change)
          return results
        }).pipe(
          transact,
          Effect.retry({ schedule: Schedule.jittered(Schedule.exponential("10 millis")), times: decisions_max - 1 }),
          Effect.catchTag("IdentityTaken", () => Effect.die(new Unavailable({ part: "database" }))),
        )

      const batch = Effect.fnUntraced(function* (
        { id: workspace, defaultCountry }: ContactsWorkspace,
        items: ReadonlyArray<unknown>,
        decide: (items: ReadonlyArray<ReadItem>, facts: BatchFacts) => BatchDecision,
      ) {
        const fields = yield* fieldStore.all(workspace)
        const how = { values: "json", fields: fieldsByName(fields), defaultCountry, allowNotEditable: false } as const
        const read = items.map((item) => readItem(item, how))
        const results = yield* decideAndApply(workspace, read, (facts) => decide(read, facts))
        const shown = (contact: Contact) => ({ contact, customFields: shownValues(contact, fields) })
        return results.map((result, index) => toBatchItem(read[index]?.clientItemId ?? null, result, shown))
      })

      const lookUp = Effect.fnUntraced(function* (workspace: WorkspaceId, email: string | null, phone: string | null) {
        if (email === null && phone === null) return []
        const identities = { emails: email === null ? [] : [email], phones: phone === null ? [] : [phone] }
        const found = yield* store.findByIdentity(workspace, identities)
        if (found.length === 0) return []
        const fields = yield* fieldStore.all(workspace)
        return found.map((contact) => ({ contact, customFields: shownValues(contact, fields) }))
      })

      return Contacts.of({
        create: Effect.fn("Contacts.create")((workspace, items) =>
          batch(workspace, items, (read, facts) => decideCreates(read, facts, { source: "api" })),
        ),
        upsert: Effect.fn("Contacts.upsert")((workspace, items) =>
          batch(workspace, items, (read, facts) => decideUpserts(read, facts, apiUpsert)),
        ),
        find: Effect.fn("Contacts.find")(function* (workspace, id) {
          const contact = yield* store.find(workspace, id)
          return { contact, customFields: shownValues(contact, yield* fieldStore.all(workspace)) }
        }),
        lookUp: Effect.fn("Contacts.lookUp")((workspace, by) =>
          "email" in by
            ? lookUp(workspace.id, parseEmail(by.email)?.normalized ?? null, null)
            : lookUp(workspace.id, null, parsePhone(by.phone, workspace.defaultCountry)),
        ),
        page: store.page,
      })
    }),
  )
}

/** How often a batch is decided before somebody who keeps taking its identities makes it a 503. */
const decisions_max = 4

const toBatchItem = (
  clientItemId: string | null,
  result: ItemResult,
  shown: (contact: Contact) => ShownContact,
): BatchItem => {
  switch (result.status) {
    case "rejected":
      return { clientItemId, status: result.status, refusal: result.refusal }
    case "created":
      return { clientItemId, status: result.status, shown: shown(result.contact) }
    case "updated":
    case "skipped":
      return { clientItemId, status: "updated", shown: shown(result.contact) }
  }
}
