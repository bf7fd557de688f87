// Contract tests of `ContactFieldStore`.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import {
  active_fields_max,
  type CustomField,
  FieldChange,
  FieldCollision,
  type FieldPatch,
  type NewField,
} from "../../src/contacts/CustomField.ts"
import { FieldDefinitionId, ImportSessionId } from "../../src/kernel/Ids.ts"
import { at, begin, email, type Ports } from "./contactWorld.ts"

export const fields = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ContactFieldStore (${name})`, (it) => {
    const wanted = (apiName: string): NewField => ({
      apiName,
      displayName: `Field "${apiName}"`,
      valueType: "date",
      isEditable: false,
      description: null,
      showInPeopleListDefault: true,
    })

    /** Long enough for a process that ignores the lock to have read, too. */
    const dawdle = Effect.sleep("100 millis")

    const start = Effect.gen(function* () {
      const { fresh, transact, workspace } = yield* begin
      const store = yield* ContactFieldStore
      const create = (names: ReadonlyArray<string>, now = at(1_001), meanwhile = Effect.void) =>
        transact(
          Effect.gen(function* () {
            const existing = yield* store.lock(workspace)
            yield* meanwhile
            const ids: Array<FieldDefinitionId> = []
            for (const _ of names) ids.push(FieldDefinitionId.make(yield* fresh.id))
            const options = { provenanceKind: "api", pathOf: () => "" } as const
            const change = FieldChange.create(names.map(wanted), { existing, ids, now }, options)
            const decided = yield* Effect.fromResult(change)
            yield* store.apply(workspace, decided)
            return decided.creates
          }),
        )
      const edit = (id: FieldDefinitionId, patch: FieldPatch, now = at(7_000), meanwhile = Effect.void) =>
        transact(
          Effect.gen(function* () {
            const existing = yield* store.lock(workspace)
            yield* meanwhile
            const { field, change } = yield* Effect.fromResult(FieldChange.update(id, patch, { existing, now }))
            yield* store.apply(workspace, change)
            return field
          }),
        )
      const active = Effect.map(store.list(workspace), (all) => all.filter((field) => field.status === "active").length)
      return { fresh, transact, workspace, store, create, edit, active }
    })
    const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}_${n}`)

    it.effect("reads fields as they were written, oldest first and in the order of the request", () =>
      Effect.gen(function* () {
        const { store, workspace, create } = yield* start
        const later = yield* create(["zulu", "alpha"], at(2_000))
        const sooner = yield* create(["mike"], at(1_000))
        assert.deepStrictEqual(yield* store.list(workspace), [...sooner, ...later])
        for (const field of later) assert.deepStrictEqual(yield* store.get(workspace, field.id), field)
      }),
    )

    it.effect("records an import once on the fields that were created for it", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, create, fresh } = yield* start
        const made = yield* create(["a", "b"])
        const session = ImportSessionId.make(yield* fresh.id)
        const other = ImportSessionId.make(yield* fresh.id)
        yield* transact(store.apply(workspace, FieldChange.recordImport(made, session, at(5_000))))
        const noted = yield* store.list(workspace)
        assert.deepStrictEqual(
          noted.map((field) => [field.createdFromImportSessionId, field.updatedAt.epochMilliseconds]),
          [
            [session, 5_000],
            [session, 5_000],
          ],
        )
        yield* transact(store.apply(workspace, FieldChange.recordImport(noted, other, at(6_000))))
        assert.deepStrictEqual(yield* store.list(workspace), noted)
      }),
    )

    it.effect("reads an updated field in its place among the others, which are unchanged", () =>
      Effect.gen(function* () {
        const { store, workspace, create, edit } = yield* start
        const [first, second, third] = yield* create(["a", "b", "c"])
        if (!first || !second || !third) return assert.fail("three were asked for")
        const patch = {
          displayName: "Ünï 😀",
          description: "a % _ \\ text",
          isEditable: true,
          showInPeopleListDefault: false,
          status: "archived",
        } as const
        const edited = yield* edit(second.id, patch)
        assert.deepStrictEqual(edited, { ...second, ...patch, updatedAt: at(7_000) })
        assert.deepStrictEqual(yield* store.list(workspace), [first, edited, third])
        assert.deepStrictEqual(yield* store.get(workspace, second.id), edited)
        const cleared = yield* edit(second.id, { description: null, status: "active" }, at(8_000))
        assert.deepStrictEqual(yield* store.get(workspace, second.id), cleared)
        assert.strictEqual((yield* Effect.flip(create(["b"])))._tag, "FieldCollision")
      }),
    )

    it.effect("keeps the name of an archived field and the values that contacts have of it", () =>
      Effect.gen(function* () {
        const { add, store: contacts, workspace, ...rest } = yield* begin
        const store = yield* ContactFieldStore
        const { transact, fresh } = rest
        const id = FieldDefinitionId.make(yield* fresh.id)
        const write = (decide: (existing: ReadonlyArray<CustomField>) => Result.Result<FieldChange, unknown>) =>
          transact(
            Effect.gen(function* () {
              const change = yield* Effect.fromResult(decide(yield* store.lock(workspace)))
              yield* store.apply(workspace, change)
            }),
          )
        const make = (existing: ReadonlyArray<CustomField>) =>
          FieldChange.create(
            [wanted("born")],
            { existing, ids: [id], now: at(1) },
            { provenanceKind: "api", pathOf: () => "" },
          )
        yield* write(make)
        const contact = yield* add({ email: email("ann@example.com"), customFields: new Map([["born", "2000-02-29"]]) })
        yield* write((existing) =>
          Result.map(FieldChange.archive(id, { existing, now: at(2) }), ({ change }) => change),
        )
        assert.deepStrictEqual(yield* contacts.get(workspace, contact.id), contact)
        assert.strictEqual((yield* store.get(workspace, id)).status, "archived")
        assert.instanceOf(yield* Effect.flip(write(make)), FieldCollision)
      }),
    )

    it.effect("creates fields only within the limit when several requests run at the same time", () =>
      Effect.gen(function* () {
        const { create, active } = yield* start
        yield* create(names(active_fields_max - 50, "there"))
        const all = yield* Effect.all(
          ["a", "b", "c"].map((prefix) => Effect.result(create(names(30, prefix), at(2_000), dawdle))),
          { concurrency: 3 },
        )
        const refused = all.flatMap((each) => (Result.isFailure(each) ? [each.failure] : []))
        assert.deepStrictEqual(
          refused.map((refusal) => refusal._tag === "FieldCapExceeded" && refusal.extras),
          Array.from({ length: 2 }, () => ({
            limit: active_fields_max,
            current_active_count: active_fields_max - 20,
            attempted_count: 30,
          })),
        )
        assert.strictEqual(yield* active, active_fields_max - 20)
      }),
    )

    it.effect("restores one of two fields when there is room for one", () =>
      Effect.gen(function* () {
        const { create, edit, active } = yield* start
        const fields = yield* create(names(active_fields_max, "there"))
        const two = fields.slice(0, 2).map((field) => field.id)
        for (const id of two) yield* edit(id, { status: "archived" })
        yield* create(["other"])
        const all = yield* Effect.all(
          two.map((id) => Effect.result(edit(id, { status: "active" }, at(8_000), dawdle))),
          { concurrency: 2 },
        )
        const refused = all.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual(refused, ["FieldCapExceeded"])
        assert.strictEqual(yield* active, active_fields_max)
      }),
    )

    it.effect("keeps both of two concurrent updates of a field", () =>
      Effect.gen(function* () {
        const { store, workspace, create, edit } = yield* start
        const [field] = yield* create(["a"])
        if (field === undefined) return assert.fail("one was asked for")
        const patches = [
          { displayName: "New" },
          { description: "why" },
          { isEditable: true },
          { status: "archived" },
        ] as const
        yield* Effect.all(
          patches.map((patch) => edit(field.id, patch, at(8_000), dawdle)),
          { concurrency: 4 },
        )
        const { displayName, description, isEditable, status } = yield* store.get(workspace, field.id)
        assert.deepStrictEqual([displayName, description, isEditable, status], ["New", "why", true, "archived"])
      }),
    )

    it.effect("creates a field once when several requests create it at the same time", () =>
      Effect.gen(function* () {
        const { store, workspace, create } = yield* start
        const all = yield* Effect.all(
          Array.from({ length: 5 }, (_, n) => Effect.result(create([`other_${n}`, "same"]))),
          { concurrency: 5 },
        )
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        assert.strictEqual((yield* store.list(workspace)).length, 2)
      }),
    )

    it.effect("reads what the previous holder of the lock wrote", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, create } = yield* start
        const locked = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* store.lock(workspace)
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(go)
              return yield* create(["same"])
            }),
          ),
        )
        yield* Deferred.await(locked)
        const second = yield* Effect.forkChild(Effect.flip(create(["same"])))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(first)
        assert.strictEqual((yield* Fiber.join(second))._tag, "FieldCollision")
      }),
    )

    it.effect("leaves fields unchanged when the transaction fails, and shows none to another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, create, edit, fresh } = yield* start
        yield* Effect.exit(transact(Effect.andThen(create(["gone"]), Effect.fail("no"))))
        assert.deepStrictEqual(yield* store.list(workspace), [])
        const [field] = yield* create(["kept"])
        if (field === undefined) return assert.fail("nothing was made")
        yield* Effect.exit(transact(Effect.andThen(edit(field.id, { status: "archived" }), Effect.fail("no"))))
        assert.deepStrictEqual(yield* store.list(workspace), [field])
        const other = yield* fresh.workspace()
        assert.deepStrictEqual(yield* store.list(other), [])
        assert.deepStrictEqual(yield* transact(store.lock(other)), [])
        assert.strictEqual((yield* Effect.flip(store.get(other, field.id)))._tag, "NotFound")
      }),
    )
  })
