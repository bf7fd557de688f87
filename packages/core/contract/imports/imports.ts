// Contract tests of `ImportStore`.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { FieldChange } from "../../src/contacts/CustomField.ts"
import { BlastId, type ContactId, FieldDefinitionId, ImportRunId, ListId } from "../../src/kernel/Ids.ts"
import type { RowResult } from "../../src/imports/Import.ts"
import { ImportChange } from "../../src/imports/machine.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import { ListChange } from "../../src/lists/List.ts"
import { ListStore } from "../../src/lists/ListStore.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import type { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"
import { importCounts } from "./importCounts.ts"
import { importRuns } from "./importRuns.ts"
import { importSuppressions } from "./importSuppressions.ts"
import { importKept } from "./rejectedRows.ts"
import {
  applyRows,
  at,
  chunkOf,
  execution,
  executionOf,
  lineOf,
  listIn,
  newList,
  runIn,
  sessionIn,
  some,
} from "./importSamples.ts"
import { eventsOf } from "../contacts/notifications.ts"

type Ports = ImportStore | ContactStore | ContactFieldStore | ListStore | Outbox | SuppressionStore | Transactor | Fresh

export const imports = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  importMoves(name, live)
  importKept(name, live)
  importRuns(name, live)
  importCounts(name, live)
  importSuppressions(name, live)
}

