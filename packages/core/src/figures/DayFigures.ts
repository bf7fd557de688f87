// Figures by day (UTC): contacts that were created, deleted or unsubscribed, those that subscribed to a topic or left it, and credits
// that were spent or returned. They are stored as sums, written with the rows that they count. Pure rules: what a change counts, and
// the reports of a range.
import type { DateTime } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { contactSources } from "../contacts/ContactPatch.ts"
import type { ContactsChange } from "../contacts/ContactsChange.ts"
import type { TopicId } from "../kernel/Ids.ts"
import { byCodePoint } from "../kernel/Text.ts"
import type { ChoiceMove } from "../topics/ChoicesChange.ts"
import { type TopicStatus, topicStatusOf } from "../topics/Topic.ts"
import { type Day, dayOf, type Days, other } from "../traffic/Analytics.ts"

export const contactFigures = ["contacts_created", "contacts_deleted", "contacts_unsubscribed"] as const
export const creditFigures = ["credits_spent", "credits_returned"] as const
export const topicFigures = ["topic_subscribed", "topic_unsubscribed"] as const
export type DayFigure = (typeof contactFigures)[number] | (typeof creditFigures)[number] | (typeof topicFigures)[number]

/** What the AI generates for a credit. */
export const creditKinds = ["email", "email_template", "tent", "tent_template"] as const
export type CreditKind = (typeof creditKinds)[number]

/** The sources of created contacts. */
export const countedSources = [...contactSources, other] as const
type CountedSource = (typeof countedSources)[number]

export interface DayCount {
  readonly day: Day
  readonly figure: DayFigure
  /** Of created contacts the source, of credits the kind, of topics the id; otherwise empty. */
  readonly detail: string
  readonly count: number
}

const counted = (at: DateTime.Utc, figure: DayFigure, detail = "", count = 1): DayCount => ({
  day: dayOf(at),
  figure,
  detail,
  count,
})

/** One count for each day, figure and detail, in this order: transactions that write the same counts lock them in the same order. */
const summed = (counts: ReadonlyArray<DayCount>): ReadonlyArray<DayCount> =>
  [...Map.groupBy(counts, ({ day, detail, figure }) => `${day} ${figure} ${detail}`)]
    .sort(([left], [right]) => byCodePoint(left, right))
    .flatMap(([, equal]) => equal.slice(0, 1).map((each) => ({ ...each, count: sum(equal) })))

const sum = (counts: ReadonlyArray<{ readonly count: number }>): number =>
  counts.reduce((total, { count }) => total + count, 0)

const sourceOf = ({ originalSource }: Contact): CountedSource =>
  contactSources.find((source) => source === originalSource) ?? other

const unsubscribes = (before: Contact | null, after: Contact | null): boolean =>
  before?.unsubscribed === false && after?.unsubscribed === true

/** What a change of contacts counts. A contact that is created unsubscribed counts as created only. */
export const countsOfContacts = ({
  creates = [],
  deletes = [],
  updates = [],
}: Partial<Pick<ContactsChange, "creates" | "deletes" | "updates">>): ReadonlyArray<DayCount> =>
  summed([
    ...creates.map((contact) => counted(contact.createdAt, "contacts_created", sourceOf(contact))),
    ...deletes.map(({ at }) => counted(at, "contacts_deleted")),
    ...updates.flatMap(({ after, before }) =>
      unsubscribes(before, after) ? [counted(after.updatedAt, "contacts_unsubscribed")] : [],
    ),
  ])

interface RecipientStep {
  readonly before: { readonly contact: Contact | null }
  readonly after: { readonly contact: Contact | null }
  readonly at: DateTime.Utc
}

/** What unsubscriptions and complaints count. Of several steps of one contact, the first that unsubscribes it counts. */
export const countsOfRecipients = (steps: ReadonlyArray<RecipientStep>): ReadonlyArray<DayCount> => {
  const unsubscribed = new Map<string, DayCount>()
  for (const { after, at, before } of steps) {
    const { contact } = after
    if (contact === null || !unsubscribes(before.contact, contact) || unsubscribed.has(contact.id)) continue
    unsubscribed.set(contact.id, counted(at, "contacts_unsubscribed"))
  }
  return summed([...unsubscribed.values()])
}

/**
 * What a change of choices counts: contacts that became subscribed to a topic, and those that no longer are. An act that changes no
 * status in force, such as a second consent, counts nothing. It counts on the day of its consent record.
 */
export const countsOfChoices = (
  moves: ReadonlyArray<Pick<ChoiceMove, "after" | "at" | "before" | "defaultSubscription" | "topicId">>,
): ReadonlyArray<DayCount> =>
  summed(
    moves.flatMap(({ after, at, before, topicId, ...topic }) => {
      const [was, is] = [before, after?.status ?? null].map((status) => isSubscribed(topic, status))
      return was === is ? [] : [counted(at, is === true ? "topic_subscribed" : "topic_unsubscribed", topicId)]
    }),
  )

const isSubscribed = (topic: Pick<ChoiceMove, "defaultSubscription">, status: TopicStatus | null): boolean =>
  topicStatusOf(topic, status === null ? null : { status }) === "subscribed"

