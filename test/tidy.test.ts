// The architecture and the style, as far as a program can see them: one test a rule, and one that the rule sees what it
// forbids. Where a rule does not hold, test/tidy/Exemptions.ts says why.
import { assert, describe, it } from "vitest"
import { type Exemption, exemptions, unheld, without } from "./tidy/Exemptions.ts"
import * as Layers from "./tidy/Layers.ts"
import * as Services from "./tidy/Services.ts"
import * as Sizes from "./tidy/Sizes.ts"
import { isShipped, project, type Source, source, type Violation } from "./tidy/Source.ts"
import * as Words from "./tidy/Words.ts"

type Rule = (sources: ReadonlyArray<Source>) => ReadonlyArray<Violation>

const sources = project()

const holds = (rule: Rule, exempt: ReadonlyArray<Exemption> = []) => {
  const found = [...without(exempt, rule(sources)), ...unheld(exempt, sources)]
  const lines = found.map(({ path, line, what, remedy }) => `${path}:${line}: ${what}\n    ${remedy}`)
  assert(lines.length === 0, `${lines.length} to mend:\n${lines.join("\n")}`)
}

/** What the rule finds in files made up for it: `path:line`. */
const found = (rule: Rule, files: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  rule(Object.entries(files).map(([path, text]) => source(path, text))).map(({ path, line }) => `${path}:${line}`)

describe("layers", () => {
  it("packages import downwards and by name, and core imports nothing that acts", () => {
    holds(Layers.imports)
  })

  it("an import that a package may not have is seen", () => {
    const pure = new Set(["tldts"])
    assert.deepStrictEqual(
      found((all) => Layers.imports(all, pure), {
        "packages/core/src/lists/A.ts": [
          `import { Effect } from "effect"`,
          `import { encode } from "effect/encoding"`,
          `import { parse } from "tldts"`,
          `import type { B } from "../B.ts"`,
          `// import { x } from "node:fs"`,
          `import { readFile } from "node:fs/promises"`,
          `import { SqlClient } from "effect/sql"`,
          `import sharp from "sharp"`,
          `export { law } from "../../contract/index.ts"`,
          `const text = 'import "node:fs"'`,
          `const later = await import("@tentpole/adapters/Launch")`,
        ].join("\n"),
        "packages/adapters/src/A.ts": [
          `import { Ids } from "@tentpole/core/kernel/Ids"`,
          `import { readFile } from "node:fs/promises"`,
          `import {`,
          `  type B,`,
          `} from "../../core/src/B.ts"`,
          `import type { Api } from "@tentpole/http/Api"`,
        ].join("\n"),
        "packages/worker/src/A.ts": `export * from "@tentpole/http/Api"`,
        "packages/http/src/cli/A.ts": `const worker = () => import("@tentpole/worker/Process")`,
        "packages/http/src/A.ts": `const worker = () => import("@tentpole/worker/Process")`,
      }),
      [
        ...[6, 7, 8, 9, 11].map((line) => `packages/core/src/lists/A.ts:${line}`),
        "packages/adapters/src/A.ts:5",
        "packages/adapters/src/A.ts:6",
        "packages/worker/src/A.ts:1",
        "packages/http/src/A.ts:1",
      ],
    )
  })

  it("no file imports itself by a detour", () => {
    holds(Layers.cycles)
  })

  it("a cycle is seen, and one of types alone is none", () => {
    assert.deepStrictEqual(
      found(Layers.cycles, {
        "packages/core/src/A.ts": `import { b } from "./B.ts"`,
        "packages/core/src/B.ts": `import type { A } from "./A.ts"\nimport { c } from "./C.ts"`,
        "packages/core/src/C.ts": `export { a } from "@tentpole/core/A"`,
        "packages/core/src/D.ts": `import { e } from "./E.ts"`,
        "packages/core/src/E.ts": `import type { D } from "./D.ts"\nexport type { F } from "./D.ts"`,
      }),
      ["packages/core/src/C.ts:1"],
    )
  })

  it("every file is reached from a program", () => {
    holds(Layers.dead)
  })

  it("a file that nothing reaches is seen, also when a test or another dead file imports it", () => {
    assert.deepStrictEqual(
      found((all) => Layers.dead(all, [{ at: "packages/core/src/Public.ts", reason: "for embedders" }]), {
        "packages/worker/src/main.ts": `import { a } from "@tentpole/core/A"`,
        "packages/core/src/A.ts": `import type { B } from "./B.ts"`,
        "packages/core/src/B.ts": "",
        "packages/core/src/Dead.ts": `import { b } from "./DeadToo.ts"`,
        "packages/core/src/DeadToo.ts": `import { b } from "./Dead.ts"`,
        "packages/core/src/Public.ts": "",
        "packages/core/test/dead.test.ts": `import { dead } from "@tentpole/core/Dead"`,
      }),
      ["packages/core/src/Dead.ts:1", "packages/core/src/DeadToo.ts:1"],
    )
  })

  it("layers are put together in the wiring files", () => {
    holds(Words.wiring, exemptions.wiring)
  })

  it("a layer that is provided elsewhere is seen", () => {
    assert.deepStrictEqual(
      found(Words.wiring, {
        "packages/core/src/A.ts": "const a = Layer.effect(A, make)\nconst b = a.pipe(Layer.provideMerge(c))",
        "packages/core/test/a.test.ts": "const a = Layer.provide(b)",
      }),
      ["packages/core/src/A.ts:2"],
    )
  })
})

describe("ports and use cases", () => {
  it("every port has laws, and two adapters are held to them", () => {
    holds(Services.laws, exemptions.laws)
  })

  it("a port without laws is seen, and laws that only one adapter is held to", () => {
    const port = (name: string) => `export class ${name} extends Context.Service<${name}, {}>()("${name}") {}`
    assert.deepStrictEqual(
      found(Services.laws, {
        "packages/core/src/a/AStore.ts": port("AStore"),
        "packages/core/src/b/BStore.ts": `\n${port("BStore")}`,
        "packages/core/src/c/Cs.ts": port("Cs")
          .replace("{}\n", "{ static readonly layer = made }\n")
          .replace(/\{\}$/, "{ static readonly layer = made }"),
        "packages/core/contract/index.ts": `import { a } from "./a.ts"\nexport const contract = { a }`,
        "packages/core/contract/a.ts": `import { AStore } from "../src/a/AStore.ts"\nexport const a = AStore`,
        "packages/adapters/test/a.test.ts": `contract.a("memory", memory)`,
      }),
      ["packages/core/src/b/BStore.ts:2", "packages/core/contract/a.ts:1"],
    )
  })

  it("a use case calls no use case", () => {
    holds(Services.useCases, exemptions.useCases)
  })

  it("a use case that is taken by another is seen, and its types may be taken", () => {
    const lists = `export class Lists extends Context.Service<Lists, {}>()("Lists") {\n  static readonly layer = made\n}`
    assert.deepStrictEqual(
      found(Services.useCases, {
        "packages/core/src/lists/Lists.ts": lists,
        "packages/core/src/Tentpole.ts": `import { Lists } from "./lists/Lists.ts"`,
        "packages/core/src/blasts/Blasts.ts": `import { type ListView, Lists } from "../lists/Lists.ts"`,
        "packages/core/src/blasts/Blast.ts": `import { type Lists, listsMax } from "../lists/Lists.ts"`,
      }),
      ["packages/core/src/blasts/Blasts.ts:1"],
    )
  })

  it("only the two transactors say that a transaction is open", () => {
    holds(Words.transactions, exemptions.transactions)
  })

  it("a transaction that is made up is seen", () => {
    assert.deepStrictEqual(
      found(Words.transactions, {
        "packages/http/src/A.ts": [
          "const a = write.pipe(Effect.provideService(Transaction, { open: true }))",
          "const b = Effect.provideService(write, Transaction, Transaction.of({ open: true }))",
          "const c = Layer.succeed(",
          "  Transaction,",
          "  open,",
          ")",
          "const d = Effect.andThen(Transaction, write)",
          "const e = Effect.provideService(write, Ids, idsOf(Transaction, 1))",
        ].join("\n"),
      }),
      [1, 2, 3].map((line) => `packages/http/src/A.ts:${line}`),
    )
  })
})

describe("words", () => {
  it("names say what a thing is", () => {
    holds(Words.names)
  })

  it("an empty name is seen, of a file, a folder and a declaration", () => {
    assert.deepStrictEqual(
      found(Words.names, {
        "packages/core/src/lists/utils.ts": "",
        "packages/core/src/services/Lists.ts": "",
        "packages/core/src/lists/ListHelpers.ts": "",
        "packages/core/src/common.ts": "",
        "packages/core/src/lists/CommonFields.ts": "const implied = 1",
        "packages/core/src/lists/Lists.ts": "const a = 1\nclass ListManager {}\nconst managed = 2",
      }),
      [
        "packages/core/src/lists/utils.ts:1",
        "packages/core/src/services/Lists.ts:1",
        "packages/core/src/lists/ListHelpers.ts:1",
        "packages/core/src/common.ts:1",
        "packages/core/src/lists/Lists.ts:2",
      ],
    )
  })

  it("nothing is called where it may not be", () => {
    holds(Words.calls, exemptions.calls)
  })

  it("a banned call is seen, in code and not in text", () => {
    assert.deepStrictEqual(
      found(Words.calls, {
        "packages/core/src/A.ts": [
          "const a = Date.now()",
          "const b = new Date(0)",
          "const c = `at ${Math.random()}`",
          "const d = crypto.randomUUID()",
          "const e = process.env",
          "console.log(1)",
          "// Date.now() is not called",
          'const f = "new Date("',
          "const g = sealing.crypto.key + /Date.now/.source",
          "const h = value as any",
          "const i = (it: any): Array<any> => []",
          "export const j = Effect.runSync(k)",
        ].join("\n"),
        "packages/adapters/src/A.ts": "const a = Date.now()\nconst b = schedule.skip(1)",
        "packages/core/test/a.test.ts": 'it.effect.only("one", run)\nit.skip("two", run)\nit("three", run)',
      }),
      [
        ...[1, 2, 3, 4, 5, 6, 10, 11, 11, 12].map((line) => `packages/core/src/A.ts:${line}`),
        "packages/core/test/a.test.ts:1",
        "packages/core/test/a.test.ts:2",
      ],
    )
  })

  it("SQL stands in the adapters of PostgreSQL", () => {
    holds(Words.sql, exemptions.sql)
  })

  it("SQL is seen, tagged or not, and its client", () => {
    assert.deepStrictEqual(
      found(Words.sql, {
        "packages/core/src/A.ts": [
          'import { PgClient } from "@effect/sql-pg"',
          "const a = yield* sql<Row>`select 1`",
          "const b = sql`x = ${1}`",
          'const c = "delete from contact"',
          "const d = `select ${columns}",
          "  from contact where ${filter}`",
          "const e = client.unsafe(text)",
          'const f = "select a plan from the list"',
          'const g = "update"',
        ].join("\n"),
      }),
      [1, 2, 3, 4, 5, 7].map((line) => `packages/core/src/A.ts:${line}`),
    )
  })

  it("queries name their columns", () => {
    holds(Words.stars)
  })

  it("`select *` of a table is seen, and of rows at hand it is none", () => {
    assert.deepStrictEqual(
      found(Words.stars, {
        "packages/adapters/src/postgres/migrations/1.ts": "const a = `create table contact (contact_id uuid)`",
        "packages/adapters/src/postgres/A.ts": [
          "const a = sql`select * from contact`",
          "const b = sql`select c.*, 1 from contact c where ${filter}`",
          "const c = sql`delete from contact returning *`",
          "const d = sql`with held as (select 1) select * from held`",
          "const e = sql`select ${ws}, u.* from unnest(${ids}) as u (id)`",
          "const f = sql`select count(*) from contact`",
        ].join("\n"),
      }),
      [1, 2, 3].map((line) => `packages/adapters/src/postgres/A.ts:${line}`),
    )
  })

  it("nothing is left undone, commented out, or turned off without a word", () => {
    holds(Words.remarks, exemptions.remarks)
  })

  it("such a remark is seen", () => {
    const todo = "TO" + "DO"
    const folder = `/${"home"}/ann/project`
    assert.deepStrictEqual(
      found(Words.remarks, {
        "packages/core/src/A.ts": [
          `// ${todo}: finish`,
          "// @ts-" + "ignore",
          "// @ts-" + "expect-error wrong",
          "// oxlint-" + "disable-next-line no-var",
          "// oxlint-" + "disable-next-line no-var -- the library asks for it",
          "// const a = 1",
          "// return what was found; const is no word here.",
          `const a = "${folder}"`,
        ].join("\n"),
      }),
      [1, 2, 3, 4, 6, 8].map((line) => `packages/core/src/A.ts:${line}`),
    )
  })
})

describe("sizes", () => {
  const shipped = sources.filter(isShipped)

  it("files have at most 400 lines, tests too, and programs 40", () => {
    holds(Sizes.files)
  })

  it("a long file is seen", () => {
    assert.deepStrictEqual(
      found(Sizes.files, {
        "packages/core/src/Long.ts": "\n".repeat(401),
        "packages/core/src/Fits.ts": "\n".repeat(400),
        "packages/core/test/long.test.ts": "\n".repeat(401),
        "packages/http/src/main.ts": "\n".repeat(41),
      }),
      ["packages/core/src/Long.ts:401", "packages/core/test/long.test.ts:401", "packages/http/src/main.ts:41"],
    )
  })

  it("functions have at most 70 lines", () => {
    holds(() => Sizes.functions(shipped))
  })

  it("a long function is seen in each of its forms, and a service of many short ones is none", () => {
    const long = Array.from({ length: 70 }, (_, at) => `yield* step(${at})`).join("\n")
    const short = Array.from({ length: 40 }, (_, at) => `step${at}: (a) => {\nreturn a\n},`).join("\n")
    const laws = Array.from({ length: 40 }, (_, at) => `it.effect("law ${at}", () =>\nEffect.gen(run),\n)`).join("\n")
    const chain = Array.from({ length: 40 }, (_, at) => `Effect.map((a) => {\nreturn a + ${at}\n}),`).join("\n")
    assert.deepStrictEqual(
      found(Sizes.functions, {
        "packages/core/src/A.ts": `const before = 1\nfunction a(it: { readonly b: 1 }): { c: 2 } {\n${long}\n}`,
        "packages/core/src/B.ts": `const b = (): Effect.Effect<{ a: 1 }> =>\nEffect.gen(function* () {\n${long}\n})\nconst c = 1`,
        "packages/core/src/C.ts": `class C {\n  static async d<A>(a: A) {\n${long}\n}\n}`,
        "packages/core/src/D.ts": `const e = { f: Effect.fn("f")(function* (a) {\n${long}\n}) }`,
        "packages/core/src/E.ts": `const g = Layer.effect(G, Effect.gen(function* () {\nreturn G.of({\n${short}\n})\n}))`,
        "packages/core/src/F.ts": `const h = (live) => layer(live)("laws", (it) => {\n${laws}\n})`,
        "packages/core/src/G.ts": `const i = (a) =>\na.pipe(\n${chain}\n)`,
        "packages/core/src/H.ts": `const table = {\n${Array.from({ length: 90 }, (_, at) => `row${at}: { a: 1 },`).join("\n")}\n}`,
      }),
      [
        "packages/core/src/A.ts:2",
        "packages/core/src/B.ts:1",
        "packages/core/src/C.ts:2",
        "packages/core/src/D.ts:1",
        "packages/core/src/G.ts:1",
      ],
    )
  })

  it("files begin by saying what they are for", () => {
    holds(() => Sizes.openings(shipped))
  })

  it("a file that begins with code is seen", () => {
    assert.deepStrictEqual(
      found(Sizes.openings, {
        "packages/core/src/A.ts": "import { a } from './B.ts'\n// What it is for.",
        "packages/core/src/B.ts": "// What it is for.\nimport { a } from './C.ts'",
      }),
      ["packages/core/src/A.ts:1"],
    )
  })
})

describe("exemptions", () => {
  it("an exemption that exempts nothing any more is told", () => {
    const exempt = [
      { at: "packages/core/src/A.ts", reason: "it needs one" },
      { at: "packages/core/src/gone/", reason: "it needed one" },
    ]
    const violation = { path: "packages/core/src/A.ts", line: 1, what: "x", remedy: "y" }
    assert.deepStrictEqual(
      without(exempt, [violation]).map(({ what }) => what),
      ['packages/core/src/gone/ ("it needed one") needs no exemption any more'],
    )
  })

  it("so is one whose test is gone", () => {
    const exempt = [
      { at: "Secrets", reason: "one adapter", by: "packages/adapters/test/crypto/Secrets.test.ts" },
      { at: "Ai", reason: "one adapter", by: "packages/adapters/test/gone.test.ts" },
    ]
    assert.deepStrictEqual(
      unheld(exempt, [{ path: "packages/adapters/test/crypto/Secrets.test.ts" }]).map(({ what }) => what),
      ["Ai is exempt because of packages/adapters/test/gone.test.ts, which is gone"],
    )
  })
})
