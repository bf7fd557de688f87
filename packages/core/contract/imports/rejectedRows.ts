// Contract tests of rejected rows in the store of imports.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ImportRunId } from "../../src/kernel/Ids.ts"
import type { RejectedRow } from "../../src/imports/Import.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import type { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"
import { applyRows, lineOf, runIn } from "./importSamples.ts"

type Ports = ImportStore | ContactStore | ContactFieldStore | Transactor | Fresh

const everything = { after: 1, through: 1_000_000, limit: 1_000 }

const numbersOf = (rows: ReadonlyArray<RejectedRow>) => rows.map(({ rowNumber }) => rowNumber)

export const importKept = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(live, { excludeTestServices: true })(`Rejected rows (${name})`, (it) => {
    /** A run that has processed chunks with these rows. */
    const having = Effect.fnUntraced(function* (...chunks: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>) {
      const [store, fresh] = [yield* ImportStore, yield* Fresh]
      const workspace = yield* fresh.workspace()
      const { id } = yield* runIn(workspace)
      for (const cells of chunks) {
        assert.isTrue(yield* applyRows(workspace, yield* store.getRun(workspace, id), cells))
      }
      return { store, fresh, workspace, id }
    })

    it.effect("stores rejected rows as they were read, and no others", () =>
      Effect.gen(function* () {
        const awkward = ["no address", '=1+1, "quoted"\r\nnext 😀 \'\\ \u0007']
        const rows = [["a@b.co", "Ann"], awkward, ["", " "], ["short"], ["b@b.co", "", "x", ""]]
        const { store, workspace, id } = yield* having(rows)
        const kept = yield* store.rejectedRows(workspace, id, everything)
        const { items } = yield* store.results(workspace, id, { status: null, page: 1, limit: 250 })
        assert.deepStrictEqual(
          kept,
          items.flatMap(({ status, ...row }): ReadonlyArray<RejectedRow> => {
            const record = rows[row.rowNumber - 2] ?? []
            return status === "skipped" || status === "failed" ? [{ ...row, status, record }] : []
          }),
        )
        assert.deepStrictEqual(
          kept.map(({ rowNumber, line, status }) => [rowNumber, line, status]),
          [
            [3, lineOf(1), "failed"],
            [4, lineOf(2), "skipped"],
            [5, lineOf(3), "failed"],
            [6, lineOf(4), "failed"],
          ],
        )
      }),
    )

    it.effect("reads on from the last row that was read, both statuses in the file's order", () =>
      Effect.gen(function* () {
        const cells = Array.from({ length: 40 }, (_, index) => {
          if (index % 4 === 0) return [`p${index}@b.co`, "x"]
          return index % 4 === 1 ? ["", ""] : ["no address", String(index)]
        })
        const { store, workspace, id } = yield* having(cells.slice(0, 17), cells.slice(17))
        const wanted = cells.flatMap((_, index) => (index % 4 === 0 ? [] : [index + 2]))
        const read: Array<number> = []
        for (let after = 1; read.length < wanted.length;) {
          const page = numbersOf(yield* store.rejectedRows(workspace, id, { after, through: 41, limit: 7 }))
          assert.strictEqual(page.length, Math.min(7, wanted.length - read.length))
          read.push(...page)
          after = page.at(-1) ?? 41
        }
        assert.deepStrictEqual(read, wanted)
        const between = yield* store.rejectedRows(workspace, id, { after: 7, through: 12, limit: 100 })
        assert.deepStrictEqual(
          numbersOf(between),
          wanted.filter((number) => number > 7 && number <= 12),
        )
      }),
    )

    it.effect("returns the longest record of the requested rows", () =>
      Effect.gen(function* () {
        const long = Array.from({ length: 9 }, (_, index) => `cell ${index}`)
        const { store, workspace, id } = yield* having([
          ["a@b.co", "Ann"],
          ["x"],
          ["", "", ""],
          ["no address", "x"],
          long,
        ])
        const widest = (through: number) => store.widestRejected(workspace, id, through)
        assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4, 5, 6], widest), [0, 0, 1, 3, 3, 9])
      }),
    )

    it.effect("finds no rows of another workspace or an unknown run", () =>
      Effect.gen(function* () {
        const { store, fresh, workspace, id } = yield* having([["no address", "x"]])
        const other = yield* fresh.workspace()
        const missing = ImportRunId.make(yield* fresh.id)
        for (const [where, run] of [
          [other, id],
          [workspace, missing],
        ] as const) {
          assert.deepStrictEqual(yield* store.rejectedRows(where, run, everything), [])
          assert.strictEqual(yield* store.widestRejected(where, run, everything.through), 0)
        }
        assert.strictEqual((yield* store.rejectedRows(workspace, id, everything)).length, 1)
      }),
    )

    it.effect("stores the cells of rows that were imported with warnings, and counts them", () =>
      Effect.gen(function* () {
        const [store, fresh] = [yield* ImportStore, yield* Fresh]
        const workspace = yield* fresh.workspace()
        const run = yield* runIn(workspace, [], { onInvalidCell: "skip_cell" })
        assert.deepStrictEqual(yield* store.getRun(workspace, run.id), run)
        const long = "x".repeat(300)
        yield* applyRows(workspace, run, [
          ["a@b.co", long],
          ["b@b.co", "Bob"],
        ])
        const { counts } = yield* store.getRun(workspace, run.id)
        assert.deepStrictEqual(counts, { created: 2, updated: 0, skipped: 0, failed: 0, warned: 1 })
        const rows = yield* store.rejectedRows(workspace, run.id, { after: 1, through: 3, limit: 10 })
        assert.deepStrictEqual(
          rows.map(({ status, record, issues }) => [status, record, issues.map(({ targetField }) => targetField)]),
          [["created", ["a@b.co", long], ["first_name"]]],
        )
        assert.strictEqual(yield* store.widestRejected(workspace, run.id, 3), 2)
      }),
    )
  })
