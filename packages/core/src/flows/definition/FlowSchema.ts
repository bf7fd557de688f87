// The schema of a flow's structure and of the requests that write it. Types, decoding and OpenAPI follow from it. A structure
// has the same names in requests, in the domain and in storage.
import { Schema } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import { below } from "../../kernel/Decoding.ts"
import { RuleSchema } from "../../segments/RuleSchema.ts"
import type { RuleTree } from "../../segments/RuleTree.ts"
import { StepSchema } from "./Step.ts"
import { TriggerSchema } from "./Trigger.ts"
import { filled, words } from "./Parts.ts"

export const reentryPolicies = ["allow", "no_reentry"] as const
/** Whether a contact may enter the flow again. A contact has at most one live membership of a flow. */
export type ReentryPolicy = (typeof reentryPolicies)[number]

export const flow_name_length_max = 200
export const flow_description_length_max = 1000
export const triggers_max = 25
export const steps_max = 100
export const settings_size_bytes_max = 16 * 1024

/** Paths of numbers that decode to infinity, such as 1e309. */
const endless = (value: unknown, path: string): ReadonlyArray<string> => {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [path]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => endless(inner, below(path, key)))
}

const settings = Schema.Record(Schema.String, Schema.Unknown).annotate({
  message: "must be an object",
  description: "Free-form, at most 16 KB of JSON",
})

const checkedSettings = settings.check(
  Schema.makeFilter((value: Readonly<Record<string, unknown>>) => {
    const size_bytes = encodeText(JSON.stringify(value)).length
    if (size_bytes <= settings_size_bytes_max) {
      return endless(value, "").map((path) => ({ path: path.split("."), issue: "is too large a number" }))
    }
    return `must have at most ${settings_size_bytes_max} bytes of JSON, got ${size_bytes}`
  }),
)

/** The structure of a flow. */
export const StructureSchema = Schema.Struct({
  triggers: Schema.Array(TriggerSchema),
  steps: Schema.Array(StepSchema).annotate({ description: "Members enter at the first one" }),
  disqualification_rules: Schema.NullOr(RuleSchema as Schema.Codec<RuleTree, typeof RuleSchema.Encoded>).annotate({
    description: "Contacts that they match are dropped at any time, and can't enter",
  }),
  reentry_policy: Schema.Literals(reentryPolicies),
  manual_membership_enabled: Schema.Boolean.annotate({ description: "Whether contacts can be added by hand" }),
  settings,
})
export type Structure = typeof StructureSchema.Type

/** The request parts that are decoded as a whole; `FlowInput.ts` decodes triggers, steps and rules one by one. */
export const FlowParts = Schema.Struct({
  name: Schema.optionalKey(filled(flow_name_length_max)),
  description: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Schema.isMaxLength(flow_description_length_max, {
          message: `must be text of at most ${flow_description_length_max} characters`,
        }),
      ),
    ).annotate({ message: `must be text of at most ${flow_description_length_max} characters` }),
  ),
  reentry_policy: Schema.optionalKey(
    words(reentryPolicies).annotate({ description: "A contact is never in a flow twice at once" }),
  ),
  triggers: Schema.optionalKey(Schema.Unknown),
  steps: Schema.optionalKey(Schema.Unknown),
  disqualification_rules: Schema.optionalKey(Schema.Unknown),
  manual_membership_enabled: Schema.optionalKey(
    Schema.Boolean.annotate({ message: "must be true or false", description: "true by default" }),
  ),
  settings: Schema.optionalKey(checkedSettings),
})

/** OpenAPI schemas of the parts that `FlowInput.ts` decodes. */
const described = {
  triggers: Schema.Array(TriggerSchema).check(Schema.isMaxLength(triggers_max)),
  steps: Schema.Array(StepSchema).check(Schema.isMaxLength(steps_max)),
}

/** The OpenAPI schema of a request that changes a flow. */
export const UpdateFlow = Schema.Struct({
  ...FlowParts.fields,
  triggers: Schema.optionalKey(described.triggers),
  steps: Schema.optionalKey(described.steps),
  disqualification_rules: Schema.optionalKey(
    Schema.NullOr(RuleSchema).annotate({ description: "Without `email_step` conditions" }),
  ),
})

export const CreateFlow = Schema.Struct({ ...UpdateFlow.fields, name: filled(flow_name_length_max) })
export const ReplaceTriggers = Schema.Struct({ triggers: described.triggers })
export const ReplaceSteps = Schema.Struct({ steps: described.steps })

export const InsertStep = Schema.Struct({
  step: StepSchema,
  position: Schema.optionalKey(words(["start", "end"]).annotate({ description: "end by default" })),
  before_step_id: Schema.optionalKey(Schema.String.annotate({ message: "must be text" })),
  after_step_id: Schema.optionalKey(Schema.String.annotate({ message: "must be text" })),
})

export const PatchStep = Schema.Struct({
  step: Schema.Record(Schema.String, Schema.Unknown)
    .annotate({
      message: "must be an object",
      description: "The fields to change; null clears, what is left out stays",
    })
    .annotateKey({ messageMissingKey: "is required: an object of the fields to change" }),
})

export const RemoveStep = Schema.Struct({
  repair_edges: Schema.optionalKey(
    Schema.Struct({
      replacement_step_id: Schema.NullOr(Schema.String)
        .annotate({ message: "must be text, or null" })
        .annotateKey({ messageMissingKey: "is required: the step to lead to instead, or null for none" }),
    }).annotate({
      message: "must be an object",
      description: "Edges to the deleted step lead there instead; null: they end the flow",
    }),
  ),
})
