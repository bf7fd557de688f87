// The flow: its structure and its lifecycle.
import type { DateTime } from "effect"
import type { FlowId } from "../../kernel/Ids.ts"
import type { StepRuleTree } from "../../segments/RuleTree.ts"
import type { Step, StepId } from "./Step.ts"
import type { Structure } from "./FlowSchema.ts"

export const flowStatuses = ["draft", "active", "paused", "archived"] as const
export type FlowStatus = (typeof flowStatuses)[number]

/** draft → active ⇄ paused. All but active can be archived, which is final. */
export type Lifecycle =
  | { readonly status: "draft" }
  | { readonly status: "active"; readonly activatedAt: DateTime.Utc }
  | { readonly status: "paused"; readonly pausedAt: DateTime.Utc }
  | { readonly status: "archived"; readonly archivedAt: DateTime.Utc }

/** The lifecycle of a flow that has the status since an instant. */
export const lifecycleOf = (status: FlowStatus, since: DateTime.Utc): Lifecycle => {
  switch (status) {
    case "draft":
      return { status }
    case "active":
      return { status, activatedAt: since }
    case "paused":
      return { status, pausedAt: since }
    case "archived":
      return { status, archivedAt: since }
  }
}

export interface Flow {
  readonly id: FlowId
  readonly name: string
  readonly description: string | null
  readonly structure: Structure
  /** Grows with every change of the structure, and invalidates compiled flows. */
  readonly revision: number
  readonly lifecycle: Lifecycle
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** The default of each part. */
export const emptyStructure: Structure = {
  triggers: [],
  steps: [],
  reentry_policy: "allow",
  disqualification_rules: null,
  manual_membership_enabled: true,
  settings: {},
}

export const stepOf = ({ steps }: Structure, id: StepId): Step | undefined => steps.find((step) => step.step_id === id)

/** The rule trees of its steps, then its disqualification rules. */
export const treesOf = ({ steps, disqualification_rules }: Structure): ReadonlyArray<StepRuleTree> =>
  [...steps.map((step) => ("condition" in step ? step.condition : null)), disqualification_rules].filter(
    (tree) => tree !== null,
  )

export const archivedAtOf = ({ lifecycle }: Flow): DateTime.Utc | null =>
  lifecycle.status === "archived" ? lifecycle.archivedAt : null