const importMoves = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`ImportStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      const [store, contacts, lists] = [yield* ImportStore, yield* ContactStore, yield* ListStore]
      return { store, contacts, lists, ...(yield* Transactor), fresh, workspace: yield* fresh.workspace() }
    })

    const allResults = { status: null, page: 1, limit: 250 } as const
    const shown = ({ rowNumber, status, issues }: RowResult) => [rowNumber, status, issues.map(({ code }) => code)]

    it.effect("reads sessions and runs as they were written", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const rows = yield* sessionIn(workspace, "rows")
        assert.deepStrictEqual(yield* store.getSession(workspace, rows.id), rows)
        const session = yield* sessionIn(workspace)
        assert.strictEqual(yield* store.runOf(workspace, session.id), null)
        const change = yield* executionOf(workspace, session)
        assert.isTrue(yield* transact(store.apply(workspace, change)))
        assert.deepStrictEqual(yield* store.getSession(workspace, session.id), some(change.session).after)
        const run = some(change.run).after
        assert.deepStrictEqual(run.headers, ["Email", "First name"])
        assert.deepStrictEqual(yield* store.getRun(workspace, run.id), run)
        assert.deepStrictEqual(yield* store.runOf(workspace, session.id), run)
        const failed = some(ImportChange.fail(run, "it broke", at(9_009)))
        assert.isTrue(yield* transact(store.apply(workspace, failed)))
        assert.deepStrictEqual(yield* store.getRun(workspace, run.id), some(failed.run).after)
        const missing = ImportRunId.make(yield* (yield* Fresh).id)
        assert.strictEqual((yield* Effect.flip(store.getRun(workspace, missing)))._tag, "NotFound")
      }),
    )

    it.effect("writes one of two concurrent executions of a session", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const session = yield* sessionIn(workspace)
        const tries = yield* Effect.all(
          [0, 1, 2].map(() =>
            transact(
              Effect.gen(function* () {
                const locked = yield* store.lockSession(workspace, session.id)
                return yield* store.apply(workspace, yield* executionOf(workspace, locked))
              }),
            ).pipe(Effect.result),
          ),
          { concurrency: 3 },
        )
        assert.strictEqual(tries.filter((each) => Result.isSuccess(each) && each.success).length, 1)
        const refusals = tries.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual(refusals, ["InvalidState", "InvalidState"])
        const late = yield* executionOf(workspace, session)
        assert.isFalse(yield* transact(store.apply(workspace, late)))
      }),
    )

    it.effect("stores the AI's suggestions with the session, and the first of two answers to a question", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const session = yield* sessionIn(workspace)
        const keep = (key: string, targetField: string) =>
          transact(
            Effect.gen(function* () {
              const locked = yield* store.lockSession(workspace, session.id)
              const kept = { key, matches: [{ header: "Größe “1”", targetField }] }
              const change = ImportChange.storeSuggestions(locked, kept)
              if (change !== null) assert.isTrue(yield* store.apply(workspace, change))
            }),
          )
        const kept = Effect.map(store.getSession(workspace, session.id), ({ suggestions }) => suggestions)
        assert.strictEqual(yield* kept, null)
        yield* Effect.all([keep("k1", "first"), keep("k1", "second"), keep("k1", "third")], { concurrency: 3 })
        const first = some(yield* kept)
        assert.deepStrictEqual([first.key, first.matches.map(({ header }) => header)], ["k1", ["Größe “1”"]])
        yield* keep("k1", "late")
        assert.deepStrictEqual(yield* kept, first)
        yield* keep("k2", "other")
        const second = { key: "k2", matches: [{ header: "Größe “1”", targetField: "other" }] }
        assert.deepStrictEqual(yield* kept, second)
        const stale = some(ImportChange.storeSuggestions(session, { key: "k3", matches: [] }))
        assert.isFalse(yield* transact(store.apply(workspace, stale)))
        const executed = yield* executionOf(workspace, yield* store.getSession(workspace, session.id))
        assert.deepStrictEqual(
          executed.audit.map(({ action, target }) => [action, target]),
          [["import.started", executed.run?.after?.id]],
        )
        assert.isTrue(yield* transact(store.apply(workspace, executed)))
        assert.deepStrictEqual(yield* kept, second)
        yield* keep("k4", "after")
        const last = yield* store.getSession(workspace, session.id)
        assert.deepStrictEqual([last.suggestions?.key, last.executedAt], ["k4", at(5_000)])
      }),
    )

    it.effect("writes nothing of a change that was decided on an older state", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const run = yield* runIn(workspace)
        const failed = some(ImportChange.fail(run, "first", at(8_000)))
        const again = some(ImportChange.fail(run, "second", at(8_001)))
        assert.isTrue(yield* transact(store.apply(workspace, failed)))
        assert.isFalse(yield* transact(store.apply(workspace, again)))
        assert.strictEqual((yield* store.getRun(workspace, run.id)).error, "first")
        const ends = (yield* eventsOf(workspace)).map(({ data, type }) => [type, data["import_run_id"], data["error"]])
        assert.deepStrictEqual(ends, [["import_failed", run.id, "first"]])
        assert.isFalse(yield* applyRows(workspace, run, [["a@b.co", "Ann"]]))
      }),
    )

    it.effect("writes contacts, results and counters of a chunk together", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace } = yield* begin
        const run = yield* runIn(workspace)
        const cells = [
          ["Ann@B.co", "Ann"],
          ["no address", "Bob"],
          ["ann@b.co", "Anna"],
          ["", ""],
          ["c@b.co"],
          ["c@b.co", "C\0d"],
        ]
        assert.isTrue(yield* applyRows(workspace, run, cells))
        const after = yield* store.getRun(workspace, run.id)
        assert.deepStrictEqual(
          [after.processedRows, after.counts],
          [6, { created: 1, updated: 1, skipped: 1, failed: 3, warned: 0 }],
        )
        const { items, total } = yield* store.results(workspace, run.id, allResults)
        assert.deepStrictEqual(items.map(shown), [
          [2, "created", []],
          [3, "failed", ["invalid_email"]],
          [4, "updated", []],
          [5, "skipped", ["empty_row"]],
          [6, "failed", ["wrong_column_count"]],
          [7, "failed", ["invalid_value"]],
        ])
        assert.strictEqual(total, 6)
        assert.deepStrictEqual(
          items.map(({ line }) => line),
          items.map((_, index) => lineOf(index)),
        )
        const [ann, ...others] = yield* contacts.findByIdentity(workspace, { emails: ["ann@b.co"], phones: [] })
        assert.deepStrictEqual([ann?.email, ann?.firstName, others.length], ["Ann@B.co", "Ann", 0])
        assert.deepStrictEqual([items[0]?.contactId, items[2]?.contactId], [ann?.id, ann?.id])
        assert.deepStrictEqual(items[1]?.issues, [
          {
            header: "Email",
            targetField: "email",
            code: "invalid_email",
            message: "must be an email address, such as ann@example.com",
            value: "no address",
          },
        ])
      }),
    )

    it.effect("writes a chunk once, whatever the number of attempts and workers", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace } = yield* begin
        const run = yield* runIn(workspace)
        const one = applyRows(workspace, run, [
          ["a@b.co", "Ann"],
          ["b@b.co", "Bob"],
        ]).pipe(Effect.orElseSucceed(() => false))
        const tries = yield* Effect.all([one, one, one], { concurrency: 3 })
        assert.deepStrictEqual([...tries].sort(), [false, false, true])
        assert.isFalse(yield* one)
        const after = yield* store.getRun(workspace, run.id)
        assert.deepStrictEqual([after.processedRows, after.counts.created], [2, 2])
        assert.strictEqual(yield* contacts.count(workspace), 2)
        assert.strictEqual((yield* store.results(workspace, run.id, allResults)).total, 2)
      }),
    )

    it.effect("writes nothing of a chunk when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, contacts, transact, workspace } = yield* begin
        const list = yield* listIn(workspace, { kind: "static", contactIds: [] })
        const run = yield* runIn(workspace, [list])
        const failing = Effect.gen(function* () {
          const chunk = yield* chunkOf(workspace, run, [["a@b.co", "Ann"]])
          assert.isTrue(yield* store.applyChunk(workspace, chunk))
          return yield* Effect.fail("no")
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(failing))))
        assert.deepStrictEqual(yield* store.getRun(workspace, run.id), run)
        assert.strictEqual(yield* contacts.count(workspace), 0)
        assert.deepStrictEqual(yield* store.results(workspace, run.id, allResults), { items: [], total: 0 })
      }),
    )

    it.effect("adds imported contacts to the lists, with events for new members only", () =>
      Effect.gen(function* () {
        const { contacts, lists, workspace } = yield* begin
        const first = yield* runIn(workspace)
        yield* applyRows(workspace, first, [["old@b.co", "Old"]])
        const [old] = yield* contacts.findByIdentity(workspace, { emails: ["old@b.co"], phones: [] })
        const one = yield* listIn(workspace, { kind: "static", contactIds: [some(old).id] })
        const two = yield* listIn(workspace, { kind: "static", contactIds: [] })
        const run = yield* runIn(workspace, [one, two])
        yield* applyRows(workspace, run, [
          ["old@b.co", "Old"],
          ["new@b.co", "New"],
          ["new@b.co", "Again"],
          ["x", "y"],
        ])
        const events = (yield* eventsOf(workspace)).filter(
          ({ type, at: when }) => type === "list_added" && when.epochMilliseconds === 7_007,
        )
        const [fresh] = yield* contacts.findByIdentity(workspace, { emails: ["new@b.co"], phones: [] })
        const writtenEvents = events.map(({ contactId, data }) => `${contactId} ${JSON.stringify(data)}`).sort()
        const wanted = [
          [some(fresh).id, one],
          [some(fresh).id, two],
          [some(old).id, two],
        ].map(([contact, list]) => `${contact} ${JSON.stringify({ list_id: list, list_name: `list ${list}` })}`)
        assert.deepStrictEqual(writtenEvents, wanted.sort())
        for (const id of [one, two]) {
          const list = yield* lists.get(workspace, id)
          assert.strictEqual(list.kind === "static" ? list.memberCount : null, 2)
        }
        const page = { page: 1, limit: 10, order: "asc" } as const
        const addedAt = Effect.fnUntraced(function* (contact: ContactId) {
          const { items } = yield* contacts.activities(workspace, contact, page)
          const added = items.filter((line) => line.type === "list_added" && line.at.epochMilliseconds === 7_007)
          return added.map(({ metadata }) => [metadata["list_id"], metadata["list_name"]]).sort()
        })
        assert.deepStrictEqual(
          yield* addedAt(some(fresh).id),
          [one, two].sort().map((id) => [id, `list ${id}`]),
        )
        assert.deepStrictEqual(yield* addedAt(some(old).id), [[two, `list ${two}`]])
      }),
    )

    it.effect("skips lists that were deleted and lists without manual members", () =>
      Effect.gen(function* () {
        const { store, contacts, workspace, fresh } = yield* begin
        const dynamic = yield* listIn(workspace, { kind: "dynamic", rules: null })
        const kinds = yield* store.listKinds(workspace, [dynamic, dynamic, ListId.make(yield* fresh.id)])
        assert.deepStrictEqual(kinds, [{ id: dynamic, kind: "dynamic" }])
        assert.deepStrictEqual(yield* store.listKinds(workspace, []), [])
        const owner = BlastId.make(yield* fresh.id)
        const gone = yield* newList(workspace, { kind: "static", contactIds: [] }, (wanted, facts) =>
          ListChange.createInline(wanted, owner, facts, at(500)),
        )
        const run = yield* runIn(workspace, [gone.id])
        const discard = ListChange.discardInline({ ...gone, ownerBlastId: owner }, at(600))
        yield* (yield* Transactor).transact((yield* ListStore).apply(workspace, discard))
        assert.isTrue(yield* applyRows(workspace, run, [["a@b.co", "Ann"]]))
        assert.strictEqual(yield* contacts.count(workspace), 1)
      }),
    )

    it.effect("lists results by row number, separately for each status", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const run = yield* runIn(workspace)
        const cells = Array.from({ length: 30 }, (_, index) => [index % 3 === 0 ? "no address" : `p${index}@b.co`, "x"])
        yield* applyRows(workspace, run, cells)
        const rest = yield* store.getRun(workspace, run.id)
        yield* applyRows(workspace, rest, [
          ["p1@b.co", "again"],
          ["p2@b.co", "again"],
        ])
        const numbers = (query: Parameters<typeof store.results>[2]) =>
          Effect.map(store.results(workspace, run.id, query), ({ items, total }) => [
            items.map(({ rowNumber }) => rowNumber),
            total,
          ])
        assert.deepStrictEqual(yield* numbers({ status: null, page: 4, limit: 10 }), [[32, 33], 32])
        assert.deepStrictEqual(yield* numbers({ status: "failed", page: 3, limit: 4 }), [[26, 29], 10])
        assert.deepStrictEqual(yield* numbers({ status: "updated", page: 1, limit: 10 }), [[32, 33], 2])
        assert.deepStrictEqual(yield* numbers({ status: "skipped", page: 1, limit: 10 }), [[], 0])
        for (const status of [null, "created"] as const) {
          assert.deepStrictEqual((yield* numbers({ status, page: 100_000_000, limit: 250 }))[0], [])
        }
      }),
    )

    it.effect("records an import on the fields that were created for it", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh } = yield* begin
        const fieldStore = yield* ContactFieldStore
        const id = FieldDefinitionId.make(yield* fresh.id)
        yield* transact(
          Effect.gen(function* () {
            const facts = { existing: yield* fieldStore.lock(workspace), ids: [id], now: at(100) }
            const field = {
              apiName: "shoe_size",
              displayName: "Shoe size",
              valueType: "number",
              isEditable: true,
              description: null,
              showInPeopleListDefault: false,
            } as const
            const options = { provenanceKind: "api", pathOf: () => "" } as const
            yield* fieldStore.apply(workspace, yield* Effect.fromResult(FieldChange.create([field], facts, options)))
          }),
        )
        const session = yield* sessionIn(workspace)
        const wanted = { ...execution(), createdFieldDefinitionIds: [id] }
        yield* transact(store.apply(workspace, yield* executionOf(workspace, session, wanted)))
        assert.strictEqual((yield* fieldStore.get(workspace, id)).createdFromImportSessionId, session.id)
      }),
    )

    it.effect("deletes a session only while it is not executed", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const session = yield* sessionIn(workspace)
        const run = yield* runIn(workspace)
        yield* transact(store.deleteSession(workspace, session.id))
        yield* transact(store.deleteSession(workspace, run.sessionId))
        assert.strictEqual((yield* Effect.flip(store.getSession(workspace, session.id)))._tag, "NotFound")
        assert.strictEqual((yield* store.getSession(workspace, run.sessionId)).id, run.sessionId)
      }),
    )

    it.effect("neither shows nor changes imports of another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh } = yield* begin
        const other = yield* fresh.workspace()
        const list = yield* listIn(workspace, { kind: "static", contactIds: [] })
        const session = yield* sessionIn(workspace)
        const run = yield* runIn(workspace)
        yield* applyRows(workspace, run, [["a@b.co", "Ann"]])
        for (const read of [
          store.getSession(other, session.id),
          transact(store.lockSession(other, session.id)),
          store.getRun(other, run.id),
          transact(store.lockRun(other, run.id)),
          store.results(other, run.id, allResults),
        ]) {
          const refused = yield* Effect.flip<unknown, { readonly _tag: string }, never>(read)
          assert.strictEqual(refused._tag, "NotFound")
        }
        assert.strictEqual(yield* store.runOf(other, run.sessionId), null)
        assert.deepStrictEqual(yield* store.listKinds(other, [list]), [])
        const moved = some(ImportChange.fail(run, "by another", at(8_000)))
        assert.isFalse(yield* transact(store.apply(other, moved)))
        const chunk = yield* transact(chunkOf(workspace, { ...run, processedRows: 1 }, [["b@b.co", "Bob"]]))
        assert.isFalse(yield* transact(store.applyChunk(other, chunk)))
        yield* transact(store.deleteSession(other, session.id))
        assert.strictEqual((yield* store.getSession(workspace, session.id)).id, session.id)
      }),
    )
  })
