// The files that the rules read, parsed.
import { globSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor, type VisitorObject } from "oxc-parser"
import type { Violation } from "./Exemptions.ts"

interface Import {
  readonly line: number
  /** The imported file of this project. */
  readonly to: string | undefined
  /** Names imported as values. */
  readonly names: ReadonlyArray<string>
}

export interface Source {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly text: string
  /** The text with blanks for comments. */
  readonly code: string
  /** In Markdown: the lines outside of code. */
  readonly comments: ReadonlyArray<{ readonly text: string; readonly line: number }>
  readonly imports: ReadonlyArray<Import>
  readonly visit: (visitor: VisitorObject) => void
  /** A violation at an offset of the text. */
  readonly at: (offset: number, what: string, subject?: string) => Violation
}

export type Find = (sources: ReadonlyArray<Source>) => ReadonlyArray<Violation>

export const root = fileURLToPath(new URL("../../", import.meta.url))

const targetOf = (path: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier)
  const [, name, module = "Library"] = /^@tentpole\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  return module === "contract" ? `packages/${name}/contract/index.ts` : `packages/${name}/src/${module}.ts`
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

export const source = (path: string, text: string): Source => {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  const lineOf = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1
  const at = (offset: number, what: string, subject = "") => ({ path, line: lineOf(offset), what, subject })
  if (path.endsWith(".md")) {
    const prose = text.replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, blank)
    const comments = prose.split("\n").map((line, index) => ({ text: line, line: index + 1 }))
    return { path, text, code: "", comments, imports: [], visit: () => {}, at }
  }
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors.map(({ message }) => message).join(", ")}`)
  const { dynamicImports, staticExports, staticImports } = parsed.module
  const requests = [
    ...staticImports,
    ...[...staticExports.flatMap(({ entries }) => entries), ...dynamicImports].flatMap(({ moduleRequest }) =>
      moduleRequest === null ? [] : [{ moduleRequest, entries: [] }],
    ),
  ]
  const imports = requests.map(({ entries, moduleRequest: { end, start } }) => {
    const names = entries.flatMap(({ importName, isType }) => (isType ? [] : [importName.name ?? "*"]))
    return { line: lineOf(start), to: targetOf(path, text.slice(start + 1, end - 1)), names }
  })
  const ends = [0, ...parsed.comments.map(({ end }) => end)]
  const gaps = [...parsed.comments, { start: text.length, end: text.length }].map(
    ({ end, start }, index) => text.slice(ends[index], start) + blank(text.slice(start, end)),
  )
  const comments = parsed.comments.map(({ end, start }) => ({ text: text.slice(start, end), line: lineOf(start) }))
  const visit = (visitor: VisitorObject) => new Visitor(visitor).visit(parsed.program)
  return { path, text, code: gaps.join(""), comments, imports, visit, at }
}

const files = [
  "packages/*/{src,contract,test}/**/*.ts",
  "packages/http/console/{src,test}/**/*.{ts,tsx}",
  "test/**/*.ts",
  "*.md",
  "docs/**/*.md",
  "packages/*/*.md",
]

/** Every TypeScript file of the project, tests too, and its documents; or those that `wanted` selects by their paths. */
export const project = (wanted: (file: { readonly path: string }) => boolean = () => true): ReadonlyArray<Source> =>
  globSync(files, { cwd: root, exclude: ["**/fixtures/**", "test/dist/**"] })
    .filter((path) => wanted({ path }))
    .sort()
    .map((path) => source(path, readFileSync(root + path, "utf8")))

/** Sources of the packages. */
export const isSource = ({ path }: { readonly path: string }): boolean =>
  /^packages\/(\w+|http\/console)\/src\//.test(path)

/** Contract suites of the ports: published, but only tests run them. */
export const isContract = ({ path }: { readonly path: string }): boolean => path.startsWith("packages/core/contract/")
