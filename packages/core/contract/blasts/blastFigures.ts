// Contract tests of `FigureStore`: after random events its sums equal a count over the deliveries.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import { FigureStore, type TimeRange } from "../../src/blasts/figures/FigureStore.ts"
import { rateWindowStart, slotOf } from "../../src/blasts/figures/Pace.ts"
import { emptyFigures, type FigurePoint, type Figures, figureNames, startOf, sumOf } from "../../src/sending/Figures.ts"
import type { BlastId, WorkspaceId } from "../../src/kernel/Ids.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import { clicksOf, type LinkEvent } from "../../src/tracking/LinkClicks.ts"
import { type Draw, drawFrom, seeds } from "../kernel/draws.ts"
import {
  accepted,
  at,
  begin,
  type DeliveryPorts,
  refused,
  type ScenarioContact,
  type WrittenDelivery,
} from "../sending/deliveryScenario.ts"
import { recipientQuery } from "./blastWorld.ts"

/** Domains that the figures of a blast distinguish; further ones are `other`. */
const stored_domains_max = 50

const hour_ms = 3_600_000
const ago = (hours: number) => DateTime.subtract(at, { milliseconds: hours * hour_ms })

const audience = (draw: Draw, count: number): ReadonlyArray<ScenarioContact> =>
  Array.from({ length: count }, (_, index) => ({
    email: draw.chance(0.05) ? null : `p${index}@${draw.of(["a", "b", "c"])}.test`,
    unsubscribed: draw.chance(0.1),
  }))

const outcomes: ReadonlyArray<Outcome> = [
  accepted,
  accepted,
  accepted,
  refused(550, "550 5.1.1 no"),
  refused(451, "451 later"),
  { _tag: "inDoubt" },
]

/** Random sends, events, bounces, clicks and ends of a blast. Returns the clicks by delivery and link. */
const play = Effect.fnUntraced(function* (draw: Draw, rounds: number) {
  const world = yield* begin
  const { claim, engagement, grant, reported, scenario, settle, sweep, transact, workspace } = world
  const blasts = yield* BlastStore
  const { blast } = yield* world.started(audience(draw, 40))
  const links: Array<LinkEvent> = []
  const someone = Effect.map(scenario.written(workspace, blast), (rows) => draw.of(rows))
  const when = () => DateTime.subtract(at, { milliseconds: draw.below(60 * hour_ms) })
  const send = Effect.gen(function* () {
    const claims = yield* claim(8)
    yield* grant(claims)
    yield* settle(
      claims.map((each) =>
        Settlement.of(
          each,
          { _tag: "outcome", outcome: draw.of(outcomes) },
          { at: when(), acceptMeansDelivered: draw.chance(0.7) },
        ),
      ),
    )
  })
  const click = Effect.gen(function* () {
    const { id } = yield* someone
    const event = draw.chance(0.7)
      ? ({ _tag: "clicked", url: "https://x.test/" } as const)
      : ({ _tag: "clickedByMachine" } as const)
    const events = Array.from({ length: 1 + draw.below(2) }, () => ({
      deliveryId: id,
      at: when(),
      link: draw.below(3),
      event,
    }))
    links.push(...events)
    yield* world.recordAll(events)
    yield* transact(
      Effect.flatMap(engagement.lock(workspace, [id]), (found) =>
        engagement.addClicks(workspace, clicksOf(found, events)),
      ),
    )
  })
  const open = Effect.flatMap(someone, ({ id }) =>
    world.record(id, { _tag: draw.of(["opened", "openedByMachine", "unsubscribed"] as const) }, when()),
  )
  const report = Effect.flatMap(someone, ({ id }) =>
    reported(
      id,
      draw.of([{ _tag: "complained" }, { _tag: "bounced", kind: "hard", words: null }, { _tag: "delivered" }] as const),
      when(),
    ),
  )
  const lapse = claim(2, 0).pipe(
    Effect.tap((claims) => grant(claims, 0)),
    Effect.andThen(Effect.sleep("2 millis")),
    Effect.andThen(sweep),
  )
  const retry = transact(
    blasts.requeue(workspace, blast, { after: null, includeUnconfirmed: draw.chance(0.5), limit: 3 }),
  )
  const end = transact(blasts.endOpen(workspace, blast, draw.of(["cancelled", "blast_failed"] as const), 2))
  for (let round = 0; round < rounds; round++) {
    yield* draw.of<Effect.Effect<unknown, never, never>>(
      [send, send, click, open, open, report, lapse, retry, end].map(Effect.orDie),
    )
  }
  return { ...world, blast, links }
})

