// Contract tests of the listing of import runs.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"
import { executionOf, sessionIn, some } from "./importSamples.ts"

type Ports = ImportStore | ContactFieldStore | Transactor | Fresh

export const importRuns = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ImportStore, listing (${name})`, (it) => {
    it.effect("returns the runs of one workspace with their file names, page by page", () =>
      Effect.gen(function* () {
        const [store, fresh, { transact }] = [yield* ImportStore, yield* Fresh, yield* Transactor]
        const [workspace, other] = [yield* fresh.workspace(), yield* fresh.workspace()]
        const runs = yield* Effect.forEach(["upload", "rows", "upload"] as const, (source) =>
          Effect.gen(function* () {
            const session = yield* sessionIn(workspace, source)
            const change = yield* executionOf(workspace, session)
            assert.isTrue(yield* transact(store.apply(workspace, change)))
            return { ...some(change.run).after, fileName: session.fileName }
          }),
        )
        // Runs of the same time are ordered by id.
        const ordered = runs.toSorted((left, right) => (left.id < right.id ? -1 : 1))
        const first = yield* store.runs(workspace, { after: null, limit: 2 })
        const rest = yield* store.runs(workspace, { after: first.next, limit: 2 })
        assert.deepStrictEqual([...first.items, ...rest.items], ordered)
        assert.isNull(rest.next)
        assert.deepStrictEqual(yield* store.runs(other, { after: null, limit: 2 }), { items: [], next: null })
      }),
    )
  })
