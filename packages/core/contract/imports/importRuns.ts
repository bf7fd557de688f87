// Contract tests of the listing of import runs, and of the events of their ends.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import type { ContactStore } from "../../src/contacts/ContactStore.ts"
import { ImportChange } from "../../src/imports/machine.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { Fresh } from "../kernel/fresh.ts"
import { applyRows, at, executionOf, runIn, sessionIn, some } from "./importSamples.ts"

type Ports = ImportStore | ContactFieldStore | ContactStore | Outbox | Transactor | Fresh

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

    it.effect("writes an event with the counters when a run ends", () =>
      Effect.gen(function* () {
        const [store, fresh, { transact }] = [yield* ImportStore, yield* Fresh, yield* Transactor]
        const workspace = yield* fresh.workspace()
        const run = yield* runIn(workspace)
        const cells = [
          ["ann@example.org", "Ann"],
          ["no address", "Bob"],
          ["ANN@example.org", "Ann"],
        ]
        assert.isTrue(yield* applyRows(workspace, run, cells))
        const { created, failed, skipped, updated } = (yield* store.getRun(workspace, run.id)).counts
        yield* transact(
          Effect.gen(function* () {
            const ended = some(ImportChange.complete(yield* store.lockRun(workspace, run.id), at(9_000)))
            assert.isTrue(yield* store.apply(workspace, ended))
          }),
        )
        const events = (yield* eventsOf(workspace)).filter(({ type }) => type.startsWith("import_"))
        assert.deepStrictEqual([created, failed, skipped + updated], [1, 1, 1])
        const counts = { created_count: 1, updated_count: updated, skipped_count: skipped, error_count: 1 }
        assert.deepStrictEqual(
          events.map(({ at: when, data, type }) => [type, when.epochMilliseconds, data]),
          [["import_completed", 9_000, { import_run_id: run.id, ...counts }]],
        )
      }),
    )
  })
