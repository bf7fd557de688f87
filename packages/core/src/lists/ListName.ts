// Names and slugs of lists: limits, and the candidates to try when a name or slug is taken.
import { Schema } from "effect"
import type { ListId } from "../kernel/Ids.ts"
import { fold, isBlank, nameWith, slugify } from "../kernel/Text.ts"

export const name_length_max = 255
export const description_length_max = 1000

const nameMessage = `must have 1 to ${name_length_max} characters, and not only white space`

export const ListName = Schema.String.check(
  Schema.isMinLength(1, { message: nameMessage }),
  Schema.isMaxLength(name_length_max, { message: nameMessage }),
  Schema.makeFilter((name: string) => name === "" || !isBlank(name) || nameMessage),
).annotate({ examples: ["Spring customers"] })

export const ListDescription = Schema.String.check(
  Schema.isMaxLength(description_length_max, { message: `must have at most ${description_length_max} characters` }),
)

/** `given`: from the caller, refused if taken. `derived`: generated, and numbered if taken. */
export interface WantedName {
  readonly text: string
  readonly origin: "given" | "derived"
}

/** Names and slugs in the order of preference. */
export interface NameCandidates {
  readonly names: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<string>
}

/** The candidates that other lists have. */
export interface TakenNames {
  /** Names in folded form, with the lists that have them. */
  readonly names: ReadonlyMap<string, ListId>
  readonly slugs: ReadonlySet<string>
}

/** The highest number to try. After it a derived name is refused, and a slug gets random characters. */
const numbered_max = 50

const numbers = Array.from({ length: numbered_max - 1 }, (_, index) => index + 2)

/** `random` is a UUID. A slug contains six digits of it if the name has no Latin letters, or if all numbers are taken. */
export const nameCandidates = ({ text, origin }: WantedName, random: string): NameCandidates => {
  const digits = random.replaceAll("-", "")
  // Without the digits of the UUID's version and variant, which do not vary.
  const sixes = [digits.slice(0, 6), digits.slice(6, 12), digits.slice(18, 24), digits.slice(24, 30)]
  const base = slugify(text)
  const slugs =
    base === ""
      ? sixes.map((six) => `list-${six}`)
      : [base, ...numbers.map((number) => `${base}-${number}`), ...sixes.map((six) => `${base}-${six}`)]
  const suffixes = ["", ...numbers.map((number) => ` (${number})`)]
  const names = origin === "given" ? [text] : suffixes.map((suffix) => nameWith(text, suffix, name_length_max))
  return { names, slugs }
}

/** The first free candidates; undefined where none is free. */
export const freeName = (candidates: NameCandidates, taken: TakenNames) => ({
  name: candidates.names.find((name) => !taken.names.has(fold(name))),
  slug: candidates.slugs.find((slug) => !taken.slugs.has(slug)),
})
