// Names, sizes, words and remarks: what one file shows by itself.
import type { Violation } from "./Exemptions.ts"
import { type Find, isContract, isSource, type Source } from "./Source.ts"

const isPublished = (each: Source): boolean => isSource(each) || isContract(each)

/** Code that has one place. The linter restricts imports: SQL needs one. */
const placed: ReadonlyArray<
  readonly [what: string, where: (source: Source) => boolean, pattern: RegExp, remedy: string]
> = [
  [
    "selects *",
    isSource,
    /\bselect\s+\*|[\s,]\w+\.\*(?=[\s,])|\breturning\s+\*/gi,
    "name the columns: the next migration adds one",
  ],
  [
    "provides Transaction",
    ({ path }) => !/^test\/tidy\/|\/(postgres|memory)\/kernel\/Transactor\.ts$/.test(path),
    /\b(provideService|provideServiceEffect|make|add|succeed|sync|effect)\(\s*((?:[^(),;]|\([^()]*\))*,\s*)?Transaction\s*,/g,
    "wrap the writes in Transactor.transact",
  ],
  [
    "takes an advisory lock",
    ({ path }) => !/^test\/tidy|\/postgres\/kernel\/AdvisoryLocks\.ts$/.test(path),
    /\bpg_(try_)?advisory/g,
    "call AdvisoryLocks, and name what the lock protects in LockClass",
  ],
  [
    "writes counted rows",
    (each) =>
      isSource(each) &&
      !/\/(contacts\/Contact(Writes|Deletion|Merge)|lists\/ListWrites|imports\/ImportStore|flows\/Membership(Writes|Deletion)|messages\/(EmailMessageStore|Message(Acceptance|Line))|sending\/Delivery(Audience|Settle|Store)|blasts\/BlastStore|bounces\/ReportStore|tracking\/EngagementStore|operations\/(Privacy|Restore)Store)\.ts$/.test(
        each.path,
      ),
    /\b(insert into|delete from) (contact|list_member|flow_membership|delivery)\b|\bupdate delivery\b/g,
    "call the functions of these files, which move the stored counters too",
  ],
  [
    "exports a constructor of changes",
    isSource,
    /export (const|function) \w+ = changeOf\("/g,
    "export the decisions that call it",
  ],
]

export const misplaced: Find = (sources) =>
  placed.flatMap(([what, where, pattern, remedy]) =>
    sources
      .filter(where)
      .flatMap((each) => Array.from(each.code.matchAll(pattern), ({ index }) => ({ ...each.at(index, what), remedy }))),
  )

const emptyWord = /((?<![A-Za-z])(utils?|helpers?|impl|manager|misc)|Utils?|Helpers?|Impl|Manager|Misc)(?![a-z0-9])/
const emptyPath =
  /(?<=\/)(services?|repositor(y|ies)|controllers?|models?|interfaces?|types|entit(y|ies)|dtos?)\/|(?<=\/)(common|shared|stuff|base|data|info|index|lib)[/.]/gi

export const names: Find = (sources) =>
  sources.filter(isPublished).flatMap(({ at, code, path }) => [
    ...path
      .split(/[/.]/)
      .filter((part) => emptyWord.test(part))
      .map((part) => at(0, part)),
    ...Array.from(path.matchAll(emptyPath), ([part]) => at(0, part)),
    ...Array.from(code.matchAll(/^ *(?:export )?(?:class|const|function|interface|type|let) (\w+)/gm)).flatMap(
      ({ 1: name = "", index }) => (emptyWord.test(name) ? [at(index, name)] : []),
    ),
  ])

/** Attributes that a person reads or hears. */
const spokenAttributes = new Set(["alt", "aria-label", "description", "label", "placeholder", "title"])
/** Two letters of any alphabet: signs such as `·`, and single letters of keys, are no words. */
const word = /\p{L}{2,}/u

/** Words of the console stand in its dictionaries. */
export const spoken: Find = (sources) =>
  sources
    .filter(({ path }) => /^packages\/http\/console\/src\/.*\.tsx$/.test(path))
    .flatMap((source) => {
      const found: Array<Violation> = []
      const check = (text: unknown, start: number) => {
        if (typeof text === "string" && word.test(text)) found.push(source.at(start, `"${text.trim().slice(0, 40)}"`))
      }
      source.visit({
        JSXText: ({ start, value }) => check(value, start),
        JSXAttribute: ({ name, start, value }) => {
          if (name.type === "JSXIdentifier" && spokenAttributes.has(name.name) && value?.type === "Literal") {
            check(value.value, start)
          }
        },
      })
      return found
    })

const lengthOf = (code: string): number => (code.match(/^.*\S.*$/gm) ?? []).length

/** Published, with a declaration that is longer than a function may be. To visit the others too would take seconds. */
const isLong = (each: Source): boolean =>
  isPublished(each) && each.code.split(/^(?=(?:export|const|function|class)\b)/m).some((part) => lengthOf(part) > 70)

/** A line counts for the innermost function with a name: a service of short methods is short. */
export const functions: Find = (sources) =>
  sources.filter(isLong).flatMap((source) => {
    const found: Array<Violation> = []
    const open = [{ inner: 0, hasFunction: false }]
    const enter = () => void open.push({ inner: 0, hasFunction: false })
    const mark = () => void Object.assign(open.at(-1) ?? {}, { hasFunction: true })
    const leave = ({ end, start }: { readonly start: number; readonly end: number }) => {
      const { hasFunction, inner } = open.pop() ?? { inner: 0, hasFunction: false }
      const own = lengthOf(source.code.slice(start, end)) - inner
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
