// Arbitrary blasts and lifecycles: lists of events, drawn from schemas and run through the machine.
import { noHeader } from "../../src/documents/EmailFields.ts"
import { DateTime, Result, Schema } from "effect"
import type { Blast, DraftBlast } from "../../src/blasts/Blast.ts"
import { type BlastChange, type BlastEvent, decide } from "../../src/blasts/machine.ts"
import type { LaunchFacts } from "../../src/blasts/Readiness.ts"
import { ApprovalId, BlastId, ContactId, EmailId, ListId } from "../../src/kernel/Ids.ts"
import { plans } from "../../src/workspaces/Workspace.ts"

const uuid = (last: number) => `00000000-0000-4000-8000-${String(last).padStart(12, "0")}`
export const blastId = BlastId.make(uuid(1))
export const listId = (n: number) => ListId.make(uuid(100 + n))
export const emailId = (n: number) => EmailId.make(uuid(200 + n))
export const approvalId = (n: number) => ApprovalId.make(uuid(300 + n))
const contactId = ContactId.make(uuid(400))
export const at = (ms: number): DateTime.Utc => DateTime.makeUnsafe(ms)

export const draft = (over: Partial<DraftBlast> = {}): DraftBlast => ({
  id: blastId,
  name: "News",
  description: null,
  status: "draft",
  operational: false,
  topicId: null,
  audience: { listId: listId(0), source: "existing" },
  email: { emailId: emailId(0), source: "existing" },
  scheduleMissed: false,
  createdAt: at(0),
  updatedAt: at(0),
  ...over,
})

const header = { ...noHeader, subject: "Hello" }

/** Facts without anything missing, on a plan without limits. */
export const facts = (over: Partial<LaunchFacts> = {}): LaunchFacts => ({
  list: { listId: listId(0), name: "All", kind: "static", memberCount: 3, empty: false },
  email: {
    emailId: emailId(0),
    name: "Mail",
    status: "approved",
    subject: "Hello",
    header,
    currentVersion: 1,
    approval: { approvalId: approvalId(0), version: 1, by: "key:tp_live_abcd" },
    texts: ["Hello {{contact.first_name|you}}"],
  },
  approvedHeader: header,
  senderAddress: "News@Example.test",
  verifiedDomains: new Set(["example.test"]),
  postalAddress: "1 Way",
  fourEyes: false,
  customFields: new Set(["size"]),
  topic: null,
  plan: plans.max,
  allotment: null,
  ...over,
})

export const moves = [
  "update",
  "setAudience",
  "setEmail",
  "schedule",
  "unschedule",
  "launch",
  "fire",
  "writeAudience",
  "fixAudience",
  "pause",
  "resume",
  "cancel",
  "complete",
  "fail",
  "retry",
  "finishRetry",
  "archive",
  "delete",
] as const satisfies ReadonlyArray<BlastEvent["_tag"]>

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The facts when a move is tried. */
const World = Schema.Struct({
  list: Schema.Literals(["static", "dynamic", "system", "gone"]),
  empty: Schema.Boolean,
  email: Schema.Literals(["approved", "draft", "gone"]),
  sender: Schema.Literals(["verified", "unverified", "unnamed"]),
  tokens: Schema.Boolean,
  address: Schema.Boolean,
  plan: Schema.Literals(["free", "max"]),
  contacts: whole(0, 1_100),
  usedToday: whole(0, 120),
  qualified: whole(0, 120),
  approval: whole(0, 3),
})
export type World = typeof World.Type

/** Usually good, so that lifecycles get far. */
const Good = Schema.Struct({
  ...World.fields,
  list: Schema.Literal("static"),
  email: Schema.Literal("approved"),
  sender: Schema.Literal("verified"),
  plan: Schema.Literal("max"),
})

