// The schema of rule trees, the same in requests, domain and storage. Types and the API description follow from it.
import { Effect, type JsonSchema, Schema, SchemaGetter } from "effect"
import { ruleActivityTypes } from "../contacts/Activity.ts"
import type { Tags } from "../contacts/Contact.ts"
import { standardFields } from "../contacts/ContactFields.ts"
import { tags_max } from "../contacts/values/FieldValue.ts"
import { FieldDefinitionId, ListId, TopicId } from "../kernel/Ids.ts"
import {
  activityOperators,
  emailStepMetrics,
  emailStepOperators,
  everyValueOperator,
  membershipOperators,
  operatorAliases,
  time_window_amount_max,
  timeWindowUnits,
  topicOperators,
} from "./Operators.ts"

const oneOf = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Literals(words)
    .annotate({ message: `must be one of ${words.join(", ")}` })
    .annotateKey({ messageMissingKey: `is required: one of ${words.join(", ")}` })

/** Decodes an operator by its name or an alias; the result is canonical. */
export const operatorOf = <const Words extends ReadonlyArray<string>>(words: Words) => {
  const aliases = [...operatorAliases].flatMap(([alias, name]) => (words.includes(name) ? [alias] : []))
  const message = `must be one of ${words.join(", ")}`
  return Schema.String.annotate({
    message,
    description: `One of ${words.join(", ")}. Also read: ${aliases.join(", ")}`,
    examples: words.slice(0, 1),
  }).pipe(
    Schema.decodeTo(Schema.Literals(words).annotate({ message }), {
      decode: SchemaGetter.transform((name) => (operatorAliases.get(name) ?? name) as Words[number]),
      encode: SchemaGetter.passthroughSupertype(),
    }),
    Schema.annotateKey({ messageMissingKey: message }),
  )
}

const comparedMessage = "must be text, a number or an array of words"

const anyWords: Schema.Codec<Tags> = Schema.Any

/** Not `Schema.Array`, whose issues have paths of single words: a field of another type takes none. */
const Words = anyWords.check(
  Schema.makeFilter(
    (value: unknown) => (Array.isArray(value) && value.every((word) => typeof word === "string")) || comparedMessage,
    { toJsonSchema: () => ({ type: "array", items: { type: "string" }, minItems: 1, maxItems: tags_max }) },
  ),
)

/** What a condition or a trigger compares a field with. */
export const ComparedValue = Schema.Union([Schema.String, Schema.Finite, Words]).annotate({ message: comparedMessage })
export type ComparedValue = typeof ComparedValue.Type

const value = Schema.optionalKey(
  ComparedValue.annotate({
    description:
      "Text, a number, a day (`2026-05-01`, the whole UTC day), a timestamp, or an array of words (for tags), as the field's type requires",
  }),
)

const condition = Schema.Literal("condition")

export const ContactRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("contact"),
  field: oneOf(standardFields.map(({ key }) => key)).annotate({
    description: "A standard field in camelCase",
    examples: ["leadStatus"],
  }),
  operator: operatorOf(everyValueOperator),
  value,
}).annotate({ identifier: "ContactRule", description: "Compares a standard field" })

export const CustomFieldRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("custom_field"),
  fieldDefinitionId: FieldDefinitionId.annotateKey({ messageMissingKey: "must be the id of a custom field" }),
  operator: operatorOf(everyValueOperator),
  value,
}).annotate({ identifier: "CustomFieldRule", description: "Compares a custom field that is active" })

const singular = Schema.String.annotate({
  message: `must be one of ${timeWindowUnits.join(", ")}`,
  description: `One of ${timeWindowUnits.join(", ")}`,
  examples: ["day"],
}).pipe(
  Schema.decodeTo(oneOf(timeWindowUnits), {
    decode: SchemaGetter.transform(
      (name) => (timeWindowUnits.find((unit) => name === `${unit}s`) ?? name) as (typeof timeWindowUnits)[number],
    ),
    encode: SchemaGetter.passthroughSupertype(),
  }),
  Schema.annotateKey({ messageMissingKey: `must be one of ${timeWindowUnits.join(", ")}` }),
)

const amountMessage = `must be a whole number from 1 to ${time_window_amount_max}`

const TimeWindow = Schema.Struct({
  amount: Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: time_window_amount_max }, { message: amountMessage }),
  )
    .annotate({ message: amountMessage, description: "Back from now", examples: [30] })
    .annotateKey({ messageMissingKey: amountMessage }),
  unit: singular,
}).annotate({ message: "must be an object of amount and unit" })
export type TimeWindow = typeof TimeWindow.Type

export const ActivityRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("activity"),
  activityType: oneOf(ruleActivityTypes).annotate({ examples: ["email_opened"] }),
  operator: operatorOf(activityOperators),
  timeWindow: Schema.optionalKey(TimeWindow),
}).annotate({ identifier: "ActivityRule", description: "Asks about the contact's timeline" })

export const ListMembershipRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("list_membership"),
  listId: ListId.annotate({ description: "Id of a static list" }).annotateKey({
    messageMissingKey: "must be the id of a static list of this workspace",
  }),
  operator: operatorOf(membershipOperators),
}).annotate({ identifier: "ListMembershipRule", description: "Asks whether the contact is on a static list" })

