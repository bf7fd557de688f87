// Steps and triggers as the canvas draws them: their ways to other steps, and new ones with all their fields. Pure.
import type { FlowEdge, FlowStep, FlowTrigger, Rule, StepRule } from "@tentpole/client"

export type Step = FlowStep
export type StepType = Step["type"]
export type Trigger = FlowTrigger
export type TriggerType = Trigger["type"]

/** A way out of a step. Its target is the step's `<way>_step_id`. */
export type Way = FlowEdge["kind"]

export interface Structure {
  readonly triggers: ReadonlyArray<Trigger>
  /** Members enter at the first one. */
  readonly steps: ReadonlyArray<Step>
}

/** Where a step is added: on a way of a step. Null: on the way from the triggers to the first step. */
export interface Place {
  readonly from: string | null
  readonly way: Way
}

export interface Edge extends Place {
  readonly to: string
}

export const entry: Place = { from: null, way: "next" }

export const stepTypes = ["send_email", "wait", "condition_check", "create_email", "create_tent"] as const

export const triggerTypes = [
  "contact_created",
  "contact_updated",
  "added_to_static_list",
  "removed_from_static_list",
  "form_submitted",
  "date_based",
  "service_api",
] as const

/** The ways that a step has, the usual one first. */
export const waysOf = (step: Step): ReadonlyArray<Way> => {
  if (step.type === "condition_check") return ["true", "false", "default"]
  return step.type === "wait" && step.mode === "condition" ? ["next", "timeout"] : ["next"]
}

const keyOf = (way: Way) => `${way}_step_id` as const

/** The step that a way leads to. Null: it ends the flow, or is not set. */
export const targetOf = (step: Step, way: Way): string | null => {
  const target = (step as unknown as Readonly<Record<string, unknown>>)[keyOf(way)]
  return typeof target === "string" && waysOf(step).includes(way) ? target : null
}

export const withTarget = (step: Step, way: Way, to: string | null): Step =>
  waysOf(step).includes(way) ? { ...step, [keyOf(way)]: to } : step

/** Where a member goes from the step if nothing is decided: the first way that leads on. */
export const mainTargetOf = (step: Step): string | null =>
  waysOf(step)
    .map((way) => targetOf(step, way))
    .find((to) => to !== null) ?? null

/** Ways that end the flow. A member whose way of a condition is not set takes the default way. */
export const openWaysOf = (step: Step): ReadonlyArray<Way> =>
  waysOf(step).filter(
    (way) =>
      way !== "default" &&
      way !== "timeout" &&
      targetOf(step, way) === null &&
      (step.type !== "condition_check" || targetOf(step, "default") === null),
  )

export const stepOf = ({ steps }: Structure, id: string | null): Step | undefined =>
  id === null ? undefined : steps.find(({ step_id }) => step_id === id)

/** All ways that lead to an existing step, with the way from the triggers first. */
export const edgesOf = ({ steps }: Structure): ReadonlyArray<Edge> => {
  const ids = new Set(steps.map(({ step_id }) => step_id))
  const [first] = steps
  return [
    ...(first === undefined ? [] : [{ ...entry, to: first.step_id }]),
    ...steps.flatMap((step) =>
      waysOf(step).flatMap((way) => {
        const to = targetOf(step, way)
        return to !== null && ids.has(to) ? [{ from: step.step_id, way, to }] : []
      }),
    ),
  ]
}

/** The places at which the flow ends: a step can be added there. */
export const openPlacesOf = ({ steps }: Structure): ReadonlyArray<Place> =>
  steps.length === 0 ? [entry] : steps.flatMap((step) => openWaysOf(step).map((way) => ({ from: step.step_id, way })))

const idNames: Readonly<Record<StepType, string>> = {
  send_email: "email",
  wait: "wait",
  condition_check: "condition",
  create_email: "new_email",
  create_tent: "page",
}

/** A free id, such as `email_2`. Ids of stored steps are not used again: members may be there. */
export const freeId = (type: StepType, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number++) {
    const id = `${idNames[type]}_${number}`
    if (!taken.has(id)) return id
  }
}

export type StepOf<Type extends StepType> = Extract<Step, { readonly type: Type }>

const empty: { readonly [Type in StepType]: (named: Pick<Step, "step_id" | "label">) => StepOf<Type> } = {
  send_email: (named) => ({
    type: "send_email",
    ...named,
    email_id: null,
    operational: false,
    email_source: "existing",
    create_email_step_id: null,
    next_step_id: null,
  }),
  wait: (named) => ({
    type: "wait",
    ...named,
    mode: "duration",
    duration_amount: 1,
    duration_unit: "days",
    next_step_id: null,
  }),
  condition_check: (named) => ({
    type: "condition_check",
    ...named,
    condition: null,
    true_step_id: null,
    false_step_id: null,
    default_step_id: null,
  }),
  create_email: (named) => ({
    type: "create_email",
    ...named,
    template_id: null,
    template_mode: "copy_only",
    prompt: null,
    name: null,
    subject: null,
    preview_text: null,
    from_name: null,
    from_address: null,
    reply_to_email: null,
    auto_approve: true,
    next_step_id: null,
  }),
  create_tent: (named) => ({
    type: "create_tent",
    ...named,
    template_id: null,
    prompt: null,
    tent_name: null,
    include_brand: false,
    auto_publish: true,
    custom_page_alias: null,
    output_key: null,
    next_step_id: null,
  }),
}

/** A step with all its fields. */
export const emptyStep = <Type extends StepType>(type: Type, step_id: string): StepOf<Type> =>
  empty[type]({ step_id, label: null })

/** The wait in another mode. Each mode has its own fields. */
export const withMode = (step: StepOf<"wait">, mode: "duration" | "condition"): Step => {
  const { label = null, next_step_id = null, step_id, type } = step
  const shared = { type, step_id, label }
  return mode === "duration"
    ? { ...shared, mode, duration_amount: 1, duration_unit: "days", next_step_id }
    : {
        ...shared,
        mode,
        condition: null,
        timeout_amount: null,
        timeout_unit: null,
        timeout_step_id: null,
        next_step_id,
      }
}

export const emptyTrigger = (type: TriggerType, timezone: string): Trigger => {
  switch (type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return { type, list_id: null }
    case "contact_created":
      return { type }
    case "contact_updated":
      return { type, field: null, operator: "changed", value: null }
    case "date_based":
      return {
        type,
        field: null,
        mode: "on_date",
        days_before: 0,
        days_after: 0,
        include_anniversaries: false,
        trigger_time: "09:00",
        timezone,
      }
    case "form_submitted":
      return { type, tent_id: null, form_id: null }
    case "service_api":
      return { type, fields: [] }
  }
}

export const conditionOf = (step: Step): StepRule | null =>
  step.type === "condition_check" || (step.type === "wait" && step.mode === "condition")
    ? (step.condition ?? null)
    : null

/** The rules with each condition changed. Rules without `email_step` conditions are those of lists, too. */
export const mapConditions = <Tree extends StepRule | Rule>(
  tree: Tree,
  change: (condition: Exclude<StepRule, { readonly kind: "group" }>) => StepRule,
): Tree =>
  (tree.kind === "group"
    ? { ...tree, conditions: tree.conditions.map((each) => mapConditions(each, change)) }
    : change(tree)) as Tree
