import { assert, describe, it } from "@effect/vitest"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { contactSources, newContact, patchContact } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange, type ContactStep } from "@tentpole/core/contacts/ContactsChange"
import {
  countedSources,
  countsOfContacts,
  countsOfCredits,
  countsOfRecipients,
  creditKinds,
  type DayCount,
  toContactFigures,
  toCreditFigures,
} from "@tentpole/core/figures/DayFigures"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { type Days, dayOf, daysBetween } from "@tentpole/core/traffic/Analytics"
import { DateTime, Schema } from "effect"

const day_ms = 86_400_000
const days_count = 12
const at = (day: number, ms = 0) => DateTime.makeUnsafe(Date.parse("2026-05-01T00:00:00Z") + day * day_ms + ms)

/** The days from one on, before another. */
const daysOf = (from: number, to: number): Days => daysBetween({ from: at(from), to: at(to) })

const below = (limit: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit - 1 }))

const Move = Schema.Struct({
  who: below(4),
  what: Schema.Literals(["create", "unsubscribe", "resubscribe", "delete"]),
  source: Schema.Literals([...contactSources, "a fair"]),
  /** After the move before. */
  days_later: below(2),
})
const Moves = Schema.Array(Move).check(Schema.isMaxLength(40))

interface DatedStep {
  readonly day: number
  readonly step: ContactStep
}

const stepOf = (
  { source, what, who }: typeof Move.Type,
  before: Contact | null,
  nth: number,
  now: DateTime.Utc,
): ContactStep | null => {
  if (what === "create") {
    if (before !== null) return null
    const id = ContactId.make(`00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`)
    const email = parseEmail(`p${who}@x.test`) ?? null
    const patch = { email, ...(source === "a fair" ? { originalSource: source } : {}) }
    return { before, after: newContact(id, patch, source === "a fair" ? "api" : source, now), at: now }
  }
  if (before === null) return null
  if (what === "delete") return { before, after: null, at: now }
  return { before, after: patchContact(before, { unsubscribed: what === "unsubscribe" }, now), at: now }
}

/** The possible ones of the moves, at ascending times. */
const played = (moves: ReadonlyArray<typeof Move.Type>): ReadonlyArray<DatedStep> => {
  const present = new Map<number, Contact>()
  let day = 0
  return moves.flatMap((move, nth) => {
    day = Math.min(days_count - 1, day + move.days_later)
    const step = stepOf(move, present.get(move.who) ?? null, nth, at(day, nth))
    if (step === null) return []
    if (step.after === null) present.delete(move.who)
    else present.set(move.who, step.after)
    return [{ day, step }]
  })
}

/** Each in a change of its own. */
const countsOf = (steps: ReadonlyArray<DatedStep>) =>
  steps.flatMap(({ step }) => countsOfContacts(ContactsChange.of([step])))

const sum = (counts: ReadonlyArray<DayCount>, figure: DayCount["figure"]) =>
  counts.reduce((total, each) => total + (each.figure === figure ? each.count : 0), 0)

const isUnsubscription = ({ after, before }: ContactStep) => before?.unsubscribed === false && after?.unsubscribed

const options = { arbitrary: { runs: 200, size: 200 } }

describe("countsOfContacts", () => {
  it.prop(
    "counts each creation with its source, each deletion and each new unsubscription, on its day",
    [Moves],
    ([moves]) => {
      for (const { day, step } of played(moves)) {
        const counts = countsOfContacts(ContactsChange.of([step]))
        const one = { day: dayOf(at(day)), detail: "", count: 1 }
        if (step.before === null && step.after !== null) {
          const source = step.after.originalSource === "a fair" ? "other" : step.after.originalSource
          assert.deepStrictEqual(counts, [{ ...one, figure: "contacts_created", detail: source ?? "" }])
        } else if (step.after === null) {
          assert.deepStrictEqual(counts, [{ ...one, figure: "contacts_deleted" }])
        } else {
          assert.deepStrictEqual(counts, isUnsubscription(step) ? [{ ...one, figure: "contacts_unsubscribed" }] : [])
        }
      }
    },
    options,
  )

  it.prop(
    "counts creations without deletions as many as there are contacts, for any division into changes",
    [Moves, below(40)],
    ([moves, cut]) => {
      const steps = played(moves).map(({ step }) => step)
      const parts = [steps.slice(0, cut), steps.slice(cut)]
      const counts = parts.flatMap((part) => countsOfContacts(ContactsChange.of(part)))
      const last = new Map(steps.map((step) => [(step.after ?? step.before)?.id, step.after]))
      const present = [...last.values()].filter((after) => after !== null).length
      assert.strictEqual(sum(counts, "contacts_created") - sum(counts, "contacts_deleted"), present)
      assert.isTrue(counts.every(({ count }) => count > 0))
    },
    options,
  )

  it("has one count for each day, figure and detail, in this order", () => {
    const contact = (n: number, patch: object = {}, day = 3) =>
      newContact(ContactId.make(`00000000-0000-4000-8000-00000000000${n}`), patch, "form", at(day))
    const creates = [contact(1), contact(2, { originalSource: "import" }), contact(3), contact(4, {}, 2)]
    const counts = countsOfContacts({ creates, deletes: [{ before: contact(5), at: at(2) }] })
    assert.deepStrictEqual(
      counts.map(({ count, day, detail, figure }) => `${day} ${figure} ${detail} ${count}`),
      [
        "2026-05-03 contacts_created form 1",
        "2026-05-03 contacts_deleted  1",
        "2026-05-04 contacts_created form 2",
        "2026-05-04 contacts_created import 1",
      ],
    )
  })

  it("counts a contact that is created unsubscribed as created only", () => {
    const after = newContact(
      ContactId.make("00000000-0000-4000-8000-000000000001"),
      { email: parseEmail("a@x.test") ?? null, unsubscribed: true },
      "api",
      at(1),
    )
    const counts = countsOfContacts(ContactsChange.of([{ before: null, after, at: at(1) }]))
    assert.deepStrictEqual(
      counts.map(({ figure }) => figure),
      ["contacts_created"],
    )
  })
})

