// Tests of the rules of merges: which values stay, and what the change says.
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import {
  endingMemberships,
  mergedContact,
  type MergePair,
  mergeSides,
  type MergingMembership,
} from "@tentpole/core/contacts/Merge"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { FlowId, MembershipId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { id, later, now } from "./Batches.ts"

const choice = Schema.NullOr(Schema.Boolean)
const text = Schema.NullOr(Schema.Literals(["Bern", "Rome"]))

const Side = Schema.Struct({
  email: Schema.NullOr(Schema.Literals(["a", "b"])),
  hasPhone: Schema.Boolean,
  city: text,
  company: text,
  score: Schema.NullOr(Schema.Literals([1, 2])),
  custom: text,
  unsubscribed: Schema.Boolean,
  marketingEmailSubscribed: choice,
  marketingSmsSubscribed: choice,
  marketingEmailInvalid: Schema.Boolean,
  lastActivity_ms: Schema.NullOr(Schema.Literals([5, 6])),
})

/** Two contacts never have the same address or number. */
const contactOf = (n: number, given: typeof Side.Type): Contact => {
  const email = given.email === null ? null : parseEmail(`${given.email}${n}@example.org`)
  return {
    ...blankContact(id(n), now),
    email: email?.written ?? null,
    emailNormalized: email?.normalized ?? null,
    phone: given.hasPhone || email === null ? `+1415200000${n}` : null,
    city: given.city,
    company: given.company,
    serviceScore: given.score,
    customFields: given.custom === null ? {} : { size: given.custom },
    unsubscribed: given.unsubscribed,
    marketingEmailSubscribed: given.marketingEmailSubscribed,
    marketingSmsSubscribed: given.marketingSmsSubscribed,
    marketingEmailInvalid: given.marketingEmailInvalid && email !== null,
    lastActivityAt: given.lastActivity_ms === null ? null : DateTime.makeUnsafe(given.lastActivity_ms),
  }
}

const Drawn = {
  left: Side,
  right: Side,
  prefer: Schema.Literals(mergeSides),
  cityFrom: Schema.NullOr(Schema.Literals(mergeSides)),
}

const pairOf = (left: typeof Side.Type, right: typeof Side.Type): MergePair<Contact> => ({
  target: contactOf(1, left),
  source: contactOf(2, right),
})

const swapped = <Value>({ source, target }: MergePair<Value>): MergePair<Value> => ({ target: source, source: target })
const other = { target: "source", source: "target" } as const

const preferenceOf = (prefer: "target" | "source", cityFrom: "target" | "source" | null) => ({
  prefer,
  fields: new Map(cityFrom === null ? [] : [["city", cityFrom] as const]),
})

describe("mergedContact", () => {
  it.prop("takes each value of the preferred contact, and of the other one where it has none", Drawn, (drawn) => {
    const pair = pairOf(drawn.left, drawn.right)
    const after = mergedContact(pair, preferenceOf(drawn.prefer, drawn.cityFrom), later)
    for (const field of standardFields) {
      if (field.kind === "boolean" || field.kind === "instant") continue
      const side = field.key === "city" ? (drawn.cityFrom ?? drawn.prefer) : drawn.prefer
      assert.strictEqual(after[field.key], pair[side][field.key] ?? pair[other[side]][field.key], field.apiName)
    }
    const { size } = pair[drawn.prefer].customFields
    assert.strictEqual(after.customFields["size"], size ?? pair[other[drawn.prefer]].customFields["size"])
    assert.strictEqual(after.id, pair.target.id)
    assert.isTrue(after.email !== null || after.phone !== null)
  })

  it.prop("keeps the stricter opt-outs and the last activity, whatever is preferred", Drawn, (drawn) => {
    const pair = pairOf(drawn.left, drawn.right)
    const after = mergedContact(pair, preferenceOf(drawn.prefer, drawn.cityFrom), later)
    const both = [pair.target, pair.source]
    assert.strictEqual(
      after.unsubscribed,
      both.some(({ unsubscribed }) => unsubscribed),
    )
    for (const key of ["marketingEmailSubscribed", "marketingSmsSubscribed"] as const) {
      const choices = both.map((contact) => contact[key])
      assert.strictEqual(after[key], choices.includes(false) ? false : choices.includes(true) ? true : null)
    }
    const owner = both.find(({ email }) => email !== null && email === after.email)
    assert.strictEqual(after.marketingEmailInvalid, owner?.marketingEmailInvalid ?? false)
    const times = both.flatMap(({ lastActivityAt }) =>
      lastActivityAt === null ? [] : [lastActivityAt.epochMilliseconds],
    )
    assert.strictEqual(after.lastActivityAt?.epochMilliseconds ?? null, times.length === 0 ? null : Math.max(...times))
  })

  it.prop("has the same values when the contacts and the preference are swapped", Drawn, (drawn) => {
    const pair = pairOf(drawn.left, drawn.right)
    const one = mergedContact(pair, preferenceOf(drawn.prefer, drawn.cityFrom), later)
    const turned = drawn.cityFrom === null ? null : other[drawn.cityFrom]
    const two = mergedContact(swapped(pair), preferenceOf(other[drawn.prefer], turned), later)
    const values = ({ id: _, updatedAt: __, ...rest }: Contact) => rest
    assert.deepStrictEqual(values(one), values(two))
  })
})

describe("ContactsChange.merge", () => {
  it.prop("deletes the source, and says which address is left over", Drawn, (drawn) => {
    const pair = pairOf(drawn.left, drawn.right)
    const after = mergedContact(pair, preferenceOf(drawn.prefer, drawn.cityFrom), later)
    const change = ContactsChange.merge(pair, after, later)
    assert.deepStrictEqual(change.deletes, [{ before: pair.source, at: later, mergedInto: pair.target.id }])
    assert.deepStrictEqual(
      change.activities.map(({ contactId, type }) => [contactId, type]),
      [[pair.target.id, "contact_merged"]],
    )
    const metadata = change.activities[0]?.metadata ?? {}
    for (const key of ["email", "phone"] as const) {
      const had = [pair.target[key], pair.source[key]].filter((each) => each !== null)
      const known = [after[key], metadata[key]].filter((each) => each !== null)
      assert.sameMembers(known, had, "no address is lost")
    }
    const types = change.events.map(({ type }) => type)
    assert.deepStrictEqual(
      types,
      change.updates.length === 0 ? ["contact_merged"] : ["contact_merged", "contact_updated"],
    )
    assert.isTrue(change.audit.every(({ details }) => !JSON.stringify(details).includes("@")))
  })
})

describe("endingMemberships", () => {
  it("are the source's in flows where the target is live, too", () => {
    const uuid = (n: number) => `00000000-0000-4000-9000-${String(n).padStart(12, "0")}`
    const of = (n: number, flow: number, contact: number): MergingMembership => ({
      membershipId: MembershipId.make(uuid(n)),
      flowId: FlowId.make(uuid(flow)),
      contactId: id(contact),
    })
    const live = [of(1, 100, 1), of(2, 100, 2), of(3, 101, 2), of(4, 102, 1)]
    assert.deepStrictEqual(endingMemberships({ target: id(1), source: id(2) }, live), [of(2, 100, 2)])
  })
})
