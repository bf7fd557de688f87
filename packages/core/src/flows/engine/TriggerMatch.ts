// An index of triggers by event, and the flows that an event enrolls its contact in. An event without triggers costs one
// look-up.
import type { ValueType } from "../../contacts/ContactFields.ts"
import type { FlowId } from "../../kernel/Ids.ts"
import type { DomainEvent } from "../../kernel/changes/Outbox.ts"
import { type Comparison, compareWith } from "../../segments/Evaluate.ts"
import type { RuleField } from "../../segments/RuleFacts.ts"
import { isObject } from "../../segments/RuleTree.ts"
import { startOf } from "../../segments/TimeRange.ts"
import { formTokens } from "../members/EntryTokens.ts"
import type { Flow } from "../definition/Flow.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import {
  type ContactUpdatedTrigger,
  fieldNamed,
  type ListTrigger,
  type Trigger,
  type TriggerType,
} from "../definition/Trigger.ts"

/** An entry that a trigger causes. */
export interface TriggeredEntry {
  readonly flowId: FlowId
  readonly source: TriggerType
  readonly tokens: FlowTokens
}

/** A trigger's condition on the event's data. */
interface TriggerCheck {
  readonly flowId: FlowId
  readonly source: TriggerType
  readonly fires: (data: DomainEvent["data"]) => boolean
}

/** Triggers by event type, and by list, field or tent where the type has one. */
export type TriggerIndex = ReadonlyMap<string, ReadonlyArray<TriggerCheck>>

/** The event's data: `{tent_id, form_id, fields: {<name>: <answer>}}`. */
const form_submission = "form_submission"

/** A form trigger without a tent. */
const any_tent = ""

const key = (type: string, about = ""): string => `${type} ${about}`

/** Indexes the triggers of active flows. `fields`: the custom fields that they name, by `api_name`. */
export const indexTriggers = (flows: ReadonlyArray<Flow>, fields: ReadonlyArray<RuleField>): TriggerIndex => {
  const checks = flows.flatMap(({ id: flowId, structure, lifecycle }) =>
    lifecycle.status !== "active"
      ? []
      : structure.triggers.flatMap((trigger) => {
          const check = checkOf(trigger, fields)
          return check === null ? [] : [{ ...check, flowId, source: trigger.type }]
        }),
  )
  return Map.groupBy(checks, ({ at }) => at)
}

/** A trigger's condition, and its key in the index; null: no event fires the trigger. */
type KeyedCheck = (Pick<TriggerCheck, "fires"> & { readonly at: string }) | null

const checkOf = (trigger: Trigger, fields: ReadonlyArray<RuleField>): KeyedCheck => {
  switch (trigger.type) {
    case "added_to_static_list":
    case "removed_from_static_list":
      return trigger.list_id && { at: key(listEvents[trigger.type], trigger.list_id), fires: always }
    case "contact_created":
      return { at: key("contact_created"), fires: always }
    case "contact_updated":
      return fieldCheckOf(trigger, fields)
    case "form_submitted": {
      const { tent_id: tentId, form_id: formId } = trigger
      const fires: TriggerCheck["fires"] = (data) => formId === null || data["form_id"] === formId
      return { at: key(form_submission, tentId ?? any_tent), fires }
    }
    case "date_based":
    case "service_api":
      return null
  }
}

const listEvents: { readonly [Type in ListTrigger["type"]]: string } = {
  added_to_static_list: "list_added",
  removed_from_static_list: "list_removed",
}

const always = (): boolean => true

/** Triggers on archived or deleted fields never fire. */
const fieldCheckOf = (
  { field: name, operator, value }: ContactUpdatedTrigger,
  custom: ReadonlyArray<RuleField>,
): KeyedCheck => {
  const field = name === null ? undefined : fieldNamed(name, custom)
  if (field === undefined || field.isArchived) return null
  const { eventName, valueType } = field
  const at = key("contact_updated", eventName)
  if (operator === "changed") return { at, fires: (data) => changeOf(data, eventName) !== undefined }
  const satisfies = compareWith(valueType, operator, value ?? undefined)
  const fires: TriggerCheck["fires"] = (data) => {
    const change = changeOf(data, eventName)
    return change !== undefined && satisfies(storedAs(valueType, change["to"]))
  }
  return { at, fires }
}

/** The value as rules compare it: dates as instants. */
const storedAs = (type: ValueType, value: unknown): Parameters<Comparison>[0] => {
  if (typeof value === "string") return type === "date" ? startOf(value) : value
  if (Array.isArray(value)) return value.map(String)
  return typeof value === "number" || typeof value === "boolean" ? value : null
}

const changesOf = ({ changes }: DomainEvent["data"]): ReadonlyArray<unknown> => (Array.isArray(changes) ? changes : [])

const changeOf = (data: DomainEvent["data"], field: string) =>
  changesOf(data)
    .filter(isObject)
    .find((each) => each["field"] === field)

/** The index keys of an event: one for each field that it changed; those of its tent and of any; else one. */
const keysOf = ({ type, data }: DomainEvent): ReadonlyArray<string> => {
  switch (type) {
    case "contact_created":
      return [key(type)]
    case "list_added":
    case "list_removed":
      return [key(type, String(data["list_id"]))]
    case form_submission:
      return [key(type, String(data["tent_id"])), key(type, any_tent)]
    case "contact_updated":
      return changesOf(data)
        .filter(isObject)
        .map(({ field }) => key(type, String(field)))
    default:
      return []
  }
}

/** The flows that the event's contact enters: each once, by the first trigger that fires. */
export const entriesOf = (index: TriggerIndex, event: DomainEvent): ReadonlyArray<TriggeredEntry> => {
  if (event.contactId === null) return []
  const entries = new Map<FlowId, TriggeredEntry>()
  for (const at of keysOf(event)) {
    for (const { flowId, source, fires } of index.get(at) ?? []) {
      if (entries.has(flowId) || !fires(event.data)) continue
      entries.set(flowId, {
        flowId,
        source,
        tokens: event.type === form_submission ? formTokens(event.data["fields"]) : {},
      })
    }
  }
  return [...entries.values()]
}
