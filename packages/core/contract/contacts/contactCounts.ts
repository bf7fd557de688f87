// Contract tests of the number of contacts: it equals the number of rows, whatever was written before.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import { newContact } from "../../src/contacts/ContactPatch.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { drawFrom, seeds } from "../kernel/draws.ts"
import { at, begin, deleting, email, everything, idsOf, type Ports } from "./contactWorld.ts"

type World = Effect.Success<typeof begin>

/** Creates, changes and deletes contacts of its own, also in transactions that fail or contain others. */
const drawnChanges = Effect.fnUntraced(function* (world: World, seed: number) {
  const { id, set, store, transact, workspace } = world
  const draw = drawFrom(seed)
  let present: ReadonlyArray<Contact> = []
  const created = Effect.gen(function* () {
    const made: Array<Contact> = []
    for (let count = 1 + draw.below(3); count > 0; count--) {
      const next = yield* id
      made.push(newContact(next, { email: email(`${next}@example.test`) }, "api", at(1)))
    }
    yield* store.apply(workspace, ContactsChange.of(made.map((after) => ({ before: null, after, at: at(1) }))))
    return made
  })
  const some = () => present.filter(() => draw.chance(0.4))
  for (let step = 0; step < 12; step++) {
    const leaving = some()
    switch (draw.below(5)) {
      case 0:
      case 1:
        present = [...present, ...(yield* transact(created))]
        break
      case 2:
        yield* transact(deleting(workspace, [...idsOf(leaving), yield* id]))
        present = present.filter((each) => !leaving.includes(each))
        break
      case 3:
        if (leaving[0] !== undefined) yield* set(leaving[0], { city: `city ${step}` }, at(2 + step))
        break
      case 4: {
        const failing = Effect.andThen(deleting(workspace, idsOf(leaving)), Effect.andThen(created, Effect.fail("no")))
        const made = yield* transact(Effect.tap(created, () => Effect.ignore(transact(failing))))
        present = [...present, ...made]
      }
    }
  }
  return present.length
})

export const counts = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ContactStore, the number of contacts (${name})`, (it) => {
    it.effect("equals the number of rows after concurrent sequences of changes", () =>
      Effect.gen(function* () {
        for (const seed of seeds(3)) {
          const world = yield* begin
          const present = yield* Effect.forEach([0, 1, 2, 3, 4], (part) => drawnChanges(world, 10 * seed + part), {
            concurrency: 5,
          })
          const wanted = present.reduce((sum, count) => sum + count, 0)
          const { items } = yield* world.store.list(world.workspace, { ...everything, limit: 1_000 })
          const count = yield* world.store.count(world.workspace)
          assert.deepStrictEqual([count, items.length], [wanted, wanted], `seed ${seed}`)
        }
      }),
    )
  })
