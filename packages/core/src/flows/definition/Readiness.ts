// Readiness of a flow: everything that is missing for its activation.
import { domainOf } from "../../emails/Email.ts"
import type { MailDefaults } from "../../templates/Template.ts"
import { isBlank } from "../../kernel/Text.ts"
import type { ApprovalId, EmailId, EmailTemplateId, TentId, TentTemplateId, TopicId } from "../../kernel/Ids.ts"
import { valueless } from "../../segments/Operators.ts"
import type { RuleFacts } from "../../segments/RuleFacts.ts"
import { leavesOf, type StepRuleTree } from "../../segments/RuleTree.ts"
import type { Topic } from "../../topics/Topic.ts"
import type { SenderDefaults } from "../../workspaces/Workspace.ts"
import type { Structure } from "./FlowSchema.ts"
import { stepOf } from "./Flow.ts"
import type { MissingCode, MissingPiece } from "./FlowErrors.ts"
import { cyclesWithoutWait, edgesOf, reachableFrom, unreachable } from "./Graph.ts"
import type { CreateEmailStep, CreateTentStep, SendEmailStep, Step, WaitStep } from "./Step.ts"
import { fieldNamed, type Trigger } from "./Trigger.ts"

/** What flows need to know of an email template's approval. */
export interface ApprovedTemplateFacts {
  readonly defaults: MailDefaults
  /** Merge tokens of the approval that begin with `api.`. Flows can't fill them. */
  readonly apiTokens: ReadonlyArray<string>
}

export interface ApprovedPageFacts {
  /** Variables without a fallback. Flows can't fill them. */
  readonly variables: ReadonlyArray<string>
}

/** The current state of what `namedByFlow(structure)` names. */
export interface FlowFacts extends RuleFacts {
  /** Existing emails, and the approvals that would be sent. */
  readonly emails: ReadonlyMap<
    EmailId,
    { readonly approval: { readonly id: ApprovalId; readonly fromAddress: string } | null }
  >
  /** Approved templates only. */
  readonly emailTemplates: ReadonlyMap<EmailTemplateId, ApprovedTemplateFacts>
  /** Approved templates only. */
  readonly tentTemplates: ReadonlyMap<TentTemplateId, ApprovedPageFacts>
  readonly tents: ReadonlySet<TentId>
  /** Topics of steps that exist. */
  readonly stepTopics: ReadonlyMap<TopicId, Topic["status"]>
  readonly senderDefaults: SenderDefaults
  /** As A-labels. */
  readonly verifiedDomains: ReadonlySet<string>
}

export const flowWarningCodes = ["unreachable_step", "topic_ignored"] as const

export interface FlowWarning {
  readonly code: (typeof flowWarningCodes)[number]
  readonly path: string
  readonly message: string
}

export interface FlowReadiness {
  /** Empty: the flow can be activated. */
  readonly missing: ReadonlyArray<MissingPiece>
  readonly warnings: ReadonlyArray<FlowWarning>
}

type Pieces = ReadonlyArray<MissingPiece>

const piece = (code: MissingCode, path: string, message: string): Pieces => [{ code, path, message }]

const pieceIf = (isMissing: boolean, code: MissingCode, path: string, message: string): Pieces =>
  isMissing ? piece(code, path, message) : []

export const flowReadiness = (structure: Structure, facts: FlowFacts): FlowReadiness => {
  const indexes = new Map(structure.steps.map(({ step_id: id }, index) => [id, index]))
  const at = (id: string) => `steps.${indexes.get(id) ?? 0}`
  return {
    missing: [
      ...pieceIf(structure.steps.length === 0, "steps", "steps", "must have at least one step"),
      ...pieceIf(
        structure.triggers.length === 0 && !structure.manual_membership_enabled,
        "entry",
        "triggers",
        "must have at least one trigger, or manual_membership_enabled must be true",
      ),
      ...structure.triggers.flatMap((trigger, index) => ofTrigger(trigger, `triggers.${index}`, facts)),
      ...structure.steps.flatMap((step, index) => ofStep(structure, step, `steps.${index}`, facts)),
      ...cyclesWithoutWait(structure).flatMap((cycle) =>
        piece(
          "cycle_without_wait",
          at(cycle[0] ?? ""),
          `leads back to itself by ${cycle.join(", ")} without a wait of a set time; add one`,
        ),
      ),
      ...ofTree(structure, structure.disqualification_rules, "disqualification_rules", facts),
    ],
    warnings: [
      ...unreachable(structure).map((id) => ({
        code: "unreachable_step" as const,
        path: at(id),
        message: `no edge leads from the first step to "${id}"`,
      })),
      ...structure.steps.flatMap((step) =>
        step.type === "send_email" && step.operational && step.topic_id !== null
          ? [
              {
                code: "topic_ignored" as const,
                path: `${at(step.step_id)}.topic_id`,
                message: "counts for nothing: the step sends operational email",
              },
            ]
          : [],
      ),
    ],
  }
}

