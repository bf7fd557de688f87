// What may not be written: names that say nothing, calls that belong elsewhere, and marks of work left undone.
import { importsOf, libraryOf } from "./Imports.ts"
import { isShipped, isSource, type Source, type Violation } from "./Source.ts"
import type { Token } from "./Tokens.ts"

const inCore = ({ path }: Source): boolean => path.startsWith("packages/core/src/")

const emptyWords = /^(utils?|helpers?|impl|manager|misc)$/i
const emptyNames = /^(common|shared|stuff|base|data|info|index|lib)$/i
const foldersByKind = /^(services?|repositor(y|ies)|controllers?|models?|interfaces?|types|entities|dtos?)$/i

/** The words of a name: `MergeTokens` has two, `merge_tokens` and `merge-tokens` too. */
const wordsOf = (name: string): ReadonlyArray<string> => name.split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/)

const isEmpty = (name: string): boolean => wordsOf(name).some((word) => emptyWords.test(word))

const declaring = new Set(["class", "const", "function", "interface", "type", "let"])

/** Names of files, folders and declared things. */
export const names = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.filter(isShipped).flatMap(({ path, tokens }) => {
    const remedy = "name it after the thing it is or does, in the words of the field"
    const parts = path
      .replace(/\.(d\.)?ts$/, "")
      .split("/")
      .slice(2)
    const inPath = parts.find(
      (part, at) =>
        isEmpty(part) ||
        (emptyNames.test(part) && path !== "packages/core/contract/index.ts") ||
        (at < parts.length - 1 && foldersByKind.test(part)),
    )
    const inCode = tokens.flatMap((token, at) => {
      const name = tokens[at + 1]
      return declaring.has(token.text) && name?.kind === "word" && isEmpty(name.text)
        ? [{ path, line: name.line, what: `${name.text} is an empty name`, remedy }]
        : []
    })
    return [...(inPath === undefined ? [] : [{ path, line: 1, what: `${inPath} is an empty name`, remedy }]), ...inCode]
  })

interface Ban {
  /** Tokens in a row; the first is no property of something else. */
  readonly words: string
  readonly where: (source: Source) => boolean
  readonly remedy: string
}

const now = "time comes from Effect's Clock: `yield* DateTime.now`, or an argument of a pure function"
const chance = "ids come from the port Ids, chance from Effect's Random"
const outside = "core does nothing by itself: make a port of it"
const running = "answer the effect: programs run in main.ts only"
const noAny = "say what it is; `unknown` where it may be anything"
const noSkip = "a test runs or goes; an exemption from shared laws carries its reason"
const isTest = ({ path }: Source): boolean => !isSource({ path })
const anywhere = (): boolean => true

const bans: ReadonlyArray<Ban> = [
  { words: "Date . now", where: inCore, remedy: now },
  { words: "new Date", where: inCore, remedy: now },
  { words: "performance . now", where: inCore, remedy: now },
  { words: "DateTime . nowUnsafe", where: isSource, remedy: now },
  { words: "setTimeout (", where: inCore, remedy: "wait with Effect.sleep, which tests can hurry" },
  { words: "setInterval (", where: inCore, remedy: "repeat with Schedule, which tests can hurry" },
  { words: "Math . random", where: inCore, remedy: chance },
  { words: "crypto .", where: inCore, remedy: chance },
  { words: "process .", where: inCore, remedy: outside },
  { words: "console .", where: inCore, remedy: "log with Effect.log" },
  { words: "fetch (", where: inCore, remedy: outside },
  { words: "Buffer .", where: inCore, remedy: "bytes are Uint8Array; Bytes.ts has UTF-8" },
  { words: "Effect . runPromise", where: inCore, remedy: running },
  { words: "Effect . runSync", where: inCore, remedy: running },
  { words: "Effect . runFork", where: inCore, remedy: running },
  { words: "as any", where: anywhere, remedy: noAny },
  { words: ": any", where: anywhere, remedy: noAny },
  { words: "< any", where: anywhere, remedy: noAny },
  { words: ", any >", where: anywhere, remedy: noAny },
  { words: "| any", where: anywhere, remedy: noAny },
  { words: "any [", where: anywhere, remedy: noAny },
  ...["it", "test", "describe", "effect", "live", "prop", "layer"].flatMap((name) =>
    ["skip", "only", "todo", "fails"].map((mark) => ({ words: `${name} . ${mark}`, where: isTest, remedy: noSkip })),
  ),
]

