// The wire schema of rule trees, for the API's description. It shows what may be sent, aliases too; what a tree must be is
// the parser's to say, which names every violation with its path.
import { Schema } from "effect"
import { activityTypes } from "../contacts/Activity.ts"
import {
  activityOperators,
  everyValueOperator,
  membershipOperators,
  operatorAliases,
  timeWindowUnits,
} from "./Operators.ts"

interface GroupWire {
  readonly kind: "group"
  readonly operator?: "and" | "or"
  readonly conditions: ReadonlyArray<RuleWire>
}

type ConditionWire = typeof Condition.Type
export type RuleWire = GroupWire | ConditionWire

const operator = (canonical: ReadonlyArray<string>) => {
  const aliases = [...operatorAliases].flatMap(([alias, name]) => (canonical.includes(name) ? [alias] : []))
  return Schema.String.annotate({
    description: `One of ${canonical.join(", ")}. Also read: ${aliases.join(", ")}`,
    examples: canonical.slice(0, 1),
  })
}

const value = Schema.optionalKey(
  Schema.Union([Schema.String, Schema.Finite]).annotate({
    description: "Text, a number, a day (`2026-05-01`, the whole UTC day) or a timestamp, as the field's type asks",
  }),
)

const ContactRule = Schema.Struct({
  kind: Schema.Literal("condition"),
  source: Schema.Literal("contact"),
  field: Schema.String.annotate({ description: "A standard field in camelCase", examples: ["leadStatus"] }),
  operator: operator(everyValueOperator),
  value,
}).annotate({ identifier: "ContactRule", description: "Compares a standard field" })

const CustomFieldRule = Schema.Struct({
  kind: Schema.Literal("condition"),
  source: Schema.Literal("custom_field"),
  fieldDefinitionId: Schema.String.annotate({ description: "Id of an active custom field", format: "uuid" }),
  operator: operator(everyValueOperator),
  value,
}).annotate({ identifier: "CustomFieldRule", description: "Compares a custom field" })

const ActivityRule = Schema.Struct({
  kind: Schema.Literal("condition"),
  source: Schema.Literal("activity"),
  activityType: Schema.String.annotate({
    description: `One of ${activityTypes.join(", ")}`,
    examples: ["email_opened"],
  }),
  operator: operator(activityOperators),
  timeWindow: Schema.optionalKey(
    Schema.Struct({
      amount: Schema.Int.annotate({ description: "1 to 3650, back from now", examples: [30] }),
      unit: Schema.String.annotate({ description: `One of ${timeWindowUnits.join(", ")}`, examples: ["day"] }),
    }),
  ),
}).annotate({ identifier: "ActivityRule", description: "Asks what stands in the contact's timeline" })

const ListMembershipRule = Schema.Struct({
  kind: Schema.Literal("condition"),
  source: Schema.Literal("list_membership"),
  listId: Schema.String.annotate({ description: "Id of a static list", format: "uuid" }),
  operator: operator(membershipOperators),
}).annotate({ identifier: "ListMembershipRule", description: "Asks whether the contact is on a static list" })

const Condition = Schema.Union([ContactRule, CustomFieldRule, ActivityRule, ListMembershipRule])

/** How a condition by itself is answered, with its canonical operator. */
export const RuleConditionSchema = Condition

const RuleRef = Schema.suspend((): Schema.Codec<RuleWire> => Rule)

const inBern: RuleWire = {
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: "Bern" }],
}

/** A group or a condition. */
const Rule: Schema.Codec<RuleWire> = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("group"),
    operator: Schema.optionalKey(
      Schema.Literals(["and", "or"]).annotate({ description: "How the conditions are joined; and by default" }),
    ),
    conditions: Schema.Array(RuleRef).check(Schema.isMinLength(1)),
  }).annotate({ identifier: "RuleGroup", description: "Groups nest 5 levels deep; a tree has at most 100 nodes" }),
  Condition,
]).annotate({ identifier: "Rule", description: "A rule tree: a group, or a condition by itself", examples: [inBern] })

/** How a tree is answered: always a group, with canonical operators. */
export const RuleSchema = Rule

// `Schema.Unknown` would do, but what is checked of it is left out of the document.
const anything: Schema.Codec<unknown, RuleWire | null> = Schema.Any

/**
 * How a tree is taken: any JSON. The parser reads it, so that all its violations are told at once and in its own words. The
 * document refers to the `Rule` that `RuleSchema` puts there: an API that takes trees answers with them too.
 */
export const RuleInput = anything.check(
  Schema.makeFilter<unknown>(() => true, {
    expected: "a rule tree",
    toJsonSchema: () => ({ allOf: [{ $ref: "#/$defs/Rule" }] }),
  }),
)