const ofTrigger = (trigger: Trigger, path: string, facts: FlowFacts): Pieces => {
  const incomplete = (key: string) => piece("trigger_incomplete", `${path}.${key}`, "is required")
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      if (trigger.list_id === null) return incomplete("list_id")
      return pieceIf(!facts.staticLists.has(trigger.list_id), "list_deleted", `${path}.list_id`, "names a deleted list")
    case "contact_updated":
      return [
        ...ofField(trigger.field, path, facts),
        ...(trigger.operator !== "changed" && !valueless.has(trigger.operator) && trigger.value === null
          ? incomplete("value")
          : []),
      ]
    case "date_based":
      return [...ofField(trigger.field, path, facts), ...(trigger.mode === null ? incomplete("mode") : [])]
    case "form_submitted":
      return pieceIf(
        trigger.tent_id !== null && !facts.tents.has(trigger.tent_id),
        "trigger_incomplete",
        `${path}.tent_id`,
        "names a deleted tent; name another, or omit it for any page",
      )
    case "contact_created":
    case "service_api":
      return []
  }
}

const ofField = (name: string | null, path: string, { fields }: FlowFacts): Pieces => {
  if (name === null) return piece("trigger_incomplete", `${path}.field`, "is required")
  const isUsable = fieldNamed(name, fields)?.isArchived === false
  const message = `is the archived field ${name}; restore it or name another`
  return pieceIf(!isUsable, "field_archived", `${path}.field`, message)
}

const ofStep = (structure: Structure, step: Step, path: string, facts: FlowFacts): Pieces => {
  const edges = edgesOf(step).flatMap(({ to, key }) =>
    pieceIf(stepOf(structure, to) === undefined, "edge_target", `${path}.${key}`, `leads to "${to}", which is no step`),
  )
  switch (step.type) {
    case "send_email":
      return [...ofSend(structure, step, path, facts), ...ofTopic(step, path, facts), ...edges]
    case "wait":
      return [...ofWait(structure, step, path, facts), ...edges]
    case "condition_check":
      return [...ofCondition(structure, step.condition, path, facts), ...edges]
    case "create_email":
      return [...ofCreateEmail(step, path, facts), ...edges]
    case "create_tent":
      return [...ofCreateTent(step, path, facts), ...edges]
  }
}

const ofSend = (structure: Structure, step: SendEmailStep, path: string, facts: FlowFacts): Pieces => {
  if (step.email_source === "flow_step") return ofOrder(structure, step.step_id, step.create_email_step_id, path)
  if (step.email_id === null) return piece("email", `${path}.email_id`, "is required: the email to send")
  const found = facts.emails.get(step.email_id)
  if (found === undefined) return piece("email", `${path}.email_id`, "names a deleted email; name another")
  if (found.approval === null)
    return piece("email_approval", `${path}.email_id`, "names an email that is not approved: approve it")
  return facts.verifiedDomains.has(domainOf(found.approval.fromAddress))
    ? []
    : piece(
        "sender_identity",
        `${path}.email_id`,
        `names an email from ${found.approval.fromAddress}, whose domain is not verified`,
      )
}

const ofTopic = ({ operational, topic_id: id }: SendEmailStep, path: string, facts: FlowFacts): Pieces =>
  pieceIf(
    !operational && id !== null && facts.stepTopics.get(id) !== "active",
    "topic",
    `${path}.topic_id`,
    "names an archived or deleted topic; name another, or null for all marketing",
  )

/** A created email must be created before the step that sends it. */
const ofOrder = (structure: Structure, send: string, createdBy: string | null, path: string): Pieces => {
  const where = `${path}.create_email_step_id`
  const creator = createdBy === null ? undefined : stepOf(structure, createdBy)
  if (creator?.type !== "create_email") {
    return piece("create_email_step_order", where, "must name a create_email step of this flow")
  }
  return reachableFrom(structure, creator.step_id).has(send)
    ? []
    : piece("create_email_step_order", where, `names "${creator.step_id}", from which no edges lead to this step`)
}

const ofWait = (structure: Structure, step: WaitStep, path: string, facts: FlowFacts): Pieces => {
  const required = (key: string, value: unknown) =>
    pieceIf(value === null, "step_incomplete", `${path}.${key}`, "is required")
  if (step.mode === "duration") {
    return [...required("duration_amount", step.duration_amount), ...required("duration_unit", step.duration_unit)]
  }
  const condition = ofCondition(structure, step.condition, path, facts)
  const { timeout_amount, timeout_step_id, timeout_unit } = step
  return timeout_amount === null && timeout_unit === null && timeout_step_id === null
    ? condition
    : [...condition, ...required("timeout_amount", timeout_amount), ...required("timeout_unit", timeout_unit)]
}

