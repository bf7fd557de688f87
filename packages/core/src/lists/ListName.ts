// How a list is called: what a name may be, and which names and slugs to try when the wanted ones are taken. A store is
// asked which of the candidates are taken; what becomes of the answer is decided here.
import { Schema } from "effect"
import { fold, isBlank, slugify } from "../kernel/Text.ts"

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

/** `given`: the caller's, refused when it is taken. `derived`: made up from something else, and numbered when it is taken. */
export interface WantedName {
  readonly text: string
  readonly origin: "given" | "derived"
}

/** Names and slugs to try, best first. */
export interface NameCandidates {
  readonly names: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<string>
}

/** Which of the candidates other lists have: names in folded form. */
export interface TakenNames {
  readonly names: ReadonlySet<string>
  readonly slugs: ReadonlySet<string>
}

/** How often a name or a slug is numbered before a derived name is refused, and a slug gets random characters. */
const numbered_max = 50

const numbers = Array.from({ length: numbered_max - 1 }, (_, index) => index + 2)

/** Cuts between characters, so that no surrogate pair is torn apart. */
const cut = (text: string, length_max: number): string => text.slice(0, length_max).replace(/[\uD800-\uDBFF]$/, "")

const withSuffix = (text: string, suffix: string): string => cut(text, name_length_max - suffix.length) + suffix

/** `random` is a UUID: where a name has no Latin letters, or every number is taken, a slug gets six characters of it. */
export const nameCandidates = ({ text, origin }: WantedName, random: string): NameCandidates => {
  const digits = random.replaceAll("-", "")
  // Not those that tell a UUID's version and variant, which all have in common.
  const sixes = [digits.slice(0, 6), digits.slice(6, 12), digits.slice(18, 24), digits.slice(24, 30)]
  const base = slugify(text)
  const slugs =
    base === ""
      ? sixes.map((six) => `list-${six}`)
      : [base, ...numbers.map((number) => `${base}-${number}`), ...sixes.map((six) => `${base}-${six}`)]
  const names =
    origin === "given" ? [text] : [withSuffix(text, ""), ...numbers.map((number) => withSuffix(text, ` (${number})`))]
  return { names, slugs }
}

/** The first candidates that are free; a part is undefined when none is. */
export const freeName = (candidates: NameCandidates, taken: TakenNames) => ({
  name: candidates.names.find((name) => !taken.names.has(fold(name))),
  slug: candidates.slugs.find((slug) => !taken.slugs.has(slug)),
})
