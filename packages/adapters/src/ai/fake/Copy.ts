// The words that pages and emails of the fake AI share: headline, pitch, sample lists, and the owner's name.
import type { Brand } from "@tentpole/core/ports/Ai"
import type { Palette } from "@tentpole/core/rendering/Palette"
import type { Brief, List, ListName, Point } from "./Brief.ts"
import { capital, dateIn } from "./Figures.ts"
import { generalCards, labelOfKind } from "./Subjects.ts"

/** What a page or an email is composed from. */
export interface Parts {
  readonly brief: Brief
  readonly brand: Brand | null
  readonly palette: Palette
}

/** `otherwise`: the headline of a prompt without a topic. */
export const headlineOf = (brief: Brief, otherwise: string): string => {
  const { kind, title, topic } = brief
  if (title !== null) return title
  const plain = plainTopic(topic)
  if (plain === "" || readers.test(plain)) return brief.offers[0] ?? nameOfKind(brief) ?? otherwise
  if (kind === "pricing" && !/\b(?:pric|plan|rates|tickets)/i.test(plain)) return `Plans and prices for ${topic}`
  if (kind === "webinar") {
    const about =
      /^(?:our\s)?(?:[\p{L}-]{2,12}\s){0,2}(?:webinar|workshop|masterclass|live session)\s(?:on|about)\s(.{3,})$/iu.exec(
        plain,
      )
    return capital(about?.[1] ?? plain)
  }
  if (kind === "update" && !/\b(?:new|news|update|updates|release|changelog|version)\b/i.test(plain))
    return `What is new in ${topic}`
  if (kind === "waiting-list") return capital(plain.replace(/^(?:our|an?|the)\s/i, ""))
  return capital(plain)
}

/** What a page without a topic is about. */
const nameOfKind = ({ kind, subject }: Brief): string | null => {
  if (kind === "pricing") return labelOfKind.pricing
  return subject.isBusiness ? subject.label : null
}

/** A topic that names the readers only: "an email for our customers". */
const readers =
  /\b(?:customers|subscribers|members|guests|readers|clients|contacts|fans|users|friends|regulars|everybody|everyone)$/i

/** Without the words that only introduce it: `job offer for a baker`, `restaurant called Ann's`. */
export const plainTopic = (topic: string): string =>
  topic
    .replace(/\s(?:called|named)\s.{1,80}$/is, "")
    .replace(/^(?:our|my|the|all)\s(?:customers|subscribers|members|guests|readers|clients)\s(?:about|on)\s/i, "")
    .replace(
      /^(?:an?\s|the\s|our\s)?(?:job|position|vacancy|job offer|job opening|open position)\s(?:for|as|of)\s/i,
      "",
    )
    .replace(/^(?:event\s)?sign-?up\s(?:page\s)?for\s/i, "")
    .replace(/^(?:an?|the|my)\s/i, "")

/** Null when neither the brand nor the prompt names one. An internal name is never shown. */
export const ownerOf = ({ owner }: Brief, brand: Brand | null): string | null => brand?.name ?? owner

/** A few words above the headline. */
export const kickerOf = ({ kind, subject, place }: Brief): string | null => {
  // The headline says that these are plans and prices.
  if (kind === "pricing") return subject.isBusiness ? subject.label : null
  const label = labelOfKind[kind] ?? subject.label
  const business =
    label !== subject.label && kind !== "event" && kind !== "webinar" && kind !== "job" ? subject.label : null
  const parts = [business, label, townOf(place)].filter((part): part is string => part !== null)
  return parts.length === 0 ? null : parts.join(" · ")
}

/** `Bern` of `Kramgasse 12, Bern`. */
const townOf = (place: string | null): string | null => place?.split(", ").at(-1) ?? null

