// The steps of a flow, and the edges between them. A part that is null has not been said yet; an edge that is null ends the
// flow there.
import { DateTime } from "effect"
import type { EmailId, EmailTemplateId, TentTemplateId } from "../../kernel/Ids.ts"
import type { StepRuleTree } from "../../segments/RuleTree.ts"

export const stepTypes = ["send_email", "wait", "condition_check", "create_email", "create_tent"] as const
export type StepType = (typeof stepTypes)[number]

/** Chosen by whoever writes the flow; unique in it. */
export type StepId = string

interface Named {
  readonly id: StepId
  readonly label: string | null
}

interface Linear extends Named {
  readonly next: StepId | null
}

export const emailSources = ["existing", "inline", "flow_step"] as const

/** The same email for every member, or the one that a step has created for each. */
export type SentEmail =
  | { readonly source: "existing" | "inline"; readonly emailId: EmailId | null }
  | { readonly source: "flow_step"; readonly createdBy: StepId | null }

export interface SendEmailStep extends Linear {
  readonly type: "send_email"
  readonly email: SentEmail
  /** Transactional: goes to the unsubscribed too, without the footer. */
  readonly operational: boolean
}

export const waitUnits = ["minutes", "hours", "days", "weeks", "months"] as const
export type WaitUnit = (typeof waitUnits)[number]

/** A stretch of time that may be half written. Months go by the calendar, everything else by the clock. */
export interface Stretch {
  readonly amount: number | null
  readonly unit: WaitUnit | null
}

export interface DurationWait extends Linear {
  readonly type: "wait"
  readonly mode: "duration"
  readonly duration: Stretch
}

/** Goes on as soon as the condition holds. */
export interface ConditionWait extends Linear {
  readonly type: "wait"
  readonly mode: "condition"
  readonly condition: StepRuleTree | null
  /** Null: waits as long as it takes. */
  readonly timeout: Stretch | null
  /** Where to when the time has run out; null: `next`, as if the condition held. */
  readonly timeoutStep: StepId | null
}

export type WaitStep = DurationWait | ConditionWait

export interface ConditionCheckStep extends Named {
  readonly type: "condition_check"
  readonly condition: StepRuleTree | null
  readonly whenTrue: StepId | null
  readonly whenFalse: StepId | null
  /** Where to when the chosen edge is null, and when the condition can't be evaluated. */
  readonly byDefault: StepId | null
}

export const templateModes = ["copy_only", "generate"] as const

/** Makes an email for each member. Header fields that are null come from the template, then from the workspace. */
export interface CreateEmailStep extends Linear {
  readonly type: "create_email"
  readonly templateId: EmailTemplateId | null
  readonly templateMode: (typeof templateModes)[number]
  readonly prompt: string | null
  readonly name: string | null
  readonly subject: string | null
  readonly previewText: string | null
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyToEmail: string | null
  readonly autoApprove: boolean
}

/** Makes a page for each member. */
export interface CreateTentStep extends Linear {
  readonly type: "create_tent"
  readonly templateId: TentTemplateId | null
  readonly prompt: string | null
  readonly tentName: string | null
  readonly includeBrand: boolean
  readonly autoPublish: boolean
  /** May carry merge tokens, as all its texts. */
  readonly customPageAlias: string | null
  /** The token that the page's address becomes; null: `outputKey` makes one of the step's id. */
  readonly outputKey: string | null
}

export type Step = SendEmailStep | WaitStep | ConditionCheckStep | CreateEmailStep | CreateTentStep

export const step_id_length_max = 120
export const label_length_max = 200

/** `{{campaign.dynamic.<key>}}` of a page's address. */
export const outputKey = ({ id, outputKey: chosen }: CreateTentStep): string =>
  chosen ?? `${id}_url`.replace(/[^A-Za-z0-9_]/g, "_")

/** Ten years. */
export const stretch_amount_max: { readonly [Unit in WaitUnit]: number } = {
  minutes: 5_256_000,
  hours: 87_600,
  days: 3650,
  weeks: 520,
  months: 120,
}

/** When a stretch that begins at `from` is over; null while it is half written. 31 January and a month is the end of February. */
export const endOf = (from: DateTime.Utc, { amount, unit }: Stretch): DateTime.Utc | null =>
  amount === null || unit === null ? null : DateTime.add(from, { [unit]: amount })
