// Names, sizes, words and remarks: what one file shows by itself.
import { type Find, isContract, isSource, type Source, type Violation } from "./Source.ts"

const isPublished = (each: Source): boolean => isSource(each) || isContract(each)

/** What matches in code, with the remedy. */
const inCode =
  (what: string, pattern: RegExp, where: (source: Source) => boolean, remedy: string): Find =>
  (sources) =>
    sources
      .filter(where)
      .flatMap((source) =>
        Array.from(source.code.matchAll(pattern), ({ index }) => ({ ...source.at(index, what), remedy })),
      )

const statement =
  /["'`]\s*(select\b[^`"]*\bfrom\s+[\w$]+\s[^`"]*\b(where|join|order by|group by|limit)\b|insert\s+into\s+\w+\s*\(|update\s+\w+\s+set\s|delete\s+from\s+\w+(\s+where\b|\s*["'`])|with\s+\w+\s+as\s*\()|\bsql(<[^`;]*>)?`|\.unsafe\(/gi
const star = /\bselect\s+\*|[\s,]\w+\.\*(?=[\s,])|\breturning\s+\*/gi
const transaction =
  /\b(provideService|provideServiceEffect|make|add|succeed|sync|effect)\(\s*((?:[^(),;]|\([^()]*\))*,\s*)?Transaction\s*,/g

const withSql = /^packages\/adapters\/src\/((postgres|jobs|embedded)\/|FromConfig\.ts)/
const without = /^test\/tidy\/|\/(postgres|memory)\/kernel\/Transactor\.ts$/

export const sql = inCode(
  "SQL",
  statement,
  (each) => isSource(each) && !withSql.test(each.path),
  "SQL stays in packages/adapters/src/postgres: use a port",
)
export const stars = inCode("selects *", star, isSource, "name the columns: the next migration adds one")
export const transactions = inCode(
  "provides Transaction",
  transaction,
  ({ path }) => !without.test(path),
  "wrap the writes in Transactor.transact",
)

export const changes = inCode(
  "exports a constructor of changes",
  /export (const|function) \w+ = changeOf\("/g,
  isSource,
  "export the decisions that call it",
)

const emptyWord = /^(utils?|helpers?|impl|manager|misc)$/i
const emptyName = /^(common|shared|stuff|base|data|info|index|lib)$/i
const kind = /^(services?|repositor(y|ies)|controllers?|models?|interfaces?|types|entit(y|ies)|dtos?)$/i
const isEmpty = (name: string): boolean =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/).some((word) => emptyWord.test(word))

export const names: Find = (sources) =>
  sources.filter(isPublished).flatMap((source) => {
    const parts = source.path
      .replace(/\.(d\.)?ts$/, "")
      .split("/")
      .slice(2)
    const declared = source.code.matchAll(/^\s*(?:export )?(?:class|const|function|interface|type|let) (\w+)/gm)
    return [
      ...parts
        .filter((part, index) => isEmpty(part) || emptyName.test(part) || (kind.test(part) && index < parts.length - 1))
        .map((part) => source.at(0, part)),
      ...[...declared].flatMap(({ 0: all, 1: name = "", index }) =>
        isEmpty(name) ? [source.at(index + all.length, name)] : [],
      ),
    ]
  })

/** A line counts for the innermost function with a name: a service of short methods is short. */
export const functions: Find = (sources) =>
  sources.filter(isPublished).flatMap((source) => {
    const found: Array<Violation> = []
    const open = [{ inner: 0, hasFunction: false }]
    const enter = () => void open.push({ inner: 0, hasFunction: false })
    const mark = () => void Object.assign(open.at(-1) ?? {}, { hasFunction: true })
    const leave = ({ end, start }: { readonly start: number; readonly end: number }) => {
      const { hasFunction, inner } = open.pop() ?? { inner: 0, hasFunction: false }
      const lines = source.code.slice(start, end).split("\n")
      const own = lines.filter((line) => line.trim() !== "").length - inner
      for (const outer of open.slice(-1)) outer.inner += hasFunction ? own + inner : inner
      if (hasFunction && own > 70) found.push(source.at(start, `a function of ${own} lines`))
    }
    const isTitled = ({ arguments: [title] }: { readonly arguments: ReadonlyArray<{ readonly type: string }> }) =>
      (title?.type ?? "").endsWith("Literal")
    const named = ["VariableDeclarator", "Property", "PropertyDefinition", "MethodDefinition", "FunctionDeclaration"]
    source.visit({
      ...Object.fromEntries(
        named.flatMap((type) => [
          [type, enter],
          [`${type}:exit`, leave],
        ]),
      ),
      FunctionDeclaration: () => (enter(), mark()),
      FunctionExpression: mark,
      ArrowFunctionExpression: mark,
      CallExpression: (call) => (isTitled(call) ? enter() : undefined),
      "CallExpression:exit": (call) => (isTitled(call) ? leave(call) : undefined),
    })
    return found
  })

const codeLine =
  /^\/\/\s*(import .* from|export (const|class|function)|(const|let) \w+ =|return .*[;)]$|yield\* |if \(.*\{$|\}[;,)]*$)/
const isUnexplained = (text: string): boolean =>
  /(oxlint|eslint|oxfmt)-(disable|ignore)/.test(text) && !/ -- \S/.test(text)

/** A file without its first line, code in comments, a check switched off without a reason, a folder of one machine. */
export const remarks: Find = (sources) =>
  sources.flatMap((source) => [
    ...(isPublished(source) && !/^(\/\/ \S|\/\*\*?\s)/.test(source.text)
      ? [source.at(0, "begins without a comment")]
      : []),
    ...source.comments.flatMap(({ line, text }) =>
      codeLine.test(text) || isUnexplained(text) ? [{ path: source.path, line, what: text }] : [],
    ),
    ...Array.from(source.text.matchAll(/(?<![\w.:$}/-])\/(work|home|Users|root)\/\w/g), ({ 0: what, index }) =>
      source.at(index, what),
    ),
  ])

const words = /\b(whoever|whom|somebody|nobody|everybody|told|tells|stands|lies|of its own right|anew|hence)\b/gi
const openings = /^(?:\/[/*]+\s*)(By what|What is|Who is|Whoever)\b/gi
const title = /(?:\b(?:it|test|describe|effect|live|prop)|Test|\))\(\s*(["'`])(.*?)\1/g

/** In comments, documents, titles of tests and texts of the API. */
export const language: Find = (sources) =>
  sources.flatMap((source) => {
    const { code, comments, path } = source
    const inTest = /(^|\/)test\//.test(path) || isContract(source)
    const inApi = /^packages\/http\/src\/(api|admin|description)\//.test(path)
    const strings = code.matchAll(inTest ? title : inApi ? /(["`])((?:(?!\1)[^\\]|\\.)*)\1/g : /$^/g)
    const texts = Array.from(strings, ({ 2: text = "", index }) => ({ text, line: source.at(index, "").line }))
    return [...comments, ...texts].flatMap(({ line, text }, index) => {
      const isComment = index < comments.length && !path.endsWith(".md")
      const patterns = [words, ...(isComment ? [openings] : []), ...(isComment || inTest ? [/\bnews\b/gi] : [])]
      const found = patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([word, begin = word]) => begin))
      return found.map((word) => ({ path, line, what: `"${word}"`, subject: `${path} ${word.toLowerCase()}` }))
    })
  })
