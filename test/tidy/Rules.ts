// The rules, each with its exemptions and with made-up files that break it.
import type { Exemption } from "./Exemptions.ts"
import * as Folders from "./Folders.ts"
import * as Services from "./Services.ts"
import type { Find } from "./Source.ts"
import * as Style from "./Style.ts"

interface Rule {
  readonly title: string
  readonly find: Find
  readonly remedy: string
  readonly exempt?: ReadonlyArray<Exemption>
  /** Paths, and below each its lines, indented; each `!` at the end of a line is a violation. */
  readonly breaks: string
}

/** Folders of core/src: each imports from those before it. */
const rooms =
  "kernel ports workspaces accounts contacts topics segments lists documents rendering templates emails tents sending tracking bounces blasts messages subscriptions flows imports exports forms traffic figures webhooks operations"

const coreLayers = Folders.layers("packages/core/src/", rooms)
const flowLayers = Folders.layers("packages/core/src/flows/", "definition members engine steps simulation")

export const rules: ReadonlyArray<Rule> = [
  {
    title: "folders of core and of core/flows import from folders before them",
    find: (sources) => [...coreLayers(sources), ...flowLayers(sources)],
    remedy: "move what both need to the earlier folder, or the import to the later one",
    breaks: `
packages/core/src/kernel/A.ts
  import type { B } from "../lists/B.ts" !
  import { C } from "./C.ts"
packages/core/src/lists/B.ts
  import { A } from "@tentpole/core/kernel/A"
  export * from "../Library.ts" !
packages/core/src/misc/C.ts !
packages/core/src/Library.ts
  export * from "./lists/B.ts"
packages/core/src/flows/members/A.ts
  const engine = import("../engine/B.ts") !
  import { C } from "../definition/C.ts"`,
  },
  {
    title: "a folder has at most 15 files",
    find: Folders.sizes,
    remedy: "group the files by what they are about",
    breaks: `test/a/ !\ntest/a/A.ts\n${Array.from({ length: 15 }, (_, n) => `test/a/${n}.ts\ntest/b/${n}.ts`).join("\n")}`,
  },
  {
    title: "a test is named after its source",
    find: Folders.mirrors,
    remedy: "name the test after the file, folder or contract suite that it tests",
    exempt: [{ at: "packages/http/test/attacks/", reason: "attacks on all rooms" }],
    breaks: `
packages/core/src/a/B.ts
packages/core/contract/lists.ts
packages/core/test/a.test.ts
packages/core/test/a/B.test.ts
packages/core/test/a/B.life.test.ts
packages/core/test/a/b.test.ts !
packages/adapters/test/lists.contract.test.ts
packages/adapters/test/lists.test.ts !`,
  },
  {
    title: "every port has a contract suite that its adapters run, or a test of each adapter",
    find: Services.suites,
    remedy: "write the suite in packages/core/contract, list it in index.ts, and run it in packages/adapters/test",
    exempt: [{ at: "dkim", reason: "one adapter, tested against another implementation" }],
    breaks: `
packages/core/src/a/AStore.ts
  export class AStore extends Context.Service<AStore, {}>()("AStore") {}
  export class BStore extends Context.Service<BStore, {}>()("BStore") {} !
  export class Reader extends Context.Service<Reader, {}>()("Reader") {}
  export class Reports extends Context.Service<Reports, {}>()("Reports") {}
packages/core/src/c/Cs.ts
  export class Cs extends Context.Service<Cs, {}>()("Cs") { static readonly layer = c }
packages/core/contract/index.ts
  import { a } from "./a.ts"
  import { reports } from "./reports.ts"
packages/core/contract/a.ts !
  import { AStore } from "../src/a/AStore.ts"
packages/core/contract/reports.ts
  import { Reports } from "../src/a/AStore.ts"
packages/adapters/src/postgres/a/Reports.ts
  export const layer = Layer.effect(Reports, reports)
packages/adapters/src/csv/Reader.ts
  export const layer = Layer.succeed(Reader, Reader.of({}))
packages/adapters/test/a.test.ts
  contract.a("memory", memory)
  contract.reports("postgres", postgres)
packages/adapters/test/csv/Reader.test.ts
  import { layer } from "../../src/csv/Reader.ts"`,
  },
  {
    title: "a use case calls no use case",
    find: Services.useCases,
    remedy: "read through the port of the other room, and let the change carry the change of the other room",
    exempt: [
      { at: "Links", reason: "seals and reads tokens: it uses no store" },
      { at: "packages/core/src/operations/localMail/", reason: "opens and clicks as a recipient does: by requests" },
      ...["Enroller", "FlowCompiler", "FlowDateRounds", "FlowEventRounds", "MembershipRunner", "StepExecutor"].map(
        (at) => ({
          at,
          reason: "a part of the use cases of flows: no endpoint and no job calls it",
        }),
      ),
    ],
    breaks: `
packages/core/src/lists/Lists.ts
  export class Lists extends Context.Service<Lists, {}>()("Lists") { static readonly layer = lists }
packages/core/src/Tentpole.ts
  import { Lists } from "./lists/Lists.ts"
packages/core/src/blasts/Blasts.ts
  import { type ListView, Lists } from "../lists/Lists.ts" !
packages/core/src/blasts/Blast.ts
  import { type Lists, listsMax } from "../lists/Lists.ts"`,
  },
  {
    title: "services of core use the verbs of CONTRIBUTING.md",
    find: Services.verbs,
    exempt: [{ at: "Memberships.remove", reason: "removes a contact from a flow; the contact stays" }],
    remedy:
      "use create, get, list, update, delete, start, run, cancel, abandon, or a verb of the domain such as publish",
    breaks: `
packages/core/src/a/As.ts
  export class As extends Context.Service<As, { !!
      readonly rename: () => void
      readonly publish: (options: { readonly page: number }) => void
      readonly find: () => void
  }>()("As") {}`,
  },
  {
    title:
      "queries name their columns, only Transactor opens transactions, only its machine creates a change, one file takes advisory locks, counted rows are written where counters move",
    find: Style.misplaced,
    remedy: "",
    exempt: ["sending/DeliveryAudience.ts", "sending/DeliverySettle.ts", "contacts/ContactWrites.ts"].map((file) => ({
      at: `packages/adapters/src/postgres/${file}`,
      reason: "of rows at hand, not of a table",
    })),
    breaks: `
packages/core/src/a/machine.ts
  const change = changeOf("a")
  export const otherChange = changeOf("b") !
packages/adapters/src/postgres/A.ts
  sql\`select pg_try_advisory_lock(1)\` !
  sql\`select * from contact\` !
  sql\`select c.*, 1 from contact c\` !
  sql\`delete from contact_field returning *\` !
  sql\`delete from contact\` !
  sql\`update delivery d set state = 'sent'\` !
  sql\`update delivery_queue set lane = ''\`
  sql\`update contact set city = null\`
  sql\`select count(*) from contact\`
packages/http/src/A.ts
  a.pipe(Effect.provideService(Transaction, { open: true })) !
  Effect.provideService(f(a), Transaction, t) !
  Layer.succeed( !
    Transaction,
    t,
  )
  Effect.provideService(a, Ids, idsOf(Transaction, 1))`,
  },
  {
    title: "names say what a thing is",
    find: Style.names,
    remedy: "name it after the thing that it is or does",
    exempt: [{ at: "packages/core/contract/index.ts", reason: "the entry of the contract suites" }],
    breaks: `
packages/core/src/services/utils.ts !!
packages/core/src/ListHelpers.ts !
packages/core/src/CommonFields.ts
  export class ListManager {} !
  const managed = 2`,
  },
  {
    title: "functions have at most 70 lines of code",
    find: Style.functions,
    remedy: "give a step of it a name: branches stay, what they do goes into functions",
    exempt: [
      { at: "packages/http/src/api/documents/ContentEndpoints.ts", reason: "one object that declares endpoints" },
    ],
    breaks: `
packages/core/src/A.ts
  function a() { !${"\n  b()".repeat(70)}
  }
packages/core/src/B.ts
  const b = Effect.gen(function* () {${"\n  // c\n  b()".repeat(68)}
  })
packages/core/src/C.ts
  class C { static layer = Layer.effect(C, Effect.gen(function* () {
  return C.of({${"\n  d: (a) => {\n  return a\n  },".repeat(40)}
  }) })) }
packages/core/src/D.ts
  const d = (a) => a.pipe( !${"\n  Effect.map((b) => {\n  return b\n  }),".repeat(40)}
  )
packages/core/src/E.ts
  const e = {${"\n  row: { a: 1 },".repeat(90)}
  }
packages/core/contract/f.ts
  const f = (it) => {${'\n  it.effect("law", () =>\n  Effect.gen(run),\n  )'.repeat(40)}
  }`,
  },
  {
    title: "files begin with what they contain; comments hold no code, no check is switched off without a reason",
    find: Style.remarks,
    remedy: "begin with a comment; delete code; give the reason after ` -- `; make paths relative",
    breaks: `
packages/core/src/A.ts
  import "./B.ts" !
  // oxlint-${"disable"}-next-line no-var !
  // oxlint-${"disable"}-next-line no-var -- the library requires it
  // const a = 1 !
  // return what was found; const is no word here.
  const a = "/${"home"}/ann/project" !
packages/core/src/B.ts
  // B.`,
  },
  {
    title: "components of the console have no words: the dictionaries have them",
    find: Style.spoken,
    remedy: "move the words to console/src/words, in each language",
    breaks: `
packages/http/console/src/a/A.tsx
  const a = <p>Delete</p> !
  const b = <input aria-label="Name" type="text" className="wide" /> !
  const c = <p>{words.name} · <kbd>K</kbd></p>
  const d = <Field label={words.name} placeholder="–" />`,
  },
  {
    title: "comments, documents, titles of tests and texts of the API are in plain language",
    find: Style.language,
    remedy: "see docs/glossary.md: name the thing that acts, in the present tense",
    // `at` is a path and a word: "docs/sending.md told".
    exempt: [
      { at: "docs/glossary.md", reason: "lists the words to avoid" },
      { at: "test/tidy/Rules.ts", reason: "shows files that break the rule" },
    ],
    breaks: `
packages/core/src/A.ts
  // Whoever calls. !!
  /** By what it is found. */ !
  const a = "nobody" // no news !
packages/core/test/a.test.ts
  it("tells nothing", run) !
  it.effect(\`takes news\`, run) !
  tell("nobody")
packages/http/src/api/a/AApi.ts
  get("a", { description: "Nobody reads it." }) !
  const nobody = 1
docs/a.md
  What is new: news, and \`nobody\`. Nobody reads it. !`,
  },
]