const timesOf = (row: WrittenDelivery): { readonly [Name in keyof Figures]: DateTime.Utc | null } => ({
  sent: row.state === "sent" ? row.sentAt : null,
  failed: row.failedAt,
  delivered: row.deliveredAt,
  opened: row.openedAt,
  clicked: row.clickedAt,
  bounced: row.bouncedAt,
  complained: row.complainedAt,
  unsubscribed: row.unsubscribedAt,
})

/** Recounted from the deliveries. */
const recount = (rows: ReadonlyArray<WrittenDelivery>, place: (at: DateTime.Utc) => DateTime.Utc) => {
  const points = new Map<number, { at: DateTime.Utc } & Record<keyof Figures, number>>()
  for (const row of rows) {
    const times = timesOf(row)
    for (const name of figureNames) {
      const time = times[name]
      if (time === null) continue
      const start = place(time)
      const point = points.get(start.epochMilliseconds) ?? { at: start, ...emptyFigures }
      point[name] += 1
      points.set(start.epochMilliseconds, point)
    }
  }
  return [...points.values()].sort((left, right) => left.at.epochMilliseconds - right.at.epochMilliseconds)
}

const isNewer = (a: DateTime.Utc, b: DateTime.Utc) => a.epochMilliseconds >= b.epochMilliseconds

const totalsOf = (rows: ReadonlyArray<WrittenDelivery>): Figures =>
  sumOf(recount(rows, (time) => startOf("hour", time)))

const compare = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  blast: BlastId,
  rows: ReadonlyArray<WrittenDelivery>,
  links: ReadonlyArray<LinkEvent>,
) {
  const store = yield* FigureStore
  const until = ago(24)
  const found = yield* store.ofBlast(workspace, blast, startOf("day", until))
  const hourOrDay = (time: DateTime.Utc) => startOf(isNewer(time, startOf("day", until)) ? "day" : "hour", time)
  assert.deepStrictEqual(found.points, recount(rows, hourOrDay))
  const clicks = (link: number, tag: string) =>
    links.filter(({ event, ...each }) => each.link === link && event._tag === tag)
  assert.deepStrictEqual(
    found.links,
    [...new Set(links.map(({ link }) => link ?? 0))].sort().map((link) => ({
      link,
      recipients: new Set(clicks(link, "clicked").map(({ deliveryId }) => deliveryId)).size,
      clicks: clicks(link, "clicked").length,
      machineClicks: clicks(link, "clickedByMachine").length,
    })),
  )
  const domains = [...Map.groupBy(rows, ({ domain }) => domain)]
    .map(([domain, its]) => ({ domain, recipients: its.length, ...totalsOf(its) }))
    .sort((left, right) => right.recipients - left.recipients || (left.domain < right.domain ? -1 : 1))
  assert.deepStrictEqual(found.domains, domains)
  const reasons = new Map<string, number>()
  for (const { reason, state } of rows) {
    const key = `${state === "unconfirmed" ? "failed" : state} ${reason}`
    if (reason !== null) reasons.set(key, (reasons.get(key) ?? 0) + 1)
  }
  assert.deepStrictEqual(
    new Map(found.reasons.map(({ count, reason, state }) => [`${state} ${reason}`, count])),
    reasons,
  )
  for (const { reason, sampleReply } of found.reasons) {
    if (sampleReply !== null)
      assert.include(
        rows.filter((row) => row.reason === reason).map(({ reply }) => reply),
        sampleReply,
      )
  }
  assert.strictEqual(found.machineOpened, rows.filter((row) => row.machineOpenedAt !== null).length)
  assert.strictEqual(found.machineClicked, rows.filter((row) => row.machineClickedAt !== null).length)

  const queue = yield* store.ofQueue(workspace, blast, ago(30))
  const sent = rows.flatMap(({ sentAt, state }) => (state === "sent" && sentAt !== null ? [slotOf(sentAt)] : []))
  const slots = Map.groupBy(
    sent.filter((time) => isNewer(time, ago(30))),
    (time) => time.epochMilliseconds,
  )
  assert.deepStrictEqual(
    queue.slots.map((slot) => [slot.at.epochMilliseconds, slot.sent]),
    [...slots].map(([slot, its]) => [slot, its.length]).sort(([left = 0], [right = 0]) => left - right),
  )
  const open = rows.filter(({ reason, state }) => reason === null && state !== "sent")
  const waiting = new Map([...Map.groupBy(open, ({ domain }) => domain)].map(([domain, its]) => [domain, its.length]))
  assert.deepStrictEqual(new Map(queue.waiting.map(({ count, domain }) => [domain, count])), waiting)
})

