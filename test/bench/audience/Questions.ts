// Five segments as rule trees, and each by hand in several ways, since the fastest way depends on the data.
import type { RuleCondition, RuleTree } from "@tentpole/core/segments/RuleTree"
import { windowStart } from "@tentpole/core/segments/Evaluate"
import { DateTime } from "effect"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

export interface Question {
  readonly what: string
  readonly tree: RuleTree
  /** Whether an index finds these contacts. */
  readonly indexed: boolean
  /** FROM and WHERE by hand, with the contacts as `c`. */
  readonly picked: Readonly<Record<string, string>>
  /** A count without reading contacts. */
  readonly counted?: Readonly<Record<string, string>>
}

const all = (...conditions: RuleTree["conditions"]): RuleTree => ({ kind: "group", operator: "and", conditions })
const any = (...conditions: RuleTree["conditions"]): RuleTree => ({ kind: "group", operator: "or", conditions })

/** One contact in fifty has more. */
const lifetime_value_high = 10_276

type Condition<Source> = Omit<Extract<RuleCondition, { readonly source: Source }>, "kind" | "source">

const contact = (condition: Condition<"contact">) => ({ kind: "condition", source: "contact", ...condition }) as const
const custom = (condition: Condition<"custom_field">) =>
  ({ kind: "condition", source: "custom_field", ...condition }) as const
const member = (condition: Condition<"list_membership">) =>
  ({ kind: "condition", source: "list_membership", ...condition }) as const
const did = (activityType: "email_clicked" | "email_opened", days: number): RuleCondition => ({
  kind: "condition",
  source: "activity",
  activityType,
  operator: "has_activity",
  timeWindow: { amount: days, unit: "day" },
})
export const questionsOf = (world: LargeWorkspace): ReadonlyArray<Question> => {
  const { columns, fields, lists } = world
  const mine = `'${world.workspace}'::uuid`
  const since = (days: number): string =>
    `'${DateTime.formatIso(windowStart(world.now, { amount: days, unit: "day" }))}'::timestamptz`
  const activity = (type: string, days: number): string =>
    `activity a where a.workspace_id = ${mine} and a.type = '${type}' and a.at >= ${since(days)}`
  const members = (list: string): string => `list_member m where m.workspace_id = ${mine} and m.list_id = '${list}'`
  const contacts = `contact c where c.workspace_id = ${mine}`
  const joined = (ids: string): string =>
    `(${ids}) as found join contact c on c.workspace_id = ${mine} and c.contact_id = found.contact_id where true`
  const listed = (ids: string): string => `${contacts} and c.contact_id = any(array(${ids}))`
  const others = `c.lifecycle_stage_folded = 'customer'
    and (c.custom_fields_folded ->> 'region' = 'emea' or c.${columns.age} >= 60)
    and (c.company_folded like '%acme%') is not true
    and not exists (select from ${members(lists.hundredth)} and m.contact_id = c.contact_id)`
  const customers = contact({ field: "lifecycleStage", operator: "equals", value: "customer" })
  return [
    {
      what: "(a) email contains",
      tree: all(contact({ field: "email", operator: "contains", value: "northwind" })),
      indexed: true,
      picked: { plain: `${contacts} and c.email_folded like '%northwind%'` },
    },
    {
      what: "(b) custom number greater than",
      tree: all(
        custom({ fieldDefinitionId: fields.lifetime_value, operator: "greater_than", value: lifetime_value_high }),
      ),
      indexed: true,
      picked: { plain: `${contacts} and c.${columns.lifetime_value} > ${lifetime_value_high}` },
    },
    {
      what: "(c) clicked in 30 days",
      tree: all(did("email_clicked", 30)),
      indexed: true,
      picked: {
        exists: `${contacts} and exists (select from ${activity("email_clicked", 30)} and a.contact_id = c.contact_id)`,
        "distinct, joined": joined(`select distinct a.contact_id from ${activity("email_clicked", 30)}`),
        "an array of ids": listed(`select a.contact_id from ${activity("email_clicked", 30)}`),
      },
    },
    {
      what: "(d) member of a list of a tenth",
      tree: all(member({ listId: lists.tenth, operator: "is_member" })),
      indexed: true,
      picked: {
        exists: `${contacts} and exists (select from ${members(lists.tenth)} and m.contact_id = c.contact_id)`,
        joined: joined(`select m.contact_id from ${members(lists.tenth)}`),
        "an array of ids": listed(`select m.contact_id from ${members(lists.tenth)}`),
      },
      // A foreign key guarantees that members are contacts.
      counted: { "members alone": members(lists.tenth) },
    },
    {
      what: "(e) five conditions, nested",
      tree: all(
        customers,
        any(
          custom({ fieldDefinitionId: fields.region, operator: "equals", value: "EMEA" }),
          custom({ fieldDefinitionId: fields.age, operator: "greater_than_or_equal", value: 60 }),
        ),
        contact({ field: "company", operator: "not_contains", value: "Acme" }),
        did("email_opened", 90),
        member({ listId: lists.hundredth, operator: "is_not_member" }),
      ),
      indexed: false,
      picked: {
        exists: `${contacts} and ${others}
          and exists (select from ${activity("email_opened", 90)} and a.contact_id = c.contact_id)`,
        "distinct, joined": `${joined(`select distinct a.contact_id from ${activity("email_opened", 90)}`)} and ${others}`,
        "an array of ids": `${listed(`select a.contact_id from ${activity("email_opened", 90)}`)} and ${others}`,
      },
    },
  ]
}
