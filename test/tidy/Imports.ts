// Who imports whom: every import, re-export and dynamic import of a file, and the file that it leads to.
import { packageOf, type Source } from "./Source.ts"
import type { Token } from "./Tokens.ts"

export interface Import {
  readonly specifier: string
  readonly line: number
  /** Gone when the program runs: `import type`, `export type … from`, `import("…")` in a type, `declare module`. */
  readonly typeOnly: boolean
  /** What is taken by name as a value, as the other file calls it; empty for a namespace. */
  readonly names: ReadonlyArray<string>
}

const unquoted = (token: Token): string => token.text.slice(1, -1)

/** Names taken as values: `type X` is none. */
const clauseNames = (clause: ReadonlyArray<Token>): ReadonlyArray<string> => {
  const from = clause.findIndex((token) => token.text === "{")
  if (from === -1) return []
  const names: Array<string> = []
  for (let at = from; at < clause.length; at++) {
    if (clause[at]?.text !== "{" && clause[at]?.text !== ",") continue
    const [name, after] = [clause[at + 1], clause[at + 2]]
    if (name?.kind === "word" && !(name.text === "type" && after?.kind === "word")) names.push(name.text)
  }
  return names
}

/** `import … from "x"`, `export … from "x"`: from its first word; undefined when the statement has no such form. */
const statement = (tokens: ReadonlyArray<Token>, at: number): Import | undefined => {
  const first = tokens[at]
  if (first === undefined) return undefined
  let end = at + 1
  for (; end < tokens.length; end++) {
    const token = tokens[end]
    if (token === undefined || token.kind === "string") break
    if (token.text === "{" && token.partner !== undefined) end = token.partner
    else if (token.kind !== "word" && token.text !== "*" && token.text !== ",") return undefined
  }
  const specifier = tokens[end]
  const before = tokens[end - 1]
  if (specifier === undefined || before === undefined) return undefined
  if (before !== first && before.text !== "from") return undefined
  const clause = tokens.slice(at + 1, end)
  return {
    specifier: unquoted(specifier),
    line: specifier.line,
    typeOnly: clause[0]?.text === "type" && clause[1]?.text !== "from",
    names: clauseNames(clause),
  }
}

/** `import("x")`; in a type, what follows is a name of the module or nothing that could be awaited. */
const dynamic = (tokens: ReadonlyArray<Token>, at: number): Import | undefined => {
  const specifier = tokens[at + 2]
  if (specifier?.kind !== "string") return undefined
  const [before, after] = [tokens[at - 1]?.text, tokens[at + 4]?.text]
  const inType = before === "typeof" || (after === "." && !["then", "catch"].includes(tokens[at + 5]?.text ?? ""))
  return { specifier: unquoted(specifier), line: specifier.line, typeOnly: inType, names: [] }
}

const importsOfTokens = function* (tokens: ReadonlyArray<Token>): Generator<Import> {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "word" || tokens[at - 1]?.text === ".") continue
    const next = tokens[at + 1]?.text
    const found =
      token.text === "import" && next === "("
        ? dynamic(tokens, at)
        : token.text === "import" && next === "." && tokens[at + 3]?.text === "resolve"
          ? dynamic(tokens, at + 3)
          : token.text === "import" || token.text === "export"
            ? statement(tokens, at)
            : undefined
    if (found !== undefined) yield found
  }
}

const known = new WeakMap<Source, ReadonlyArray<Import>>()

export const importsOf = (source: Source): ReadonlyArray<Import> => {
  const before = known.get(source)
  if (before !== undefined) return before
  const found = [...importsOfTokens(source.tokens)]
  known.set(source, found)
  return found
}

const joined = (folder: string, relative: string): string => {
  const parts = folder.split("/")
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

/** The file of the project that an import leads to, as the `exports` of the packages say; undefined for libraries. */
export const target = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return joined(from.slice(0, from.lastIndexOf("/")), specifier)
  const [, name, module = "Library"] = /^@tentpole\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  return name === "core" && module === "contract"
    ? "packages/core/contract/index.ts"
    : `packages/${name}/src/${module}.ts`
}

/** The name of the library, `@effect/sql-pg` of `@effect/sql-pg/PgClient`. */
export const libraryOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Whether a relative import steps out of its package, where a name belongs. */
export const leavesPackage = (from: string, specifier: string): boolean => {
  const to = specifier.startsWith(".") ? target(from, specifier) : undefined
  return to !== undefined && packageOf(to) !== packageOf(from)
}
