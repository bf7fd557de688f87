// @module-tag attack/search-injection
// @module-tag attack/bad-cursor
// @module-tag attack/race
import * as Memory from "@tentpole/adapters/memory/contacts/ContactStore"
import { activities } from "@tentpole/adapters/memory/contacts/ContactTables"
import { suppressions } from "@tentpole/adapters/memory/sending/DeliveryTables"
import { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import { writeActivities } from "@tentpole/adapters/postgres/contacts/ContactWrites"
import { fenced } from "@tentpole/adapters/test/Fenced"
import type { Activity } from "@tentpole/core/contacts/Activity"
import { apiUpsert, decideUpserts, identitiesOf, type UpsertOptions } from "@tentpole/core/contacts/batch/Batch"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import { standard_fields_namespace, standardFields } from "@tentpole/core/contacts/ContactFields"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { ContactStore, IdentityTaken } from "@tentpole/core/contacts/ContactStore"
import { readItem } from "@tentpole/core/contacts/batch/ContactItem"
import { contract, Fresh } from "@tentpole/core/contract"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import { ContactId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Layer } from "effect"
import { v5 } from "uuid"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memoryScenario } from "../fixtures/MemoryDeliveryScenario.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

contract.contacts("memory", Layer.provideMerge(memoryScenario, memory))
contract.contacts("postgres", Layer.provideMerge(postgresScenario, postgresCounted))

// This test is here because core has no SHA-1.
it("a standard field's id is the UUID v5 of its api_name", () => {
  for (const field of standardFields) {
    assert.strictEqual(field.fieldDefinitionId, v5(field.apiName, standard_fields_namespace), field.apiName)
  }
})

/** Suppresses addresses with different reasons. Returns those still suppressed after the contacts are subscribed again. */
const resubscribing = Effect.fnUntraced(function* (suppressed: {
  readonly add: (workspace: WorkspaceId, email: string, reason: SuppressionReason) => Effect.Effect<unknown>
  readonly emails: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<string>>
}) {
  const store = yield* ContactStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const now = DateTime.makeUnsafe(1_000)
  const read = (item: object) =>
    readItem(item, { values: "json", fields: new Map(), defaultCountry: "US", allowNotEditable: false })
  const upsert = Effect.fnUntraced(function* (items: ReadonlyArray<object>, options: Partial<UpsertOptions>) {
    const ids = yield* Effect.forEach(items, () => Effect.map(fresh.id, (id) => ContactId.make(id)))
    const readItems = items.map(read)
    yield* transact(
      Effect.gen(function* () {
        const existing = yield* store.lock(workspace, identitiesOf(readItems))
        const { change } = decideUpserts(readItems, { existing, ids, now }, { ...apiUpsert, ...options })
        yield* store.apply(workspace, change)
      }),
    )
  })
  const people = ["gone@x.test", "back@x.test", "bounced@x.test", "new@x.test"].map((email) => ({ email }))
  yield* upsert(people.slice(0, 3), {})
  for (const { email } of people) {
    yield* suppressed.add(workspace, email, email === "bounced@x.test" ? "bounce" : "unsubscribe")
  }
  yield* upsert(
    people.map((person) => ({ ...person, unsubscribed: false })),
    { skipIfFilled: "all" },
  )
  assert.strictEqual((yield* suppressed.emails(workspace)).length, 4, "a form subscribes no contact again")
  yield* upsert(
    [
      { email: "back@x.test", unsubscribed: false },
      { email: "bounced@x.test", unsubscribed: false },
    ],
    {},
  )
  assert.sameMembers([...(yield* suppressed.emails(workspace))], ["gone@x.test", "bounced@x.test", "new@x.test"])
})

it.live("memory: subscribing a contact removes its suppression, unless the address is bad", () =>
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    yield* resubscribing({
      add: (workspace, email, reason) =>
        db.put(suppressions, workspace, email, { email, reason, createdAt: DateTime.makeUnsafe(0) }),
      emails: (workspace) => Effect.map(db.all(suppressions, workspace), (rows) => rows.map((row) => row.email)),
    })
  }).pipe(Effect.provide(memory)),
)