const compareTime = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  blast: BlastId,
  rows: ReadonlyArray<WrittenDelivery>,
) {
  const store = yield* FigureStore
  const range: TimeRange = { from: startOf("day", ago(72)), to: startOf("hour", ago(20)) }
  const inRange = ({ at: time }: FigurePoint) => isNewer(time, range.from) && !isNewer(time, range.to)
  const hours = recount(rows, (time) => startOf("hour", time)).filter(inRange)
  assert.deepStrictEqual(yield* store.ofTime(workspace, range, "hour"), hours)
  const daily = yield* store.ofTime(workspace, range, "day")
  assert.deepStrictEqual(
    [sumOf(daily), daily.map((point) => startOf("day", point.at))],
    [sumOf(hours), daily.map((point) => point.at)],
  )
  const ofBlasts = yield* store.groups(workspace, range, "blast")
  assert.deepStrictEqual(
    ofBlasts.map(({ key, totals }) => ({ key, totals })),
    hours.length === 0 ? [] : [{ key: blast, totals: sumOf(hours) }],
  )
  assert.deepStrictEqual(yield* store.groups(workspace, range, "flow"), [])
  const days = { from: range.from, to: startOf("day", ago(24)) }
  const byDomain = new Map<string, Figures>()
  for (const [domain, its] of Map.groupBy(rows, (row) => row.domain)) {
    const points = recount(its, (time) => startOf("day", time)).filter(
      ({ at: time }) => !isNewer(time, days.to) && isNewer(time, days.from),
    )
    if (points.length > 0) byDomain.set(domain, sumOf(points))
  }
  const groups = yield* store.groups(workspace, days, "domain")
  assert.deepStrictEqual(new Map(groups.map(({ key, totals }) => [key, totals])), byDomain)
})

