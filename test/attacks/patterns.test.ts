// Every regular expression of the sources needs linear time, as recheck proves: a tool that searches for a text on which a pattern
// retries. `npm test` gives it a quarter of a second for each of a third of the patterns; the third changes daily.
// `npm run test:attacks` checks all, for as long as it may need.
import { isInTurn } from "@tentpole/core/contract"
import { availableParallelism } from "node:os"
import { check, type Diagnostics } from "recheck"
import { assert, describe, it } from "vitest"
import { isSource, project, type Source } from "../tidy/Source.ts"

interface Pattern {
  readonly path: string
  readonly pattern: string
  readonly flags: string
}

interface Exception {
  readonly path: string
  /** The beginning of the pattern. */
  readonly begins: string
  /** What bounds the time on every text that the pattern gets. */
  readonly bound: string
}

const configuration = "the configuration, which only the operator writes"
const prompts = "a prompt: at most 20,000 characters; test/attacks/weight.test.ts reads longer ones"

/** Patterns that are slow on some text, or that recheck can't decide. */
const exceptions: ReadonlyArray<Exception> = [
  { path: "packages/adapters/src/Configuration.ts", begins: "\\/+$", bound: configuration },
  { path: "packages/adapters/src/Configuration.ts", begins: "^[A-Za-z0-9+/]{100,}", bound: configuration },
  { path: "packages/adapters/src/ai/FromConfig.ts", begins: "\\/+$", bound: configuration },
  { path: "packages/adapters/src/postgres/kernel/Primary.ts", begins: "^([a-z]+:", bound: configuration },
  {
    path: "packages/client/src/Request.ts",
    begins: "\\/+$",
    bound: "the address that a program gives its own client",
  },
  {
    path: "packages/adapters/src/Logging.ts",
    begins: "(?<![^\\s",
    bound: "linear: it begins at the start of a word only, and no word contains the next one's start",
  },
  {
    path: "packages/adapters/src/ai/EmailPrompt.ts",
    begins: "^[\\s*_]+",
    bound: "`line_length_max`: 2,000 characters",
  },
  {
    path: "packages/adapters/src/ai/fake/FakeEmail.ts",
    begins: "\\s*\\uE000",
    bound: "`length_max`: at most 998 characters",
  },
  {
    path: "packages/adapters/src/ai/fake/FakeEmail.ts",
    begins: "\\s+\\S*$",
    bound: "`length_max`: at most 998 characters",
  },
  {
    path: "packages/adapters/src/ai/fake/Plans.ts",
    begins: "[\\s.]+$|",
    bound: "the name of a business: 130 characters",
  },
  { path: "packages/adapters/src/ai/fake/Brief.ts", begins: "\\b(two|three", bound: prompts },
  { path: "packages/adapters/src/ai/fake/Copy.ts", begins: "^(?:our", bound: "`topic_length_max`: 90 characters" },
  { path: "packages/adapters/src/ai/fake/Copy.ts", begins: " in (?:new", bound: "`topic_length_max`: 90 characters" },
  { path: "packages/adapters/src/ai/fake/Forms.ts", begins: "\\b(?:asks?", bound: prompts },
  { path: "packages/adapters/src/ai/fake/Sentences.ts", begins: "^(?:the|this", bound: prompts },
  {
    path: "packages/adapters/src/ai/fake/Sentences.ts",
    begins: "^(?:(?:an?|the",
    bound: "the first 200 characters of a sentence",
  },
  { path: "packages/adapters/src/ai/fake/Sentences.ts", begins: ",?\\s*\\b", bound: prompts },
  {
    path: "packages/adapters/src/ai/fake/Sentences.ts",
    begins: ":[^.!?\\n;]{0,200};",
    bound: "linear: each try reads 200 characters at most, or matches",
  },
  { path: "packages/adapters/src/ai/fake/Subjects.ts", begins: "\\b(?:", bound: prompts },
  { path: "packages/adapters/src/ai/fake/Topic.ts", begins: "", bound: "`read_length_max`: 2,000 characters" },
  {
    path: "packages/adapters/src/ai/html/CleanCss.ts",
    begins: "^\\s*:(?!",
    bound: "linear: one try, because it begins at the start",
  },
  {
    path: "packages/adapters/src/ai/html/HtmlBounds.ts",
    begins: "<(\\/?)",
    bound: "linear: each try begins with `<`, which a tag does not contain",
  },
  {
    path: "packages/adapters/src/postgres/migrations/Migrate.ts",
    begins: "(?:--[^",
    bound: "the migrations, which are part of the sources",
  },
  {
    path: "packages/core/src/bounces/ReturnedMail.ts",
    begins: "^(?:---",
    bound: "linear: one try for each line, of a text of 20,000 characters (`text_length_max`)",
  },
  {
    path: "packages/core/src/bounces/ReturnedMail.ts",
    begins: "^\\s*(?:out of",
    bound: "linear: one try, because it begins at the start of the subject",
  },
  {
    path: "packages/core/src/bounces/providers/Ses.ts",
    begins: "^arn:",
    bound: "a topic of the configuration: other topics are refused before",
  },
  {
    path: "packages/core/src/documents/CssDangers.ts",
    begins: "(?<![\\w-])behavior",
    bound: "linear: each try begins with a word, which the white space after it does not contain",
  },
  { path: "packages/core/src/kernel/Text.ts", begins: "^-+|-+$", bound: "no row of hyphens is longer than one" },
  {
    path: "packages/core/src/ports/BlobStore.ts",
    begins: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(",
    bound: "`key_length_max`: 500 characters",
  },
  {
    path: "packages/core/src/rendering/MergeTokens.ts",
    begins: ":\\s*(?:uppercase",
    bound: "linear: each try begins with a colon, which white space does not contain",
  },
  {
    path: "packages/core/src/sending/EnhancedCode.ts",
    begins: "(?<![\\d.])",
    bound: "linear: it begins at the start of a row of digits and dots only",
  },
  {
    path: "packages/core/src/tents/assets/PagePictures.ts",
    begins: "([\"'(=])(asset:",
    bound: "linear: each try begins with a mark, which the digits after it do not contain",
  },
  {
    path: "packages/core/src/tents/pages/PageHead.ts",
    begins: "\\s+\\S*$",
    bound: "`description_length_max` characters",
  },
  {
    path: "packages/http/console/src/csv.ts",
    begins: "^'*[=+",
    bound: "linear: one try, because it begins at the start",
  },
  {
    path: "packages/http/src/pages/ClientAddress.ts",
    begins: "^::ffff:",
    bound: "linear: one try, because it begins at the start",
  },
  {
    path: "packages/http/src/pages/VisitorAgents.ts",
    begins: "^::ffff:",
    bound: "linear: one try, because it begins at the start",
  },
]

/** Patterns that sources assemble, as one text of each place, or the reason why the parts are no text of strangers. */
const assembled: Readonly<Record<string, ReadonlyArray<RegExp | string>>> = {
  "packages/adapters/src/ai/EmailPrompt.ts": [/^[\s>#*_-]{0,10}subject(?:[ -]?(?:line|text))?[\s*_]{0,5}:([^\r\n]*)/im],
  "packages/adapters/src/ai/fake/Brief.ts": [prompts],
  "packages/adapters/src/ai/fake/Figures.ts": Array.from({ length: 7 }, () => prompts),
  "packages/adapters/src/ai/fake/Plans.ts": [prompts, prompts],
  "packages/adapters/src/ai/fake/Sentences.ts": [prompts, prompts],
  "packages/adapters/src/csv/Delimiter.ts": [
    "of the first 200 rows; it ends at each quote, delimiter or line, so it never retries: test/attacks/weight imports them",
  ],
  "packages/core/src/documents/CssDangers.ts": [
    /^(?:fill|stroke|marker(?:-start|-mid|-end)?)$/i,
    "one try at each property name, of 200 characters at most",
  ],
  "packages/core/src/operations/privacy/IdentifierPatterns.ts": ["addresses and numbers of a contact, word for word"],
  "packages/core/src/ports/BlobStore.ts": [
    /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})*$/,
    /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/,
  ],
  "packages/core/src/sending/journal/JournalRecord.ts": [
    /^([bx]) (\d{1,15})$/,
    /^i (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([0-9a-f]{8})$/,
    /^o (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (sent|queued|failed) (\w{1,30}|-) (hard|soft|-)$/,
  ],
  "packages/core/src/sending/journal/Segment.ts": [
    /^send-journal\/(\d{4}-\d{2}-\d{2})\/([0-9a-f-]{36})\/(\d{1,15})-(\d{1,15})-(\d{1,15})$/,
  ],
  "packages/http/src/edge/Edge.ts": [/^\/healthz$/, /^\/v1\/emails\/[^/]+\/generations\/[^/]+$/],
  "packages/http/src/tracking/Tracking.ts": [/^\/o\/([\w-]+)$/],
}

interface Found {
  readonly path: string
  readonly patterns: ReadonlyArray<Pattern>
  /** How many patterns the source assembles. */
  readonly assembled_count: number
}

const foundIn = ({ path, visit }: Source): Found => {
  const found: Array<Pattern> = []
  let assembled_count = 0
  const count = ({ callee }: { readonly callee: { readonly type: string; readonly name?: unknown } }) => {
    if (callee.type === "Identifier" && callee.name === "RegExp") assembled_count++
  }
  visit({
    Literal: (node) => {
      if ("regex" in node) found.push({ path, pattern: node.regex.pattern, flags: node.regex.flags })
    },
    NewExpression: count,
    CallExpression: count,
  })
  return { path, patterns: found, assembled_count }
}

const sources = project(isSource).map(foundIn)
const patterns: ReadonlyArray<Pattern> = [
  ...sources.flatMap((each) => each.patterns),
  ...Object.entries(assembled).flatMap(([path, parts]) =>
    parts.flatMap((part) => (typeof part === "string" ? [] : [{ path, pattern: part.source, flags: part.flags }])),
  ),
]

const isWhole = process.env["ATTACKS"] === "all"
const decide_ms = isWhole ? 60_000 : 250

/** Automata give the same answer on every machine; what they can't decide needs an exception. */
const diagnosed = ({ flags, pattern }: Pick<Pattern, "flags" | "pattern">): Promise<Diagnostics> =>
  check(pattern, flags, { checker: "automaton", timeout: decide_ms })

const isNamed = (each: Pattern): boolean =>
  exceptions.some(({ begins, path }) => each.path === path && each.pattern.startsWith(begins))

/** The patterns that may be slow, without exceptions; in the sample only those that are. */
const slow = async (): Promise<ReadonlyArray<string>> => {
  const distinct = new Map(patterns.map((each) => [`${each.pattern}/${each.flags}/${isNamed(each)}`, each]))
  const left = [...distinct.values()].filter((_, index) => isInTurn(index))
  const found: Array<string> = []
  const next = async (): Promise<void> => {
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      if (isNamed(each)) continue
      const { status } = await diagnosed(each)
      const { flags, path, pattern } = each
      if (status === "vulnerable" || (isWhole && status === "unknown"))
        found.push(`${status}: ${path} /${pattern}/${flags}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, next))
  return found.sort()
}

describe("regular expressions", () => {
  it(
    "need linear time, unless their texts are bounded",
    { timeout: 900_000, tags: ["attack/slow-input"] },
    async () => {
      const remedy = "match the text without retrying, or bound it first and name the bound here"
      assert.deepStrictEqual(await slow(), [], remedy)
    },
  )

  it("that are exceptions exist", () => {
    const unused = exceptions.filter(
      (each) => !patterns.some((one) => one.path === each.path && one.pattern.startsWith(each.begins)),
    )
    assert.deepStrictEqual(unused, [])
  })

  it("that are assembled are listed", () => {
    const counts = sources.flatMap((each) => (each.assembled_count > 0 ? [[each.path, each.assembled_count]] : []))
    const listed = Object.entries(assembled).map(([path, parts]) => [path, parts.length])
    assert.deepStrictEqual(Object.fromEntries(counts), Object.fromEntries(listed))
  })

  it("that retry are found", async () => {
    for (const pattern of ["^([a-z]+)+@", "\\s+$", "a\\s*\\s*b", "(x|y+)*z", "\\s+\\S*$"]) {
      assert.strictEqual((await diagnosed({ pattern, flags: "" })).status, "vulnerable", pattern)
    }
    for (const pattern of ["^(ab)+$", "a+b*", "^\\s+", "^(?:[a-z]+\\.)+$"]) {
      assert.strictEqual((await diagnosed({ pattern, flags: "" })).status, "safe", pattern)
    }
  })
})