/** One or two sentences below the headline. */
export const pitchOf = (brief: Brief, headline: string): string => {
  const { date, facts, kind, offers, place, topic } = brief
  const fact = leadsWithFact(kind) ? facts[0] : undefined
  const about = topic === "" ? headline : topic
  const when = date === null ? "" : spoken(date)
  const town = townOf(place)
  const where = town === null || topic.includes(town) ? "" : ` in ${town}`
  switch (kind) {
    case "sale":
      return join(
        offers.length === 0
          ? capital(plainTopic(about)) === headline
            ? "Come by and look around"
            : capital(about)
          : when === ""
            ? "Come by and save"
            : "The offer is valid",
        when,
        fact,
      )
    case "pricing":
      return fact ?? "Choose the plan that fits. Change it whenever you like."
    case "webinar":
      return join("Join us online", when, fact)
    case "waiting-list":
      return fact ?? `We are working on ${about}. Leave your address, and you hear from us first.`
    case "job":
      return "Read what we are looking for, and send us your application."
    case "event":
      return join(when === "" ? `You are invited${where}` : "You are invited", when, fact)
    case "opening":
      return join(when + where === "" ? "Come in and look around" : `Our doors open${where}`, when, fact)
    case "restaurant":
      return `Look at the menu, see when we are open, and reserve your table${where}.`
    case "update":
      return `Here is what is new${topic === "" ? "" : ` in ${plainTopic(topic)}`}.`.replace(
        / in (?:new|news|update|release)\b.*$/i,
        ".",
      )
    default:
      return fact ?? `Everything about ${about}${where} at a glance.`
  }
}

/** `on 5 May at 3 pm`, `from 1 to 7 May`, `until Saturday`. */
const spoken = (date: string): string => {
  if (/^until /i.test(date)) return ` until${date.slice(5)}`
  if (/^(?:\p{L}+,? )?\d{1,2}\w{0,2}(?: ?[–-] ?| to | until )\d/u.test(date)) return ` from ${date}`
  return ` ${/^(?:next|this) /i.test(date) ? date.charAt(0).toLowerCase() + date.slice(1) : `on ${date}`}`
}

const join = (text: string, when: string, fact: string | undefined): string => {
  const said = when.trim() !== "" && dateIn(text) !== null ? "" : when
  return `${text}${said}.${fact === undefined ? "" : ` ${fact}`}`
}

const leadsWithFact = (kind: Brief["kind"]): boolean => kind !== "job" && kind !== "restaurant" && kind !== "update"

/** The facts that the pitch does not show. */
export const moreFacts = ({ facts, kind }: Brief): ReadonlyArray<string> =>
  leadsWithFact(kind) ? facts.slice(1) : facts

const point = (title: string, rest: Partial<Point> = {}): Point => ({
  title,
  note: null,
  price: null,
  time: null,
  ...rest,
})

/** A list with `isSample`: the prompt gives none, and a page of its kind needs one. */
export interface ShownList extends List {
  readonly title: string
  readonly isSample: boolean
}

const titles: Readonly<Record<ListName, string>> = {
  agenda: "Programme",
  menu: "Prices",
  plans: "Plans",
  people: "With",
  requirements: "What you bring",
  tasks: "What you do",
  benefits: "What you get",
  features: "What is in it",
  points: "Good to know",
}

const titleOf = ({ name }: List, { kind }: Brief): string => {
  if (name === "menu" && kind === "restaurant") return "Menu"
  if (name === "agenda" && kind === "webinar") return "Agenda"
  if (name === "people" && kind === "webinar") return "Speakers"
  if (name === "features" && kind === "update") return "What is new"
  if (name === "features" && (kind === "event" || kind === "opening")) return "What awaits you"
  if (name === "points" && kind === "job") return "About the job"
  return titles[name]
}

/** The lists of the prompt in the order of a page, and samples for those that the kind of page needs. */
export const listsOf = (brief: Brief): ReadonlyArray<ShownList> => {
  const lists = named(brief).map((list) => ({ ...list, title: titleOf(list, brief), isSample: false }))
  const sample = lists.some(({ name }) => needed[brief.kind]?.includes(name) === true) ? null : sampleOf(brief)
  const shown = sample === null ? lists : [...lists, { ...sample, title: titleOf(sample, brief), isSample: true }]
  return shown.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
}

