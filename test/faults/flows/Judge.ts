// The invariants of a flow after faults: each member took the path that the machine predicts, no member has a step or a message
// twice, no wait ended early, and the counters are right.
import { compileFlow } from "@tentpole/core/flows/definition/CompiledFlow"
import { Flows } from "@tentpole/core/flows/Flows"
import type { MemberDelivery } from "@tentpole/core/flows/members/MemberDeliveries"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import type { Dot } from "../../support/smtp/FakeSmtpProcess.ts"
import { type Known, predicted, linesOf, type Witnessed } from "./Prediction.ts"
import type { RunningFlow } from "./RunningFlow.ts"

interface MemberRow {
  readonly membership_id: string
  readonly contact_id: string
  readonly email: string
  readonly city: string
  readonly entered_at: Date
}

interface LineRow {
  readonly membership_id: string
  readonly type: Parameters<typeof linesOf>[0][number]["type"]
  readonly at: Date
  readonly step_id: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}

interface MessageRow extends Pick<MemberDelivery, "state" | "reason" | "visit"> {
  readonly membership_id: string
  readonly delivery_id: string
  readonly step_id: string
  readonly sent_at: Date | null
  readonly handed_over_at: Date | null
  readonly opened_at: Date | null
}

const instant = (at: Date | null): DateTime.Utc | null => (at === null ? null : DateTime.makeUnsafe(at))

const toMessage = ({ opened_at, reason, sent_at, state, step_id, visit }: MessageRow): MemberDelivery => ({
  stepId: step_id,
  visit,
  state,
  reason,
  sentAt: instant(sent_at),
  deliveredAt: instant(sent_at),
  openedAt: instant(opened_at),
  clickedAt: null,
  bouncedAt: null,
  unsubscribedAt: null,
})

const leftAt = (messages: ReadonlyArray<MessageRow>) =>
  new Map(
    messages.flatMap(({ handed_over_at, sent_at, visit }): ReadonlyArray<readonly [number, DateTime.Utc]> => {
      const at = instant(sent_at ?? handed_over_at)
      return at === null ? [] : [[visit, at]]
    }),
  )

/** The number of violations, and the first two. */
const some = (what: string, all: ReadonlyArray<string>): ReadonlyArray<string> =>
  all.length === 0 ? [] : [`${what}: ${all.length}, as ${all.slice(0, 2).join("; ")}`]

/** Members that are read at once. */
const page_max = 1_000

export const judge = async (running: RunningFlow, bounds: { readonly unconfirmed_max: number }) => {
  const known = await knownOf(running)
  const dots = await running.dots()
  const seen = { members: 0, lines: 0, unconfirmed: 0 }
  const found: Array<string> = []
  const [strayed, hurried, mailed]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  const byDelivery = Map.groupBy(dots, ({ delivery }) => delivery)
  const deliveries = new Set<string>()
  for await (const { lines, member, messages } of witnessed(running)) {
    seen.members++
    seen.lines += lines.length
    seen.unconfirmed += messages.filter(({ state }) => state === "unconfirmed").length
    for (const { delivery_id } of messages) deliveries.add(delivery_id)
    const said = linesOf(lines.map(({ metadata, step_id, type }) => ({ type, stepId: step_id, metadata })))
    const foretold = predicted(known, { ...member, messages: messages.map(toMessage), leftAt: leftAt(messages) })
    const at = foretold.findIndex((line, nth) => line !== said[nth])
    if (said.length !== foretold.length || at !== -1) {
      const nth = at === -1 ? foretold.length : at
      strayed.push(
        `${member.email} has "${said[nth] ?? "nothing"}" where the machine predicts "${foretold[nth] ?? "nothing"}"`,
      )
    }
    hurried.push(...tooSoon(lines).map((step) => `${member.email} at ${step}`))
    mailed.push(...messages.flatMap((each) => mailFaults(each, byDelivery.get(each.delivery_id) ?? [])))
  }
  found.push(
    ...some("members whose path is not the predicted one", strayed),
    ...some("waits that ended early", hurried),
    ...some("messages that differ from what the mail server got", mailed),
    ...some(
      "messages without a delivery",
      dots.filter(({ delivery }) => !deliveries.has(delivery)).map(({ to }) => to),
    ),
    ...(await countFaults(running, seen.members)),
  )
  if (seen.unconfirmed > bounds.unconfirmed_max) {
    found.push(`${seen.unconfirmed} messages are unconfirmed, more than ${bounds.unconfirmed_max}`)
  }
  return { found, mails: dots.length, ...seen }
}

