// Plans, speakers, places and names in a sentence of a prompt: `Free for 500 contacts, 9 EUR for 5,000`, `speakers Ann Lee and Bo Chen`.
import { capital, price, stripped } from "./Figures.ts"
import { partsOf } from "./Sentences.ts"

interface Offered {
  /** The piece of the sentence. */
  readonly part: string
  readonly cost: string
  /** What the price is for: `5,000 contacts`. */
  readonly quantity: string
}

/** A piece that begins with its price. */
const offered = (part: string): Offered | null => {
  const text = part.replace(/^(?:it's|it is|for only|only|from)\s/i, "")
  const found = price.exec(text)
  const cost = /^free\b/i.test(text) ? text.slice(0, "free".length) : found?.index === 0 ? found[0].trim() : ""
  const rest = text.slice(cost.length)
  const quantity = stripped(rest.replace(/^\s(?:for|up to|with)\s(?:up to\s)?/i, ""), " .;!")
  return cost === "" || rest === "" || quantity === stripped(rest, " .;!") || quantity.length > 60
    ? null
    : { part, cost, quantity }
}

/** The plans of a sentence and their pieces; null when it has fewer than two. */
export const plansIn = (text: string) => {
  const found = partsOf(text.slice(text.search(/:\s/) + 1)).flatMap((part) => offered(part) ?? [])
  if (found.length < 2) return null
  // "9 EUR for 5,000" is for 5,000 of what the other plans name.
  const units = found.map(({ quantity }) => /^[\d.,'’]{1,15}k?\s(\p{L}.*)$/iu.exec(quantity)?.[1])
  const unit = units.find((each) => each !== undefined)
  const points = found.map(({ cost, quantity }) => ({
    title: capital(unit !== undefined && /^[\d.,'’]+k?$/i.test(quantity) ? `${quantity} ${unit}` : quantity),
    note: null,
    price: capital(cost),
    time: null,
  }))
  return { points, parts: found.map(({ part }) => part) }
}

const person = /^\p{Lu}[\p{L}'’.-]{1,24}(?:\s\p{Lu}[\p{L}'’.-]{1,24}){1,3}(?:\s\([^()]{1,60}\))?$/u
const read_length_max = 400

/** Names that follow "speakers" or "hosts" without a colon. */
export const peopleIn = (text: string): ReadonlyArray<string> => {
  const begin = /\b(?:speakers?|hosts?|trainers?)\s(?=\p{Lu})/u.exec(text)
  if (begin === null) return []
  const after = text.slice(begin.index + begin[0].length, begin.index + begin[0].length + read_length_max)
  const names = partsOf(after).flatMap((part) => part.split(" and ").map((each) => stripped(each, " .,")))
  const end = names.findIndex((each) => !person.test(each))
  return end < 0 ? names : names.slice(0, end)
}

const noPlaces =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Spring|Summer|Autumn|Winter|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|French|German|Italian|Spanish|English|Dutch|Portuguese|Polish|HTML|CSS|CHF|EUR|USD|GBP)\b/

/** `in Bern`, `at Lake Park`. */
export const placeIn = (text: string): string | null => {
  const place =
    /\b(?:in|at)\s(?:the\s)?([A-Z][\p{L}'’-]{1,24}(?:\s[A-Z][\p{L}'’-]{2,24}){0,2})/u.exec(text)?.[1] ?? null
  return place === null || noPlaces.test(place) ? null : place
}

/** `Kramgasse 12, Bern`; the town may be missing: `at Kramgasse 12`. */
export const addressIn = (text: string): string | null => {
  const [address, street = ""] =
    /\b(\p{Lu}[\p{L}.'’-]{2,30})\s\d{1,4}[a-z]?,\s\p{Lu}\p{L}{2,24}\b/u.exec(text) ??
    /(?<=\bat\s)(\p{Lu}[\p{L}.'’-]{2,30})\s\d{1,4}[a-z]?\b(?!\s?[\d:%])/u.exec(text) ??
    []
  return address === undefined || noPlaces.test(street) ? null : address
}

/** An address without a town gets that of the prompt. */
export const withTown = (place: string | null, town: string | null): string | null =>
  place === null || town === null || place.includes(town) || !/^[^,]{1,60}\s\d{1,4}[a-z]?$/.test(place)
    ? (place ?? town)
    : `${place}, ${town}`

const business =
  "(?:shop|store|bakery|café|cafe|restaurant|pizzeria|bistro|trattoria|studio|salon|company|agency|bar|gym|school|hotel|app|tool|platform|software)"
const businessName = "(\\p{Lu}[\\p{L}\\d&'’-]{1,24}(?:\\s\\p{Lu}[\\p{L}\\d&'’-]{0,24}){0,2})"
/** `the restaurant Da Nino`, `our new bicycle shop Velo Haus opens`. */
const afterBusiness = new RegExp(`\\b${business}\\s${businessName}`, "u")
/** `Postbird, a newsletter tool`. */
const beforeBusiness = new RegExp(`${businessName},\\san?\\s(?:[\\p{L}-]{1,20}\\s){0,2}${business}\\b`, "u")

const calledIn = (text: string): string | null =>
  /\b(?:called|named)\s(?:["“]([^"“”\n]{2,60})["”]|((?:[A-Z][\p{L}\d&'’.-]{1,24})(?:\s(?:[A-Z&][\p{L}\d&'’.-]{0,24}|and|of|the)){0,3}))/u
    .exec(text)
    ?.slice(1)
    .find((found) => found !== undefined)
    ?.replace(/[\s.]+$|\s(?:and|of|the)$/g, "") ?? null

/** The name of the business. */
export const ownerIn = (text: string): string | null => {
  const introduced = afterBusiness.exec(text)?.[1] ?? beforeBusiness.exec(text)?.[1] ?? null
  return calledIn(text) ?? (introduced === null || noPlaces.test(introduced) ? null : introduced)
}
