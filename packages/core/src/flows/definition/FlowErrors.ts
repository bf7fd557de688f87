// Errors of flow definitions.
import { Schema } from "effect"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"

export class DuplicateStepId extends Schema.TaggedError<DuplicateStepId>()("DuplicateStepId", {
  stepId: Schema.String,
  /** The path of the second occurrence. */
  path: Schema.String,
}) {
  readonly code = "campaign_flow_duplicate_step_id" satisfies ErrorCode
  override get message(): string {
    return `The flow has a step "${this.stepId}" already. Give every step an id of its own`
  }
  get details() {
    return { issues: [{ path: this.path, message: `"${this.stepId}" is the id of another step` }] }
  }
}

export class StepReferenced extends Schema.TaggedError<StepReferenced>()("StepReferenced", {
  stepId: Schema.String,
  /** Edges and other references to the step, with paths such as `steps.2.next_step_id`. */
  references: Schema.Array(Schema.Struct({ path: Schema.String, stepId: Schema.String })),
}) {
  readonly code = "campaign_flow_step_referenced" satisfies ErrorCode
  override get message(): string {
    const users = [...new Set(this.references.map(({ stepId }) => `"${stepId}"`))].join(", ")
    return `Other steps lead to "${this.stepId}": ${users}. Change them, or send repair_edges with the step they shall lead to instead, or null`
  }
  get details() {
    return {
      issues: this.references.map(({ path, stepId }) => ({
        path,
        message: `the step "${stepId}" leads to "${this.stepId}"`,
      })),
    }
  }
}

export class StepTypeInvalid extends Schema.TaggedError<StepTypeInvalid>()("StepTypeInvalid", {
  stepId: Schema.String,
  type: Schema.String,
}) {
  readonly code = "campaign_flow_step_type_invalid" satisfies ErrorCode
  override get message(): string {
    return `The step "${this.stepId}" is a ${this.type} step and sends no email. Name a send_email step`
  }
}

export const missingCodes = [
  "steps",
  "entry",
  "trigger_incomplete",
  "step_incomplete",
  "email",
  "email_approval",
  "sender_identity",
  "subject",
  "template_approval",
  "template_api_tokens",
  "create_email_step_order",
  "edge_target",
  "cycle_without_wait",
  "field_archived",
  "list_deleted",
  "topic",
] as const
export type MissingCode = (typeof missingCodes)[number]

/** Something that is missing for activation, and its path in the flow. */
export const MissingPiece = Schema.Struct({
  code: Schema.Literals(missingCodes),
  path: Schema.String,
  message: Schema.String,
})
export type MissingPiece = typeof MissingPiece.Type

/** The codes that replace the general error code, most important first. */
const ownCodes = ["template_api_tokens", "create_email_step_order"] as const

export class FlowNotReady extends Schema.TaggedError<FlowNotReady>()("FlowNotReady", {
  missing: Schema.Array(MissingPiece),
}) {
  get code(): "campaign_flow_not_ready" | (typeof ownCodes)[number] {
    return ownCodes.find((code) => this.missing.some((piece) => piece.code === code)) ?? "campaign_flow_not_ready"
  }
  override get message(): string {
    return `The flow is not ready: ${this.missing.map(({ path, message }) => `${path} ${message}`).join("; ")}`
  }
  get details(): { readonly missing: ReadonlyArray<MissingPiece> } {
    return { missing: this.missing }
  }
}

export class PaidPlanRequired extends Schema.TaggedError<PaidPlanRequired>()("PaidPlanRequired", {
  plan: Schema.String,
}) {
  readonly code = "paid_plan_required" satisfies ErrorCode
  override get message(): string {
    return `The plan "${this.plan}" has no flows. Change to a paid plan, then activate the flow`
  }
}
