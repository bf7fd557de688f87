// Random event sequences of a member in random flows: any graph, complete or not, and any events in any order.
import type { CompiledFlow } from "@tentpole/core/flows/definition/CompiledFlow"
import type { FlowStatus } from "@tentpole/core/flows/definition/Flow"
import type { MemberEvent } from "@tentpole/core/flows/members/machine"
import type { Membership, TimelineEntry } from "@tentpole/core/flows/members/Membership"
import type { MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import { ApprovalId, EmailId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { bodyOf as drawnBodyOf, type DrawnFlow, steps_drawn_max, whole } from "../../contract/flows/flowDraws.ts"
import { emailId, now, templateId } from "./FlowFixture.ts"
import { compiledOf, contact, MemberRun, memberFacts } from "./MemberFixture.ts"

export const bodyOf = (drawn: DrawnFlow) => drawnBodyOf(drawn, { emailId, templateId })

const kinds = [
  "check",
  "check",
  "settle",
  "settle",
  "make",
  "make",
  "fail",
  "engage",
  "cold",
  "warm",
  "unsubscribe",
  "unapprove",
  "approve",
  "pause",
  "resume",
  "archive",
  "cut",
  "remove",
  "delete",
] as const

/** Events that advance members. They are drawn more often, because others end most memberships soon. */
const AdvancingKinds = Schema.Literals(["check", "settle", "make"])

export const Happening = Schema.Struct({
  kind: Schema.Union([Schema.Literals(kinds), AdvancingKinds, AdvancingKinds]),
  elapsed_ms: Schema.Union([Schema.Literal(0), whole(0, 100_000), whole(0, 3 * 86_400_000)]),
  /** Steps back from the current visit, so that outdated events are drawn, too. */
  back: Schema.Union([Schema.Literal(0), whole(0, 3)]),
  pick: whole(0, steps_drawn_max),
  outcome: Schema.Literals(["sent", "sent", "failed", "blocked"]),
})
export type Happening = typeof Happening.Type

export const Life = Schema.Array(Happening).check(Schema.isMinLength(15), Schema.isMaxLength(50))

export interface Moment {
  readonly happening: Happening
  readonly flow: CompiledFlow
  readonly before: Membership
  readonly after: Membership
  /** Null: unchanged. */
  readonly change: MembershipChange | null
  readonly disqualified: boolean
  readonly timeline: ReadonlyArray<TimelineEntry>
}

const lifecycles = {
  draft: { status: "draft" },
  active: { status: "active", activatedAt: now },
  paused: { status: "paused", pausedAt: now },
  archived: { status: "archived", archivedAt: now },
} as const

const approvals = new Map([[emailId, ApprovalId.make(emailId)]])
const createdEmail = EmailId.make("00000000-0000-4000-8000-00000000bbbb")

const eventOf = (ann: MemberRun, { kind, back, pick, outcome }: Happening): MemberEvent => {
  const visit = Math.max(0, ann.visit - back)
  const at = ann.facts.now
  switch (kind) {
    case "settle":
      return { type: "settled", visit, outcome, reason: outcome === "sent" ? null : "refused", at }
    case "make":
      return pick % 2 === 0
        ? { type: "email_created", visit, emailId: createdEmail }
        : { type: "tent_live", visit, url: "https://p.test/1" }
    case "fail":
      return { type: "creation_failed", visit, attempt: 1 + (back % 2), error: "no credits" }
    case "engage":
      return { type: "engaged", stepId: `s${pick}`, metric: "opened", at, url: null }
    case "remove":
      return { type: "removed" }
    case "delete":
      return { type: "contact_deleted" }
    default:
      return { type: "check" }
  }
}

/** Changes the flow or the facts before the event is applied. */
const prepare = (ann: MemberRun, drawn: DrawnFlow, { kind, pick }: Happening): void => {
  const status = (to: FlowStatus, steps = ann.flow.steps.size) => {
    const body = bodyOf(drawn)
    ann.flow = compiledOf({ ...body, steps: body.steps.slice(0, steps) }, { lifecycle: lifecycles[to] })
  }
  switch (kind) {
    case "engage":
      return void ann.know({
        emailSteps: new Map([...ann.facts.emailSteps, [`s${pick}`, new Set(["opened"] as const)]]),
      })
    case "cold":
    case "warm":
      return void ann.know({ contact: { ...ann.facts.contact, leadStatus: kind } })
    case "unsubscribe":
      return void ann.know({ contact: { ...ann.facts.contact, unsubscribed: true } })
    case "unapprove":
      return void ann.know({ approvals: new Map() })
    case "approve":
      return void ann.know({ approvals: new Map([...approvals, [createdEmail, ApprovalId.make(createdEmail)]]) })
    case "pause":
      return status("paused")
    case "resume":
      return status("active")
    case "archive":
      return status("archived")
    case "cut":
      return status("paused", Math.max(1, Math.min(ann.flow.steps.size, pick)))
    default:
      return
  }
}

/** Applies all events to a new member. */
export const live = (drawn: DrawnFlow, happenings: ReadonlyArray<Happening>): ReadonlyArray<Moment> => {
  const ann = new MemberRun(compiledOf(bodyOf(drawn)), memberFacts({ contact, approvals }))
  return happenings.map((happening) => {
    ann.later({ milliseconds: happening.elapsed_ms })
    const event = eventOf(ann, happening)
    prepare(ann, drawn, happening)
    const before = ann.member
    const change = ann.apply(event)
    const disqualified = ann.flow.disqualifies?.(ann.facts) === true
    return { happening, flow: ann.flow, before, after: ann.member, change, disqualified, timeline: [...ann.timeline] }
  })
}
