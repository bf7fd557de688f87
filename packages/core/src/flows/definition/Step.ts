// The schema of a flow's steps and the edges between them. Types, decoding and OpenAPI follow from it. A part that is null is
// not set yet; an edge that is null ends the flow there. Steps have the same names in requests, in the domain and in
// storage.
import { DateTime, Result, Schema } from "effect"
import { prompt_length_max } from "../../documents/Generation.ts"
import { EmailName, PreviewText, Subject, checkFields } from "../../documents/EmailFields.ts"
import { EmailId, EmailTemplateId, TentTemplateId, TopicId } from "../../kernel/Ids.ts"
import { below, type Decoded, decoderOf, isObject, type Json, refused } from "../../kernel/Decoding.ts"
import { type NamedFields, readStepRules } from "../../segments/Parse.ts"
import { type StepCondition, StepRuleSchema } from "../../segments/RuleSchema.ts"
import type { Leaf, StepRuleTree } from "../../segments/RuleTree.ts"
import { alias_length_max, aliasFault } from "../../tents/Alias.ts"
import { tent_name_length_max } from "../../tents/Tent.ts"
import { FromName, SenderAddress } from "../../workspaces/Sender.ts"
import { filled, flag, oneOf, part, text, unit, wholeNumber } from "./Parts.ts"
import { isTokenName } from "./Trigger.ts"

/** Chosen by the flow's author; unique in the flow. */
export type StepId = string

export const step_id_length_max = 120
export const label_length_max = 200

const named = {
  step_id: filled(step_id_length_max)
    .annotate({ description: `1 to ${step_id_length_max} characters, unique in the flow`, examples: ["welcome"] })
    .annotateKey({ messageMissingKey: `is required: 1 to ${step_id_length_max} characters` }),
  label: text(label_length_max, `At most ${label_length_max} characters`),
}

const edge = text(step_id_length_max, "The `step_id` to go on to; null ends the flow here")

export const emailSources = ["existing", "inline", "flow_step"] as const

const SendEmailStep = Schema.Struct({
  type: Schema.Literal("send_email"),
  ...named,
  email_id: part(EmailId, { description: "Approved before activation; null with `flow_step`" }),
  operational: flag(false, "Sent to unsubscribed contacts too, without a footer"),
  topic_id: part(TopicId, {
    description: "Sent to subscribers of the topic only; null: all marketing. Operational email ignores it",
  }),
  email_source: oneOf(
    emailSources,
    "existing",
    "`flow_step`: the email that the named `create_email` step created for the member",
  ),
  create_email_step_id: text(step_id_length_max),
  next_step_id: edge,
}).annotate({ identifier: "SendEmailStep" })
export type SendEmailStep = typeof SendEmailStep.Type

export const waitUnits = ["minutes", "hours", "days", "weeks", "months"] as const
export type WaitUnit = (typeof waitUnits)[number]

/** Ten years. */
export const duration_amount_max: { readonly [Unit in WaitUnit]: number } = {
  minutes: 5_256_000,
  hours: 87_600,
  days: 3650,
  weeks: 520,
  months: 120,
}

const amount = part(wholeNumber(1, Math.max(...Object.values(duration_amount_max))), {
  description: "From 1, up to ten years",
})
const timeUnit = part(unit(waitUnits))

type Tree = Schema.Codec<StepRuleTree, typeof StepRuleSchema.Encoded>

/** OpenAPI only: `decodeStep` decodes the tree, because depth limits must hold before recursion. The decoded key is present. */
const condition = (description: string) =>
  Schema.optionalKey(Schema.NullOr(StepRuleSchema as Tree).annotate({ description })) as Schema.Codec<
    StepRuleTree | null,
    Tree["Encoded"] | null
  > & { readonly "~encoded.optionality": "optional" }

const DurationWait = Schema.Struct({
  type: Schema.Literal("wait"),
  ...named,
  mode: oneOf(["duration"], "duration", "duration by default"),
  duration_amount: amount,
  duration_unit: timeUnit,
  next_step_id: edge,
}).annotate({ identifier: "DurationWait", description: "Waits for a duration" })
export type DurationWait = typeof DurationWait.Type

const ConditionWait = Schema.Struct({
  type: Schema.Literal("wait"),
  ...named,
  mode: Schema.Literal("condition"),
  condition: condition("The member advances as soon as it holds"),
  timeout_amount: amount,
  timeout_unit: timeUnit,
  timeout_step_id: text(step_id_length_max, "The next step after the timeout; null: `next_step_id`"),
  next_step_id: edge,
}).annotate({ identifier: "ConditionWait", description: "Waits until a condition holds" })
export type ConditionWait = typeof ConditionWait.Type

