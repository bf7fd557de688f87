// Contract tests of the counters that imports write: the number of contacts, and the member counts of lists.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ImportStore } from "../../src/imports/ImportStore.ts"
import { ListStore } from "../../src/lists/ListStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { deleting, everything } from "../contacts/contactWorld.ts"
import { drawFrom, seeds } from "../kernel/draws.ts"
import { Fresh } from "../kernel/fresh.ts"
import { applyRows, listIn, runIn } from "./importSamples.ts"

type Ports = ImportStore | ContactStore | ContactFieldStore | ListStore | Transactor | Fresh

export const importCounts = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ImportStore, counters (${name})`, (it) => {
    it.effect("equal the number of rows after concurrent imports of the same contacts, some of which are deleted", () =>
      Effect.gen(function* () {
        const [contacts, lists, { transact }] = [yield* ContactStore, yield* ListStore, yield* Transactor]
        for (const seed of seeds(3)) {
          const workspace = yield* (yield* Fresh).workspace()
          const ids = yield* Effect.forEach([1, 2, 3], () => listIn(workspace, { kind: "static", contactIds: [] }))
          const imported = Effect.fnUntraced(function* (part: number) {
            const draw = drawFrom(10 * seed + part)
            const run = yield* runIn(workspace, ids.slice(part % 2))
            yield* applyRows(
              workspace,
              run,
              Array.from({ length: 12 }, () => [`p${draw.below(20)}@b.co`, "Ann"]),
            )
            const found = yield* contacts.findByIdentity(workspace, {
              emails: Array.from({ length: 4 }, () => `p${draw.below(20)}@b.co`),
              phones: [],
            })
            yield* transact(
              deleting(
                workspace,
                found.map(({ id }) => id),
              ),
            )
          })
          yield* Effect.forEach([0, 1, 2, 3], imported, { concurrency: 4 })
          const { items } = yield* contacts.list(workspace, everything)
          assert.strictEqual(yield* contacts.count(workspace), items.length, `seed ${seed}`)
          for (const id of ids) {
            const list = yield* lists.get(workspace, id)
            const members = yield* lists.memberIds(workspace, id)
            assert.strictEqual(list.kind === "static" ? list.memberCount : null, members.length, `seed ${seed}`)
            assert.isAbove(members.length, 0)
          }
        }
      }),
    )
  })
