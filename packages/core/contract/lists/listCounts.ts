// Contract tests of member counts: that of each static list equals the number of its members, whatever was written before.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { deleting } from "../contacts/contactWorld.ts"
import { drawFrom, seeds } from "../kernel/draws.ts"
import type { ContactId, ListId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { at, begin, type Ports } from "./listWorld.ts"

type World = Effect.Success<typeof begin>

/** Moves members of shared lists, deletes contacts and lists, and undoes some of it. Contacts and lists may be deleted meanwhile. */
const drawnChanges = Effect.fnUntraced(function* (
  { fresh, makeStatic, move, store, transact, workspace }: World,
  shared: { readonly lists: ReadonlyArray<ListId>; readonly people: ReadonlyArray<ContactId> },
  seed: number,
) {
  const draw = drawFrom(seed)
  const lists = [...shared.lists]
  const remove = (id: ListId) =>
    Effect.gen(function* () {
      const facts = yield* store.lockForDelete(workspace, id)
      yield* store.apply(workspace, yield* Effect.fromResult(ListChange.delete(facts, at(3))))
    })
  for (let step = 0; step < 12; step++) {
    const some = shared.people.filter(() => draw.chance(0.3))
    const list = draw.of(lists)
    switch (draw.below(7)) {
      case 0:
      case 1:
        yield* Effect.ignore(move(ListChange.addMembers, list, some))
        break
      case 2:
        yield* Effect.ignore(move(ListChange.removeMembers, list, some))
        break
      case 3:
        yield* Effect.ignore(transact(deleting(workspace, some.slice(0, 2))))
        break
      case 4: {
        const made = yield* Effect.option(makeStatic(`list ${yield* fresh.id}`, some))
        if (made._tag === "Some") lists.push(made.value.id)
        break
      }
      case 5:
        if (draw.chance(0.3)) yield* Effect.ignore(transact(remove(list)))
        break
      case 6:
        yield* Effect.ignore(transact(Effect.andThen(deleting(workspace, some), Effect.fail("undone"))))
    }
  }
  return lists
})

export const listCounts = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ListStore, member counts (${name})`, (it) => {
    it.effect("equal the number of members after concurrent sequences of changes", () =>
      Effect.gen(function* () {
        for (const seed of seeds(3)) {
          const world = yield* begin
          const people = yield* world.people(12)
          const lists = yield* Effect.forEach(["one", "two", "three"], (each) =>
            world.makeStatic(each, people.slice(0, 4)),
          )
          const shared = { people, lists: lists.map(({ id }) => id) }
          const all = yield* Effect.forEach([0, 1, 2, 3], (part) => drawnChanges(world, shared, 10 * seed + part), {
            concurrency: 4,
          })
          const counted = yield* Effect.forEach(new Set(all.flat()), (id) =>
            Effect.gen(function* () {
              const list = yield* world.store.get(world.workspace, id)
              const members = yield* world.store.memberIds(world.workspace, id)
              return { id, stored: list.kind === "static" ? list.memberCount : null, members: members.length }
            }).pipe(Effect.orElseSucceed(() => null)),
          )
          const existing = counted.flatMap((each) => each ?? [])
          assert.isAbove(existing.filter(({ members }) => members > 0).length, 0)
          for (const { id, members, stored } of existing)
            assert.strictEqual(stored, members, `seed ${seed}, list ${id}`)
        }
      }),
    )
  })
