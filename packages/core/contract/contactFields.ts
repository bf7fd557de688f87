// Laws of the port to custom contact fields.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { ContactFieldStore } from "../src/contacts/ContactFieldStore.ts"
import { FieldChange, type NewField } from "../src/contacts/CustomField.ts"
import { FieldDefinitionId, ImportSessionId } from "../src/Ids.ts"
import { at, begin, type Ports } from "./contactWorld.ts"

export const fields = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { timeout: "30 seconds", excludeTestServices: true })(`contact field laws: ${name}`, (it) => {
    const wanted = (apiName: string): NewField => ({
      apiName,
      displayName: `Field "${apiName}"`,
      valueType: "date",
      isEditable: false,
      description: null,
      showInPeopleListDefault: true,
    })

    const start = Effect.gen(function* () {
      const { fresh, transact, workspace } = yield* begin
      const store = yield* ContactFieldStore
      const create = (names: ReadonlyArray<string>, now = at(1_001)) =>
        transact(
          Effect.gen(function* () {
            const existing = yield* store.lock(workspace)
            const ids: Array<FieldDefinitionId> = []
            for (const _ of names) ids.push(FieldDefinitionId.make(yield* fresh.id))
            const options = { provenanceKind: "api", pathOf: () => "" } as const
            const change = FieldChange.create(names.map(wanted), { existing, ids, now }, options)
            const decided = yield* Effect.fromResult(change)
            yield* store.apply(workspace, decided)
            return decided.creates
          }),
        )
      return { fresh, transact, workspace, store, create }
    })

    it.effect("fields are found again as they were written, oldest first and in the order of the request", () =>
      Effect.gen(function* () {
        const { store, workspace, create } = yield* start
        const later = yield* create(["zulu", "alpha"], at(2_000))
        const sooner = yield* create(["mike"], at(1_000))
        assert.deepStrictEqual(yield* store.all(workspace), [...sooner, ...later])
        for (const field of later) assert.deepStrictEqual(yield* store.find(workspace, field.id), field)
      }),
    )

    it.effect("an import is noted on the fields that were made for it, once", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, create, fresh } = yield* start
        const made = yield* create(["a", "b"])
        const session = ImportSessionId.make(yield* fresh.id)
        const other = ImportSessionId.make(yield* fresh.id)
        yield* transact(store.apply(workspace, FieldChange.madeForImport(made, session, at(5_000))))
        const noted = yield* store.all(workspace)
        assert.deepStrictEqual(
          noted.map((field) => [field.createdFromImportSessionId, field.updatedAt.epochMilliseconds]),
          [
            [session, 5_000],
            [session, 5_000],
          ],
        )
        yield* transact(store.apply(workspace, FieldChange.madeForImport(noted, other, at(6_000))))
        assert.deepStrictEqual(yield* store.all(workspace), noted)
      }),
    )

    it.effect("of many who make one field at once, one does", () =>
      Effect.gen(function* () {
        const { store, workspace, create } = yield* start
        const all = yield* Effect.all(
          Array.from({ length: 5 }, (_, n) => Effect.result(create([`other_${n}`, "same"]))),
          { concurrency: 5 },
        )
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        assert.strictEqual((yield* store.all(workspace)).length, 2)
      }),
    )

    it.effect("who waits for the lock sees what its last holder wrote", () =>
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

    it.effect("a failed transaction leaves no field, and another workspace sees none", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, create, fresh } = yield* start
        yield* Effect.exit(transact(Effect.andThen(create(["gone"]), Effect.fail("no"))))
        assert.deepStrictEqual(yield* store.all(workspace), [])
        const [field] = yield* create(["kept"])
        const other = yield* fresh.workspace()
        assert.deepStrictEqual(yield* store.all(other), [])
        assert.deepStrictEqual(yield* transact(store.lock(other)), [])
        if (field === undefined) assert.fail("nothing was made")
        assert.strictEqual((yield* Effect.flip(store.find(other, field.id)))._tag, "NotFound")
      }),
    )
  })
