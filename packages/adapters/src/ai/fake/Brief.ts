// The brief of a prompt: its kind, topic, place, date, prices, offers and lists. Pure, and the same for the same prompt.
import { type ButtonBrief, buttonOf, type FormBrief, formOf } from "./Forms.ts"
import {
  bare,
  capital,
  dateIn,
  figures,
  freeEvent,
  freeTime,
  hours,
  leadingTime,
  percentage,
  price,
  stripped,
} from "./Figures.ts"
import { addressIn, ownerIn, peopleIn, placeIn, plansIn, withTown } from "./Plans.ts"
import {
  isEnumeration,
  type Sentence,
  isLayout,
  partsOf,
  sentencesOf,
  speaksOfItself,
  withoutQuotes,
} from "./Sentences.ts"
import { type Kind, kindOf, type Subject, subjectOf } from "./Subjects.ts"
import { jobTitle, topicOf, topicOfKind, withoutListWords } from "./Topic.ts"

export interface Point {
  readonly title: string
  readonly note: string | null
  readonly price: string | null
  readonly time: string | null
}

export type ListName =
  | "agenda"
  | "menu"
  | "plans"
  | "people"
  | "requirements"
  | "tasks"
  | "benefits"
  | "features"
  | "points"

export interface List {
  readonly name: ListName
  readonly points: ReadonlyArray<Point>
}

export interface Brief {
  readonly kind: Kind
  readonly subject: Subject
  /** The topic, worded for use within a sentence; empty when the prompt names none. */
  readonly topic: string
  /** A headline in the words of the prompt; null: the topic is the headline. */
  readonly title: string | null
  /** The name of the business, if the prompt gives it. */
  readonly owner: string | null
  readonly place: string | null
  /** In the words of the prompt: `Saturday, 5 December 2026 at 7 pm`. */
  readonly date: string | null
  readonly hours: string | null
  /** `20 % off all bread`. */
  readonly offers: ReadonlyArray<string>
  /** The prompt names or wants a code for a discount; `code` is null when it gives none. */
  readonly coupon: { readonly code: string | null } | null
  readonly lists: ReadonlyArray<List>
  /** Sentences of content. */
  readonly facts: ReadonlyArray<string>
  /** Named values: `Parking: behind the house`. */
  readonly data: ReadonlyArray<readonly [label: string, text: string]>
  readonly isFormal: boolean
  /** How many sections the prompt requests; null when it gives no number. */
  readonly cards_count: number | null
  /** The prompt names sections, reasons, features or the like. */
  readonly wantsCards: boolean
  readonly button: ButtonBrief | null
  readonly form: FormBrief | null
  /** Amounts and shares with their words, for those that nothing else shows. */
  readonly figures: ReadonlyArray<readonly [figure: string, words: string]>
}

const points_max = 40
/** Of an instruction. The figures of all pieces are read apart. */
const pieces_max = 200
const offers_max = 12
const offer_length_max = 70
const facts_max = 24
const figures_max = 200

