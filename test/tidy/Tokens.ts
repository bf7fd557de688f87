// TypeScript as a row of tokens: enough to know code from comments, strings and SQL, and which bracket closes which. The
// compiler that is installed offers no tree, and the rules need none.

export interface Token {
  readonly kind: "word" | "number" | "mark" | "string" | "template" | "regex"
  /** As written; of a template the text between backticks and placeholders. */
  readonly text: string
  readonly line: number
  /** Where it ends: another line for templates of several lines. */
  readonly endLine: number
  /** Of a bracket: the index of its partner. */
  partner?: number
}

export interface Comment {
  readonly text: string
  readonly line: number
}

export interface Tokens {
  readonly tokens: ReadonlyArray<Token>
  readonly comments: ReadonlyArray<Comment>
}

/** One alternative a kind of lexeme. `>` stands alone, so that the types of `Array<Array<A>>` close one by one. */
const lexeme = new RegExp(
  [
    String.raw`(?<space>\s+)`,
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
    String.raw`(?<word>[#@]?[\p{L}$_][\p{L}\p{N}$_]*)`,
    String.raw`(?<number>\d(?:[\w.]|[eE][+-]\d)*)`,
    String.raw`(?<mark>=>|\.\.\.|\?\.(?!\d)|\?\?=?|&&=?|\|\|=?|===?|!==?|<=|\*\*=?|\+\+|--|[-+*\/%&|^]=|[^\s\w])`,
  ].join("|"),
  "uy",
)
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const chunk = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y

const opening: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "${": "}" }
const beforeRegex = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "throw",
  "new",
  "yield",
  "await",
])

/** Whether a slash here begins a regular expression, and is no division. */
const beginsRegex = (before: Token | undefined): boolean =>
  before === undefined ||
  (before.kind === "mark" && ![")", "]", "}", "++", "--"].includes(before.text)) ||
  (before.kind === "word" && beforeRegex.has(before.text))

const take = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const linesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

export const tokenize = (text: string): Tokens => {
  const tokens: Array<Token> = []
  const comments: Array<Comment> = []
  const open: Array<number> = []
  let at = 0
  let line = 1

  const push = (kind: Token["kind"], lexed: string, length = lexed.length) => {
    const endLine = line + linesIn(lexed)
    tokens.push({ kind, text: lexed, line, endLine })
    line = endLine
    at += length
  }
  /** The text of a template from `at`, up to its next placeholder or past its closing backtick. */
  const pushChunk = () => {
    const [lexed = ""] = take(chunk, text, at) ?? []
    push("template", lexed)
    if (text.startsWith("${", at)) {
      open.push(tokens.length)
      push("mark", "${")
    } else at++
  }
  const pushMark = (mark: string) => {
    if (mark in opening) open.push(tokens.length)
    push("mark", mark)
    if (mark !== ")" && mark !== "]" && mark !== "}") return
    const index = open.pop()
    const partner = index === undefined ? undefined : tokens[index]
    const own = tokens.at(-1)
    if (index === undefined || partner === undefined || own === undefined) return
    if (opening[partner.text] !== mark) throw new Error(`line ${own.line}: ${mark} closes ${partner.text}`)
    partner.partner = tokens.length - 1
    own.partner = index
    if (partner.text === "${") pushChunk()
  }

  while (at < text.length) {
    if (text[at] === "`") {
      at++
      pushChunk()
      continue
    }
    const isRegex = text[at] === "/" && text[at + 1] !== "/" && text[at + 1] !== "*" && beginsRegex(tokens.at(-1))
    const found = isRegex ? take(regex, text, at) : take(lexeme, text, at)
    if (found === null) throw new Error(`line ${line}: ${JSON.stringify(text.slice(at, at + 20))} is no lexeme`)
    const [lexed] = found
    const { space, comment, string, word, number } = found.groups ?? {}
    if (isRegex) push("regex", lexed)
    else if (space !== undefined || comment !== undefined) {
      if (comment !== undefined) comments.push({ text: comment, line })
      line += linesIn(lexed)
      at += lexed.length
    } else if (string !== undefined) push("string", lexed)
    else if (word !== undefined) push("word", lexed)
    else if (number !== undefined) push("number", lexed)
    else pushMark(lexed)
  }
  return { tokens, comments }
}
