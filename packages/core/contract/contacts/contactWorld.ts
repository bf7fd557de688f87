// Fixture of the contract tests of contacts.
import { assert } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Result } from "effect"
import { decideDeletes } from "../../src/contacts/batch/Batch.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ContactsChange, type ContactStep } from "../../src/contacts/ContactsChange.ts"
import { type ContactPatch, newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { type ContactQuery, ContactStore } from "../../src/contacts/ContactStore.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { ContactId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { BlastStore } from "../../src/blasts/BlastStore.ts"
import type { ListStore } from "../../src/lists/ListStore.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { DeliveryPorts } from "../sending/deliveryScenario.ts"
import { Fresh } from "../kernel/fresh.ts"

/** The ports that these tests use. A deleted contact affects rows of other rooms. */
export type Ports = ContactStore | ContactFieldStore | ListStore | BlastStore | DeliveryPorts

export const at = (ms: number) => DateTime.makeUnsafe(ms)
export const email = (text: string) => parseEmail(text) ?? assert.fail(`${text} is no email`)
export const everything: ContactQuery = {
  page: 1,
  limit: 100,
  sort: "created_at",
  order: "desc",
  search: null,
  updatedAfter: null,
}

export const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const store = yield* ContactStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()
  const id = Effect.map(fresh.id, (text) => ContactId.make(text))
  const write = (steps: ReadonlyArray<ContactStep>) => transact(store.apply(workspace, ContactsChange.of(steps)))
  const add = Effect.fnUntraced(function* (patch: ContactPatch, now: DateTime.Utc = at(1_234)) {
    const contact = newContact(yield* id, patch, "api", now)
    yield* write([{ before: null, after: contact, at: now }])
    return contact
  })
  const set = Effect.fnUntraced(function* (before: Contact, patch: ContactPatch, now: DateTime.Utc) {
    const after = patchContact(before, patch, now)
    yield* write([{ before, after, at: now }])
    return after
  })
  return { fresh, store, transact, workspace, id, write, add, set, outbox: yield* Outbox }
})

/** Deletes these in this order and returns the result of each. Runs in the caller's transaction. */
export const deleting = Effect.fnUntraced(function* (workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) {
  const store = yield* ContactStore
  const items = ids.map((id) => ({ clientItemId: null, contactId: Result.succeed(id) }))
  const existing = yield* store.lockForDeletion(workspace, ids)
  const { change, results } = decideDeletes(items, { existing, now: at(5_000) })
  yield* store.apply(workspace, change)
  return results.map((result): string => (result.status === "rejected" ? result.refusal.code : result.status))
})

/** Runs transactions and counts the runs. A transaction that the server ends because of a deadlock is run again. */
const counting = Effect.gen(function* () {
  const { transact } = yield* Transactor
  const count = { wanted: 0, run: 0 }
  const once = <A, E, R>(body: Effect.Effect<A, E, R>) => {
    count.wanted++
    return transact(
      Effect.suspend(() => {
        count.run++
        return body
      }),
    )
  }
  return { once, check: Effect.sync(() => assert.strictEqual(count.run, count.wanted, "some waited in a circle")) }
})

/** Runs these concurrently, each in its own transaction, and asserts that there was no deadlock. */
export const atOnce = Effect.fnUntraced(function* <A, E, R>(bodies: ReadonlyArray<Effect.Effect<A, E, R>>) {
  const { once, check } = yield* counting
  const answers = yield* Effect.all(bodies.map(once), { concurrency: bodies.length })
  yield* check
  return answers
})

/**
 * Runs two transactions. The second begins while the first has done its work except for `rest` and is still open. Asserts
 * that there is no deadlock.
 */
export const oneAfterTheOther = Effect.fnUntraced(function* <E, R, E2, R2, E3 = never, R3 = never>(
  first: Effect.Effect<void, E, R>,
  second: Effect.Effect<void, E2, R2>,
  rest: Effect.Effect<void, E3, R3> | Effect.Effect<void> = Effect.void,
) {
  const { once, check } = yield* counting
  const done = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const signal = Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(go))
  const open = yield* Effect.forkChild(once(first.pipe(Effect.andThen(signal), Effect.andThen(rest))))
  yield* Deferred.await(done)
  const waiting = yield* Effect.forkChild(once(second))
  yield* Effect.sleep("100 millis")
  yield* Deferred.succeed(go, undefined)
  yield* Fiber.join(open)
  yield* Fiber.join(waiting)
  yield* check
})

export const idsOf = (contacts: ReadonlyArray<Contact>) => contacts.map((contact) => contact.id)

export const identitiesOfContact = ({ emailNormalized, phone }: Contact) => ({
  emails: emailNormalized === null ? [] : [emailNormalized],
  phones: phone === null ? [] : [phone],
})
