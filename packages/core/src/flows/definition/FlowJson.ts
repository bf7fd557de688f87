// A flow's structure as JSON: what answers show and what stores keep, in the words in which it is written. Reading it gives
// the same structure again.
import type { Structure } from "./Flow.ts"
import type { Step } from "./Step.ts"
import type { Trigger } from "./Trigger.ts"

export type JsonObject = Readonly<Record<string, unknown>>

export const structureJson = (structure: Structure): JsonObject => ({
  triggers: structure.triggers.map(triggerJson),
  steps: structure.steps.map(stepJson),
  disqualification_rules: structure.disqualificationRules,
  reentry_policy: structure.reentryPolicy,
  manual_membership_enabled: structure.manualMembershipEnabled,
  settings: structure.settings,
})

export const triggerJson = (trigger: Trigger): JsonObject => {
  const { type } = trigger
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return { type, list_id: trigger.listId }
    case "contact_created":
      return { type }
    case "contact_updated":
      return { type, field: trigger.field, operator: trigger.operator, value: trigger.value }
    case "date_based":
      return {
        type,
        field: trigger.field,
        mode: trigger.mode,
        days_before: trigger.daysBefore,
        days_after: trigger.daysAfter,
        include_anniversaries: trigger.includeAnniversaries,
        trigger_time: trigger.triggerTime,
        timezone: trigger.timezone,
      }
    case "form_submitted":
      return { type, tent_id: trigger.tentId, form_id: trigger.formId }
    case "service_api":
      return { type, fields: trigger.fields.map(({ name, type: of }) => ({ name, type: of })) }
  }
}

export const stepJson = (step: Step): JsonObject => {
  const named = { type: step.type, step_id: step.id, label: step.label }
  switch (step.type) {
    case "send_email":
      return {
        ...named,
        email_id: step.email.source === "flow_step" ? null : step.email.emailId,
        operational: step.operational,
        email_source: step.email.source,
        create_email_step_id: step.email.source === "flow_step" ? step.email.createdBy : null,
        next_step_id: step.next,
      }
    case "wait":
      return { ...named, mode: step.mode, ...waitJson(step), next_step_id: step.next }
    case "condition_check":
      return {
        ...named,
        condition: step.condition,
        true_step_id: step.whenTrue,
        false_step_id: step.whenFalse,
        default_step_id: step.byDefault,
      }
    case "create_email":
      return {
        ...named,
        template_id: step.templateId,
        template_mode: step.templateMode,
        prompt: step.prompt,
        name: step.name,
        subject: step.subject,
        preview_text: step.previewText,
        from_name: step.fromName,
        from_address: step.fromAddress,
        reply_to_email: step.replyToEmail,
        auto_approve: step.autoApprove,
        next_step_id: step.next,
      }
    case "create_tent":
      return {
        ...named,
        template_id: step.templateId,
        prompt: step.prompt,
        tent_name: step.tentName,
        include_brand: step.includeBrand,
        auto_publish: step.autoPublish,
        custom_page_alias: step.customPageAlias,
        output_key: step.outputKey,
        next_step_id: step.next,
      }
  }
}

const waitJson = (step: Extract<Step, { readonly type: "wait" }>): JsonObject =>
  step.mode === "duration"
    ? { duration_amount: step.duration.amount, duration_unit: step.duration.unit }
    : {
        condition: step.condition,
        timeout_amount: step.timeout?.amount ?? null,
        timeout_unit: step.timeout?.unit ?? null,
        timeout_step_id: step.timeoutStep,
      }