const ofCondition = (structure: Structure, tree: StepRuleTree | null, path: string, facts: FlowFacts): Pieces =>
  tree === null
    ? piece("step_incomplete", `${path}.condition`, "is required")
    : ofTree(structure, tree, `${path}.condition`, facts)

/** Reports rules that name archived or deleted things. They existed when the rules were written. */
const ofTree = (structure: Structure, tree: StepRuleTree | null, path: string, facts: FlowFacts): Pieces =>
  (tree === null ? [] : leavesOf(tree)).flatMap(({ path: below, condition }): Pieces => {
    const at = `${path}.${below}`
    switch (condition.source) {
      case "custom_field": {
        const field = facts.fields.find(({ id }) => id === condition.fieldDefinitionId)
        if (field?.status === "active") return []
        const name = field === undefined ? "a deleted field" : `the archived field ${field.apiName}`
        return piece("field_archived", `${at}.fieldDefinitionId`, `names ${name}`)
      }
      case "list_membership":
        return pieceIf(!facts.staticLists.has(condition.listId), "list_deleted", `${at}.listId`, "names a deleted list")
      case "topic":
        return pieceIf(!facts.topics.has(condition.topicId), "topic", `${at}.topicId`, "names a deleted topic")
      case "email_step":
        return stepOf(structure, condition.nodeId)?.type === "send_email"
          ? []
          : piece("step_incomplete", `${at}.nodeId`, `names "${condition.nodeId}", which is no send_email step`)
      default:
        return []
    }
  })

const unfillable = (tokens: ReadonlyArray<string>): string =>
  `names a template with ${tokens.join(", ")}, which flows can't fill`

const ofCreateEmail = (step: CreateEmailStep, path: string, facts: FlowFacts): Pieces => {
  const generates = step.template_mode === "generate"
  const lacksPrompt = generates && step.prompt === null
  const prompt = pieceIf(lacksPrompt, "step_incomplete", `${path}.prompt`, "is required to generate")
  if (step.template_id === null) {
    return [...piece("step_incomplete", `${path}.template_id`, "is required"), ...prompt]
  }
  const template = facts.emailTemplates.get(step.template_id)
  if (template === undefined) {
    return [...prompt, ...piece("template_approval", `${path}.template_id`, "names a template that is not approved")]
  }
  const tokens = template.apiTokens
  return [
    ...prompt,
    ...pieceIf(tokens.length > 0, "template_api_tokens", `${path}.template_id`, unfillable(tokens)),
    ...pieceIf(
      step.auto_approve && !generates && isBlank(step.subject ?? template.defaults.subject ?? ""),
      "subject",
      `${path}.subject`,
      "is required: neither the step nor its template has one",
    ),
    ...(step.auto_approve ? ofSender(step, template.defaults, path, facts) : []),
  ]
}

const ofSender = (step: CreateEmailStep, defaults: MailDefaults, path: string, facts: FlowFacts): Pieces => {
  const { senderDefaults, verifiedDomains } = facts
  const fromAddress = step.from_address ?? defaults.fromAddress ?? senderDefaults.fromAddress
  const none = "is required: neither the step, its template nor the workspace has one"
  const required = (key: string, value: string | null) =>
    pieceIf(value === null || isBlank(value), "sender_identity", `${path}.${key}`, none)
  const isUnverified = fromAddress !== null && !isBlank(fromAddress) && !verifiedDomains.has(domainOf(fromAddress))
  const unverified = `is ${fromAddress}, whose domain is not verified`
  return [
    ...required("from_name", step.from_name ?? defaults.fromName ?? senderDefaults.fromName),
    ...required("from_address", fromAddress),
    ...pieceIf(isUnverified, "sender_identity", `${path}.from_address`, unverified),
    ...required("reply_to_email", step.reply_to_email ?? defaults.replyToEmail ?? senderDefaults.replyToEmail),
  ]
}

const ofCreateTent = ({ template_id: templateId, prompt }: CreateTentStep, path: string, facts: FlowFacts): Pieces => {
  if (templateId === null) {
    return prompt === null ? piece("step_incomplete", `${path}.prompt`, "is required without a template") : []
  }
  const template = facts.tentTemplates.get(templateId)
  const at = `${path}.template_id`
  return template === undefined
    ? piece("template_approval", at, "names a template that is not approved")
    : pieceIf(template.variables.length > 0, "template_api_tokens", at, unfillable(template.variables))
}