const knownOf = async ({ emailId, flowId, world, workspace }: RunningFlow): Promise<Known> => {
  const { flow } = await world.deployment.inside.run(Effect.flatMap(Flows, (flows) => flows.get(workspace.id, flowId)))
  return {
    flow: compileFlow(flow, { fields: [], staticLists: new Set(), topics: new Set() }),
    emailId: EmailId.make(emailId),
    until: DateTime.makeUnsafe(world.clock.now_ms),
  }
}

const witnessed = async function* ({ flowId, world, workspace }: RunningFlow) {
  const { inside } = world.deployment
  let after = "00000000-0000-0000-0000-000000000000"
  for (;;) {
    const members = await inside.asOwner<MemberRow>(
      `select m.membership_id, m.contact_id, c.email, c.city, m.entered_at from flow_membership m
        join contact c on c.workspace_id = m.workspace_id and c.contact_id = m.contact_id
        where m.workspace_id = $1::uuid and m.flow_id = $2::uuid and m.membership_id > $3::uuid
        order by m.membership_id limit ${page_max}`,
      [workspace.id, flowId, after],
    )
    const last = members.at(-1)
    if (last === undefined) return
    const ids = [workspace.id, members.map(({ membership_id }) => membership_id)]
    const lines = await inside.asOwner<LineRow>(
      `select membership_id, type, at, step_id, metadata from flow_event
        where workspace_id = $1::uuid and membership_id = any($2::uuid[]) order by membership_id, position`,
      ids,
    )
    const messages = await inside.asOwner<MessageRow>(
      `select membership_id, delivery_id, step_id, visit, state, reason, sent_at, handed_over_at, opened_at from delivery
        where workspace_id = $1::uuid and membership_id = any($2::uuid[]) order by membership_id, visit`,
      ids,
    )
    const linesOf = Map.groupBy(lines, ({ membership_id }) => membership_id)
    const messagesOf = Map.groupBy(messages, ({ membership_id }) => membership_id)
    for (const { city, contact_id, email, entered_at, membership_id } of members) {
      const member: Omit<Witnessed, "leftAt" | "messages"> = {
        membershipId: membership_id,
        contactId: contact_id,
        email,
        city,
        enteredAt: DateTime.makeUnsafe(entered_at),
      }
      yield { member, lines: linesOf.get(membership_id) ?? [], messages: messagesOf.get(membership_id) ?? [] }
    }
    after = last.membership_id
  }
}

/** Waits that ended before their time although their condition did not hold. */
const tooSoon = (lines: ReadonlyArray<LineRow>): ReadonlyArray<string> => {
  const until = new Map<unknown, number>()
  return lines.flatMap(({ at, metadata, step_id, type }) => {
    const { result, step_type, visit, waiting_until } = metadata
    if (type === "waiting" && typeof waiting_until === "string") until.set(visit, Date.parse(waiting_until))
    const isOver = type === "step_executed" && step_type === "wait" && result !== true
    return isOver && at.getTime() < (until.get(visit) ?? Infinity) ? [String(step_id)] : []
  })
}

/** A message is sent once at most, and a sent one was accepted. */
const mailFaults = ({ delivery_id, state, step_id }: MessageRow, dots: ReadonlyArray<Dot>): ReadonlyArray<string> => {
  if (dots.length > 1) return [`${dots[0]?.to} got ${dots.length} for ${step_id}`]
  const isTaken = dots[0]?.reply === 250
  if (state === "sent" && !isTaken) return [`${step_id} ${delivery_id} is sent, but the mail server never accepted it`]
  return isTaken && state !== "sent" && state !== "unconfirmed"
    ? [`${dots[0]?.to} got ${step_id}, which is ${state}`]
    : []
}

const countFaults = async ({ count, flowId, world, workspace }: RunningFlow, members: number) => {
  const found = members === count ? [] : [`${count} contacts were created, and ${members} are members`]
  const differences = await world.deployment.inside.asOwner<{ status: string; counted: number; stored: number }>(
    `select status, counted::int, stored::int
      from (select status, count(*) as counted from flow_membership
        where workspace_id = $1::uuid and flow_id = $2::uuid group by status) as m
      full join (select t.status, sum(t.stored) as stored from flow_tally f
        cross join lateral (values ('active', active), ('waiting', waiting), ('completed', completed), ('dropped', dropped),
          ('failed', failed)) as t (status, stored)
        where f.workspace_id = $1::uuid and f.flow_id = $2::uuid group by t.status) as tally using (status)
      where coalesce(counted, 0) <> coalesce(stored, 0)`,
    [workspace.id, flowId],
  )
  return [
    ...found,
    ...differences.map(({ counted, status, stored }) => `the counters say ${stored} ${status} instead of ${counted}`),
  ]
}
