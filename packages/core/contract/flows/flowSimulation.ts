// Contract test of simulations: a simulation matches the run of the real engine on the real stores, entry by entry and
// instant by instant, when the contact does with the messages what was assumed.
import { assert, layer } from "@effect/vitest"
import { Clock, Context, DateTime, Effect, Layer, Result } from "effect"
import type { Ai } from "../../src/ports/Ai.ts"
import { reportRecorder } from "../../src/bounces/ReportRecording.ts"
import type { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import { EngagementChange } from "../../src/tracking/Engagement.ts"
import { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import type { ConsentStore } from "../../src/topics/ConsentStore.ts"
import type { TopicStore } from "../../src/topics/TopicStore.ts"
import { StepRuns } from "../../src/flows/steps/StepRuns.ts"
import { FlowSimulations } from "../../src/flows/simulation/FlowSimulations.ts"
import { dueAtOf, isLive, type Membership, type TimelineEntry } from "../../src/flows/members/Membership.ts"
import { endOf } from "../../src/flows/definition/Step.ts"
import type { DeliveryId, FlowId } from "../../src/kernel/Ids.ts"
import { later } from "../blasts/blastWorld.ts"
import { bodyOf, type DrawnDeed, DrawnFlow, DrawnPerson, runnable, withoutMade } from "./flowDraws.ts"
import { flowMakings } from "../../src/Tentpole.ts"
import { day_ms, type FlowLive, flowLive, type FlowRooms, running } from "./flowMembersWorld.ts"

/** The clock that decides which members of a store are due. */
export class StoreClock extends Context.Service<
  StoreClock,
  {
    /** Stops at this instant. */
    readonly set: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("tentpole/contract/StoreClock") {}

type Needs =
  | FlowRooms
  | Ai
  | EngagementStore
  | BounceReportStore
  | StoreClock
  | ConsentStore
  | TopicStore
  | Exclude<Layer.Services<typeof flowMakings>, FlowLive>
  | Layer.Services<typeof FlowSimulations.layer>

export const flowSimulation = <E>(name: string, rooms: Layer.Layer<Needs, E>, runs: number) => {
  const useCases = Layer.merge(flowMakings, FlowSimulations.layer).pipe(Layer.provideMerge(flowLive))
  layer(Layer.provideMerge(useCases, rooms), { excludeTestServices: true })(`Simulation (${name})`, (it) => {
    it.effect.prop(
      "simulates the same timeline that the engine produces",
      [DrawnFlow, DrawnPerson],
      ([flow, person]) =>
        Effect.gen(function* () {
          const time = yield* standingClock
          yield* Effect.provideService(comparing(time, runnable(flow), person), Clock.Clock, time.clock)
        }),
      { timeout: 60_000 + runs * 1_000, arbitrary: { runs } },
    )
  })
}

/** A clock that stops until it is set, together with the store's. */
const standingClock = Effect.gen(function* () {
  const real = yield* Clock.Clock
  const store = yield* StoreClock
  let now = later(day_ms)
  const nanos = () => BigInt(now.epochMilliseconds) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now.epochMilliseconds,
    currentTimeMillis: Effect.sync(() => now.epochMilliseconds),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  }
  const set = (at: DateTime.Utc) => {
    now = at
    return store.set(at)
  }
  yield* set(now)
  return { clock, set }
})

type StandingClock = Effect.Success<typeof standingClock>

/** The limit at which a member in an endless loop is no longer followed. */
const entries_max = 25

const comparing = Effect.fnUntraced(function* (time: StandingClock, drawn: DrawnFlow, contactDraw: DrawnPerson) {
  const world = yield* running()
  const trials = yield* FlowSimulations
  const { memberships, person, workspace } = world
  const { flow, body } = yield* activated(world, drawn)
  const ann = yield* person("ann", {
    firstName: "Ann",
    leadStatus: contactDraw.cold ? "cold" : null,
    unsubscribed: contactDraw.unsubscribed,
    ...(contactDraw.mailable ? {} : { email: null, phone: "+12025550123" }),
  })
  const deeds = deedsOf(body, contactDraw)
  const request = {
    contact_id: ann.id,
    tokens: { gift: "cake" },
    events: deeds.map(({ amount, metric, step_id, unit }) => ({ after: { amount, unit }, metric, step_id })),
  }
  const tried = (until: object) => trials.run({ id: workspace, defaultCountry: "US" }, flow, { ...request, ...until })
  const whole = yield* Effect.result(tried({}))
  const entry = yield* Effect.result(memberships.add(workspace, flow, ann.id, request.tokens))
  if (Result.isFailure(whole) || Result.isFailure(entry)) {
    return assert.strictEqual(tagOf(whole), tagOf(entry), "who enters, enters both")
  }
  const last = whole.success.timeline[entries_max]?.at
  const foretold = last === undefined ? whole.success : yield* tried({ until: DateTime.formatIso(last) })
  const until = last ?? DateTime.add(whole.success.member.enteredAt, { years: 1 })
  const { mailed, run } = yield* lived(time, world, { entered: entry.success.membership, body, deeds, until })
  assert.deepStrictEqual(run.timeline.map(entryText), foretold.timeline.map(entryText))
  assert.deepStrictEqual(run.membership.state.status, foretold.status)
  assert.deepStrictEqual(
    mailed,
    foretold.emails.map(({ at, stepId }) => `${DateTime.formatIso(at)} ${stepId}`),
  )
})

const tagOf = (result: Result.Result<unknown, { readonly _tag: string }>): string =>
  Result.isFailure(result) ? result.failure._tag : "entered"

type World = Effect.Success<ReturnType<typeof running>>

const activated = Effect.fnUntraced(function* (world: World, drawn: DrawnFlow) {
  const { approvedEmail, emailTemplates, started } = world
  const { id: emailId } = yield* approvedEmail("hello")
  const { id: templateId } = yield* emailTemplates.made({ html: "<p>Hello {{contact.first_name}}</p>" })
  yield* emailTemplates.approve(templateId)
  const start = Effect.fnUntraced(function* (each: DrawnFlow) {
    const body = bodyOf(each, { emailId, templateId })
    const { steps, ...more } = body
    return { flow: yield* started(steps, more), body }
  })
  // Edges may not lead from the step that creates to the one that sends.
  return yield* Effect.catchDefect(start(drawn), () => start(withoutMade(drawn)))
})

type Body = ReturnType<typeof bodyOf>
type Deed = DrawnDeed & { readonly step_id: string }

const deedsOf = ({ steps }: Body, { deeds }: DrawnPerson): ReadonlyArray<Deed> => {
  const senders = steps.filter(({ type }) => type === "send_email")
  return deeds.flatMap((deed) => {
    const sender = senders[deed.step % senders.length]
    return sender === undefined ? [] : [{ ...deed, step_id: sender.step_id }]
  })
}

/** A timeline entry without what only the real run has: ids and addresses of created things, followed links. */
const entryText = ({ at, metadata, stepId, type }: TimelineEntry): string => {
  const { email_id: _email, url: _url, ...said } = metadata
  return [DateTime.formatIso(at), type, stepId ?? "", JSON.stringify(said, Object.keys(said).toSorted())].join(" ")
}

interface Life {
  readonly entered: Membership
  readonly body: Body
  readonly deeds: ReadonlyArray<Deed>
  readonly until: DateTime.Utc
}

interface Coming {
  readonly at: DateTime.Utc
  readonly deliveryId: DeliveryId
  readonly metric: DrawnDeed["metric"]
}

/** The membership in the real engine, from one instant with work to the next. */
const lived = Effect.fnUntraced(function* (time: StandingClock, world: World, life: Life) {
  const { advanceDue, mail, memberships, takeNews, workspace } = world
  const { id, flowId } = life.entered
  const member = memberships.get(workspace, flowId, id)
  const engagement = yield* EngagementStore
  const doing = yield* deeds(world)
  const making = yield* makes(world, life)
  const coming: Array<Coming> = []
  const mailed: Array<string> = []

  /** Runs until nothing is due at this instant. */
  const settled = Effect.gen(function* () {
    const now = yield* DateTime.now
    for (;;) {
      yield* takeNews
      const moved = yield* advanceDue
      const left = yield* mail()
      for (const { id: deliveryId } of left) {
        const { flow } = yield* engagement.get(workspace, deliveryId)
        mailed.push(`${DateTime.formatIso(now)} ${flow?.stepId}`)
        for (const { metric, step_id, ...after } of life.deeds) {
          if (step_id === flow?.stepId) coming.push({ at: endOf(now, after) ?? now, deliveryId, metric })
        }
      }
      const made = yield* making
      if (moved + left.length + made === 0) return
    }
  })

  yield* settled
  for (;;) {
    const { state } = (yield* member).membership
    const due = isLive(state) ? dueAtOf(state) : null
    const instants = [...coming.map(({ at }) => at), ...(due === null ? [] : [due])]
    const [next] = instants.toSorted((left, right) => left.epochMilliseconds - right.epochMilliseconds)
    if (next === undefined || DateTime.isGreaterThan(next, life.until)) return { mailed, run: yield* member }
    yield* time.set(DateTime.max(next, yield* DateTime.now))
    const now = coming.filter(({ at }) => DateTime.isLessThanOrEqualTo(at, next))
    coming.splice(0, coming.length, ...coming.filter(({ at }) => DateTime.isGreaterThan(at, next)))
    yield* doing(now)
    yield* settled
  }
})

/** What contacts do with their messages, and the reports that come back. */
const deeds = Effect.fnUntraced(function* ({ takeNews, transact, workspace }: World) {
  const engagement = yield* EngagementStore
  const record = yield* reportRecorder
  const meet = Effect.fnUntraced(function* ({ deliveryId, metric }: Coming) {
    if (metric === "bounced") {
      return yield* record(workspace, [{ deliveryId, what: { _tag: "bounced", kind: "hard", words: null } }])
    }
    const event = metric === "clicked" ? { _tag: metric, url: "https://example.com/" } : { _tag: metric }
    const at = yield* DateTime.now
    yield* transact(
      Effect.gen(function* () {
        const found = yield* engagement.lock(workspace, [deliveryId])
        yield* engagement.apply(workspace, EngagementChange.ofAll(found, [{ deliveryId, event, at }]))
      }),
    )
  })
  // One after the other: in one batch, the first of two events would be decided knowing the second.
  return (all: ReadonlyArray<Coming>) =>
    Effect.forEach(all, (each) => Effect.andThen(meet(each), takeNews), { discard: true })
})

/** Creates what the member waits for, as a job does; returns how many there were. */
const makes = Effect.fnUntraced(function* ({ memberships, workspace }: World, { body, entered }: Life) {
  const makings = yield* StepRuns
  const { id, flowId }: { readonly id: Membership["id"]; readonly flowId: FlowId } = entered
  return Effect.gen(function* () {
    const { state } = (yield* memberships.get(workspace, flowId, id)).membership
    if (state.status !== "active" || state.doing.kind !== "make") return 0
    const { stepId, number: visit } = state.visit
    const kind = body.steps.find(({ step_id }) => step_id === stepId)?.type === "create_tent" ? "tent" : "email"
    yield* makings.run(workspace, kind, { membershipId: id, visit, attempt: (state.retry?.count ?? 0) + 1 })
    return 1
  })
})
