// How long functions are, blank lines and comments apart. A line belongs to the innermost named function on it: a service
// that is one literal of twenty small methods is as long as its own few lines, while a method that is split into anonymous
// callbacks stays as long as it is. Named are declarations, methods, what a const or a property holds (through the calls
// it is wrapped in: `create: Effect.fn("Lists.create")(function* () {…})`), and what a title introduces
// (`it.effect("a law", () => …)`).
import type { Source } from "./Source.ts"
import type { Token } from "./Tokens.ts"

export interface Measured {
  readonly name: string
  readonly line: number
  readonly lines: number
}

interface Extent {
  /** Indexes of tokens: where parameters begin, and the last token. */
  readonly from: number
  readonly to: number
  readonly name: string | undefined
}

type Row = ReadonlyArray<Token>

const notMethods = new Set(["if", "for", "while", "switch", "catch", "with", "function", "return", "super", "await"])
const continuing = new Set(["as", "satisfies", "instanceof", "in", "of", "extends"])
const typeOperators = new Set(["|", "&", "=>", ".", "?", ":", ",", "keyof", "readonly", "typeof", "is", "asserts"])

/** What may stand between a name and the function that it holds. */
const passed = new Set([".", "(", ",", "<", ">", "*", "|"])

const isMark = (token: Token | undefined, ...marks: ReadonlyArray<string>): boolean =>
  token !== undefined && token.kind === "mark" && marks.includes(token.text)

/** Past the type arguments or parameters that begin here. */
const pastAngles = (row: Row, at: number): number => {
  let depth = 0
  for (let index = at; index < row.length; index++) {
    const token = row[index]
    if (isMark(token, "<")) depth++
    else if (isMark(token, ">") && --depth === 0) return index + 1
    else if (token?.partner !== undefined && token.partner > index) index = token.partner
  }
  return row.length
}

/** Past the type that begins here: to the `=>` or `{` of the body that it is the result of. */
const pastType = (row: Row, from: number): number => {
  let operand = true
  for (let at = from; at < row.length;) {
    const token = row[at]
    if (token === undefined) break
    if (isMark(token, "=>") || (isMark(token, "{") && !operand)) return at
    if (isMark(token, "<")) at = pastAngles(row, at)
    else if (token.partner !== undefined && token.partner > at) at = token.partner + 1
    else if (token.partner !== undefined) return at
    else at++
    operand = typeOperators.has(token.text)
  }
  return row.length
}

/** The last token of the expression that begins here: before a comma or a bracket that isn't its own, or where a new statement begins. */
const endOfExpression = (row: Row, from: number): number => {
  let at = from
  for (; at < row.length; at++) {
    const token = row[at]
    const before = row[at - 1]
    if (token === undefined) break
    if (isMark(token, ",", ";") || (token.partner !== undefined && token.partner < at)) break
    const fresh = at > from && before !== undefined && token.line > before.endLine
    const begins = token.kind !== "mark" && token.kind !== "template" && !continuing.has(token.text)
    const over = before !== undefined && (before.kind !== "mark" || isMark(before, ")", "]", "}", "!"))
    if (fresh && begins && over) break
    if (token.partner !== undefined) at = token.partner
  }
  return at - 1
}

/** The body behind the parameters that close at `close`: an arrow function's, or else a method's or function's block. */
const bodyAfter = (row: Row, close: number): { readonly arrow: boolean; readonly from: number } | undefined => {
  const at = isMark(row[close + 1], ":") ? pastType(row, close + 2) : close + 1
  if (isMark(row[at], "=>")) return { arrow: true, from: at + 1 }
  return isMark(row[at], "{") ? { arrow: false, from: at } : undefined
}

const endOfBody = (row: Row, from: number): number =>
  isMark(row[from], "{") ? (row[from]?.partner ?? from) : endOfExpression(row, from)

/** The name that a function is held under, read backwards from where it begins. */
const holder = (row: Row, from: number): string | undefined => {
  let afterArguments = false
  for (let at = from - 1; at >= 0; at--) {
    const token = row[at]
    const before = row[at - 1]
    if (token === undefined) return undefined
    if (isMark(token, ",") && before?.kind === "string") return before.text
    if (isMark(token, ",") && before?.kind === "template") return "a function titled by a template"
    if (isMark(token, "=") && !afterArguments) return nameBefore(row, at)
    if (isMark(token, ":") && !afterArguments) {
      return before?.kind === "word" || before?.kind === "string" ? before.text : undefined
    }
    const called = isMark(token, ")") && isMark(row[at + 1], "(")
    const argument = isMark(token, ")", "}", "]") && isMark(row[at + 1], ",")
    if ((called || argument) && token.partner !== undefined) {
      // A call of a call, `Effect.fn("name")(function* …)`; or an argument that stands between a title and its function.
      at = token.partner
      afterArguments ||= argument
    } else if (token.text === "return" || (token.kind === "mark" && !passed.has(token.text))) return undefined
  }
  return undefined
}