/** By their first word. */
const banned = Map.groupBy(
  bans.map((ban) => ({ ...ban, row: ban.words.split(" ") })),
  ({ row: [first = ""] }) => first,
)

export const calls = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.flatMap((source) => {
    return source.tokens.flatMap((token, at) => {
      const ban = banned
        .get(token.text)
        ?.find(
          ({ where, row }) => where(source) && row.every((text, index) => isPlain(source.tokens[at + index], text)),
        )
      // Tests are methods of tests: `it.effect.skip`.
      const ofOther = source.tokens[at - 1]?.text === "." && ban?.remedy !== noSkip
      return ban === undefined || ofOther
        ? []
        : [{ path: source.path, line: token.line, what: `\`${ban.words.replaceAll(" . ", ".")}\``, remedy: ban.remedy }]
    })
  })

const isPlain = (token: Token | undefined, text: string): boolean =>
  token?.text === text && (token.kind === "word" || token.kind === "mark")

/** What makes a service out of a value, or gives it to an effect. */
const providing = new Set(["provideService", "provideServiceEffect", "make", "add", "succeed", "sync", "effect"])

export const wiring = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.filter(isSource).flatMap(({ path, tokens }) =>
    tokens.flatMap((token, at) =>
      /^provide(Merge)?$/.test(token.text) && tokens[at - 1]?.text === "." && tokens[at - 2]?.text === "Layer"
        ? [
            {
              path,
              line: token.line,
              what: `\`Layer.${token.text}\``,
              remedy:
                "layers are put together in the wiring files (test/tidy/Exemptions.ts); here, ask for the service",
            },
          ]
        : [],
    ),
  )

export const transactions = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.flatMap(({ path, tokens }) =>
    tokens.flatMap((token, at) => {
      const open = tokens[at + 1]
      if (!providing.has(token.text) || open?.text !== "(" || open.partner === undefined) return []
      const given = tokens.slice(at + 2, open.partner).some((each, index, within_) => {
        const [before, after] = [within_[index - 1]?.text, within_[index + 1]?.text]
        return each.text === "Transaction" && [undefined, ","].includes(before) && [undefined, ","].includes(after)
      })
      return given
        ? [
            {
              path,
              line: token.line,
              what: `\`${token.text}(Transaction\` says that a transaction is open`,
              remedy: "wrap the writes in `transact` of Transactor: only the two Transactor.ts open transactions",
            },
          ]
        : []
    }),
  )