const order: ReadonlyArray<ListName> = [
  "plans",
  "agenda",
  "menu",
  "people",
  "tasks",
  "requirements",
  "features",
  "benefits",
  "points",
]

const needed: Readonly<Partial<Record<Brief["kind"], ReadonlyArray<ListName>>>> = {
  pricing: ["plans"],
  webinar: ["agenda"],
  restaurant: ["menu"],
  job: ["requirements", "tasks", "points"],
}

/** Prices on a pricing page are those of plans, whatever the prompt calls them; those of a job are what it pays. */
const named = ({ kind, lists }: Brief): ReadonlyArray<List> => {
  if (kind === "job") return lists.map((list) => (list.name === "menu" ? payOf(list) : list))
  if (kind !== "pricing" || lists.some(({ name }) => name === "plans")) return lists
  return lists.map((list) => (list.points.some(({ price }) => price !== null) ? { ...list, name: "plans" } : list))
}

const payOf = ({ points }: List): List => ({
  name: "benefits",
  points: points.map((each) => (each.title === each.price ? { ...each, price: null } : each)),
})

const sampleOf = ({ kind, subject, topic }: Brief): List | null => {
  const products = (name: "plans" | "menu"): List => ({
    name,
    points: (subject.products.length > 0 ? subject.products : standard).map(([title, cost]) =>
      point(title, { price: cost }),
    ),
  })
  switch (kind) {
    case "pricing":
      return products("plans")
    case "restaurant":
      return products("menu")
    case "webinar":
      return {
        name: "agenda",
        points: [point("Welcome"), point(capital(topic) || "The subject"), point("Questions and answers")],
      }
    case "job":
      return {
        name: "requirements",
        points: [
          point("Joy in the work"),
          point("Experience in a similar position"),
          point("Reliability and good ideas"),
        ],
      }
    default:
      return null
  }
}

const standard = [
  ["Basic", "10"],
  ["Standard", "20"],
  ["Premium", "40"],
] as const

/** Cards of sample text; none when the prompt's own lists fill the page and it requests no sections. */
export const cardsOf = (
  { cards_count, kind, subject, topic }: Brief,
  lists: ReadonlyArray<ShownList>,
): ReadonlyArray<readonly [string, string]> => {
  const points_count = lists.reduce((sum, { points }) => sum + points.length, 0)
  const isFull = kind === "pricing" || kind === "webinar" || kind === "job" || kind === "event" || points_count > 3
  const count = cards_count ?? (isFull && lists.length > 0 ? 0 : 3)
  const about = topic === "" ? "it" : topic.length > 60 ? "it" : topic
  return [...subject.cards, ...generalCards]
    .filter(([title], at, all) => all.findIndex(([other]) => other === title) === at)
    .slice(0, count)
    .map(([title, text]) => [title, text.replaceAll("{}", about)])
}

/** Named values in a row: when, where, and what the prompt names. */
export const valuesOf = ({ data, date, hours, kind, place }: Brief): ReadonlyArray<readonly [string, string]> => [
  ...(date === null ? [] : [whenOf(date, kind)]),
  ...(hours === null ? [] : [["Opening hours", hours] as const]),
  ...(place === null ? [] : [["Where", place] as const]),
  ...data,
]

const whenOf = (date: string, kind: Brief["kind"]): readonly [string, string] =>
  /^until /i.test(date)
    ? [kind === "job" ? "Apply until" : "Valid until", date.slice("until ".length)]
    : [kind === "job" ? "Start" : "When", date]

/** The label of the button that leads to the form or to the details. */
export const callOf = ({ button, form, kind }: Brief): string => {
  if (button?.label != null) return button.label
  if (form !== null) return form.heading
  return detailCalls[kind] ?? "See the details"
}

const detailCalls: Readonly<Partial<Record<Brief["kind"], string>>> = {
  pricing: "Compare the plans",
  restaurant: "See the menu",
  event: "See the programme",
  sale: "See the offer",
  update: "See what is new",
}