/** `const name: Type =`, `static readonly name =`: the word after the keyword. */
const nameBefore = (row: Row, equals: number): string | undefined => {
  const before = row[equals - 1]
  if (before?.kind === "word" && !isMark(row[equals - 2], ":", ".", "|", "&", ">")) return before.text
  for (let at = equals - 1; at >= 0 && at > equals - 200; at--) {
    const token = row[at]
    if (token?.partner !== undefined && token.partner < at) at = token.partner
    else if (token?.text === "const" || token?.text === "let" || token?.text === "readonly") return row[at + 1]?.text
  }
  return undefined
}

const methodName = (row: Row, paren: number): string | undefined => {
  const generics = isMark(row[paren - 1], ">")
  let at = paren - 1
  if (generics)
    for (let depth = 0; at >= 0; at--) {
      if (isMark(row[at], ">")) depth++
      if (isMark(row[at], "<") && --depth === 0) break
    }
  const name = row[generics ? at - 1 : at]
  const before = row[(generics ? at - 1 : at) - 1]
  return name?.kind === "word" && !notMethods.has(name.text) && before?.text !== "extends" && !isMark(before, ".")
    ? name.text
    : undefined
}

const functionKeyword = (row: Row, paren: number): { readonly at: number; readonly name?: string } | undefined => {
  for (let at = paren - 1; at >= 0 && at > paren - 60; at--) {
    const token = row[at]
    if (token?.text !== "function") {
      if (token?.kind === "word" || isMark(token, "*", "<", ">", ",", ".", "|", "&", "[", "]", "=")) continue
      return undefined
    }
    const name = row.slice(at + 1, paren).find((each) => each.kind === "word")
    return name === undefined ? { at } : { at, name: name.text }
  }
  return undefined
}

const extentsOf = function* (row: Row): Generator<Extent> {
  for (const [at, token] of row.entries()) {
    if (isMark(token, "=>") && row[at - 1]?.kind === "word" && !isMark(row[at - 2], ":", "<", "|", "&", ".", "is")) {
      // `x => …`: parameters without brackets.
      yield { from: at - 1, to: endOfBody(row, at + 1), name: holder(row, at - 1) }
    }
    if (!isMark(token, "(") || token.partner === undefined) continue
    const body = bodyAfter(row, token.partner)
    if (body === undefined) continue
    const keyword = body.arrow ? undefined : functionKeyword(row, at)
    if (body.arrow) yield { from: at, to: endOfBody(row, body.from), name: holder(row, at) }
    else if (keyword !== undefined) {
      yield { from: keyword.at, to: endOfBody(row, body.from), name: keyword.name ?? holder(row, keyword.at) }
    } else {
      const name = methodName(row, at)
      if (name !== undefined) yield { from: at - 1, to: endOfBody(row, body.from), name }
    }
  }
}

/** With the brackets that close the calls it was given to: `it.effect("a law", () => …)` ends with its bracket. */
const withClosing = (row: Row, to: number): number => {
  let last = to
  for (let at = to + 1; at < row.length; at++) {
    if (isMark(row[at], ")")) last = at
    else if (!isMark(row[at], ",")) break
  }
  return last
}

/** Every function that is measured by itself: the named ones, and those that stand in no other. */
export const measure = ({ tokens }: Source): ReadonlyArray<Measured> => {
  const all = [...extentsOf(tokens)].sort((left, right) => left.from - right.from || right.to - left.to)
  const stack: Array<Extent> = []
  const inner = new Map<Extent, Array<Extent>>()
  for (const each of all) {
    while (stack.length > 0 && (stack.at(-1)?.to ?? 0) < each.to) stack.pop()
    const outer = stack.at(-1)
    if (outer !== undefined && each.name === undefined) continue
    if (outer !== undefined) inner.get(outer)?.push(each)
    inner.set(each, [])
    stack.push(each)
  }
  return [...inner].map(([each, nested]) => {
    const lines = new Set<number>()
    const mark = (from: number, to: number, change: (line: number) => unknown) => {
      for (const token of tokens.slice(from, to + 1)) for (let at = token.line; at <= token.endLine; at++) change(at)
    }
    mark(each.from, each.to, (line) => lines.add(line))
    for (const { from, to } of nested) mark(from, withClosing(tokens, to), (line) => lines.delete(line))
    return { name: each.name ?? "a function without a name", line: tokens[each.from]?.line ?? 0, lines: lines.size }
  })
}