it.live("postgres: subscribing a contact removes its suppression, unless the address is bad", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    yield* resubscribing({
      add: (workspace, email, reason) =>
        within(
          workspace,
          sql`insert into suppression (workspace_id, email_normalized, reason, created_at) values (${workspace}, ${email}, ${reason}, now())`,
        ),
      emails: (workspace) =>
        Effect.map(
          within(
            workspace,
            sql<{ email: string }>`select email_normalized as email from suppression where workspace_id = ${workspace}`,
          ),
          (rows) => rows.map((row) => row.email),
        ),
    })
  }).pipe(Effect.provide(postgresCounted)),
)

/** Writes activities of an existing and an unknown contact. Returns the unknown contact's id. */
const linesOf = Effect.fnUntraced(function* (
  write: (workspace: WorkspaceId, activities: ReadonlyArray<Activity>) => Effect.Effect<void>,
) {
  const store = yield* ContactStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const at = DateTime.makeUnsafe(1_000)
  const phone = "+14152000001"
  const contact = newContact(ContactId.make(yield* fresh.id), { phone }, "api", at)
  yield* transact(store.apply(workspace, ContactsChange.of([{ before: null, after: contact, at }])))
  const unknown = ContactId.make(yield* fresh.id)
  const contactIds = [unknown, contact.id, unknown, contact.id]
  yield* write(
    workspace,
    contactIds.map((contactId, nth) => ({ contactId, type: "form_submission", at, metadata: { nth } })),
  )
  const { items } = yield* store.activities(workspace, contact.id, { page: 1, limit: 10, order: "asc" })
  // All have the same time, and the ids that order them are random before PostgreSQL 18.
  assert.sameMembers(
    items.map(({ metadata }) => metadata["nth"]),
    [undefined, 1, 3],
  )
  return { workspace, unknown }
})

it.live("memory: no activity is written for a deleted contact", () =>
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const { workspace, unknown } = yield* linesOf((owner, lines) => Memory.writeActivities(db, owner, lines))
    const lines = yield* db.all(activities, workspace)
    assert.isFalse(lines.some(({ contactId }) => contactId === unknown))
  }).pipe(Effect.provide(memory)),
)

it.live("postgres: no activity is written for a deleted contact", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    const { workspace, unknown } = yield* linesOf((owner, lines) => within(owner, writeActivities(sql, owner, lines)))
    const lines = yield* within(
      workspace,
      sql`select 1 from activity where workspace_id = ${workspace} and contact_id = ${unknown}`,
    )
    assert.strictEqual(lines.length, 0)
  }).pipe(Effect.provide(postgresCounted)),
)

/** A store in which a concurrent change takes the identities of the first changes. */
const contended = (changes: number) =>
  Layer.effect(
    ContactStore,
    Effect.gen(function* () {
      const store = yield* ContactStore
      let left = changes
      return ContactStore.of({
        ...store,
        apply: (workspace, change) => (left-- > 0 ? new IdentityTaken() : store.apply(workspace, change)),
      })
    }),
  )

const created = (changes: number) =>
  Effect.gen(function* () {
    const contacts = yield* Contacts
    const id = yield* (yield* Fresh).workspace()
    const items = yield* contacts.create({ id, defaultCountry: "US" }, [{ email: "a@x.test" }])
    return items.map((item) => item.status)
  }).pipe(Effect.provide(Contacts.layer.pipe(Layer.provide(contended(changes)), Layer.provideMerge(memory))))

it.live("a batch whose identities were taken meanwhile is decided again, with a limit", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* created(3), ["created"])
    const given = yield* Effect.exit(created(4))
    assert.isTrue(Exit.isFailure(given) && Cause.squash(given.cause) instanceof Unavailable)
  }),
)
