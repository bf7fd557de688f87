// The triggers and steps of flows as the wire has them: what answers show, and what the description says that bodies may say.
import { emailStepMetrics } from "@tentpole/core/segments/RuleTree"
import { RuleConditionSchema } from "@tentpole/core/segments/RuleSchema"
import {
  emailSources,
  label_length_max,
  step_id_length_max,
  templateModes,
  waitUnits,
} from "@tentpole/core/flows/definition/Step"
import { dateModes, form_id_length_max, offset_days_max, tokenTypes } from "@tentpole/core/flows/definition/Trigger"
import { EmailId, EmailTemplateId, ListId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"

/** Left out or null: not said yet. What is missing is told when the flow is to be activated. */
const part = <Of extends Schema.Top>(of: Of) => Schema.optionalKey(Schema.NullOr(of))
const text = part(Schema.String)
const flag = (otherwise: boolean, description: string) =>
  Schema.optionalKey(Schema.Boolean).annotate({ description: `${description}; ${otherwise} by default` })

const ListTrigger = Schema.Struct({
  type: Schema.Literals(["added_to_static_list", "removed_from_static_list"]),
  list_id: part(ListId).annotate({ description: "A static list" }),
}).annotate({ identifier: "ListTrigger" })

const ContactCreatedTrigger = Schema.Struct({ type: Schema.Literal("contact_created") }).annotate({
  identifier: "ContactCreatedTrigger",
})

const ContactUpdatedTrigger = Schema.Struct({
  type: Schema.Literal("contact_updated"),
  field: text.annotate({
    description: "A standard field in camelCase, or a custom field's `api_name`",
    examples: ["leadStatus"],
  }),
  operator: Schema.optionalKey(Schema.String).annotate({
    description: "`changed`, the default, fires on any change; the others of rules when the new value satisfies them",
    examples: ["equals"],
  }),
  value: part(Schema.Union([Schema.String, Schema.Finite])),
}).annotate({ identifier: "ContactUpdatedTrigger" })

const DateTrigger = Schema.Struct({
  type: Schema.Literal("date_based"),
  field: text.annotate({ description: "`createdAt`, or the `api_name` of a custom field that holds dates" }),
  mode: part(Schema.Literals(dateModes)),
  days_before: Schema.optionalKey(Schema.Int).annotate({
    description: `0 to ${offset_days_max}; counts with before_date`,
  }),
  days_after: Schema.optionalKey(Schema.Int).annotate({
    description: `0 to ${offset_days_max}; counts with after_date`,
  }),
  include_anniversaries: flag(false, "Fires in every later year, too"),
  trigger_time: Schema.optionalKey(Schema.String).annotate({
    description: "A full or a half hour; 09:00 by default",
    examples: ["17:30"],
  }),
  timezone: Schema.optionalKey(Schema.String).annotate({
    description: "Of the IANA database; UTC by default",
    examples: ["Europe/Berlin"],
  }),
}).annotate({ identifier: "DateTrigger", description: "Once for each contact and date" })

const FormTrigger = Schema.Struct({
  type: Schema.Literal("form_submitted"),
  tent_id: part(TentId),
  form_id: text.annotate({ description: `Null: any form of the page. At most ${form_id_length_max} characters` }),
}).annotate({ identifier: "FormTrigger", description: "Answers become `{{campaign.dynamic.<field_name>}}`" })

const ApiTrigger = Schema.Struct({
  type: Schema.Literal("service_api"),
  fields: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.Literals(tokenTypes) })),
  ).annotate({ description: "The tokens that callers may pass; none declared: any" }),
}).annotate({ identifier: "ApiTrigger", description: "Fired by POST …/trigger" })

export const TriggerWire = Schema.Union([
  ListTrigger,
  ContactCreatedTrigger,
  ContactUpdatedTrigger,
  DateTrigger,
  FormTrigger,
  ApiTrigger,
]).annotate({ identifier: "FlowTrigger", description: "What brings contacts in, from its activation on" })

const EmailStepRule = Schema.Struct({
  kind: Schema.Literal("condition"),
  source: Schema.Literal("email_step"),
  nodeId: Schema.String.annotate({ description: "The `step_id` of a `send_email` step of this flow" }),
  metric: Schema.Literals(emailStepMetrics),
  operator: Schema.Literal("has_activity"),
}).annotate({ identifier: "EmailStepRule", description: "Asks what the messages of a step have met with" })