export const blastFigures = <E>(name: string, live: Layer.Layer<DeliveryPorts | FigureStore | BlastStore, E>) =>
  layer(live, { excludeTestServices: true })(`FigureStore (${name})`, (it) => {
    for (const seed of seeds(4)) {
      it.effect(`has the sums of the deliveries after random events (seed ${seed})`, () =>
        Effect.gen(function* () {
          const { blast, links, scenario, workspace } = yield* play(drawFrom(seed), 60)
          const rows = yield* scenario.written(workspace, blast)
          yield* compare(workspace, blast, rows, links)
          yield* compareTime(workspace, blast, rows)
        }),
      )
    }

    it.effect("counts concurrent settlements and clicks once each", () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { claim, engagement, grant, scenario, settle, transact, workspace } = world
        const draw = drawFrom(9)
        const { blast } = yield* world.started(audience(draw, 60))
        const batches = [yield* claim(20), yield* claim(20), yield* claim(20)]
        yield* Effect.forEach(
          batches,
          (claims) =>
            Effect.andThen(
              grant(claims),
              settle(
                claims.map((each) =>
                  Settlement.of(each, { _tag: "outcome", outcome: accepted }, { at, acceptMeansDelivered: true }),
                ),
              ),
            ),
          { concurrency: 3 },
        )
        const event = { _tag: "clicked", url: "https://x.test/" } as const
        const links = batches.flatMap(([first]) =>
          first === undefined ? [] : [1, 2, 3].map(() => ({ deliveryId: first.id, at, link: 0, event })),
        )
        yield* Effect.forEach(
          links,
          (each) =>
            transact(
              Effect.flatMap(engagement.lock(workspace, [each.deliveryId]), (found) =>
                engagement.addClicks(workspace, clicksOf(found, [each])),
              ),
            ),
          { concurrency: 9 },
        )
        yield* compare(workspace, blast, yield* scenario.written(workspace, blast), links)
      }),
    )

    it.effect(
      `stores ${stored_domains_max} domains of a blast, those with the most recipients first; further ones are other`,
      () =>
        Effect.gen(function* () {
          const { started, workspace } = yield* begin
          const rare = Array.from({ length: stored_domains_max + 2 }, (_, index) => ({ email: `x@rare${index}.test` }))
          const { blast } = yield* started([
            ...rare,
            ...["a", "b", "c"].map((each) => ({ email: `${each}@common.test` })),
          ])
          const { domains } = yield* (yield* FigureStore).ofBlast(workspace, blast, at)
          assert.strictEqual(domains[0]?.domain, "common.test")
          if (name !== "memory") assert.deepInclude(domains[1], { domain: "other", recipients: 3 })
        }),
    )

    it.effect("reports the pace of a blast that is sending, and its deferred recipients", () =>
      Effect.gen(function* () {
        const { claim, grant, settle, started, workspace } = yield* begin
        const blasts = yield* BlastStore
        const { blast } = yield* started(Array.from({ length: 4 }, (_, index) => ({ email: `p${index}@x.test` })))
        const [first, second, ...rest] = yield* claim(3)
        assert(first !== undefined && second !== undefined)
        yield* grant([first, second, ...rest])
        const settled = (outcome: Outcome, when: DateTime.Utc) => (each: typeof first) =>
          Settlement.of(each, { _tag: "outcome", outcome }, { at: when, acceptMeansDelivered: true })
        yield* settle([
          settled(accepted, at)(first),
          settled(accepted, DateTime.subtract(rateWindowStart(at), { milliseconds: 1 }))(second),
          ...rest.map(settled(refused(451, "451 later"), at)),
        ])
        const { paceFacts, tally } = yield* blasts.get(workspace, blast, at)
        assert.deepInclude(tally, { queued: 2, deferred: 1, sent: 2 })
        assert.deepInclude(paceFacts, { sent: 1, held: false })
        const nextAttemptAt = paceFacts?.nextAttemptAt ?? assert.fail("no next attempt")
        assert.isTrue(isNewer(nextAttemptAt, yield* DateTime.now))
        const emails = (query: Partial<typeof recipientQuery>) =>
          Effect.map(blasts.recipients(workspace, blast, { ...recipientQuery, ...query }), ({ total }) => total)
        assert.strictEqual(yield* emails({ category: "queued" }), 2)
        assert.strictEqual(yield* emails({ category: "deferred" }), 1)
      }),
    )

    it.effect("lists recipients by state, domain, reason and link", () =>
      Effect.gen(function* () {
        const { blast, links, scenario, workspace } = yield* play(drawFrom(5), 80)
        const rows = yield* scenario.written(workspace, blast)
        const blasts = yield* BlastStore
        const ids = (query: Partial<typeof recipientQuery>) =>
          Effect.map(blasts.recipients(workspace, blast, { ...recipientQuery, limit: 100, ...query }), ({ items }) =>
            items.map(({ id }) => id).sort(),
          )
        const those = (holds: (row: WrittenDelivery) => boolean) =>
          rows
            .filter(holds)
            .map(({ id }) => id)
            .sort()
        const open = (row: WrittenDelivery) => row.reason === null && row.state !== "sent"
        assert.deepStrictEqual(yield* ids({ category: "queued" }), those(open))
        assert.deepStrictEqual(
          yield* ids({ category: "deferred" }),
          those((row) => open(row) && row.attempts > 0),
        )
        assert.deepStrictEqual(
          yield* ids({ category: "blocked" }),
          those((row) => row.state === "blocked"),
        )
        assert.deepStrictEqual(
          yield* ids({ category: "unconfirmed" }),
          those((row) => row.state === "unconfirmed"),
        )
        assert.deepStrictEqual(
          yield* ids({ category: "failed" }),
          those((row) => row.state === "failed" || row.state === "unconfirmed"),
        )
        for (const domain of ["a.test", "unknown"]) {
          assert.deepStrictEqual(
            yield* ids({ domain }),
            those((row) => row.domain === domain),
          )
        }
        for (const reason of ["unsubscribed", "hard_bounce"]) {
          assert.deepStrictEqual(
            yield* ids({ reason }),
            those((row) => row.reason === reason),
          )
        }
        const clicked = new Set(
          links.flatMap(({ deliveryId, event, link }) => (link === 0 && event._tag === "clicked" ? [deliveryId] : [])),
        )
        assert.deepStrictEqual(
          yield* ids({ link: 0 }),
          those(({ id }) => clicked.has(id)),
        )
        assert.deepStrictEqual(yield* ids({ link: 7 }), [])
      }),
    )
  })
