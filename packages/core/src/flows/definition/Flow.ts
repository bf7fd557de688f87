// A triggered flow: what it consists of (its structure), and where it is in its life.
import type { DateTime } from "effect"
import type { FlowId } from "../../kernel/Ids.ts"
import type { RuleTree } from "../../segments/RuleTree.ts"
import type { Step, StepId } from "./Step.ts"
import type { Trigger } from "./Trigger.ts"

export const flowStatuses = ["draft", "active", "paused", "archived"] as const
export type FlowStatus = (typeof flowStatuses)[number]

export const reentryPolicies = ["allow", "no_reentry"] as const
/** Whether somebody who has been in the flow before may enter it again. Nobody is in it twice at once. */
export type ReentryPolicy = (typeof reentryPolicies)[number]

export interface Structure {
  readonly triggers: ReadonlyArray<Trigger>
  /** Members enter at the first one. */
  readonly steps: ReadonlyArray<Step>
  readonly reentryPolicy: ReentryPolicy
  /** Whom they pick is dropped, and can't enter. */
  readonly disqualificationRules: RuleTree | null
  /** Whether contacts can be added by hand. */
  readonly manualMembershipEnabled: boolean
  /** The user's own. */
  readonly settings: Settings
}

/** Free-form JSON. */
export type Settings = Readonly<Record<string, unknown>>

/** Parts by part: draft → active ⇄ paused, and from everywhere but active to archived, for good. */
export type Lifecycle =
  | { readonly status: "draft" }
  | { readonly status: "active"; readonly activatedAt: DateTime.Utc }
  | { readonly status: "paused"; readonly pausedAt: DateTime.Utc }
  | { readonly status: "archived"; readonly archivedAt: DateTime.Utc }

export interface Flow {
  readonly id: FlowId
  readonly name: string
  readonly description: string | null
  readonly structure: Structure
  /** Grows with every change of the structure: what was compiled of an older one is stale. */
  readonly revision: number
  readonly lifecycle: Lifecycle
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export const flow_name_length_max = 200
export const flow_description_length_max = 1000
export const triggers_max = 25
export const steps_max = 100
export const settings_size_bytes_max = 16 * 1024

/** What a flow begins with where nothing is said. */
export const emptyStructure: Structure = {
  triggers: [],
  steps: [],
  reentryPolicy: "allow",
  disqualificationRules: null,
  manualMembershipEnabled: true,
  settings: {},
}

export const stepOf = ({ steps }: Structure, id: StepId): Step | undefined => steps.find((step) => step.id === id)

export const archivedAtOf = ({ lifecycle }: Flow): DateTime.Utc | null =>
  lifecycle.status === "archived" ? lifecycle.archivedAt : null