/** SQL that stands in no `sql` template; prose selects and deletes from things too, but without these words after it. */
const statement =
  /^\s*(select\b[^]*\bfrom\s+[\w$]+\s[^]*\b(where|join|order by|group by|limit)\b|insert\s+into\s+\w+\s*\(|update\s+\w+\s+set\s|delete\s+from\s+\w+(\s+where\b|\s*$)|with\s+\w+\s+as\s*\()/i

/** The templates of a file, each with its placeholders as `$`. */
const templates = ({
  tokens,
}: Source): ReadonlyArray<{ readonly text: string; readonly line: number; readonly tag: string }> =>
  tokens.flatMap((token, at) => {
    const before = tokens[at - 1]
    if (token.kind === "string") return [{ text: token.text.slice(1, -1), line: token.line, tag: "" }]
    const continues = before?.text === "}" && before.partner !== undefined && tokens[before.partner]?.text === "${"
    if (token.kind !== "template" || continues) return []
    let text = token.text
    for (let next = at + 1; tokens[next]?.text === "${";) {
      const end = tokens[next]?.partner ?? tokens.length
      text += `$${tokens[end + 1]?.text ?? ""}`
      next = end + 2
    }
    const generic = before?.text === ">" ? tokens.findLastIndex((each, index) => index < at && each.text === "sql") : -1
    const tag = before?.kind === "word" ? before.text : generic !== -1 && tokens[generic + 1]?.text === "<" ? "sql" : ""
    return [{ text, line: token.line, tag }]
  })

/** SQL, and the clients that run it. */
export const sql = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.filter(isSource).flatMap((source) => {
    const written = [
      ...templates(source).filter(({ text, tag }) => tag === "sql" || statement.test(text)),
      ...source.tokens.filter(({ text }, at) => text === "unsafe" && source.tokens[at - 1]?.text === "."),
    ]
    const imported = importsOf(source).filter(
      ({ specifier }) => libraryOf(specifier) === "@effect/sql-pg" || specifier.startsWith("effect/sql"),
    )
    const remedy = "SQL stays in packages/adapters/src/postgres: ask through a port"
    return [
      ...imported.map(({ line, specifier }) => ({ path: source.path, line, what: `imports ${specifier}`, remedy })),
      ...written.map(({ line }) => ({ path: source.path, line, what: "SQL", remedy })),
    ]
  })

/** `select *` of a table: what comes back would depend on which migrations have run. */
export const stars = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> => {
  const shipped = sources.filter(isSource).map((source) => ({ path: source.path, templates: templates(source) }))
  const tables = new Set(
    shipped.flatMap(({ templates: all }) =>
      all.flatMap(({ text }) => [...text.matchAll(/create table (?:if not exists )?(\w+)/gi)].map((match) => match[1])),
    ),
  )
  const isTable = (name: string | undefined): boolean => tables.has(name)
  const starred = (text: string): boolean => {
    if (/\breturning\s+\*/i.test(text)) return true
    for (const [, from] of text.matchAll(/\bselect\s+\*\s+from\s+([\w$]+)/gi)) if (isTable(from)) return true
    for (const [, alias] of text.matchAll(/[\s,](\w+)\.\*/g)) {
      const bound = new RegExp(String.raw`\b(?:from|join|update|into|,)\s+(\w+)\s+(?:as\s+)?${alias}\b`, "i").exec(text)
      if (isTable(alias) || isTable(bound?.[1])) return true
    }
    return false
  }
  return shipped.flatMap(({ path, templates: all }) =>
    all
      .filter(({ text }) => starred(text))
      .map(({ line }) => ({
        path,
        line,
        what: "`select *`",
        remedy: "name the columns: the next migration adds one, and the previous version must go on working",
      })),
  )
}

const marks = /\b(TODO|FIXME|XXX|HACK)\b/
const codeLine =
  /^\/\/\s*(import .* from|export (const|class|function)|(const|let) \w+ =|return .*[;)]$|yield\* |if \(.*\{$|\}[;,)]*$)/
const somebodysMachine = /(?<![\w.:$}/-])\/(work|home|Users|root)\/\w/

/** Work left undone, checks turned off without a word, and code that is commented out. */
export const remarks = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> =>
  sources.flatMap((source) => {
    const inComments = source.comments.flatMap(({ text, line }) => {
      const say = (what: string, remedy: string) => [{ path: source.path, line, what, remedy }]
      const mark = marks.exec(text)?.[1]
      if (mark !== undefined) return say(mark, "do it, or say in an issue that it is to be done")
      if (/@ts-(ignore|nocheck)/.test(text))
        return say("a check turned off", "let the compiler check, or cast at the edge and say why")
      if (text.startsWith("// @ts-expect-error")) {
        return say("@ts-expect-error", "mistakes are shown to the compiler in test/misuses.ts of a package only")
      }
      if (/(oxlint|eslint|oxfmt)-(disable|ignore)/.test(text) && !/ -- \S/.test(text)) {
        return say("a rule of the linter turned off", "say why, after ` -- `")
      }
      return codeLine.test(text) ? say("code that is commented out", "take it away: the history has it") : []
    })
    const machine = source.text.split("\n").findIndex((text) => somebodysMachine.test(text))
    return machine === -1
      ? inComments
      : [
          ...inComments,
          {
            path: source.path,
            line: machine + 1,
            what: "a path of somebody's machine",
            remedy: "make it relative, or a setting",
          },
        ]
  })