const listWords: ReadonlyArray<readonly [ListName, RegExp]> = [
  ["agenda", /^(?:agenda|programme|program|schedule|timetable|topics?|contents?|line-?up|we cover|you will learn)$/i],
  ["menu", /^(?:menu|dishes|specials|drinks|price list|prices|treatments|courses|products|services|specialities)$/i],
  ["plans", /^(?:plans?|packages?|tiers?|pricing|rates|tickets?|subscriptions?)$/i],
  ["people", /^(?:speakers?|hosts?|team|trainers?|guests?|artists?|bands?)$/i],
  ["requirements", /^(?:requirements?|skills?|qualifications?|profile|you bring|must have|nice to have|languages?)$/i],
  ["tasks", /^(?:tasks?|duties|responsibilities|what you do|your role)$/i],
  ["benefits", /^(?:benefits?|perks?|we offer|reasons?|advantages?)$/i],
  [
    "features",
    /^(?:features?|highlights?|what's new|new|news|improvements?|changes?|fixes|sections?|topics covered)$/i,
  ],
]

const labelled =
  /(?:^|[\s,(])(agenda|programme|program|schedule|timetable|topics?|line-?up|menu|dishes|specials|drinks|price list|prices|treatments|courses|products|services|specialities|plans?|packages?|tiers?|pricing|rates|tickets?|speakers?|hosts?|trainers?|artists?|bands?|requirements?|skills?|qualifications?|you bring|tasks?|duties|responsibilities|benefits?|perks?|we offer|reasons?|features?|highlights?|what's new|improvements?|changes?)(?:\s(?:are|is|of|for|with|include|includes))?\s?(?::\s?([^\n]{2,2000})|\(([^()\n]{2,1000})\))/gi

interface Gathered {
  lists: Map<ListName, Array<Point>>
  offers: Array<string>
  facts: Array<string>
  data: Array<readonly [string, string]>
  title: string | null
  owner: string | null
  place: string | null
  date: string | null
  hours: string | null
  label: string | null
}

/** `masked`: a prompt without merge tokens. */
export const readBrief = (masked: string): Brief => {
  const text = masked.replace(jobTitle, "$1 for ")
  const sentences = sentencesOf(text)
  const all: Gathered = {
    lists: new Map(),
    offers: [],
    facts: [],
    data: [],
    title: null,
    owner: null,
    place: null,
    date: null,
    hours: null,
    label: null,
  }
  let open: ListName | null = null
  for (const sentence of sentences) open = gather(sentence, open, all)
  const requested = sentences.find(asksForContent) ?? sentences.find(isPlain)
  const kind = kindOf(requested?.text ?? "") === "general" ? kindOf(text) : kindOf(requested?.text ?? "")
  const whole = topicOf(requested?.text ?? "")
  const town = placeIn(text)
  const topic = topicOfKind(whole, kind, town)
  dropTopic(all.lists, topic)
  const named = subjectOf(topic)
  const written = withoutQuotes(text)
  return {
    kind,
    subject: named.label === null ? subjectOf(text) : named,
    topic,
    title: all.title ?? quoted(text, "(?:headline|title|heading)"),
    owner: all.owner ?? ownerIn(text),
    place: withTown(all.place, town),
    date: all.date,
    hours: all.hours,
    offers: [...new Set([...(freeEvent.test(text) ? ["Free of charge"] : []), ...all.offers])].slice(0, offers_max),
    coupon: couponOf(text),
    lists: [...all.lists].map(([name, points]) => ({ name, points: points.slice(0, points_max) })),
    facts: all.facts.filter((fact) => !isSame(fact, whole) && !isSame(fact, topic)).slice(0, facts_max),
    data: all.data.slice(0, facts_max),
    isFormal: /\bformal(?:ly)?\b/i.test(text) && !/\binformal/i.test(text),
    cards_count: requestedCards(text),
    wantsCards: /\b(?:newsletter|sections|features|products|highlights|reasons|benefits|news)\b/i.test(written),
    button: buttonOf(text, all.label),
    form: formOf(text, kind),
    figures: figuresOf(sentences),
  }
}

/** A prompt that only names its topic says nothing else. */
const isSame = (fact: string, topic: string): boolean =>
  stripped(fact, " .!").toLowerCase() === stripped(topic, " .!").toLowerCase()

/** Neither an order nor a named value nor a line of a list. */
const isPlain = ({ isBullet, isOrder, text }: Sentence): boolean =>
  !isOrder && !isBullet && !/^[^:]{1,40}:(?:\s|$)/.test(text)

/** An order that names what is wanted, and not only how. */
const asksForContent = ({ isOrder, text }: Sentence): boolean =>
  isOrder &&
  /\b(?:page|web ?site|site|one-pager|microsite|portfolio|blog|e-?mails?|newsletter|mailing|message|invitation|announcement|letter|reminder|job (?:offer|opening|ad)|vacancy)\b|^(?:please\s)?(?:announce|promote|advertise|launch|invite|publish|create|build|design|send|make|thank|remind|write|present|introduce)\s(?!(?:it|this|them|sure|in|with|for|as|like|simple|simply|short|everything|all)\b)/i.test(
    text,
  )

/** Sorts what a sentence says into the brief. Returns the list that following bullets belong to. */
const gather = ({ text, isOrder, isBullet }: Sentence, open: ListName | null, all: Gathered): ListName | null => {
  const heading = /^([\p{L}' -]{3,40}):$/u.exec(text)?.[1]
  if (heading !== undefined) return listNamed(heading.replace(/^(?:the|our|an?)\s/i, "")) ?? (isOrder ? null : "points")
  if (isBullet) {
    if (!speaksOfItself(text)) add(all.lists, open ?? "points", [pointOf(text)])
    return open
  }
  const pair = /^([\p{L}][\p{L}\d' _-]{1,30}):\s(.{1,400})$/su.exec(text)
  if (pair !== null && !isOrder && name(pair[1] ?? "", pair[2] ?? "", all)) return null
  let rest = text
  const open_hours = hours.exec(rest)
  if (open_hours?.[1] !== undefined) {
    all.hours ??= capital(open_hours[1].replace(/^from\s/i, ""))
    rest = rest.replace(open_hours[0], " ")
  }
  for (const [whole, label = "", afterColon, inBrackets] of rest.matchAll(labelled)) {
    const list = listNamed(label)
    if (list === null) continue
    add(
      all.lists,
      list,
      partsOf(afterColon ?? inBrackets ?? "")
        .slice(0, pieces_max)
        .filter((part) => !speaksOfItself(part))
        .map(pointOf),
    )
    rest = rest.replace(whole, " ")
  }
  rest = pricedOrNamed(rest, all)
  const dated = dateIn(rest)
  if (dated !== null) {
    const lead = dated.lead !== null && /^(?:until|till|through|by|before)/i.test(dated.lead) ? "Until " : ""
    all.date ??= lead + dated.date
  }
  if (isOrder) details(dated?.rest ?? rest, all)
  else if (text.length <= offer_length_max && (percentage.test(text) || freeTime.test(text)))
    all.offers.push(capital(stripped(text, " .!")))
  else if (isEnumeration(text)) add(all.lists, "features", partsOf(stripped(text, " .!")).map(pointOf))
  else if (stripped(rest, " ,.;:").length > 2) all.facts.push(sentenceOf(withoutListWords(text)))
  return null
}

/** Takes plans, speakers and an address out of a sentence. */
const pricedOrNamed = (text: string, all: Gathered): string => {
  const plans = plansIn(text)
  if (plans !== null) add(all.lists, "plans", plans.points)
  const people = peopleIn(text)
  if (people.length > 0) add(all.lists, "people", people.map(pointOf))
  const address = addressIn(text)
  all.place ??= address
  const taken = [...(plans?.parts ?? []), ...people, ...(address === null ? [] : [address])]
  return taken.reduce((rest, part) => rest.replace(part, ""), text)
}

const add = (lists: Map<ListName, Array<Point>>, list: ListName, points: ReadonlyArray<Point>): void => {
  const before = lists.get(list)
  if (before === undefined) lists.set(list, points.slice(0, points_max))
  else if (before.length < points_max) before.push(...points)
}

/** A detail that has become the topic is no point as well. */
const dropTopic = (lists: Map<ListName, Array<Point>>, topic: string): void => {
  const points = lists.get("points")?.filter(({ title }) => !topic.toLowerCase().includes(title.toLowerCase()))
  if (points === undefined) return
  if (points.length === 0) lists.delete("points")
  else lists.set("points", points)
}

const listNamed = (label: string): ListName | null =>
  listWords.find(([, words]) => words.test(label.trim()))?.[0] ?? null

/** `city: Bern`. False when it is no named value. */
const name = (label: string, text: string, all: Gathered): boolean => {
  const key = label.toLowerCase().trim().replaceAll(/[_-]/g, " ")
  const list = listNamed(key)
  if (list !== null) {
    add(all.lists, list, partsOf(text).map(pointOf))
    return true
  }
  if (/^(?:tone|style|voice|language|format|length|audience|target(?: group)?|goal|keywords?)$/.test(key)) return true
  if (/^(?:headline|title)$/.test(key)) all.title = text
  else if (/^(?:button|cta|call to action)$/.test(key)) all.label = text
  else if (/^(?:company|business|brand|shop name|name)$/.test(key)) all.owner = text
  else if (/^(?:city|place|town|location|venue|where)$/.test(key)) all.place = text
  else if (/^(?:date|when|day)$/.test(key)) all.date = capital(text)
  else if (/^(?:hours|opening|opening hours|opening times|open)$/.test(key)) all.hours = capital(text)
  else if (/^(?:offer|discount|promotion)$/.test(key)) all.offers.push(capital(text))
  else all.data.push([capital(key), text])
  return true
}

/** What an instruction names besides its topic: offers, prices, points. */
const details = (text: string, all: Gathered): void => {
  const said =
    /\b(?:mention|say|tell (?:people|them|readers|visitors|everybody)|explain|announce|point out|highlight)\sthat\s(.{3,300})$/is.exec(
      text,
    )?.[1]
  if (said !== undefined && !speaksOfItself(said)) {
    all.facts.push(sentenceOf(said))
    return
  }
  const begin = text.search(
    /[:(,]|\s(?:with|including|featuring|offering|that (?:has|have|offers?|shows?)|mention|plus)\s|\d\s?%|(?:€|\$|£|CHF)/i,
  )
  if (begin < 0) return
  const pieces = partsOf(text.slice(backToWords(text, begin)).replace(/[()]/g, ","))
  for (const piece of pieces.slice(0, pieces_max)) sort(piece, all)
}

/** A figure belongs to the words before it, up to a break. */
const backToWords = (text: string, at: number): number =>
  /[\d€$£%C]/.test(text[at] ?? "") ? Math.max(0, text.slice(0, at).search(/\S{1,30}\s?$/)) : at

const sort = (piece: string, all: Gathered): void => {
  const named = stripped(piece, " :,(-").replace(
    /^(?:(?:with|and|plus|also|including|featuring|offering|that (?:has|have|offers?|shows?)|mention|show|for only)\s){1,3}/i,
    "",
  )
  const text = stripped(named, " .!?:,").replace(/\s(?:opens?|is opening)(?:\s(?:at|in|on))?$/i, "")
  if (text.length < 3 || speaksOfItself(text)) return
  if (percentage.test(text) || /\b(?:off|discount|half price|two for one|2 for 1)\b/i.test(text)) {
    if (text.length <= 120 && /\boff\b|discount|%|percent|per cent|price|for 1|for one/i.test(text))
      all.offers.push(capital(text))
  } else if (/^free\s\p{L}/iu.test(text) && text.length <= offer_length_max) all.offers.push(capital(text))
  else if (price.test(text) || /\sfree$/i.test(text)) add(all.lists, "menu", [pointOf(text)])
  else if (leadingTime.test(text)) add(all.lists, "agenda", [pointOf(text)])
  else if (
    isLayout(text) ||
    /^(?:for|from|in|at|on|about|to|by|where|which|that|so|who|what|how|why|when)\b/i.test(text)
  )
    return
  else if (text.length <= 90 && /\s/.test(text))
    add(all.lists, "points", [pointOf(text.replace(/^(?:an?|the)\s/i, ""))])
}

/** `Team 12 € per user (up to 10 people)`, `16:00 bouldering contest`. */
const pointOf = (text: string): Point => {
  const [, time = null] = leadingTime.exec(text) ?? []
  const timed = time === null ? text : text.replace(leadingTime, "")
  const note = /\(([^()]{1,200})\)/.exec(timed)?.[1] ?? null
  const plain = timed.replace(/\s?\([^()]{0,200}\)/, "")
  const cost = price.exec(plain)?.[0].trim() ?? price.exec(note ?? "")?.[0].trim() ?? null
  const [free = null, freeNote = ""] =
    (cost === null ? /\s(?:is |are )?(?:for )?free(?:\s(.{1,80}))?$/is.exec(plain) : null) ?? []
  const named = plain
    .replace(cost ?? free ?? "\uE001", "")
    .replace(/\s(?:for|at|from|costs?|is|pays?|–|-|:)\s?$/i, "")
    .replace(/\s{2,}/g, " ")
  const title = stripped(named, " :,.;–-")
  return {
    title: capital(title || (cost ?? text)),
    note: (note === cost ? null : note) ?? (freeNote === "" ? null : freeNote),
    price: cost ?? (free === null ? null : "Free"),
    time,
  }
}

const sentenceOf = (text: string): string => {
  const line = capital(stripped(text, " ,:"))
  return /[.!?]$/.test(line) ? line : `${line}.`
}

const quoted = (text: string, what: string): string | null =>
  new RegExp(`\\b${what}\\b[^"“”'.\\n]{0,40}["“]([^"“”\\n]{1,120})["”]`, "i").exec(text)?.[1]?.trim() || null

const couponOf = (text: string): Brief["coupon"] => {
  const code = /\bcode\b[\s:]{0,3}(?:is\s)?["“']?([A-Z0-9][A-Z0-9-]{2,23})\b/.exec(text)?.[1] ?? null
  return code !== null || /\b(?:coupon|voucher|promo(?:tion(?:al)?)? code|discount code)\b/i.test(text)
    ? { code }
    : null
}

const numbers: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 }

const requestedCards = (prompt: string): number | null => {
  const match =
    /\b(two|three|four|five|six|[2-6])\s+(?:\w+\s+){0,2}?(?:sections|features|cards|products|columns|benefits|reasons|blocks)\b/i.exec(
      prompt,
    )?.[1]
  return match === undefined ? null : (numbers[match.toLowerCase()] ?? Number(match))
}

/** Each figure once, with the piece of the sentence around it unless that is an instruction. */
const figuresOf = (sentences: ReadonlyArray<Sentence>): Brief["figures"] => {
  const found = new Map<string, readonly [string, string]>()
  for (const { text } of sentences) {
    for (const piece of partsOf(text)) {
      for (const [figure] of piece.matchAll(figures)) {
        if (found.size >= figures_max) return [...found.values()]
        if (found.has(bare(figure))) continue
        const isPlain = piece.length <= 100 && !speaksOfItself(piece)
        const words = isPlain ? stripped(piece, " .,:()") : figure
        found.set(bare(figure), [figure, capital(words)])
      }
    }
  }
  return [...found.values()]
}
