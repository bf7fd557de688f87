// The bodies of the calls on flows. They are taken as any JSON, and the core decodes them, so that one answer reports everything
// that is wrong, also names of what does not exist. The description shows the core's schemas.
import * as Flow from "@tentpole/core/flows/definition/FlowSchema"
import { SimulateFlow } from "@tentpole/core/flows/simulation/SimulationInput"
import { Schema } from "effect"

interface About<Body> {
  readonly description?: string
  readonly examples: ReadonlyArray<Body>
}

const body = <Body>(schema: Schema.Codec<unknown, Body>, about: About<Body>): Schema.Codec<unknown, Body> => {
  // The description leaves out checks of `Schema.Unknown`.
  const taken: Schema.Codec<unknown, Body> = Schema.Any
  return taken.check(
    Schema.makeFilter<unknown>(() => true, {
      // `FlowWire` shows the definitions that the schema refers to.
      toJsonSchema: () => ({
        ...Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema,
        ...about,
      }),
    }),
  )
}

const welcome: ReadonlyArray<typeof Flow.InsertStep.Encoded.step> = [
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

export const CreateFlow = body(Flow.CreateFlow, {
  examples: [{ name: "Welcome", triggers: [{ type: "contact_created" }], steps: welcome }],
})

export const UpdateFlow = body(Flow.UpdateFlow, {
  description: "What is left out stays. Triggers and steps are replaced as a whole",
  examples: [{ name: "Welcome, again", reentry_policy: "no_reentry" }],
})

export const ReplaceTriggers = body(Flow.ReplaceTriggers, {
  examples: [{ triggers: [{ type: "service_api", fields: [{ name: "order_id", type: "number" }] }] }],
})

export const ReplaceSteps = body(Flow.ReplaceSteps, { examples: [{ steps: welcome }] })

export const InsertStep = body(Flow.InsertStep, {
  description: "At most one of position, before_step_id and after_step_id. No edge is changed: wire them yourself",
  examples: [
    {
      step: { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days", next_step_id: "opened" },
      after_step_id: "pause",
    },
  ],
})

export const PatchStep = body(Flow.PatchStep, {
  description: "Neither `step_id` nor `type` can change",
  examples: [{ step: { duration_amount: 5 } }],
})

export const RemoveStep = body(Flow.RemoveStep, { examples: [{ repair_edges: { replacement_step_id: null } }] })

export const Simulate = body(SimulateFlow, {
  description: "Exactly one of contact_id and contact",
  examples: [
    {
      contact: { email: "ann@example.com", first_name: "Ann" },
      events: [{ after: { amount: 2, unit: "hours" }, metric: "opened", step_id: "hello" }],
      until: { amount: 1, unit: "months" },
    },
  ],
})
