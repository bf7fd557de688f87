// Reads steps from JSON. What was not said is null; what was said has to be right.
import { prompt_length_max } from "../../documents/Generation.ts"
import { checkFields } from "../../emails/EmailInput.ts"
import { EmailId, EmailTemplateId, TentTemplateId } from "../../kernel/Ids.ts"
import { parseStepRules } from "../../segments/Parse.ts"
import type { StepRuleTree } from "../../segments/RuleTree.ts"
import { alias_length_max, aliasFault } from "../../tents/Alias.ts"
import { tent_name_length_max } from "../../tents/Tent.ts"
import { type FlowReading, idOf, noted } from "./FlowReading.ts"
import { JsonFields, objectAt } from "./JsonFields.ts"
import {
  type ConditionCheckStep,
  type ConditionWait,
  type CreateEmailStep,
  type CreateTentStep,
  type DurationWait,
  emailSources,
  label_length_max,
  type SendEmailStep,
  type SentEmail,
  type Step,
  step_id_length_max,
  type StepId,
  stepTypes,
  type Stretch,
  stretch_amount_max,
  templateModes,
  waitUnits,
} from "./Step.ts"
import { isTokenName } from "./Trigger.ts"

const common = ["type", "step_id", "label"]

/** The step at `path`; null when its type or id can't be read. Whether it may be kept, the reading's notes say. */
export const readStep = (reading: FlowReading, value: unknown, path: string): Step | null => {
  const node = objectAt(reading, value, path)
  if (node === null) return null
  const fields = new JsonFields(reading, node, path)
  const type = fields.oneOf("type", stepTypes)
  if (fields.raw("type") === undefined) fields.refuse("type", `is required: one of ${stepTypes.join(", ")}`)
  const id = fields.text("step_id", step_id_length_max)
  if (fields.raw("step_id") === undefined)
    fields.refuse("step_id", `is required: 1 to ${step_id_length_max} characters`)
  const named = { id: id ?? "", label: fields.text("label", label_length_max) }
  switch (type) {
    case null:
      return null
    case "send_email":
      return readSend(reading, fields, named)
    case "wait":
      return readWait(reading, fields, named)
    case "condition_check":
      return readCheck(reading, fields, named)
    case "create_email":
      return readCreateEmail(reading, fields, named)
    case "create_tent":
      return readCreateTent(reading, fields, named)
  }
}

type Named = Pick<Step, "id" | "label">

const edge = (fields: JsonFields, key: string): StepId | null => fields.text(key, step_id_length_max)

const condition = (reading: FlowReading, fields: JsonFields): StepRuleTree | null => {
  const tree = fields.raw("condition")
  return tree === undefined ? null : noted(reading, parseStepRules(tree, reading.named, fields.at("condition")))
}

const readSend = (reading: FlowReading, fields: JsonFields, named: Named): SendEmailStep => {
  fields.only([...common, "email_id", "operational", "email_source", "create_email_step_id", "next_step_id"])
  const source = fields.oneOf("email_source", emailSources) ?? "existing"
  const emailId = idOf(reading, fields, "email_id", EmailId, "emails")
  const createdBy = edge(fields, "create_email_step_id")
  const email: SentEmail = source === "flow_step" ? { source, createdBy } : { source, emailId }
  return {
    ...named,
    type: "send_email",
    email,
    operational: fields.flag("operational", false),
    next: edge(fields, "next_step_id"),
  }
}

const durationKeys = ["duration_amount", "duration_unit"]
const conditionKeys = ["condition", "timeout_amount", "timeout_unit", "timeout_step_id"]

/** What belongs to the other way of waiting is told to be of no use here, rather than ignored. */
const ofOtherMode = (keys: ReadonlyArray<string>, mode: string) =>
  Object.fromEntries(keys.map((key) => [key, `is for waits whose mode is "${mode}"`]))

/** The keys that a wait of each mode does not have. */
export const foreignWaitKeys = { duration: conditionKeys, condition: durationKeys } as const

