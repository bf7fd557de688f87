// What a page may be called in the address: `<page domain>/<alias>`, or `/` for the page at the domain's root.
import { Brand, Result } from "effect"
import { Invalid } from "../kernel/Refusal.ts"

/** An alias that a tent may ask for. Whether another tent has it is the store's to say. */
export type Alias = Brand.Branded<string, "Alias">

export const alias_length_max = 100

/** The page at the domain's root. */
export const root: Alias = Brand.nominal<Alias>()("/")

/** How the root is spelled in the path of a DELETE. */
export const root_in_path = "__index__"

/** Names that the pages' origin needs for itself, or that would mislead a visitor. */
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
])

const spelling = /^[a-z0-9][a-z0-9._-]*$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What is wrong with a text as an alias, as the end of a sentence that begins with the field's name; null when nothing is. */
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

/** The alias, or every reason against it under `path`. */
export const toAlias = (path: string, text: string): Result.Result<Alias, Invalid> => {
  const fault = aliasFault(text)
  return fault === null && isAlias(text) ? Result.succeed(text) : Result.fail(Invalid.at(path, fault ?? ""))
}

/** `alias`, `alias-2`, `alias-3` …: cut so that each fits; the root has no second. */
export const nthAlias = (alias: Alias, n: number): Alias | null => {
  if (n === 1) return alias
  if (alias === root) return null
  const suffix = `-${n}`
  const text = alias.slice(0, alias_length_max - suffix.length) + suffix
  return isAlias(text) ? text : null
}

/** How far the search for a free one goes. */
export const alias_adjusted_max = 99_999

/** The beginning that every `nthAlias` of an alias shares: what a store looks up to know which are taken. */
export const aliasStem = (alias: Alias): string => alias.slice(0, alias_length_max - `-${alias_adjusted_max}`.length)

/**
 * The first of `alias`, `alias-2`, `alias-3` … from the `turn`th on that is free, and null when none is: always so for a
 * taken root.
 */
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
 * Reads what stands in the path of a DELETE or in `tentIdOrAlias`: a UUID of any version, an alias, the root. A reserved
 * word is well formed and names nothing; anything else is refused.
 */
export const readTentName = (path: string, text: string, spelledRoot: string): Result.Result<TentName, Invalid> => {
  if (text === spelledRoot) return Result.succeed({ by: "alias", alias: root })
  const lower = text.toLowerCase()
  if (uuid.test(lower)) return Result.succeed({ by: "id", id: lower })
  if (reservedAliases.has(text)) return Result.succeed({ by: "nothing" })
  if (text === root) return Result.fail(Invalid.at(path, `must be ${spelledRoot} for the page at the domain's root`))
  return Result.map(toAlias(path, text), (alias) => ({ by: "alias", alias }))
}
