// A compiled flow: steps by id, conditions as predicates. Compiled once for each revision of the structure and each change of
// the fields and lists that it names, and used for any number of members.
import { DateTime } from "effect"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import type { ApprovalId, EmailId, EmailTemplateId, FlowId } from "../../kernel/Ids.ts"
import { compileCondition, compileTree, type RulePredicate, type RuleSubject } from "../../segments/Evaluate.ts"
import type { RuleFacts } from "../../segments/RuleFacts.ts"
import {
  type ActivityCondition,
  conditionsOf,
  type EmailStepMetric,
  type StepCondition,
  type RequiredFacts,
  requiredFactsIn,
  type StepRuleTree,
} from "../../segments/RuleTree.ts"
import type { ReentryPolicy, Structure } from "./FlowSchema.ts"
import { type Flow, type FlowStatus, treesOf } from "./Flow.ts"
import type { Step, StepId } from "./Step.ts"

/** What decisions about a member depend on. */
export interface MemberFacts extends RuleSubject {
  readonly now: DateTime.Utc
  readonly suppression: SuppressionReason | null
  /** Engagements with the messages of each step, over all visits. */
  readonly emailSteps: ReadonlyMap<StepId, ReadonlySet<EmailStepMetric>>
  /** Approvals of the emails that the flow or the member may send. Unapproved emails are missing. */
  readonly approvals: ReadonlyMap<EmailId, ApprovalId>
}

export type MemberPredicate = (facts: MemberFacts) => boolean

/** A step and its condition; null: it has no condition, or the condition can't be evaluated. */
export interface CompiledStep {
  readonly step: Step
  readonly holds: MemberPredicate | null
}

export interface CompiledFlow {
  readonly id: FlowId
  readonly name: string
  readonly status: FlowStatus
  readonly reentryPolicy: ReentryPolicy
  readonly manualMembershipEnabled: boolean
  readonly triggers: Structure["triggers"]
  readonly steps: ReadonlyMap<StepId, CompiledStep>
  readonly first: StepId | null
  /** Matching contacts are dropped. Null: there are no disqualification rules. */
  readonly disqualifies: MemberPredicate | null
  /** The facts to load besides the contact's fields. */
  readonly requiredFacts: RequiredFacts
}

/** What a simulation knows of the workspace: fields and lists that the flow names, and what its emails are called. */
export interface SimulationFacts extends RuleFacts {
  readonly subjects: ReadonlyMap<EmailId, string | null>
  readonly templateSubjects: ReadonlyMap<EmailTemplateId, string | null>
  readonly workspaceName: string
}

export const compileFlow = ({ id, name, lifecycle, structure }: Flow, facts: RuleFacts): CompiledFlow => {
  const required = treesOf(structure).map((tree) => requiredFactsIn(tree))
  return {
    id,
    name,
    status: lifecycle.status,
    reentryPolicy: structure.reentry_policy,
    manualMembershipEnabled: structure.manual_membership_enabled,
    triggers: structure.triggers,
    steps: new Map(structure.steps.map((step) => [step.step_id, compileStep(structure, step, facts)])),
    first: structure.steps[0]?.step_id ?? null,
    // Rules on archived fields are still compiled, as in lists: such a condition matches no contact.
    disqualifies: compileRules(structure.disqualification_rules, facts),
    requiredFacts: {
      activityTypes: [...new Set(required.flatMap(({ activityTypes }) => activityTypes))],
      lists: [...new Set(required.flatMap(({ lists }) => lists))],
      topics: [...new Set(required.flatMap(({ topics }) => topics))],
    },
  }
}

const compileStep = (structure: Structure, step: Step, facts: RuleFacts): CompiledStep => {
  const tree = "condition" in step ? step.condition : null
  const evaluable = tree !== null && conditionsOf(tree).every((each) => isEvaluable(structure, each, facts))
  return { step, holds: evaluable ? compileRules(tree, facts) : null }
}

const compileRules = (tree: StepRuleTree | null, facts: RuleFacts): MemberPredicate | null =>
  tree && compileTree(tree, (condition) => compileLeaf(condition, facts))

/** Whether the field, list, topic or step that the condition names exists. */
const isEvaluable = (
  { steps }: Structure,
  condition: StepCondition,
  { fields, staticLists, topics }: RuleFacts,
): boolean => {
  switch (condition.source) {
    case "custom_field":
      return fields.some(({ id, status }) => id === condition.fieldDefinitionId && status === "active")
    case "list_membership":
      return staticLists.has(condition.listId)
    case "topic":
      return topics.has(condition.topicId)
    case "email_step":
      return steps.some(({ step_id: id, type }) => id === condition.nodeId && type === "send_email")
    default:
      return true
  }
}

/** A condition on a deleted list or an archived field matches no contact. */
const compileLeaf = (condition: StepCondition, { fields, staticLists }: RuleFacts): MemberPredicate => {
  if (condition.source === "email_step") {
    const { nodeId, metric } = condition
    return ({ emailSteps }) => emailSteps.get(nodeId)?.has(metric) === true
  }
  if (condition.source === "activity") return compileActivity(condition)
  if (condition.source === "list_membership" && !staticLists.has(condition.listId)) return () => false
  return compileCondition(condition, { fields, now: anytime })
}

/** Only time ranges of activities depend on the current time. */
const anytime = DateTime.makeUnsafe(0)

/** The time range ends at the member's `now`. Members of a batch share it, and therefore the compiled predicate. */
const compileActivity = (condition: ActivityCondition): MemberPredicate => {
  let compiled_ms = NaN
  let holds: RulePredicate = () => false
  return (facts) => {
    if (facts.now.epochMilliseconds !== compiled_ms) {
      compiled_ms = facts.now.epochMilliseconds
      holds = compileCondition(condition, { fields: [], now: facts.now })
    }
    return holds(facts)
  }
}