const WaitStep = Schema.Union([DurationWait, ConditionWait])
export type WaitStep = typeof WaitStep.Type

const ConditionCheckStep = Schema.Struct({
  type: Schema.Literal("condition_check"),
  ...named,
  condition: condition("Decides which edge a member takes"),
  true_step_id: edge,
  false_step_id: edge,
  default_step_id: text(
    step_id_length_max,
    "The next step when the chosen edge is null, and when the condition can't be evaluated",
  ),
}).annotate({ identifier: "ConditionCheckStep" })
export type ConditionCheckStep = typeof ConditionCheckStep.Type

export const templateModes = ["copy_only", "generate"] as const

/** Creates an email for each member. Header fields that are null come from the template, then from the workspace. */
const CreateEmailStep = Schema.Struct({
  type: Schema.Literal("create_email"),
  ...named,
  template_id: part(EmailTemplateId, { description: "Approved before activation" }),
  template_mode: oneOf(templateModes, "copy_only", "copy_only by default"),
  prompt: text(prompt_length_max, "Required to generate"),
  name: part(EmailName),
  subject: part(Subject),
  preview_text: part(PreviewText),
  from_name: part(FromName),
  from_address: part(SenderAddress),
  reply_to_email: part(SenderAddress),
  auto_approve: flag(true, "The email is approved when it is created"),
  next_step_id: edge,
}).annotate({
  identifier: "CreateEmailStep",
  description: "Creates an email for each member. Texts take merge tokens",
})
export type CreateEmailStep = typeof CreateEmailStep.Type

/** An alias with merge tokens can be checked only after they are filled. */
const alias = filled(alias_length_max).check(
  Schema.makeFilter((name: string) => (name.includes("{{") ? undefined : (aliasFault(name) ?? undefined))),
)

const outputKeySchema = filled(step_id_length_max).check(
  Schema.makeFilter(
    (key: string) =>
      isTokenName(key) || "must begin with a letter, have only letters, digits and underscores, and not be trigger",
  ),
)

/** Creates a page for each member. */
const CreateTentStep = Schema.Struct({
  type: Schema.Literal("create_tent"),
  ...named,
  template_id: part(TentTemplateId, { description: "Approved before activation" }),
  prompt: text(prompt_length_max, "Required without a template"),
  tent_name: text(tent_name_length_max),
  include_brand: flag(false, "Created in the workspace's brand"),
  auto_publish: flag(true, "Published as soon as it is created"),
  custom_page_alias: part(alias),
  output_key: part(outputKeySchema, {
    description: "The page's URL becomes `{{campaign.dynamic.<output_key>}}`; `<step_id>_url` by default",
  }),
  next_step_id: edge,
}).annotate({ identifier: "CreateTentStep", description: "Creates a page for each member. Texts take merge tokens" })
export type CreateTentStep = typeof CreateTentStep.Type

export const StepSchema = Schema.Union([
  SendEmailStep,
  WaitStep.annotate({ identifier: "WaitStep", description: "Waits for a duration, or until a condition holds" }),
  ConditionCheckStep,
  CreateEmailStep,
  CreateTentStep,
]).annotate({ identifier: "FlowStep" })
export type Step = typeof StepSchema.Type
export type StepType = Step["type"]

const durationKeys = ["duration_amount", "duration_unit"]
const conditionKeys = ["condition", "timeout_amount", "timeout_unit", "timeout_step_id"]

/** The keys that do not belong to a wait of each mode. */
export const foreignWaitKeys = { duration: conditionKeys, condition: durationKeys } as const

const ofOtherMode = (keys: ReadonlyArray<string>, mode: string) => ({
  hints: Object.fromEntries(keys.map((key) => [key, `is for waits whose mode is "${mode}"`])),
})

const decoders = {
  send_email: decoderOf(SendEmailStep),
  duration: decoderOf(DurationWait, ofOtherMode(conditionKeys, "condition")),
  condition: decoderOf(ConditionWait, ofOtherMode(durationKeys, "duration")),
  condition_check: decoderOf(ConditionCheckStep),
  create_email: decoderOf(CreateEmailStep),
  create_tent: decoderOf(CreateTentStep),
}

export const stepTypes = ["send_email", "wait", "condition_check", "create_email", "create_tent"] as const

/** A decoded step before its references are checked. `conditions` are the well-formed ones, even if the step has issues. */
export interface ReadStep extends Decoded<Step> {
  readonly conditions: ReadonlyArray<Leaf<StepCondition>>
}

