// The schema of a request to simulate a flow: the contact, its flow tokens, its reactions to messages, and the end.
import { DateTime, Option, Result, Schema } from "effect"
import { readDate } from "../../contacts/values/FieldValue.ts"
import { ContactId } from "../../kernel/Ids.ts"
import { decoderOf, isObject, type Json } from "../../kernel/Decoding.ts"
import { Invalid, type Issue } from "../../kernel/Refusal.ts"
import { emailStepMetrics } from "../../segments/RuleTree.ts"
import { unit, words } from "../definition/Parts.ts"
import { readTokens, type TokenRefusal } from "../members/EntryTokens.ts"
import type { Structure } from "../definition/FlowSchema.ts"
import { stepOf } from "../definition/Flow.ts"
import { type SimulatedEvent, type SimulationRequest, yearAfter } from "./Simulate.ts"
import { endOf, type Duration, duration_amount_max, waitUnits } from "../definition/Step.ts"

export const simulated_events_max = 1000

/** The id of an existing contact, or the JSON of an invented one. */
export type ContactChoice = { readonly contactId: ContactId } | { readonly contact: Json }

export interface SimulationInput {
  readonly who: ContactChoice
  readonly request: SimulationRequest
}

const required = { messageMissingKey: "is required" }
const amountMessage = "must be a whole number, 0 or more"

/** A duration from zero to ten years. */
const DurationSchema = Schema.Struct({
  amount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: amountMessage }))
    .annotate({ message: amountMessage })
    .annotateKey(required),
  unit: unit(waitUnits).pipe(Schema.annotateKey(required)),
})
  .check(
    Schema.makeFilter(
      ({ amount, unit: of }: { readonly amount: number; readonly unit: keyof typeof duration_amount_max }) =>
        amount <= duration_amount_max[of]
          ? undefined
          : { path: ["amount"], issue: `must be a whole number from 0 to ${duration_amount_max[of]}` },
    ),
  )
  .annotate({ message: "must be an object" })

const EventSchema = Schema.Struct({
  after: DurationSchema.annotate({ description: "Delay after each message of the step is sent" }).annotateKey(required),
  metric: words(emailStepMetrics.filter((metric) => metric !== "sent")).annotateKey(required),
  step_id: Schema.String.annotate({ message: "must be text", description: "Of a `send_email` step" }).annotateKey(
    required,
  ),
}).annotate({ message: "must be an object" })

const untilMessage = "must be a timestamp of the next ten years, such as 2030-01-01T00:00:00Z, or {amount, unit}"

/** The schema of a request to simulate a flow. */
export const SimulateFlow = Schema.Struct({
  contact_id: Schema.optionalKey(ContactId),
  contact: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Any).annotate({
      message: "must be an object",
      description: "An invented contact: the fields of a contact",
    }),
  ),
  tokens: Schema.optionalKey(Schema.Any.annotate({ description: "Flow tokens: `{{campaign.dynamic.<key>}}`" })),
  events: Schema.optionalKey(
    Schema.Array(EventSchema).check(Schema.isMaxLength(simulated_events_max)).annotate({ message: "must be an array" }),
  ),
  until: Schema.optionalKey(
    Schema.Union([Schema.String.annotate({ format: "date-time" }), DurationSchema]).annotate({
      message: untilMessage,
      description: "The end of the simulation, at most ten years from now; a year by default",
    }),
  ),
})
type SimulateFlow = typeof SimulateFlow.Type

const decode = decoderOf(SimulateFlow)

/** Decodes the body of `simulate`, or reports everything that is wrong with it. */
export const readSimulation = (
  structure: Structure,
  body: unknown,
  now: DateTime.Utc,
): Result.Result<SimulationInput, TokenRefusal> => {
  const sent = isObject(body) ? body["events"] : undefined
  if (Array.isArray(sent) && sent.length > simulated_events_max) {
    return Result.fail(Invalid.at("events", `must have at most ${simulated_events_max} members, got ${sent.length}`))
  }
  const { value, issues } = decode(body, "")
  const who = isObject(body) ? whoIssues(body) : []
  const steps = stepIssues(sent, structure)
  const until = value === null ? null : endOfSimulation(value, now)
  const wrong = [
    ...who,
    ...issues,
    ...steps,
    ...(value !== null && until === null ? [{ path: "until", message: untilMessage }] : []),
  ]
  if (value === null || until === null || wrong.length > 0) return Result.fail(new Invalid({ issues: wrong }))
  const { contact_id: contactId, contact = {}, events = [] } = value
  return Result.map(readTokens(value.tokens), (tokens) => ({
    who: contactId === undefined ? { contact } : { contactId },
    request: {
      tokens,
      events: events.map(({ step_id, metric, after }): SimulatedEvent => ({ stepId: step_id, metric, after })),
      from: now,
      until,
    },
  }))
}

const whoIssues = (body: Json): ReadonlyArray<Issue> =>
  [body["contact_id"], body["contact"]].filter((each) => each !== undefined && each !== null).length === 1
    ? []
    : [{ path: "contact_id", message: "or contact is required: exactly one of the two" }]

const stepIssues = (events: unknown, structure: Structure): ReadonlyArray<Issue> =>
  (Array.isArray(events) ? events : []).flatMap((event: unknown, index) => {
    const stepId = isObject(event) ? event["step_id"] : undefined
    return typeof stepId !== "string" || stepOf(structure, stepId)?.type === "send_email"
      ? []
      : [{ path: `events.${index}.step_id`, message: "must be the step_id of a send_email step of this flow" }]
  })

/** The instant of a timestamp or a duration from now; null if it is neither, past, or more than ten years ahead. */
const endOfSimulation = ({ until }: SimulateFlow, now: DateTime.Utc): DateTime.Utc | null => {
  if (until === undefined) return yearAfter(now)
  const end = typeof until === "string" ? instantOf(until) : endOf(now, until)
  const last = endOf(now, tenYears) ?? now
  return end !== null && DateTime.between(end, { minimum: now, maximum: last }) ? end : null
}

const tenYears: Duration = { amount: 10 * 12, unit: "months" }

const instantOf = (said: unknown): DateTime.Utc | null => {
  const text = Result.getOrElse(readDate(said, "json"), () => null)
  return text === null || text.length === "2030-01-01".length ? null : Option.getOrNull(DateTime.make(text))
}
