// Relevant events of a flow: event types that can change the result of its disqualification rules or wait conditions. Event
// types that no flow uses are skipped.
import { type ActivityType, ownActivityTypes } from "../../contacts/Activity.ts"
import { conditionsOf, type StepCondition, type StepRuleTree } from "../../segments/RuleTree.ts"
import type { Structure } from "../definition/FlowSchema.ts"

/** Event types after which members are evaluated again. */
export interface RelevantEvents {
  /** For every live member: the types that disqualification rules read. */
  readonly live: ReadonlySet<string>
  /** For waiting members: the types that wait conditions read. */
  readonly waiting: ReadonlySet<string>
}

export const relevantEventsOf = ({
  disqualification_rules: disqualificationRules,
  steps,
}: Structure): RelevantEvents => ({
  live: new Set(disqualificationRules === null ? [] : eventsOf(disqualificationRules)),
  waiting: new Set(
    steps.flatMap((step) =>
      step.type === "wait" && step.mode === "condition" && step.condition !== null ? eventsOf(step.condition) : [],
    ),
  ),
})

const eventsOf = (tree: StepRuleTree): ReadonlyArray<string> => conditionsOf(tree).flatMap(eventsThatChange)

const deeds: ReadonlyArray<ActivityType> = [...ownActivityTypes]

const eventsThatChange = (condition: StepCondition): ReadonlyArray<string> => {
  switch (condition.source) {
    case "contact":
      return condition.field === "lastActivityAt" ? ["contact_updated", ...deeds] : ["contact_updated"]
    case "custom_field":
      return ["contact_updated"]
    case "list_membership":
      return ["list_added", "list_removed"]
    case "activity":
      return [condition.activityType]
    case "email_step":
      // An engagement is an event of the member itself, and needs no re-evaluation of others.
      return []
  }
}
