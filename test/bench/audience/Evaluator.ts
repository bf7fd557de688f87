// The rule evaluator over contacts in memory, beside json-logic-js with the same rules. The library gets folded texts and
// numeric instants, which are prepared before the clock runs; ours folds while it compares.
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { ContactId, FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { compileRules, type RuleSubject, windowStart } from "@tentpole/core/segments/Evaluate"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { RuleTree } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import jsonLogic from "json-logic-js"
import type { Bench } from "../Benchmark.ts"
import { comparison, rateAtLeast, ratioAtLeast } from "../Report.ts"
import { compareRates } from "../Timing.ts"

const contacts_count = 100_000
const per_second_min = 1_000_000

const region: RuleField = {
  id: FieldDefinitionId.make("00000000-0000-4000-8000-0000000000f1"),
  apiName: "region",
  displayName: "Region",
  valueType: "string",
  status: "active",
  provenanceProvider: null,
}

const window = { amount: 30, unit: "day" } as const

/** Most conditions hold for most contacts, so that most are evaluated. */
const tree: RuleTree = {
  kind: "group",
  operator: "and",
  conditions: [
    { kind: "condition", source: "contact", field: "lifecycleStage", operator: "equals", value: "Customer" },
    { kind: "condition", source: "contact", field: "email", operator: "contains", value: "Mail.example" },
    { kind: "condition", source: "contact", field: "serviceScore", operator: "greater_than_or_equal", value: 20 },
    { kind: "condition", source: "custom_field", fieldDefinitionId: region.id, operator: "equals", value: "EMEA" },
    {
      kind: "condition",
      source: "activity",
      activityType: "email_opened",
      operator: "has_activity",
      timeWindow: window,
    },
  ],
}

const logic = (since_ms: number) => ({
  and: [
    { "==": [{ var: "lifecycleStage" }, "customer"] },
    { in: ["mail.example", { var: "email" }] },
    { ">=": [{ var: "serviceScore" }, 20] },
    { "==": [{ var: "customFields.region" }, "emea"] },
    {
      some: [
        { var: "activities" },
        { and: [{ "==": [{ var: "type" }, "email_opened"] }, { ">=": [{ var: "at" }, since_ms] }] },
      ],
    },
  ],
})

/** 0 to 99, from a number and a salt. */
const percent = (number: number, salt: number): number => (Math.imul(number * 31 + salt, 0x9e3779b1) >>> 8) % 100

const subjectOf = (number: number, now: DateTime.Utc): RuleSubject => {
  const id = ContactId.make(`00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`)
  const email = `Person.${number}@${percent(number, 2) < 80 ? "Mail" : "post"}.example`
  const contact: Contact = {
    ...blankContact(id, now),
    email,
    emailNormalized: email.toLowerCase(),
    lifecycleStage: percent(number, 1) < 80 ? "Customer" : "Lead",
    serviceScore: percent(number, 3),
    customFields: { region: percent(number, 4) < 80 ? "EMEA" : "APAC", age: 18 + (number % 60) },
  }
  const at = (back: number) => DateTime.subtract(now, { hours: back })
  const activities = [
    { type: "email_sent", at: at(percent(number, 5) * 24) },
    { type: "email_opened", at: at(percent(number, 6) * 12) },
    { type: "email_clicked", at: at(percent(number, 7) * 24) },
  ] as const
  return { contact, activities, lists: new Set(), topics: new Map() }
}

const plainOf = ({ contact, activities }: RuleSubject) => ({
  lifecycleStage: fold(contact.lifecycleStage ?? ""),
  email: fold(contact.email ?? ""),
  serviceScore: contact.serviceScore,
  customFields: { ...contact.customFields, region: fold(String(contact.customFields["region"])) },
  activities: activities.map(({ type, at }) => ({ type, at: at.epochMilliseconds })),
})

export const evaluator = async ({ quick, report }: Bench): Promise<void> => {
  const now = DateTime.makeUnsafe("2026-11-01T00:00:00Z")
  const subjects = Array.from({ length: contacts_count }, (_, number) => subjectOf(number, now))
  const plain = subjects.map(plainOf)
  const holds = compileRules(tree, { fields: [region], now })
  const rule = logic(windowStart(now, window).epochMilliseconds)
  const differing = subjects.findIndex((each, at) => holds(each) !== (jsonLogic.apply(rule, plain[at]) === true))
  if (differing >= 0) throw new Error(`evaluator and json-logic-js differ about ${JSON.stringify(plain[differing])}`)
  let picked = 0
  const compared = await compareRates(
    {
      ours: async () => {
        picked = 0
        for (const each of subjects) if (holds(each)) picked++
      },
      reference: async () => {
        let theirs = 0
        for (const each of plain) if (jsonLogic.apply(rule, each) === true) theirs++
        if (theirs === 0) throw new Error("no contact is picked: nothing is compared")
      },
      count: contacts_count,
    },
    quick ? { warmup: 2, rounds: 6, time_max_ms: 3_000 } : { warmup: 3, rounds: 25, time_max_ms: 30_000 },
  )
  report.section(
    "Evaluator, five conditions over 100,000 contacts in memory, beside json-logic-js",
    [
      comparison("contacts", "/s", compared, (ratio) => [
        rateAtLeast(per_second_min, compared.ours.median),
        ratioAtLeast(5, ratio),
      ]),
    ],
    [`${picked.toLocaleString("en-US")} contacts are picked, by both the same`],
  )
}