export const Happening = Schema.Struct({
  move: Schema.Literals(moves),
  /** Time since the previous event. */
  elapsed_ms: Schema.Union([whole(0, 5_000), whole(0, 3 * 86_400_000)]),
  /** For `schedule`: before or after now. */
  ahead_ms: whole(-1_000, 86_400_000),
  operational: Schema.Boolean,
  other: whole(1, 3),
  world: Schema.Union([World, Good, Good]),
})
export type Happening = typeof Happening.Type

export const Life = Schema.Array(Happening).check(Schema.isMinLength(20), Schema.isMaxLength(40))

export const factsOf = (world: World): LaunchFacts =>
  facts({
    list:
      world.list === "gone"
        ? null
        : {
            listId: listId(0),
            name: "List",
            kind: world.list,
            memberCount: world.list === "static" ? (world.empty ? 0 : 3) : null,
            empty: world.empty,
          },
    email:
      world.email === "gone"
        ? null
        : {
            emailId: emailId(0),
            name: "Mail",
            status: world.email,
            subject: "Hello",
            header,
            currentVersion: 5,
            approval:
              world.email === "approved"
                ? { approvalId: approvalId(world.approval), version: 4, by: "key:tp_live_abcd" }
                : null,
            texts: world.tokens ? ["{{contact.custom_fields.shoe_size}}"] : [],
          },
    approvedHeader: world.email === "approved" ? header : null,
    senderAddress: world.sender === "unnamed" ? null : "news@example.test",
    verifiedDomains: new Set(world.sender === "verified" ? ["example.test"] : ["other.test"]),
    postalAddress: world.address ? "1 Way" : null,
    plan: plans[world.plan],
    allotment:
      world.plan === "max"
        ? null
        : { contacts: world.contacts, usedToday: world.usedToday, qualified: world.qualified },
  })

interface Step {
  readonly happening: Happening
  readonly now: DateTime.Utc
  readonly before: Blast
  /** Null: the move was refused. */
  readonly change: BlastChange | null
  readonly after: Blast
}

/** The event of a step, for the given blast. */
export const eventOf = (
  blast: Blast,
  { move, ahead_ms, operational, other, world }: Happening,
  now: DateTime.Utc,
): BlastEvent => {
  const facts = factsOf(world)
  switch (move) {
    case "update":
      return { _tag: move, fields: { name: `Name ${other}` } }
    case "setAudience":
      return { _tag: move, audience: { listId: listId(other), source: "existing" }, lists: [] }
    case "setEmail":
      return { _tag: move, email: { emailId: emailId(other), source: "existing" }, inlineEmail: null }
    case "schedule":
      return { _tag: move, by: "worker", facts, scheduledAt: at(now.epochMilliseconds + ahead_ms), operational }
    case "launch":
      return { _tag: move, by: "worker", facts, operational }
    case "fire":
      return { _tag: move, facts }
    case "writeAudience":
      return { _tag: move, pass: { recipientCount: 2, qualifiedCount: other % 2, through: contactId } }
    case "fixAudience":
      return { _tag: move, audience: { at: now, recipientCount: 5, qualifiedCount: other, truncated: false } }
    case "retry":
      return { _tag: move, facts, includeUnconfirmed: operational }
    case "finishRetry":
      return {
        _tag: move,
        since: blast.status === "sending" && blast.retryingSince !== null ? blast.retryingSince : now,
      }
    case "fail":
      return { _tag: move, failure: "authentication_refused" }
    case "delete":
      return { _tag: move, lists: [] }
    default:
      return { _tag: move }
  }
}

/** The lifecycle of a blast, from a draft. It ends early when the blast is deleted. */
export const live = (happenings: ReadonlyArray<Happening>, first: Blast = draft()): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let before = first
  let now_ms = 1_000
  for (const happening of happenings) {
    now_ms += happening.elapsed_ms
    const now = at(now_ms)
    const moved = decide(before, eventOf(before, happening, now), now)
    if (Result.isFailure(moved)) {
      steps.push({ happening, now, before, change: null, after: before })
      continue
    }
    const change = moved.success
    const after = change.after
    steps.push({ happening, now, before, change, after: after ?? before })
    if (after === null) break
    before = after
  }
  return steps
}
