// Contract tests of concurrent contact batches.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { apiCreate, decideUpserts, identitiesOf, type UpsertOptions } from "../../src/contacts/batch/Batch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { type ContactPatch, newContact, patchContact } from "../../src/contacts/ContactPatch.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ReadItem } from "../../src/contacts/batch/ContactItem.ts"
import { ContactId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"
import { at, begin, email, everything, identitiesOfContact, type Ports } from "./contactWorld.ts"

const upserting: UpsertOptions = {
  source: "import",
  match: "email_or_phone",
  splitIdentity: "reject",
  duplicates: "update",
  skipIfFilled: new Set(),
}

const item = (patch: ContactPatch): ReadItem => ({ clientItemId: null, patch: Result.succeed(patch) })

export const together = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Concurrent contact batches (${name})`, (it) => {
    const deciding = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      items: ReadonlyArray<ReadItem>,
      how: "create" | "upsert",
    ) {
      const store = yield* ContactStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const ids: Array<ContactId> = []
      for (const _ of items) ids.push(ContactId.make(yield* fresh.id))
      return yield* transact(
        Effect.gen(function* () {
          const existing = yield* store.lock(workspace, identitiesOf(items))
          const facts = { existing, ids, now: at(1_000) }
          const { change, results } =
            how === "create" ? decideUpserts(items, facts, apiCreate) : decideUpserts(items, facts, upserting)
          yield* store.apply(workspace, change)
          return results.map((result) => result.status)
        }),
      )
    })

    it.effect("creates a contact once when several batches create it at the same time; the others are refused", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const batch = deciding(workspace, [item({ email: email("one@x.test") })], "create")
        const all = yield* Effect.all(
          Array.from({ length: 8 }, () => batch),
          { concurrency: 8 },
        )
        assert.strictEqual(all.flat().filter((status) => status === "created").length, 1)
        assert.strictEqual(yield* store.count(workspace), 1)
      }),
    )

    it.effect("does not block or duplicate contacts when batches name them in opposite orders", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        // Crossed pairs: one batch meets a contact first by email, the other meets the same contact first by phone.
        const people = Array.from({ length: 60 }, (_, n) => ({
          mail: email(`p${n}@x.test`),
          phone: `+1415201${1000 + n}`,
        }))
        const byEmail = people.map(({ mail }) => item({ email: mail, city: "mail" }))
        const byPhone = people.map(({ phone }) => item({ phone, city: "phone" }))
        const whole = people.map(({ mail, phone }) => item({ email: mail, phone, city: "whole" }))
        yield* deciding(workspace, whole, "upsert")
        const batches = [byEmail, [...byEmail].reverse(), byPhone, [...byPhone].reverse(), whole, [...whole].reverse()]
        const all = yield* Effect.all(
          batches.map((each) => deciding(workspace, each, "upsert")),
          { concurrency: 6 },
        )
        assert.isTrue(all.flat().every((status) => status === "updated"))
        assert.strictEqual(yield* store.count(workspace), people.length)
        const cities = new Set((yield* store.list(workspace, everything)).items.map((contact) => contact.city))
        assert.strictEqual(cities.size, 1, "each batch is as a whole before or after another")
      }),
    )

    it.effect("creates the new contacts of several concurrent batches once, whatever their order", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const people = Array.from({ length: 50 }, (_, n) =>
          item({ email: email(`n${n}@x.test`), phone: `+1415202${1000 + n}` }),
        )
        const shuffled = (step: number) =>
          people.map((_, n) => people[(n * step) % people.length]).filter((it) => it !== undefined)
        const all = yield* Effect.all(
          [1, 3, 7, 9, 11, 49].map((step) => deciding(workspace, shuffled(step), "upsert")),
          { concurrency: 6 },
        )
        const statuses = all.flat()
        assert.strictEqual(statuses.filter((status) => status === "created").length, people.length)
        assert.strictEqual(statuses.filter((status) => status === "updated").length, 5 * people.length)
        assert.strictEqual(yield* store.count(workspace), people.length)
      }),
    )

    it.effect("reads what the previous holder of a lock wrote, and hides it before the commit", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, id } = yield* begin
        const contact = newContact(yield* id, { email: email("free@x.test") }, "api", at(1))
        const identities = identitiesOfContact(contact)
        const written = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* store.lock(workspace, identities)
              yield* store.apply(workspace, ContactsChange.of([{ before: null, after: contact, at: at(1) }]))
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(written)
        const second = yield* Effect.forkChild(transact(store.lock(workspace, identities)))
        yield* Effect.sleep("50 millis")
        assert.deepStrictEqual(yield* store.findByIdentity(workspace, identities), [])
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(first)
        assert.deepStrictEqual(yield* Fiber.join(second), [contact])
      }),
    )

    it.effect("runs concurrent updates of a contact that is locked by its id one after the other", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, add } = yield* begin
        const before = yield* add({ email: email("one@x.test") })
        const after = patchContact(before, { city: "B" }, at(2_000))
        const identities = { emails: [], phones: [], ids: [before.id] }
        const locked = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* store.lock(workspace, identities)
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(go)
              yield* store.apply(workspace, ContactsChange.of([{ before, after, at: at(2_000) }]))
            }),
          ),
        )
        yield* Deferred.await(locked)
        const second = yield* Effect.forkChild(transact(store.lock(workspace, identities)))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(first)
        assert.deepStrictEqual(yield* Fiber.join(second), [after])
      }),
    )
  })
