// A flow made ready for its members: steps by id, conditions as predicates. Compiled once for each revision of the structure
// and each change of the fields and lists that it names, used for any number of members.
import { DateTime } from "effect"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import type { ApprovalId, EmailId, EmailTemplateId, FlowId, ListId } from "../../kernel/Ids.ts"
import { compileCondition, compileTree, type RulePredicate, type RuleSubject } from "../../segments/Evaluate.ts"
import type { RuleField } from "../../segments/RuleFacts.ts"
import {
  type ActivityCondition,
  activitiesAndListsIn,
  conditionsOf,
  type EmailStepMetric,
  type RuleTree,
  type StepCondition,
  type StepRuleTree,
} from "../../segments/RuleTree.ts"
import type { ReentryPolicy, Structure } from "./FlowSchema.ts"
import type { Flow, FlowStatus } from "./Flow.ts"
import type { Step, StepId } from "./Step.ts"

/** What is known of a member when the machine looks at them. */
export interface MemberFacts extends RuleSubject {
  readonly now: DateTime.Utc
  readonly suppression: SuppressionReason | null
  /** What the messages of each step have met with, whichever visit sent them. */
  readonly emailSteps: ReadonlyMap<StepId, ReadonlySet<EmailStepMetric>>
  /** Of the emails that the flow and this member may send: by what approval. One that is missing can't be sent. */
  readonly approvals: ReadonlyMap<EmailId, ApprovalId>
}

export type MemberPredicate = (facts: MemberFacts) => boolean

/** A step, and what its condition means; null: it has none, or it can't be evaluated. */
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
  /** Whom it picks is dropped. Null: nobody. */
  readonly disqualifies: MemberPredicate | null
  /** What has to be known of members besides their fields. */
  readonly asks: ReturnType<typeof activitiesAndListsIn>
}

/** The custom fields and lists that the flow names, as they are now. */
export interface CompilationFacts {
  readonly fields: ReadonlyArray<RuleField>
  readonly staticLists: ReadonlySet<ListId>
}

/** What a simulation knows of the workspace: fields and lists that the flow names, and what its emails are called. */
export interface SimulationFacts extends CompilationFacts {
  readonly subjects: ReadonlyMap<EmailId, string | null>
  readonly templateSubjects: ReadonlyMap<EmailTemplateId, string | null>
  readonly workspaceName: string
}

export const compileFlow = ({ id, name, lifecycle, structure }: Flow, facts: CompilationFacts): CompiledFlow => {
  const trees: ReadonlyArray<StepRuleTree> = [
    ...structure.steps.flatMap((step) => conditionOf(step) ?? []),
    ...(structure.disqualification_rules === null ? [] : [structure.disqualification_rules]),
  ]
  const asked = trees.map(activitiesAndListsIn)
  return {
    id,
    name,
    status: lifecycle.status,
    reentryPolicy: structure.reentry_policy,
    manualMembershipEnabled: structure.manual_membership_enabled,
    triggers: structure.triggers,
    steps: new Map(structure.steps.map((step) => [step.step_id, compileStep(structure, step, facts)])),
    first: structure.steps[0]?.step_id ?? null,
    disqualifies: compileDisqualification(structure.disqualification_rules, facts),
    asks: {
      activityTypes: [...new Set(asked.flatMap(({ activityTypes }) => activityTypes))],
      lists: [...new Set(asked.flatMap(({ lists }) => lists))],
    },
  }
}

const conditionOf = (step: Step): StepRuleTree | null => ("condition" in step ? step.condition : null)

const compileStep = (structure: Structure, step: Step, facts: CompilationFacts): CompiledStep => {
  const tree = conditionOf(step)
  const evaluable = tree !== null && conditionsOf(tree).every((each) => isEvaluable(structure, each, facts))
  return { step, holds: evaluable ? compileTree(tree, (condition) => compileLeaf(condition, facts)) : null }
}

/** Rules whose fields are archived go on, as those of lists do: such a condition matches nobody. */
const compileDisqualification = (tree: RuleTree | null, facts: CompilationFacts): MemberPredicate | null =>
  tree === null ? null : compileTree(tree, (condition) => compileLeaf(condition, facts))

/** Whether what the condition names can still be asked. */
const isEvaluable = (
  { steps }: Structure,
  condition: StepCondition,
  { fields, staticLists }: CompilationFacts,
): boolean => {
  switch (condition.source) {
    case "custom_field":
      return fields.some(({ id, status }) => id === condition.fieldDefinitionId && status === "active")
    case "list_membership":
      return staticLists.has(condition.listId)
    case "email_step":
      return steps.some(({ step_id: id, type }) => id === condition.nodeId && type === "send_email")
    default:
      return true
  }
}

/** A condition on a list that is gone holds for nobody, as one on an archived field does. */
const compileLeaf = (condition: StepCondition, { fields, staticLists }: CompilationFacts): MemberPredicate => {
  switch (condition.source) {
    case "email_step": {
      const { nodeId, metric } = condition
      return ({ emailSteps }) => emailSteps.get(nodeId)?.has(metric) === true
    }
    case "activity":
      return compileActivity(condition)
    case "list_membership":
      if (!staticLists.has(condition.listId)) return () => false
      return compileCondition(condition, { fields, now: anytime })
    default:
      return compileCondition(condition, { fields, now: anytime })
  }
}

/** Nothing but windows of activities asks what time it is. */
const anytime = DateTime.makeUnsafe(0)

/** An activity's window ends at the member's now, which the members of a batch share: they share what is compiled for it. */
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