const readWait = (reading: FlowReading, fields: JsonFields, named: Named): DurationWait | ConditionWait => {
  const mode = fields.oneOf("mode", ["duration", "condition"]) ?? "duration"
  const known = [...common, "mode", "next_step_id"]
  const next = edge(fields, "next_step_id")
  if (mode === "duration") {
    fields.only([...known, ...durationKeys], ofOtherMode(conditionKeys, "condition"))
    return { ...named, type: "wait", mode, duration: stretch(fields, "duration"), next }
  }
  fields.only([...known, ...conditionKeys], ofOtherMode(durationKeys, "duration"))
  const timeout = stretch(fields, "timeout")
  return {
    ...named,
    type: "wait",
    mode,
    condition: condition(reading, fields),
    timeout: timeout.amount === null && timeout.unit === null ? null : timeout,
    timeoutStep: edge(fields, "timeout_step_id"),
    next,
  }
}

/** At most ten years; where the unit is not known, neither is the limit. */
const stretch = (fields: JsonFields, key: "duration" | "timeout"): Stretch => {
  const unit = fields.unit(`${key}_unit`, waitUnits)
  const amount_max = unit === null ? Math.max(...Object.values(stretch_amount_max)) : stretch_amount_max[unit]
  return { amount: fields.whole(`${key}_amount`, 1, amount_max), unit }
}

const readCheck = (reading: FlowReading, fields: JsonFields, named: Named): ConditionCheckStep => {
  fields.only([...common, "condition", "true_step_id", "false_step_id", "default_step_id"])
  return {
    ...named,
    type: "condition_check",
    condition: condition(reading, fields),
    whenTrue: edge(fields, "true_step_id"),
    whenFalse: edge(fields, "false_step_id"),
    byDefault: edge(fields, "default_step_id"),
  }
}

const headerKeys = ["name", "subject", "preview_text", "from_name", "from_address", "reply_to_email"]

const readCreateEmail = (reading: FlowReading, fields: JsonFields, named: Named): CreateEmailStep => {
  fields.only([...common, "template_id", "template_mode", "prompt", ...headerKeys, "auto_approve", "next_step_id"])
  return {
    ...named,
    type: "create_email",
    templateId: idOf(reading, fields, "template_id", EmailTemplateId, "emailTemplates"),
    templateMode: fields.oneOf("template_mode", templateModes) ?? "copy_only",
    prompt: fields.text("prompt", prompt_length_max),
    ...readHeaders(fields),
    autoApprove: fields.flag("auto_approve", true),
    next: edge(fields, "next_step_id"),
  }
}

type Headers = Pick<CreateEmailStep, "name" | "subject" | "previewText" | "fromName" | "fromAddress" | "replyToEmail">

/** Checked as an email's own; an empty one is none. */
const readHeaders = (fields: JsonFields): Headers => {
  const text = (key: string): string | null => {
    const value = fields.raw(key)
    if (value === undefined || value === "") return null
    return typeof value === "string" ? value : fields.refuse(key, "must be text")
  }
  const name = text("name")
  const headers = {
    subject: text("subject"),
    previewText: text("preview_text"),
    fromName: text("from_name"),
    fromAddress: text("from_address"),
    replyToEmail: text("reply_to_email"),
  }
  const checked = checkFields({ ...headers, ...(name === null ? {} : { name }) })
  if (checked._tag === "Failure") {
    for (const { path, message } of checked.failure.issues) {
      fields.refuse(path, message)
    }
    return { name, ...headers }
  }
  return { ...headers, ...checked.success, name }
}

const readCreateTent = (reading: FlowReading, fields: JsonFields, named: Named): CreateTentStep => {
  fields.only([
    ...common,
    "template_id",
    "prompt",
    "tent_name",
    "include_brand",
    "auto_publish",
    "custom_page_alias",
    "output_key",
    "next_step_id",
  ])
  const alias = fields.text("custom_page_alias", alias_length_max)
  // With tokens in it, only a member's own can be judged.
  const fault = alias === null || alias.includes("{{") ? null : aliasFault(alias)
  if (fault !== null) fields.refuse("custom_page_alias", fault)
  const key = fields.text("output_key", step_id_length_max)
  if (key !== null && !isTokenName(key)) {
    fields.refuse(
      "output_key",
      "must begin with a letter, have only letters, digits and underscores, and not be trigger",
    )
  }
  return {
    ...named,
    type: "create_tent",
    templateId: idOf(reading, fields, "template_id", TentTemplateId, "tentTemplates"),
    prompt: fields.text("prompt", prompt_length_max),
    tentName: fields.text("tent_name", tent_name_length_max),
    includeBrand: fields.flag("include_brand", false),
    autoPublish: fields.flag("auto_publish", true),
    customPageAlias: alias,
    outputKey: key,
    next: edge(fields, "next_step_id"),
  }
}