export const TopicRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("topic"),
  topicId: TopicId.annotateKey({ messageMissingKey: "must be the id of a topic of this workspace" }),
  operator: oneOf(topicOperators).annotate({
    description:
      "`is_subscribed`: recorded or by default, without contacts that unsubscribed from all marketing. `is_not_subscribed`: all others. `is_pending`: asked to confirm",
  }),
}).annotate({ identifier: "TopicRule", description: "Asks for the contact's status for a topic" })

const nodeMessage = "must be the step_id of a send_email step of this flow"

export const EmailStepRule = Schema.Struct({
  kind: condition,
  source: Schema.Literal("email_step"),
  nodeId: Schema.String.check(Schema.isMinLength(1, { message: nodeMessage }))
    .annotate({ message: nodeMessage, description: "The `step_id` of a `send_email` step of this flow" })
    .annotateKey({ messageMissingKey: nodeMessage }),
  metric: oneOf(emailStepMetrics),
  operator: operatorOf(emailStepOperators),
}).annotate({ identifier: "EmailStepRule", description: "Asks what happened to the messages of a step" })

export type ContactCondition = typeof ContactRule.Type
export type CustomFieldCondition = typeof CustomFieldRule.Type
export type ActivityCondition = typeof ActivityRule.Type
export type ListMembershipCondition = typeof ListMembershipRule.Type
export type TopicCondition = typeof TopicRule.Type

/** Conditions of the rules of audiences. */
export const RuleConditionSchema = Schema.Union([
  ContactRule,
  CustomFieldRule,
  ActivityRule,
  ListMembershipRule,
  TopicRule,
])
export type RuleCondition = typeof RuleConditionSchema.Type

/** Conditions of the rules of a flow's steps. */
const StepConditionSchema = Schema.Union([RuleConditionSchema, EmailStepRule])
export type StepCondition = typeof StepConditionSchema.Type

/** A group of conditions of one kind: those of audiences, or those of a flow's steps. */
export interface RuleGroupOf<Condition extends StepCondition> {
  readonly kind: "group"
  readonly operator: "and" | "or"
  readonly conditions: ReadonlyArray<RuleNodeOf<Condition>>
}
export type RuleNodeOf<Condition extends StepCondition> = RuleGroupOf<Condition> | Condition

export interface GroupJson<Condition> {
  readonly kind: "group"
  readonly operator?: "and" | "or"
  readonly conditions: ReadonlyArray<NodeJson<Condition>>
}
export type NodeJson<Condition> = GroupJson<Condition> | Condition

const groupOf = <Condition extends StepCondition, ConditionJson>(
  node: () => Schema.Codec<RuleNodeOf<Condition>, NodeJson<ConditionJson>>,
) =>
  Schema.Struct({
    kind: Schema.Literal("group"),
    operator: Schema.Literals(["and", "or"])
      .annotate({ description: "How the conditions are joined; and by default" })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed("and" as const))),
    conditions: Schema.Array(Schema.suspend(node)).check(Schema.isMinLength(1)),
  })

export type RuleJson = NodeJson<typeof RuleConditionSchema.Encoded>
export type StepRuleJson = NodeJson<typeof StepConditionSchema.Encoded>

/** A group, or a lone condition. Stored and returned trees are groups. */
export const RuleSchema: Schema.Codec<RuleNodeOf<RuleCondition>, RuleJson> = Schema.Union([
  groupOf<RuleCondition, typeof RuleConditionSchema.Encoded>(() => RuleSchema).annotate({
    identifier: "RuleGroup",
    description: "Groups nest 5 levels deep; a tree has at most 100 nodes",
  }),
  RuleConditionSchema,
]).annotate({
  identifier: "Rule",
  description: "A rule tree: a group, or a condition alone",
  examples: [
    {
      kind: "group",
      operator: "and",
      conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: "Bern" }],
    },
  ],
})

/** Like `RuleSchema`, plus conditions on the flow's own emails. */
export const StepRuleSchema: Schema.Codec<RuleNodeOf<StepCondition>, StepRuleJson> = Schema.Union([
  groupOf<StepCondition, typeof StepConditionSchema.Encoded>(() => StepRuleSchema).annotate({
    identifier: "StepRuleGroup",
  }),
  StepConditionSchema,
]).annotate({ identifier: "StepRule", description: "A rule tree that may also ask about the flow's messages" })

/** JSON of any form, with the type and the description of a rule tree. */
const described = <Json>(toJsonSchema: () => JsonSchema.JsonSchema): Schema.Codec<unknown, Json> => {
  // The description leaves out checks of `Schema.Unknown`.
  const anyJson: Schema.Codec<unknown, Json> = Schema.Any
  return anyJson.check(Schema.makeFilter<unknown>(() => true, { expected: "a rule tree", toJsonSchema }))
}

/**
 * The schema of a tree in a request: any JSON, described as a `Rule`. `readRules` decodes it and reports all issues at once. A
 * response of the same API must contain `RuleSchema`, so that the description has `Rule`.
 */
export const RuleInput = described<RuleJson>(() => ({ allOf: [{ $ref: "#/$defs/Rule" }] }))

/** The same where null means no rules. */
export const RuleInputOrNull = described<RuleJson | null>(() => ({
  anyOf: [{ $ref: "#/$defs/Rule" }, { type: "null" }],
}))
