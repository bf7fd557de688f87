// The alias of a page: `<page domain>/<alias>`, or `/` for the page at the domain's root.
import { Brand, Result } from "effect"
import { Invalid } from "../kernel/Refusal.ts"

/** A well-formed alias. Only the store knows whether another tent has it. */
export type Alias = Brand.Branded<string, "Alias">

export const alias_length_max = 100

/** The page at the domain's root. */
export const root: Alias = Brand.nominal<Alias>()("/")

/** The root as the path parameter of a DELETE spells it. */
export const root_in_path = "__index__"

/** Names that the pages' origin uses itself, or that would mislead a visitor. */
export const reservedAliases: ReadonlySet<string> = new Set([
  "api",
  "admin",
  "submit",
  "assets",
  "v1",
  "www",
  "static",
  "health",
  "healthz",
  "robots.txt",
  "sitemap.xml",
  "favicon.ico",
  ".well-known",
  root_in_path,
  "t",
  "f",
  "o",
  "c",
  "u",
  "v",
  "s",
])

const spelling = /^[a-z0-9][a-z0-9._-]*$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Why a text is no alias, as a clause that follows the field's name; null for a valid alias. */
export const aliasFault = (text: string): string | null => {
  if (text === root) return null
  if (text === "") return "must not be empty: leave it out for the default address, or send / for the domain's root"
  if (text.length > alias_length_max) {
    return `must have at most ${alias_length_max} characters, got ${text.length}`
  }
  if (reservedAliases.has(text)) return `must not be the reserved word "${text}"`
  if (!spelling.test(text)) {
    return "must be lowercase letters, digits, hyphens, underscores and dots, beginning with a letter or digit; or / for the domain's root"
  }
  if (uuid.test(text)) return "must not be a UUID"
  return null
}

export const isAlias = (text: string): text is Alias => aliasFault(text) === null

/** The alias, or a refusal at `path`. */
export const toAlias = (path: string, text: string): Result.Result<Alias, Invalid> => {
  const fault = aliasFault(text)
  return fault === null && isAlias(text) ? Result.succeed(text) : Result.fail(Invalid.at(path, fault ?? ""))
}

/** `alias`, `alias-2`, `alias-3` …, cut to the maximum length. Null for a second root. */
export const nthAlias = (alias: Alias, n: number): Alias | null => {
  if (n === 1) return alias
  if (alias === root) return null
  const suffix = `-${n}`
  const text = alias.slice(0, alias_length_max - suffix.length) + suffix
  return isAlias(text) ? text : null
}

/** The largest suffix that `firstFree` tries. */
export const alias_adjusted_max = 99_999

/** The prefix that every `nthAlias` of an alias shares. A store reads the taken aliases by it. */
export const aliasStem = (alias: Alias): string => alias.slice(0, alias_length_max - `-${alias_adjusted_max}`.length)

/** The first free one of `alias`, `alias-2`, … from the `turn`th on. Null when none is, or the root is taken. */
export const firstFree = (alias: Alias, taken: ReadonlySet<string>, turn = 1): Alias | null => {
  for (let n = turn; n <= alias_adjusted_max; n++) {
    const candidate = nthAlias(alias, n)
    if (candidate === null) return null
    if (!taken.has(candidate)) return candidate
  }
  return null
}

/** A tent as the caller of DELETE or of analytics names it. */
export type TentName =
  | { readonly by: "id"; readonly id: string }
  | { readonly by: "alias"; readonly alias: Alias }
  | { readonly by: "nothing" }

/**
 * Decodes the path parameter of a DELETE or `tentIdOrAlias`: a UUID of any version, an alias, or the root. A reserved word
 * is well formed and names no tent. Other texts are refused.
 */
export const readTentName = (path: string, text: string, spelledRoot: string): Result.Result<TentName, Invalid> => {
  if (text === spelledRoot) return Result.succeed({ by: "alias", alias: root })
  const lower = text.toLowerCase()
  if (uuid.test(lower)) return Result.succeed({ by: "id", id: lower })
  if (reservedAliases.has(text)) return Result.succeed({ by: "nothing" })
  if (text === root) return Result.fail(Invalid.at(path, `must be ${spelledRoot} for the page at the domain's root`))
  return Result.map(toAlias(path, text), (alias) => ({ by: "alias", alias }))
}