export interface CreditsTaken {
  /** A negative number returns credits. */
  readonly credits: number
  readonly kind: CreditKind
}

export const countsOfCredits = ({ credits, kind }: CreditsTaken, at: DateTime.Utc): ReadonlyArray<DayCount> =>
  credits === 0 ? [] : [counted(at, credits > 0 ? "credits_spent" : "credits_returned", kind, Math.abs(credits))]

export interface ContactTotals {
  readonly created: number
  readonly deleted: number
  readonly unsubscribed: number
}

export interface ContactFigures {
  readonly points: ReadonlyArray<
    ContactTotals & {
      readonly day: Day
      /** Contacts at the end of the day. */
      readonly total: number
    }
  >
  readonly totals: ContactTotals
  /** Of as long a time before. */
  readonly before: ContactTotals
  /** Those with contacts, by count descending. */
  readonly bySource: ReadonlyArray<{ readonly source: CountedSource; readonly created: number }>
}

const totalsOf = (counts: ReadonlyArray<DayCount>): ContactTotals => ({
  created: sumOf("contacts_created", counts),
  deleted: sumOf("contacts_deleted", counts),
  unsubscribed: sumOf("contacts_unsubscribed", counts),
})

const sumOf = (figure: DayFigure, counts: ReadonlyArray<DayCount>): number =>
  sum(counts.filter((each) => each.figure === figure))

const isIn = ({ first, last }: Pick<Days, "first" | "last">, { day }: DayCount): boolean => day >= first && day <= last

const byDay = (counts: ReadonlyArray<DayCount>) => {
  const days = Map.groupBy(counts, ({ day }) => day)
  return (day: Day): ReadonlyArray<DayCount> => days.get(day) ?? []
}

/** The details of a figure that have a count, by count descending. */
const sharesOf = <Detail extends string>(
  figure: DayFigure,
  details: ReadonlyArray<Detail>,
  counts: ReadonlyArray<DayCount>,
) =>
  details
    .map((detail) => ({
      detail,
      count: sumOf(
        figure,
        counts.filter((each) => each.detail === detail),
      ),
    }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count)

/**
 * Of the days of a range. `counts` has all days from the first one of `former` on, also those after the range: the number of contacts
 * at the end of a day is the number of now, without what was counted later.
 */
export const toContactFigures = (
  { days, former }: { readonly days: Days; readonly former: Days },
  { contacts, counts }: { readonly counts: ReadonlyArray<DayCount>; readonly contacts: number },
): ContactFigures => {
  const within = counts.filter((each) => isIn(days, each))
  const later = totalsOf(counts.filter(({ day }) => day > days.last))
  const ofDay = byDay(within)
  let total = contacts - later.created + later.deleted
  const points = days.all.toReversed().map((day) => {
    const point = { day, ...totalsOf(ofDay(day)), total }
    total -= point.created - point.deleted
    return point
  })
  return {
    points: points.reverse(),
    totals: totalsOf(within),
    before: totalsOf(counts.filter((each) => isIn(former, each))),
    bySource: sharesOf("contacts_created", countedSources, within).map(({ count, detail }) => ({
      source: detail,
      created: count,
    })),
  }
}

export interface TopicTotals {
  readonly subscribed: number
  readonly unsubscribed: number
}

export interface TopicFigures {
  readonly topicId: TopicId
  readonly points: ReadonlyArray<TopicTotals & { readonly day: Day }>
  readonly totals: TopicTotals
  /** Of as long a time before. */
  readonly before: TopicTotals
}

const topicTotals = (counts: ReadonlyArray<DayCount>): TopicTotals => ({
  subscribed: sumOf("topic_subscribed", counts),
  unsubscribed: sumOf("topic_unsubscribed", counts),
})

/** Of the days of a range. `counts` has those of the topic, from the first day of `former` on. */
export const toTopicFigures = (
  topicId: TopicId,
  { days, former }: { readonly days: Days; readonly former: Days },
  { counts }: { readonly counts: ReadonlyArray<DayCount> },
): TopicFigures => {
  const within = counts.filter((each) => isIn(days, each))
  const ofDay = byDay(within)
  return {
    topicId,
    points: days.all.map((day) => ({ day, ...topicTotals(ofDay(day)) })),
    totals: topicTotals(within),
    before: topicTotals(counts.filter((each) => isIn(former, each))),
  }
}

export interface CreditFigures {
  readonly balance: number
  readonly points: ReadonlyArray<{ readonly day: Day; readonly spent: number; readonly returned: number }>
  /** Those with credits, by count descending. */
  readonly byKind: ReadonlyArray<{ readonly kind: CreditKind; readonly spent: number }>
}

export const toCreditFigures = (
  days: Days,
  { counts, credits }: { readonly counts: ReadonlyArray<DayCount>; readonly credits: number },
): CreditFigures => {
  const within = counts.filter((each) => isIn(days, each))
  const ofDay = byDay(within)
  return {
    balance: credits,
    points: days.all.map((day) => ({
      day,
      spent: sumOf("credits_spent", ofDay(day)),
      returned: sumOf("credits_returned", ofDay(day)),
    })),
    byKind: sharesOf("credits_spent", creditKinds, within).map(({ count, detail }) => ({ kind: detail, spent: count })),
  }
}
