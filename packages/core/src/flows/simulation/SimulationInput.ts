// Reads what a simulation is asked to do: who goes through the flow, with what, what they do on the way, and until when.
import { DateTime, Option, Result } from "effect"
import { readDate } from "../../contacts/values/FieldValue.ts"
import { ContactId } from "../../kernel/Ids.ts"
import { Invalid } from "../../kernel/Refusal.ts"
import { emailStepMetrics, isObject, type Json } from "../../segments/RuleTree.ts"
import { readTokens, type TokenRefusal } from "../members/EntryTokens.ts"
import { type Structure, stepOf } from "../definition/Flow.ts"
import { readingOf } from "../definition/FlowReading.ts"
import { JsonFields, objectAt } from "../definition/JsonFields.ts"
import { type SimulatedEvent, type SimulationRequest, yearAfter } from "./Simulate.ts"
import { endOf, step_id_length_max, type Stretch, stretch_amount_max, waitUnits } from "../definition/Step.ts"

export const simulated_events_max = 1000

/** A contact of the workspace, or one made up: a contact's JSON, still to be read. */
export type SimulatedWho = { readonly contactId: ContactId } | { readonly contact: Json }

export interface SimulationAsked {
  readonly who: SimulatedWho
  readonly request: SimulationRequest
}

/** The body of `simulate`, or everything that is wrong with it. */
export const readSimulation = (
  structure: Structure,
  body: unknown,
  now: DateTime.Utc,
): Result.Result<SimulationAsked, TokenRefusal> => {
  const reading = readingOf("kept")
  const node = objectAt(reading, body, "")
  if (node === null) return Result.fail(Invalid.at("", "must be an object"))
  const fields = new JsonFields(reading, node, "")
  fields.only(["contact_id", "contact", "tokens", "events", "until"])
  const who = readWho(fields)
  const events = readEvents(structure, fields)
  const until = readUntil(fields, now)
  const tokens = readTokens(fields.raw("tokens"))
  if (who === null || reading.issues.length > 0) return Result.fail(new Invalid({ issues: reading.issues }))
  return Result.map(tokens, (read) => ({ who, request: { tokens: read, events, from: now, until } }))
}

const readWho = (fields: JsonFields): SimulatedWho | null => {
  const contactId = fields.id("contact_id", ContactId)
  const contact = fields.raw("contact")
  const said = [fields.raw("contact_id"), contact].filter((each) => each !== undefined).length
  if (said !== 1) return fields.refuse("contact_id", "or contact is required: exactly one of the two")
  if (contactId !== null) return { contactId }
  if (isObject(contact)) return { contact }
  return contact === undefined ? null : fields.refuse("contact", "must be an object")
}

const metrics = emailStepMetrics.filter((metric) => metric !== "sent")

const readEvents = (structure: Structure, fields: JsonFields): ReadonlyArray<SimulatedEvent> =>
  fields.members("events", simulated_events_max).flatMap(({ value, path }) => {
    const node = objectAt(fields.notes, value, path)
    if (node === null) return []
    const event = new JsonFields(fields.notes, node, path)
    event.only(["after", "metric", "step_id"])
    for (const key of ["after", "metric", "step_id"]) if (event.raw(key) === undefined) event.refuse(key, "is required")
    const stepId = event.text("step_id", step_id_length_max)
    if (stepId !== null && stepOf(structure, stepId)?.type !== "send_email") {
      event.refuse("step_id", "must be the step_id of a send_email step of this flow")
    }
    const metric = event.oneOf("metric", metrics)
    const after = event.raw("after") === undefined ? null : readStretch(event, "after")
    return stepId === null || metric === null || after === null ? [] : [{ stepId, metric, after }]
  })

/** `{amount, unit}`, from no time at all up to ten years. */
const readStretch = (parent: JsonFields, key: string): SimulatedEvent["after"] | null => {
  const node = objectAt(parent.notes, parent.raw(key), parent.at(key))
  if (node === null) return null
  const fields = new JsonFields(parent.notes, node, parent.at(key))
  fields.only(["amount", "unit"])
  for (const each of ["amount", "unit"]) if (fields.raw(each) === undefined) fields.refuse(each, "is required")
  const unit = fields.unit("unit", waitUnits)
  const amount = unit === null ? null : fields.whole("amount", 0, stretch_amount_max[unit])
  return unit === null || amount === null ? null : { amount, unit }
}

/** The end: a timestamp to come, or so long from now. */
const readUntil = (fields: JsonFields, now: DateTime.Utc): DateTime.Utc => {
  const said = fields.raw("until")
  if (said === undefined) return yearAfter(now)
  const until = isObject(said) ? endAfter(now, readStretch(fields, "until")) : instantOf(said)
  const tenYears: Stretch = { amount: 10 * 12, unit: "months" }
  const last = endOf(now, tenYears) ?? now
  if (until !== null && DateTime.between(until, { minimum: now, maximum: last })) return until
  if (until !== null || !isObject(said)) {
    fields.refuse("until", "must be a timestamp of the next ten years, as 2030-01-01T00:00:00Z, or {amount, unit}")
  }
  return now
}

const endAfter = (now: DateTime.Utc, stretch: Stretch | null): DateTime.Utc | null =>
  stretch === null ? null : endOf(now, stretch)

const instantOf = (said: unknown): DateTime.Utc | null => {
  const text = Result.getOrElse(readDate(said, "json"), () => null)
  return text === null || text.length === "2030-01-01".length ? null : Option.getOrNull(DateTime.make(text))
}
