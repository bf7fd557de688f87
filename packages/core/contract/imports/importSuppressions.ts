// Contract tests of runs of `ImportStore` that suppress addresses.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import type { ImportRun } from "../../src/imports/Import.ts"
import { noTopics } from "../../src/imports/ChunkConsent.ts"
import { chunkIdentities, ImportChunkChange, type ChunkRow } from "../../src/imports/ImportChunk.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { SuppressionReason } from "../../src/sending/Suppression.ts"
import { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { Fresh } from "../kernel/fresh.ts"
import { applyRows, at, runIn } from "./importSamples.ts"

type Ports = ImportStore | ContactStore | ContactFieldStore | SuppressionStore | Transactor | Fresh
type Rows = ReadonlyArray<readonly [email: string, reason: SuppressionReason]>

const everything = { after: null, limit: 100, search: null, reason: null }

const begin = Effect.gen(function* () {
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const [store, contacts, suppressions] = [yield* ImportStore, yield* ContactStore, yield* SuppressionStore]
  const { transact } = yield* Transactor

  const chunkOf = Effect.fnUntraced(function* (of: WorkspaceId, run: ImportRun, rows: Rows) {
    const chunk = rows.map(([email, reason], index): ChunkRow => ({
      row: { rowNumber: run.processedRows + index + 2, line: null, cells: [email, ""] },
      read: { _tag: "suppression", email, reason },
    }))
    const identities = chunkIdentities(chunk)
    return ImportChunkChange.decide(run, ["Email", "First name"], chunk, {
      existing: yield* contacts.lock(of, identities),
      suppressions: yield* suppressions.lock(of, identities.emails),
      ...noTopics,
      ids: [],
      now: at(7_007),
    })
  })
  const suppress = (run: ImportRun, rows: Rows, of = workspace) =>
    transact(Effect.flatMap(chunkOf(of, run, rows), (change) => store.applyChunk(of, change)))
  const listed = (of = workspace) =>
    Effect.map(suppressions.list(of, everything), ({ items }) =>
      Object.fromEntries(items.map(({ email, reason }) => [email, reason])),
    )
  return { chunkOf, contacts, fresh, listed, store, suppress, suppressions, transact, workspace }
})

const wanted = { as: "suppressions", suppressionReason: "bounce" } as const

export const importSuppressions = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ImportStore of suppressions (${name})`, (it) => {
    it.effect("reads what the rows become and their reason as they were written", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const run = yield* runIn(workspace, [], wanted)
        assert.deepInclude(yield* store.getRun(workspace, run.id), wanted)
        const other = yield* runIn(workspace)
        assert.deepInclude(yield* store.getRun(workspace, other.id), { as: "contacts", suppressionReason: null })
      }),
    )

    it.effect("writes suppressions, contacts, results and counters of a chunk together, in its workspace", () =>
      Effect.gen(function* () {
        const { contacts, fresh, listed, store, suppress, suppressions, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        for (const each of [workspace, other]) {
          yield* applyRows(each, yield* runIn(each), [["ann@x.test", "Ann"]])
        }
        const manual = { email: "bob@x.test", reason: "manual", createdAt: at(1) } as const
        yield* transact(suppressions.suppress(workspace, manual))
        const run = yield* runIn(workspace, [], wanted)
        const rows: Rows = [
          ["ann@x.test", "unsubscribe"],
          ["bob@x.test", "bounce"],
          ["cat@x.test", "complaint"],
        ]
        assert.isTrue(yield* suppress(run, rows))
        assert.deepStrictEqual(yield* listed(), {
          "ann@x.test": "unsubscribe",
          "bob@x.test": "manual",
          "cat@x.test": "complaint",
        })
        assert.deepStrictEqual(yield* listed(other), {})
        const unsubscribed = (of: WorkspaceId) =>
          Effect.map(contacts.findByIdentity(of, { emails: ["ann@x.test"], phones: [] }), ([ann]) => ann?.unsubscribed)
        assert.deepStrictEqual([yield* unsubscribed(workspace), yield* unsubscribed(other)], [true, false])
        const { counts, processedRows } = yield* store.getRun(workspace, run.id)
        assert.deepStrictEqual([counts.created, counts.skipped, processedRows], [2, 1, 3])
        const { items } = yield* store.results(workspace, run.id, { status: null, page: 1, limit: 250 })
        assert.deepStrictEqual(
          items.map(({ contactId, status }) => [status, contactId === null]),
          [
            ["created", false],
            ["skipped", true],
            ["created", true],
          ],
        )
      }),
    )

    it.effect("leaves a stronger reason that is written after the decision", () =>
      Effect.gen(function* () {
        const { chunkOf, listed, store, suppressions, transact, workspace } = yield* begin
        const run = yield* runIn(workspace, [], wanted)
        const change = yield* transact(chunkOf(workspace, run, [["a@x.test", "bounce"]]))
        yield* transact(suppressions.suppress(workspace, { email: "a@x.test", reason: "complaint", createdAt: at(1) }))
        assert.isTrue(yield* transact(store.applyChunk(workspace, change)))
        assert.deepStrictEqual(yield* listed(), { "a@x.test": "complaint" })
      }),
    )

    it.effect("writes a chunk once, and nothing of it when the transaction fails", () =>
      Effect.gen(function* () {
        const { chunkOf, listed, store, suppress, transact, workspace } = yield* begin
        const run = yield* runIn(workspace, [], wanted)
        const rows: Rows = [["a@x.test", "bounce"]]
        const failing = Effect.flatMap(chunkOf(workspace, run, rows), (change) => store.applyChunk(workspace, change))
        const exit = yield* Effect.exit(transact(Effect.andThen(failing, Effect.die("rolled back"))))
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* listed(), {})
        assert.deepStrictEqual([yield* suppress(run, rows), yield* suppress(run, rows)], [true, false])
        assert.strictEqual((yield* store.getRun(workspace, run.id)).processedRows, 1)
      }),
    )
  })