describe("countsOfRecipients", () => {
  const contact = newContact(ContactId.make("00000000-0000-4000-8000-000000000001"), {}, "api", at(0))
  const gone = { ...contact, unsubscribed: true }
  const step = (before: Contact | null, after: Contact | null, day = 1) => ({
    before: { contact: before },
    after: { contact: after },
    at: at(day),
  })

  it("counts a contact once, on the day of its first unsubscription", () => {
    const steps = [step(contact, contact, 1), step(contact, gone, 2), step(contact, gone, 3), step(gone, gone, 4)]
    assert.deepStrictEqual(countsOfRecipients(steps), [
      { day: "2026-05-03", figure: "contacts_unsubscribed", detail: "", count: 1 },
    ])
  })

  it("counts no contact that was unsubscribed before, or is deleted", () => {
    assert.deepStrictEqual(countsOfRecipients([step(gone, gone), step(null, null), step(contact, contact)]), [])
  })
})

describe("toContactFigures", () => {
  const between = below(days_count - 1)
  it.prop(
    "has each day of the range with the number of contacts at its end, for any history before, in and after it",
    [Moves, between, between],
    ([moves, first, length]) => {
      const steps = played(moves)
      const counts = countsOf(steps)
      const [from, to] = [first, Math.min(days_count, first + 1 + length)]
      const before = from - (to - from)
      const range = { days: daysOf(from, to), former: daysOf(before, from) }
      const presentAt = (day: number) =>
        steps.reduce((total, { step, day: when }) => {
          if (when > day) return total
          return total + (step.before === null ? 1 : step.after === null ? -1 : 0)
        }, 0)
      const stored = { counts: counts.filter(({ day }) => day >= range.former.first), contacts: presentAt(days_count) }
      const found = toContactFigures(range, stored)
      const ofDays = (begin: number, end: number) => {
        const within = countsOf(steps.filter(({ day }) => day >= begin && day < end))
        return {
          created: sum(within, "contacts_created"),
          deleted: sum(within, "contacts_deleted"),
          unsubscribed: sum(within, "contacts_unsubscribed"),
        }
      }
      assert.deepStrictEqual(
        found.points,
        range.days.all.map((day, nth) => ({
          day,
          ...ofDays(from + nth, from + nth + 1),
          total: presentAt(from + nth),
        })),
      )
      assert.deepStrictEqual([found.totals, found.before], [ofDays(from, to), ofDays(before, from)])
      assert.strictEqual(
        found.bySource.reduce((total, { created }) => total + created, 0),
        found.totals.created,
      )
    },
    options,
  )

  it("lists sources with contacts, most frequent first", () => {
    const created = (detail: string, count: number) => ({
      day: dayOf(at(1)),
      figure: "contacts_created" as const,
      detail,
      count,
    })
    const counts = [created("api", 2), created("form", 5), created("other", 2)]
    const { bySource } = toContactFigures({ days: daysOf(1, 2), former: daysOf(0, 1) }, { counts, contacts: 9 })
    assert.deepStrictEqual(bySource, [
      { source: "form", created: 5 },
      { source: "api", created: 2 },
      { source: "other", created: 2 },
    ])
    assert.deepStrictEqual(countedSources, ["api", "import", "form", "flow", "other"])
  })
})

describe("credits", () => {
  const Taken = Schema.Struct({
    day: below(days_count),
    credits: Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 3 })),
    kind: Schema.Literals(creditKinds),
  })
  it.prop(
    "spent and returned credits of a range add up to what was taken in it",
    [Schema.Array(Taken).check(Schema.isMaxLength(30)), below(days_count - 1)],
    ([taken, from]) => {
      const counts = taken.flatMap(({ day, ...its }) => countsOfCredits(its, at(day)))
      const found = toCreditFigures(daysOf(from, days_count), { counts, credits: 7 })
      assert.lengthOf(found.points, days_count - from)
      for (const [nth, { day, returned, spent }] of found.points.entries()) {
        const its = taken.filter((each) => each.day === from + nth)
        assert.strictEqual(day, dayOf(at(from + nth)))
        assert.strictEqual(
          spent - returned,
          its.reduce((total, { credits }) => total + credits, 0),
        )
      }
      const spent = found.points.reduce((total, point) => total + point.spent, 0)
      assert.deepStrictEqual([found.balance, found.byKind.reduce((total, each) => total + each.spent, 0)], [7, spent])
    },
    options,
  )
})
