// Flows to begin with: drafts of triggers and steps, made in the page. What only the author knows is left open. Pure.
import type { StepRule } from "@tentpole/client"
import { emptyStep, emptyTrigger, type Step, type Structure } from "./draft/steps.ts"

export const starters = ["empty", "welcome", "birthday", "again"] as const

export type Starter = (typeof starters)[number]

/** Labels of the steps, in the language of the page. */
export interface StarterLabels {
  readonly welcome: string
  readonly opened: string
  readonly reminder: string
  readonly birthday: string
  readonly miss: string
  readonly clicked: string
  readonly last: string
}

type Metric = Extract<StepRule, { readonly source: "email_step" }>["metric"]

const did = (nodeId: string, metric: Metric): StepRule => ({
  kind: "condition",
  source: "email_step",
  nodeId,
  metric,
  operator: "has_activity",
})

const send = (id: string, label: string, next_step_id: string | null): Step => ({
  ...emptyStep("send_email", id),
  label,
  next_step_id,
})

const wait = (id: string, days: number, next_step_id: string): Step => ({
  type: "wait",
  step_id: id,
  label: null,
  mode: "duration",
  duration_amount: days,
  duration_unit: "days",
  next_step_id,
})

const check = (id: string, label: string, condition: StepRule, otherwise: string): Step => ({
  type: "condition_check",
  step_id: id,
  label,
  condition,
  true_step_id: null,
  false_step_id: otherwise,
  default_step_id: null,
})

/** A person's clicks are waited for two weeks; then a last letter follows. */
const again = (labels: StarterLabels): Structure => ({
  triggers: [{ type: "added_to_static_list", list_id: null }],
  steps: [
    send("email_1", labels.miss, "wait_1"),
    {
      type: "wait",
      step_id: "wait_1",
      label: labels.clicked,
      mode: "condition",
      condition: did("email_1", "clicked"),
      timeout_amount: 14,
      timeout_unit: "days",
      timeout_step_id: "email_2",
      next_step_id: null,
    },
    send("email_2", labels.last, null),
  ],
})

export const starterOf = (starter: Starter, labels: StarterLabels, timezone: string): Structure => {
  switch (starter) {
    case "empty":
      return { triggers: [], steps: [] }
    case "welcome":
      return {
        triggers: [{ type: "contact_created" }],
        steps: [
          send("email_1", labels.welcome, "wait_1"),
          wait("wait_1", 3, "condition_1"),
          check("condition_1", labels.opened, did("email_1", "opened"), "email_2"),
          send("email_2", labels.reminder, null),
        ],
      }
    case "birthday":
      return {
        triggers: [
          { ...emptyTrigger("date_based", timezone), include_anniversaries: true } as Structure["triggers"][0],
        ],
        steps: [send("email_1", labels.birthday, null)],
      }
    case "again":
      return again(labels)
  }
}
