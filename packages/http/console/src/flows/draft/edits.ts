// Edits of a flow's steps and triggers. Each maps a structure to a structure. No edit makes a way lead to a missing step.
import {
  conditionOf,
  mainTargetOf,
  mapConditions,
  type Place,
  type Step,
  stepOf,
  type Structure,
  targetOf,
  type Trigger,
  waysOf,
  withTarget,
} from "./steps.ts"

const mapSteps = (structure: Structure, change: (step: Step) => Step): Structure => ({
  ...structure,
  steps: structure.steps.map((step) => change(step)),
})

/** The step that a place leads to now. */
const targetAt = (structure: Structure, { from, way }: Place): string | null => {
  if (from === null) return structure.steps[0]?.step_id ?? null
  const step = stepOf(structure, from)
  return step === undefined ? null : targetOf(step, way)
}

/** Moves a step to the beginning, where members enter. */
const withFirst = (structure: Structure, id: string): Structure => {
  const first = stepOf(structure, id)
  if (first === undefined) return structure
  return { ...structure, steps: [first, ...structure.steps.filter((step) => step !== first)] }
}

/** Lets a way lead to a step, or end the flow. A step never leads to itself. */
export const connect = (structure: Structure, { from, way }: Place, to: string | null): Structure => {
  if (to !== null && (from === to || stepOf(structure, to) === undefined)) return structure
  if (from === null) return to === null ? structure : withFirst(structure, to)
  return mapSteps(structure, (step) => (step.step_id === from ? withTarget(step, way, to) : step))
}

/** Inserts a step on a way. Its own ways lead where that way led, so that no member goes elsewhere because of it. */
export const addStep = (structure: Structure, step: Step, place: Place): Structure => {
  const target = targetAt(structure, place)
  const usual = step.type === "condition_check" ? (["true", "false"] as const) : (["next"] as const)
  const led = usual.reduce<Step>((before, way) => withTarget(before, way, target), step)
  const at = place.from === null ? 0 : structure.steps.findIndex(({ step_id }) => step_id === place.from) + 1
  const steps = [...structure.steps.slice(0, at), led, ...structure.steps.slice(at)]
  return connect({ ...structure, steps }, place, step.step_id)
}

/** Changes fields of a step, but not its id. */
export const changeStep = (structure: Structure, id: string, change: (step: Step) => Step): Structure =>
  mapSteps(structure, (step) => {
    if (step.step_id !== id) return step
    const changed = change(step)
    return changed.step_id === id ? changed : { ...changed, step_id: id }
  })

/** Ways to the removed step lead where it led, and end the flow where they would lead to their own step. */
export const removeStep = (structure: Structure, id: string): Structure => {
  const removed = stepOf(structure, id)
  if (removed === undefined) return structure
  const main = mainTargetOf(removed)
  const target = main === id || stepOf(structure, main) === undefined ? null : main
  const wasFirst = structure.steps[0] === removed
  const steps = structure.steps
    .filter((step) => step !== removed)
    .map((step) => {
      const repaired = waysOf(step).reduce(
        (before, way) =>
          targetOf(before, way) === id ? withTarget(before, way, target === before.step_id ? null : target) : before,
        step,
      )
      return repaired.type === "send_email" && repaired.create_email_step_id === id
        ? { ...repaired, create_email_step_id: null }
        : repaired
    })
  const rest = { ...structure, steps }
  return wasFirst && target !== null ? withFirst(rest, target) : rest
}

/** Gives a step another id, in all that names it. An id of another step is refused: nothing changes. */
export const renameStep = (structure: Structure, from: string, to: string): Structure => {
  if (from === to || to === "" || stepOf(structure, from) === undefined || stepOf(structure, to) !== undefined) {
    return structure
  }
  return mapSteps(structure, (step) => {
    const named = step.step_id === from ? { ...step, step_id: to } : step
    const led = waysOf(named).reduce(
      (before, way) => (targetOf(before, way) === from ? withTarget(before, way, to) : before),
      named,
    )
    const sent =
      led.type === "send_email" && led.create_email_step_id === from ? { ...led, create_email_step_id: to } : led
    const rules = conditionOf(sent)
    if (rules === null) return sent
    const condition = mapConditions(rules, (each) =>
      each.source === "email_step" && each.nodeId === from ? { ...each, nodeId: to } : each,
    )
    return { ...sent, condition } as Step
  })
}

export const addTrigger = (structure: Structure, trigger: Trigger): Structure => ({
  ...structure,
  triggers: [...structure.triggers, trigger],
})

export const changeTrigger = (structure: Structure, at: number, change: (trigger: Trigger) => Trigger): Structure => ({
  ...structure,
  triggers: structure.triggers.map((trigger, index) => (index === at ? change(trigger) : trigger)),
})

export const removeTrigger = (structure: Structure, at: number): Structure => ({
  ...structure,
  triggers: structure.triggers.filter((_, index) => index !== at),
})