export const decodeStep = (json: unknown, path: string, fields: NamedFields): ReadStep => {
  const refuse = (at: string, message: string) => ({ ...refused(at, message), conditions: [] })
  if (!isObject(json)) return refuse(path, "must be an object")
  const type = stepTypes.find((each) => each === json["type"])
  if (type === undefined) {
    const isMissing = json["type"] === undefined || json["type"] === null
    return refuse(below(path, "type"), `${isMissing ? "is required:" : "must be"} one of ${stepTypes.join(", ")}`)
  }
  const mode = json["mode"] ?? "duration"
  if (type === "wait" && mode !== "duration" && mode !== "condition") {
    return refuse(below(path, "mode"), "must be one of duration, condition")
  }
  const decode = type === "wait" ? decoders[mode === "condition" ? mode : "duration"] : decoders[type]
  const takesRules = type === "condition_check" || mode === "condition"
  const sent = takesRules ? (json["condition"] ?? null) : null
  const rules = sent === null ? null : readStepRules(sent, below(path, "condition"), fields)
  const step = decode({ ...withoutEmptyHeaders(json), ...(takesRules ? { condition: null } : {}) }, path)
  const issues = [...step.issues, ...(rules?.issues ?? [])]
  if (issues.length > 0 || step.value === null) return { value: null, issues, conditions: rules?.leaves ?? [] }
  const { value } = step
  const isConditional = value.type === "condition_check" || (value.type === "wait" && value.mode === "condition")
  const whole = isConditional ? { ...value, condition: rules?.tree ?? null } : value
  return { ...settle(whole, path), conditions: rules?.leaves ?? [] }
}

const headerKeys: ReadonlySet<string> = new Set([
  "name",
  "subject",
  "preview_text",
  "from_name",
  "from_address",
  "reply_to_email",
])

/** Removes empty header fields. */
const withoutEmptyHeaders = (json: Json): Json =>
  json["type"] === "create_email"
    ? Object.fromEntries(Object.entries(json).filter(([key, value]) => value !== "" || !headerKeys.has(key)))
    : json

/** Checks that span several fields. */
const settle = (step: Step, path: string): Decoded<Step> => {
  switch (step.type) {
    case "send_email":
      return {
        value:
          step.email_source === "flow_step" ? { ...step, email_id: null } : { ...step, create_email_step_id: null },
        issues: [],
      }
    case "wait": {
      const { key, amount: length, unit: of } = step.mode === "duration" ? durationOf(step) : timeoutOf(step)
      const length_max = of === null ? Infinity : duration_amount_max[of]
      return length !== null && length > length_max
        ? refused(below(path, key), `must be a whole number from 1 to ${length_max}`)
        : { value: step, issues: [] }
    }
    case "create_email":
      return { value: withNormalHeaders(step), issues: [] }
    default:
      return { value: step, issues: [] }
  }
}

/** The header fields of the email that the step creates. */
export const headersOf = ({ subject, preview_text, from_name, from_address, reply_to_email }: CreateEmailStep) => ({
  subject,
  previewText: preview_text,
  fromName: from_name,
  fromAddress: from_address,
  replyToEmail: reply_to_email,
})

/** Normalizes header fields as those of an email. The schema has checked them, so that none is refused. */
const withNormalHeaders = (step: CreateEmailStep): Step => {
  const headers = Result.getOrThrow(checkFields(headersOf(step)))
  const { previewText = null, fromName = null, fromAddress = null, replyToEmail = null } = headers
  return {
    ...step,
    preview_text: previewText,
    from_name: fromName,
    from_address: fromAddress,
    reply_to_email: replyToEmail,
  }
}

/** The key of the flow token for the page's URL. */
export const outputKey = ({ step_id, output_key }: CreateTentStep): string =>
  output_key ?? `${step_id}_url`.replace(/[^A-Za-z0-9_]/g, "_")

/** A duration that may be incomplete. Months follow the calendar, all other units the clock. */
export interface Duration {
  readonly amount: number | null
  readonly unit: WaitUnit | null
}

export const durationOf = ({ duration_amount, duration_unit }: DurationWait) => ({
  key: "duration_amount",
  amount: duration_amount,
  unit: duration_unit,
})

/** Without amount and unit the member waits until the condition holds. */
export const timeoutOf = ({ timeout_amount, timeout_unit }: ConditionWait) => ({
  key: "timeout_amount",
  amount: timeout_amount,
  unit: timeout_unit,
})

/** When a duration from `from` ends; null while it is incomplete. 31 January plus one month is the last day of February. */
export const endOf = (from: DateTime.Utc, { amount: length, unit: of }: Duration): DateTime.Utc | null =>
  length === null || of === null ? null : DateTime.add(from, { [of]: length })
