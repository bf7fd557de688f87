// Texts of steps, triggers and timelines in the language of the page.
import type { FlowTimelineEntry } from "@tentpole/client"
import { useWords, type Words } from "../../words/Words.tsx"
import type { Issue } from "../draft/issues.ts"
import type { Names } from "../draft/names.ts"
import type { Step, Structure, Trigger } from "../draft/steps.ts"

type FlowWords = Words["flows"]

const units = ["minutes", "hours", "days", "weeks", "months"] as const

export type Unit = (typeof units)[number]

export const isUnit = (unit: unknown): unit is Unit => units.some((each) => each === unit)

export const waitUnits: ReadonlyArray<Unit> = units

const durationOf = (words: FlowWords, amount: number | null | undefined, unit: string | null | undefined) =>
  amount === null || amount === undefined || !isUnit(unit) ? null : words.durations[unit](amount)

/** The second line of a step: what it does, in a few words. Null: that is not said yet. */
const detailOf = (words: FlowWords, step: Step, names: Names, nameOf: (id: string) => string): string | null => {
  switch (step.type) {
    case "send_email":
      if (step.email_source === "flow_step") {
        const by = step.create_email_step_id ?? null
        return by === null ? null : words.emailOf(nameOf(by))
      }
      return names[step.email_id ?? ""] ?? null
    case "wait":
      if (step.mode !== "condition") return durationOf(words, step.duration_amount, step.duration_unit)
      if (step.condition === null || step.condition === undefined) return null
      return words.until(durationOf(words, step.timeout_amount, step.timeout_unit))
    case "condition_check": {
      const { condition = null } = step
      if (condition === null) return null
      return words.conditions(condition.kind === "group" ? condition.conditions.length : 1)
    }
    case "create_email":
      return names[step.template_id ?? ""] ?? null
    case "create_tent":
      return names[step.template_id ?? ""] ?? step.tent_name ?? step.prompt ?? null
  }
}

/** A list, a field or a page that the trigger names. Null: it is not said yet, or there is nothing to say. */
const subjectOf = (words: FlowWords, trigger: Trigger, names: Names): string | null => {
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return names[trigger.list_id ?? ""] ?? null
    case "contact_updated":
    case "date_based":
      return trigger.field ?? null
    case "form_submitted":
      return names[trigger.tent_id ?? ""] ?? words.anyPage
    case "contact_created":
    case "service_api":
      return null
  }
}

/** The texts of a flow's parts, with the names of what they refer to. */
export const useTexts = (structure: Structure, names: Names) => {
  const words = useWords("flows")
  const nameOf = (id: string): string => {
    const step = structure.steps.find(({ step_id }) => step_id === id)
    return step === undefined ? id : titleOf(step)
  }
  const titleOf = ({ label, type }: Step): string => label ?? words.stepTypes[type]
  return {
    titleOf,
    nameOf,
    detailOf: (step: Step) => detailOf(words, step, names, nameOf),
    triggerOf: (trigger: Trigger): string => {
      const subject = subjectOf(words, trigger, names)
      const type = words.triggerTypes[trigger.type]
      return subject === null ? type : `${type}: ${subject}`
    },
  }
}

/** The sentence of an issue. */
export const issueText = (words: FlowWords, { code, key, message }: Issue): string => {
  const codes: Readonly<Record<string, string>> = words.missing
  const own = code === null || !Object.hasOwn(codes, code) ? undefined : codes[code]
  const fields: Readonly<Record<string, string>> = words.fields
  const field = Object.hasOwn(fields, key) ? (fields[key] ?? key) : key
  if (code === "step_incomplete" || code === "trigger_incomplete") {
    return field === "" ? words.isMissing : words.isNeeded(field)
  }
  return own ?? (key === "" ? (message ?? "") : `${field}: ${message ?? ""}`)
}

/** The sentence of an entry of a timeline, and what is said besides. */
export const entryTexts = (
  words: FlowWords,
  { metadata, step_id, type }: FlowTimelineEntry,
  nameOf: (id: string) => string,
): { readonly text: string; readonly detail: string | null } => {
  const label = typeof metadata["label"] === "string" ? metadata["label"] : null
  const name = step_id === null ? null : (label ?? nameOf(step_id))
  const { reason, result, timed_out } = metadata
  const reasons: Readonly<Record<string, string>> = words.reasons
  const said = typeof reason === "string" ? (reasons[reason] ?? reason) : null
  const outcome = typeof result === "boolean" ? words.result(result) : timed_out === true ? words.timedOut : null
  return { text: words.entries[type](name), detail: said ?? outcome }
}
