// The bodies of the calls on flows. They are taken as any JSON, and read by the core, so that all that is wrong with one is told
// at once, with its path and in its own words; here stands what the description says of them.
import {
  flow_description_length_max,
  flow_name_length_max,
  steps_max,
  triggers_max,
} from "@tentpole/core/flows/definition/Flow"
import { emailStepMetrics } from "@tentpole/core/segments/RuleTree"
import { simulated_events_max } from "@tentpole/core/flows/simulation/SimulationInput"
import { waitUnits } from "@tentpole/core/flows/definition/Step"
import { Schema } from "effect"

type Described = Readonly<Record<string, unknown>>

// `Schema.Unknown` would do, but what is checked of it is left out of the document.
const anything: Schema.Codec<unknown> = Schema.Any

const body = (described: Described): Schema.Codec<unknown> =>
  anything.check(
    Schema.makeFilter<unknown>(() => true, {
      toJsonSchema: () => ({ type: "object", additionalProperties: false, ...described }),
    }),
  )

// Described by the answers that show them.
const Step = { $ref: "#/$defs/FlowStep" }
const triggers = { type: "array", maxItems: triggers_max, items: { $ref: "#/$defs/FlowTrigger" } }
const steps = { type: "array", maxItems: steps_max, items: Step }

const parts = {
  name: { type: "string", minLength: 1, maxLength: flow_name_length_max },
  description: { type: ["string", "null"], maxLength: flow_description_length_max },
  reentry_policy: { enum: ["allow", "no_reentry"], description: "Nobody is in a flow twice at once, under either" },
  triggers,
  steps,
  disqualification_rules: {
    anyOf: [{ $ref: "#/$defs/Rule" }, { type: "null" }],
    description: "Without `email_step` conditions",
  },
  manual_membership_enabled: { type: "boolean", description: "true by default" },
  settings: { type: "object", description: "Free-form, at most 16 KB of JSON" },
}

const welcome = [
  {
    type: "send_email",
    step_id: "hello",
    email_id: "0198a5a0-6f0a-7b3c-9a52-0c4f6f1c2d3e",
    next_step_id: "pause",
  },
  { type: "wait", step_id: "pause", duration_amount: 3, duration_unit: "days", next_step_id: "opened" },
  {
    type: "condition_check",
    step_id: "opened",
    condition: {
      kind: "condition",
      source: "email_step",
      nodeId: "hello",
      metric: "opened",
      operator: "has_activity",
    },
    true_step_id: null,
    false_step_id: null,
  },
]

export const CreateFlow = body({
  required: ["name"],
  properties: parts,
  examples: [{ name: "Welcome", triggers: [{ type: "contact_created" }], steps: welcome }],
})

export const UpdateFlow = body({
  properties: parts,
  description: "What is left out stays. Triggers and steps are replaced as a whole",
  examples: [{ name: "Welcome, again", reentry_policy: "no_reentry" }],
})

export const ReplaceTriggers = body({
  required: ["triggers"],
  properties: { triggers },
  examples: [{ triggers: [{ type: "service_api", fields: [{ name: "order_id", type: "number" }] }] }],
})

export const ReplaceSteps = body({ required: ["steps"], properties: { steps }, examples: [{ steps: welcome }] })

export const InsertStep = body({
  required: ["step"],
  properties: {
    step: Step,
    position: { enum: ["start", "end"], description: "end by default" },
    before_step_id: { type: "string" },
    after_step_id: { type: "string" },
  },
  description: "At most one of position, before_step_id and after_step_id. No edge is changed: wire them yourself",
  examples: [
    {
      step: { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days", next_step_id: "opened" },
      after_step_id: "pause",
    },
  ],
})

export const PatchStep = body({
  required: ["step"],
  properties: { step: { type: "object", description: "The fields to change; null clears, what is left out stays" } },
  description: "Neither `step_id` nor `type` can change",
  examples: [{ step: { duration_amount: 5 } }],
})

export const RemoveStep = body({
  properties: {
    repair_edges: {
      type: "object",
      required: ["replacement_step_id"],
      properties: { replacement_step_id: { type: ["string", "null"] } },
      additionalProperties: false,
      description: "Edges to the deleted step lead there instead; null: they end the flow",
    },
  },
  examples: [{ repair_edges: { replacement_step_id: null } }],
})

const stretch = {
  type: "object",
  required: ["amount", "unit"],
  properties: { amount: { type: "integer", minimum: 0 }, unit: { enum: waitUnits } },
  additionalProperties: false,
}

export const Simulate = body({
  properties: {
    contact_id: { type: "string", format: "uuid" },
    contact: { type: "object", description: "Somebody made up: the fields of a contact" },
    tokens: { type: "object", description: "What the entry brings: `{{campaign.dynamic.<key>}}`" },
    events: {
      type: "array",
      maxItems: simulated_events_max,
      items: {
        type: "object",
        required: ["after", "metric", "step_id"],
        properties: {
          after: { ...stretch, description: "From each sending of the step" },
          metric: { enum: emailStepMetrics.filter((metric) => metric !== "sent") },
          step_id: { type: "string", description: "Of a `send_email` step" },
        },
        additionalProperties: false,
      },
    },
    until: {
      anyOf: [{ type: "string", format: "date-time" }, stretch],
      description: "The last instant that is looked at, at most ten years from now; a year by default",
    },
  },
  description: "Exactly one of contact_id and contact",
  examples: [
    {
      contact: { email: "ann@example.com", first_name: "Ann" },
      events: [{ after: { amount: 2, unit: "hours" }, metric: "opened", step_id: "hello" }],
      until: { amount: 1, unit: "months" },
    },
  ],
})
