// The files that the rules look at, and what a rule answers.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Tokens, tokenize } from "./Tokens.ts"

export interface Source extends Tokens {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly text: string
}

/** Something that a rule forbids: where it is, and what to do about it. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly what: string
  readonly remedy: string
  /** The name of what offends, where an exemption goes by names. */
  readonly subject?: string
}

export const root = fileURLToPath(new URL("../../", import.meta.url))

export const source = (path: string, text: string): Source => ({ path, text, ...tokenize(text) })

const skipped = new Set(["node_modules", "dist", "fixtures"])

const walk = function* (folder: string): Generator<string> {
  for (const entry of readdirSync(`${root}${folder}`, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* walk(path)
    } else if (entry.name.endsWith(".ts")) yield path
  }
}

/** Every TypeScript file of the project, tests too. */
export const project = (): ReadonlyArray<Source> =>
  [...walk("packages"), ...walk("test")].sort().map((path) => {
    try {
      return source(path, readFileSync(`${root}${path}`, "utf8"))
    } catch (cause) {
      throw new Error(`${path} can't be read as TypeScript: ${String(cause)}`, { cause })
    }
  })

/** What is shipped: the sources of the packages. */
export const isSource = ({ path }: { readonly path: string }): boolean => /^packages\/\w+\/src\//.test(path)

/** The laws of the ports: shipped too, but only tests run them. */
export const isLaw = ({ path }: { readonly path: string }): boolean => path.startsWith("packages/core/contract/")

/** What an embedder gets: sources and laws. */
export const isShipped = (it: { readonly path: string }): boolean => isSource(it) || isLaw(it)

export const packageOf = (path: string): string => /^packages\/(\w+)\//.exec(path)?.[1] ?? "test"
