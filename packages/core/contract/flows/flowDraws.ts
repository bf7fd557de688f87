// Random flows as users write them, and what random contacts do with their messages.
import { Schema } from "effect"
import type { EmailId, EmailTemplateId } from "../../src/kernel/Ids.ts"

export const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
export const steps_drawn_max = 7
/** Usually an existing step; else the end, or an unknown step. */
const Edge = whole(-1, steps_drawn_max)

const DrawnStep = Schema.Struct({
  type: Schema.Literals(["send", "own", "wait", "until", "check", "email", "tent"]),
  edges: Schema.Tuple([Edge, Edge, Edge]),
  amount: whole(1, 3),
  unit: Schema.Literals(["minutes", "hours", "days", "months"]),
  flag: Schema.Boolean,
  /** A condition's test: whether the contact is cold, the events of a message, or recent activity. */
  asks: Schema.Union([
    Schema.Literals(["cold", "opened"]),
    Schema.Literals(["sent", "delivered", "clicked", "bounced", "unsubscribed", "mailed lately", "opened lately"]),
  ]),
  /** The step whose messages the condition tests. */
  of: whole(0, steps_drawn_max),
})
type DrawnStep = typeof DrawnStep.Type

export const DrawnFlow = Schema.Struct({
  steps: Schema.Array(DrawnStep).check(Schema.isMinLength(1), Schema.isMaxLength(steps_drawn_max)),
  disqualifies: Schema.Boolean,
})
export type DrawnFlow = typeof DrawnFlow.Type

const condition = (over: object) => ({ kind: "condition", ...over })
const isCold = condition({ source: "contact", field: "leadStatus", operator: "equals", value: "cold" })
const lately = (activityType: string) =>
  condition({ source: "activity", activityType, operator: "has_activity", timeWindow: { amount: 1, unit: "day" } })

const idOf = (edge: number): string | null => (edge < 0 ? null : `s${edge}`)

const conditionOf = ({ asks, of }: DrawnStep) => {
  switch (asks) {
    case "cold":
      return isCold
    case "mailed lately":
      return lately("email_sent")
    case "opened lately":
      return lately("email_opened")
    default:
      return condition({
        source: "email_step",
        nodeId: idOf(of),
        metric: asks,
        operator: "has_activity",
      })
  }
}

/** The emails that a random flow sends and copies. */
export interface DrawnFrom {
  readonly emailId: EmailId
  readonly templateId: EmailTemplateId
}

const stepOf = (step: DrawnStep, index: number, { emailId, templateId }: DrawnFrom) => {
  const { type, edges, amount, unit, flag } = step
  const [first, second, third] = edges
  const common = { step_id: `s${index}`, next_step_id: idOf(first) }
  switch (type) {
    case "send":
      return { ...common, type: "send_email", email_id: emailId, operational: flag }
    case "own":
      return { ...common, type: "send_email", email_source: "flow_step", create_email_step_id: idOf(second) }
    case "wait":
      return { ...common, type: "wait", duration_amount: amount, duration_unit: unit }
    case "until":
      return {
        ...common,
        type: "wait",
        mode: "condition",
        condition: conditionOf(step),
        ...(amount === 3 ? {} : { timeout_amount: amount, timeout_unit: unit, timeout_step_id: idOf(second) }),
      }
    case "check":
      return {
        step_id: common.step_id,
        type: "condition_check",
        condition: conditionOf(step),
        true_step_id: idOf(first),
        false_step_id: idOf(second),
        default_step_id: idOf(third),
      }
    case "email":
      return { ...common, type: "create_email", template_id: templateId }
    case "tent":
      return { ...common, type: "create_tent", prompt: "x" }
  }
}

export const bodyOf = ({ steps, disqualifies }: DrawnFlow, from: DrawnFrom) => ({
  steps: steps.map((step, index) => stepOf(step, index, from)),
  ...(disqualifies ? { disqualification_rules: isCold } : {}),
})

/**
 * The same flow, corrected so that it can be activated: edges lead to existing steps, and back only from waits with a set
 * time; conditions name steps that send; what a step has created is sent by a later one.
 */
export const runnable = (drawn: DrawnFlow): DrawnFlow => {
  const steps = drawn.steps.map((step, index): DrawnStep => {
    const makers = drawn.steps.flatMap(({ type }, at) => (type === "email" && at < index ? [at] : []))
    const maker = makers[step.amount % makers.length]
    const type = step.type === "own" && maker === undefined ? "send" : step.type
    const to = (edge: number): number => {
      const there = edge < 0 ? -1 : edge % drawn.steps.length
      if (type === "wait" || there < 0 || there > index) return there
      return index + 1 < drawn.steps.length ? index + 1 : -1
    }
    const [first, second, third] = step.edges
    const edges: DrawnStep["edges"] =
      type === "own" && maker !== undefined ? [to(first), maker, third] : [to(first), to(second), to(third)]
    return { ...step, type, edges }
  })
  const senders = steps.flatMap(({ type }, index) => (type === "send" || type === "own" ? [index] : []))
  return {
    ...drawn,
    steps: steps.map((step): DrawnStep => {
      const asksOfMessages = step.asks !== "cold" && !step.asks.endsWith("lately")
      if (!asksOfMessages || (step.type !== "check" && step.type !== "until")) return step
      const sender = senders[step.of % senders.length]
      return sender === undefined ? { ...step, asks: "cold" } : { ...step, of: sender }
    }),
  }
}

/** The same without steps that send what the flow created. */
export const withoutMade = (drawn: DrawnFlow): DrawnFlow => ({
  ...drawn,
  steps: drawn.steps.map((step): DrawnStep => (step.type === "own" ? { ...step, type: "send" } : step)),
})

/** What a contact does with each message of a step, and how long after the send. */
export const DrawnDeed = Schema.Struct({
  metric: Schema.Literals(["opened", "clicked", "unsubscribed", "bounced"]),
  // Events at the instant of the send are left out: they may come before the next step or after it.
  amount: whole(1, 3),
  unit: Schema.Literals(["minutes", "hours", "days"]),
  step: whole(0, steps_drawn_max),
})
export type DrawnDeed = typeof DrawnDeed.Type

export const DrawnPerson = Schema.Struct({
  deeds: Schema.Array(DrawnDeed).check(Schema.isMaxLength(5)),
  cold: Schema.Boolean,
  unsubscribed: Schema.Boolean,
  mailable: Schema.Union([Schema.Literal(true), Schema.Boolean]),
})
export type DrawnPerson = typeof DrawnPerson.Type
