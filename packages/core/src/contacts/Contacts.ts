// The use cases of contacts.
import { Array, Context, DateTime, Effect, Layer, Result } from "effect"
import { ContactId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import {
  apiCreate,
  apiUpsert,
  contactsToDelete,
  contactsToUpdate,
  decideDeletes,
  decideUpdates,
  decideUpserts,
  type DeleteResult,
  identitiesOf,
  type Rejected,
  type UpsertOptions,
} from "./batch/Batch.ts"
import type { Contact, CustomValue } from "./Contact.ts"
import { ContactFieldStore } from "./ContactFieldStore.ts"
import { contactNotFound, type ContactRefusal, refusalOfOne } from "./ContactErrors.ts"
import { type ContactQuery, ContactStore, type IdentityTaken, retryOnIdentityConflict } from "./ContactStore.ts"
import { activeValues } from "./CustomField.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import {
  fieldsByName,
  readDelete,
  type ReadDelete,
  readItem,
  readPatch,
  readUpdate,
  type ReadUpdate,
} from "./batch/ContactItem.ts"
import { parsePhone } from "../kernel/values/PhoneNumber.ts"

/** The parts of a workspace that contacts need: its id, and the country of phone numbers without country code. */
export type ContactsWorkspace = Pick<Workspace, "id" | "defaultCountry">

/** A contact with its custom values for output: active fields only, null where there is no value. */
export interface ContactView {
  readonly contact: Contact
  readonly customFields: Readonly<Record<string, CustomValue | null>>
}

/** The result of an item of a batch, in the order of the request. */
export type BatchItem<Status extends "created" | "updated" = "created" | "updated"> = {
  readonly clientItemId: string | null
} & ({ readonly status: Status; readonly shown: ContactView } | Rejected)

/** The result of an item of a batch of deletions. */
export type DeletedItem = { readonly clientItemId: string | null } & DeleteResult