export interface StepGroupWire {
  readonly kind: "group"
  readonly operator?: "and" | "or"
  readonly conditions: ReadonlyArray<StepRuleWire>
}
export type StepRuleWire = StepGroupWire | typeof RuleConditionSchema.Type | typeof EmailStepRule.Type

const StepRuleRef = Schema.suspend((): Schema.Codec<StepRuleWire> => StepRule)

const StepRule: Schema.Codec<StepRuleWire> = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("group"),
    operator: Schema.optionalKey(Schema.Literals(["and", "or"])),
    conditions: Schema.Array(StepRuleRef).check(Schema.isMinLength(1)),
  }).annotate({ identifier: "StepRuleGroup" }),
  RuleConditionSchema,
  EmailStepRule,
]).annotate({ identifier: "StepRule", description: "A rule tree that may also ask about the flow's messages" })

const stepId = Schema.String.annotate({
  description: `1 to ${step_id_length_max} characters, unique in the flow`,
  examples: ["welcome"],
})
const edge = text.annotate({ description: "The `step_id` to go on to; null ends the flow here" })
const named = {
  step_id: stepId,
  label: text.annotate({ description: `At most ${label_length_max} characters` }),
}

const SendEmailStep = Schema.Struct({
  type: Schema.Literal("send_email"),
  ...named,
  email_id: part(EmailId).annotate({ description: "Approved before activation; null with `flow_step`" }),
  operational: flag(false, "Transactional: goes to the unsubscribed too, without a footer"),
  email_source: Schema.optionalKey(Schema.Literals(emailSources)).annotate({
    description: "`flow_step`: each member's own, made by the `create_email` step that is named",
  }),
  create_email_step_id: text,
  next_step_id: edge,
}).annotate({ identifier: "SendEmailStep" })

const amount = part(Schema.Int).annotate({ description: "From 1, up to ten years" })
const unit = part(Schema.Literals(waitUnits)).annotate({ description: "Read in singular, too" })

const WaitStep = Schema.Struct({
  type: Schema.Literal("wait"),
  ...named,
  mode: Schema.optionalKey(Schema.Literals(["duration", "condition"])).annotate({ description: "duration by default" }),
  duration_amount: amount,
  duration_unit: unit,
  condition: part(StepRule).annotate({ description: "Goes on as soon as it holds" }),
  timeout_amount: amount,
  timeout_unit: unit,
  timeout_step_id: text.annotate({ description: "Where to when the time has run out; null: `next_step_id`" }),
  next_step_id: edge,
}).annotate({ identifier: "WaitStep", description: "A stretch of time, or until a condition holds" })

const ConditionCheckStep = Schema.Struct({
  type: Schema.Literal("condition_check"),
  ...named,
  condition: part(StepRule),
  true_step_id: edge,
  false_step_id: edge,
  default_step_id: text.annotate({
    description: "Where to when the chosen edge is null, and when the condition can't be evaluated",
  }),
}).annotate({ identifier: "ConditionCheckStep" })

const CreateEmailStep = Schema.Struct({
  type: Schema.Literal("create_email"),
  ...named,
  template_id: part(EmailTemplateId).annotate({ description: "Approved before activation" }),
  template_mode: Schema.optionalKey(Schema.Literals(templateModes)).annotate({ description: "copy_only by default" }),
  prompt: text.annotate({ description: "Required to generate" }),
  name: text,
  subject: text,
  preview_text: text,
  from_name: text,
  from_address: text,
  reply_to_email: text,
  auto_approve: flag(true, "The email is approved as it is made"),
  next_step_id: edge,
}).annotate({ identifier: "CreateEmailStep", description: "Makes an email for each member. Texts take merge tokens" })

const CreateTentStep = Schema.Struct({
  type: Schema.Literal("create_tent"),
  ...named,
  template_id: part(TentTemplateId).annotate({ description: "Approved before activation" }),
  prompt: text.annotate({ description: "Required without a template" }),
  tent_name: text,
  include_brand: flag(false, "Made in the workspace's brand"),
  auto_publish: flag(true, "Published as soon as it is made"),
  custom_page_alias: text,
  output_key: text.annotate({
    description: "The page's URL becomes `{{campaign.dynamic.<output_key>}}`; `<step_id>_url` by default",
  }),
  next_step_id: edge,
}).annotate({ identifier: "CreateTentStep", description: "Makes a page for each member. Texts take merge tokens" })

export const StepWire = Schema.Union([
  SendEmailStep,
  WaitStep,
  ConditionCheckStep,
  CreateEmailStep,
  CreateTentStep,
]).annotate({ identifier: "FlowStep" })
