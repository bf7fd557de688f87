// Which events may change what a flow thinks of its members: those that its disqualification rules ask about, for everybody on
// the way, and those that the conditions of its waits ask about. What no flow asks about costs no look at anybody.
import { type ActivityType, ownActivityTypes } from "../../contacts/Activity.ts"
import { conditionsOf, type StepCondition, type StepRuleTree } from "../../segments/RuleTree.ts"
import type { Structure } from "../definition/FlowSchema.ts"

/** The types of events that are worth a look. */
export interface Attention {
  /** At every live member. */
  readonly live: ReadonlySet<string>
  /** At those who rest in a wait. */
  readonly waiting: ReadonlySet<string>
}

export const attentionOf = ({ disqualification_rules: disqualificationRules, steps }: Structure): Attention => ({
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
      // Told to the very member that the message was for.
      return []
  }
}