export class Contacts extends Context.Service<
  Contacts,
  {
    /** Takes undecoded items. A wrong item is rejected alone. */
    readonly create: (
      workspace: ContactsWorkspace,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<BatchItem>>
    readonly upsert: (
      workspace: ContactsWorkspace,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<BatchItem>>
    /** Takes undecoded items, each with a `contact_id`. */
    readonly update: (
      workspace: ContactsWorkspace,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<BatchItem<"updated">>>
    /** Takes undecoded fields of one contact. Writes nothing if nothing changes. */
    readonly updateOne: (
      workspace: ContactsWorkspace,
      id: ContactId,
      fields: unknown,
    ) => Effect.Effect<ContactView, ContactRefusal>
    /** Takes undecoded items, each with a `contact_id`. */
    readonly delete: (
      workspace: WorkspaceId,
      items: ReadonlyArray<unknown>,
    ) => Effect.Effect<ReadonlyArray<DeletedItem>>
    readonly deleteOne: (workspace: WorkspaceId, id: ContactId) => Effect.Effect<void, NotFound>
    readonly get: (workspace: WorkspaceId, id: ContactId) => Effect.Effect<ContactView, NotFound>
    /** At most one contact. A value that can't be normalised matches no contact. */
    readonly findByIdentity: (
      workspace: ContactsWorkspace,
      by: { readonly email: string } | { readonly phone: string },
    ) => Effect.Effect<ReadonlyArray<ContactView>>
    readonly list: (workspace: WorkspaceId, query: ContactQuery) => Effect.Effect<Paged<Contact>>
    readonly activities: ContactStore["Service"]["activities"]
  }
>()("tentpole/Contacts") {
  static readonly layer = Layer.effect(
    Contacts,
    Effect.gen(function* () {
      const store = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      /** Runs the decision in one transaction, fields included, and repeats it when another transaction took an identity. */
      const decideInTransaction = <A, E>(
        body: Effect.Effect<A, E, Transaction>,
      ): Effect.Effect<A, Exclude<E, IdentityTaken>> => retryOnIdentityConflict(transact(body))

      /** How items of the workspace are decoded and its contacts shown. */
      const itemContext = ({ id, defaultCountry }: ContactsWorkspace) =>
        Effect.map(fieldStore.list(id), (fields) => ({
          how: { values: "json", fields: fieldsByName(fields), defaultCountry, allowNotEditable: false } as const,
          shown: (contact: Contact): ContactView => ({ contact, customFields: activeValues(contact, fields) }),
        }))

      const writeItems = Effect.fnUntraced(function* (
        workspace: ContactsWorkspace,
        items: ReadonlyArray<unknown>,
        options: UpsertOptions,
      ) {
        const { how, shown } = yield* itemContext(workspace)
        const read = items.map((item) => readItem(item, how))
        const existing = yield* store.lock(workspace.id, identitiesOf(read))
        const newIds = (yield* ids.many(read.length)).map((id) => ContactId.make(id))
        const facts = { existing, ids: newIds, now: yield* DateTime.now }
        const { change, results } = decideUpserts(read, facts, options)
        yield* store.apply(workspace.id, change)
        return Array.zipWith(read, results, ({ clientItemId }, result): BatchItem =>
          result.status === "rejected"
            ? { clientItemId, ...result }
            : {
                clientItemId,
                status: result.status === "created" ? "created" : "updated",
                shown: shown(result.contact),
              },
        )
      }, decideInTransaction)

      /** Where the contacts are that were requested and do not exist. */
      const findMissing = (
        workspace: WorkspaceId,
        ids: ReadonlyArray<ContactId>,
        existing: ReadonlyArray<Contact>,
      ): Effect.Effect<ReadonlyMap<ContactId, ContactId>> => {
        const found = new Set(existing.map(({ id }) => id))
        const missing = ids.filter((id) => !found.has(id))
        return missing.length === 0 ? Effect.succeed(new Map()) : store.findMerged(workspace, missing)
      }

      const writeUpdates = Effect.fnUntraced(function* (workspace: WorkspaceId, read: ReadonlyArray<ReadUpdate>) {
        const targets = contactsToUpdate(read)
        const existing = yield* store.lock(workspace, targets)
        const merged = yield* findMissing(workspace, targets.ids, existing)
        const { change, results } = decideUpdates(read, { existing, merged, now: yield* DateTime.now })
        yield* store.apply(workspace, change)
        return results
      })

      const writeDeletes = Effect.fnUntraced(function* (workspace: WorkspaceId, read: ReadonlyArray<ReadDelete>) {
        const targets = contactsToDelete(read)
        const existing = yield* store.lockForDeletion(workspace, targets)
        const merged = yield* findMissing(workspace, targets, existing)
        const { change, results } = decideDeletes(read, { existing, merged, now: yield* DateTime.now })
        yield* store.apply(workspace, change)
        return results
      }, decideInTransaction)

      return Contacts.of({
        create: Effect.fn("Contacts.create")((workspace, items) => writeItems(workspace, items, apiCreate)),
        upsert: Effect.fn("Contacts.upsert")((workspace, items) => writeItems(workspace, items, apiUpsert)),
        update: Effect.fn("Contacts.update")(function* (workspace, items) {
          const { how, shown } = yield* itemContext(workspace)
          const read = items.map((item) => readUpdate(item, how))
          const results = yield* writeUpdates(workspace.id, read)
          return Array.zipWith(read, results, ({ clientItemId }, result) =>
            result.status === "rejected"
              ? { clientItemId, ...result }
              : { clientItemId, status: result.status, shown: shown(result.contact) },
          )
        }, decideInTransaction),
        updateOne: Effect.fn("Contacts.updateOne")(function* (workspace, contactId, fields) {
          const { how, shown } = yield* itemContext(workspace)
          const update = Result.map(readPatch(fields, how), (patch) => ({ contactId, patch }))
          const [result] = yield* writeUpdates(workspace.id, [{ clientItemId: null, update }])
          if (result === undefined) return yield* Effect.die("a decision must have a result for each of its items")
          return result.status === "rejected" ? yield* refusalOfOne(result.refusal) : shown(result.contact)
        }, decideInTransaction),
        delete: Effect.fn("Contacts.delete")(function* (workspace, items) {
          const read = items.map(readDelete)
          const results = yield* writeDeletes(workspace, read)
          return Array.zipWith(read, results, ({ clientItemId }, result) => ({ clientItemId, ...result }))
        }),
        deleteOne: Effect.fn("Contacts.deleteOne")(function* (workspace, id) {
          const [result] = yield* writeDeletes(workspace, [{ clientItemId: null, contactId: Result.succeed(id) }])
          if (result?.status !== "deleted") return yield* contactNotFound(result?.refusal.mergedInto ?? null)
        }),
        // One transaction for both reads, here and below: starting and committing one costs as much as a read.
        get: Effect.fn("Contacts.get")(function* (workspace, id) {
          const contact = yield* store.get(workspace, id)
          return { contact, customFields: activeValues(contact, yield* fieldStore.list(workspace)) }
        }, transact),
        findByIdentity: Effect.fn("Contacts.findByIdentity")(function* ({ id, defaultCountry }, by) {
          const emails = "email" in by ? Array.fromNullishOr(parseEmail(by.email)?.normalized) : []
          const phones = "phone" in by ? Array.fromNullishOr(parsePhone(by.phone, defaultCountry)) : []
          if (emails.length + phones.length === 0) return []
          const found = yield* store.findByIdentity(id, { emails, phones })
          if (found.length === 0) return []
          const fields = yield* fieldStore.list(id)
          return found.map((contact) => ({ contact, customFields: activeValues(contact, fields) }))
        }, transact),
        list: store.list,
        activities: store.activities,
      })
    }),
  )
}
