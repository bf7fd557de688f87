// Contract tests of the ports of sending. The queue, send rate limits, outcomes and tracking have their own files; this one
// has what holds for all of them: no message is sent twice and no recipient is missed.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import type { DeliveryOutcome, DeliveryMachineState } from "../../src/sending/Delivery.ts"
import { move } from "../../src/sending/machine.ts"
import type { ClaimedDelivery } from "../../src/sending/DeliveryStore.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import { DeliveryId } from "../../src/kernel/Ids.ts"
import {
  accepted,
  begin,
  type DeliveryPorts,
  long_ms,
  one,
  people,
  refused,
  settlement,
  tallyOf,
  wholeAudience,
} from "./deliveryScenario.ts"
import { blockReasons } from "./blockReasons.ts"
import { topicReasons } from "./topicReasons.ts"
import { deliveryOutcomes } from "./deliveryOutcomes.ts"
import { deliveryPace } from "./sendRateLimits.ts"
import { deliveryQueue } from "./deliveryQueue.ts"
import { deliveryReports } from "../bounces/deliveryReports.ts"
import { deliveryTimeline } from "../tracking/deliveryTimeline.ts"
import { deliveryTracking } from "../tracking/deliveryTracking.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { sampled } from "../kernel/draws.ts"

export { DeliveryScenario, wholeAudience, type WrittenDelivery } from "./deliveryScenario.ts"

/** All contract tests of `DeliveryStore`, `EngagementStore` and `ReportStore`. */
export const deliveries = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) => {
  deliveryQueue(name, live)
  blockReasons(name, live)
  topicReasons(name, live)
  deliveryPace(name, live)
  deliveryOutcomes(name, live)
  deliveryTracking(name, live)
  deliveryTimeline(name, live)
  deliveryReports(name, live)
  layer(live, { excludeTestServices: true })(`DeliveryStore (${name})`, (it) => {
    it.effect("neither shows nor changes deliveries of another workspace", () =>
      Effect.gen(function* () {
        const { claim, engagement, fresh, grant, started, states, store, transact } = yield* begin
        const { blast } = yield* started(people(2))
        const [a, b] = yield* claim(100, 0)
        assert(a !== undefined && b !== undefined)
        const other = yield* fresh.workspace()
        yield* Effect.sleep("5 millis")
        assert.isNull(yield* transact(wholeAudience(store, other, blast)))
        assert.isEmpty(yield* transact(store.claim(other, { limit: 10, lease_ms: long_ms })))
        assert.strictEqual(yield* transact(store.renew(other, [a], long_ms)), 0)
        assert.strictEqual((yield* store.grant(other, [a], long_ms)).size, 0)
        assert.deepStrictEqual(yield* transact(store.settle(other, [settlement(a, refused(550, "550 no"))])), [a.id])
        assert.strictEqual(yield* transact(store.release(other, [a])), 0)
        assert.deepStrictEqual(yield* transact(store.sweep(other)), { queued: 0, unconfirmed: 0, expired: 0 })
        assert.deepStrictEqual(yield* transact(store.endTurn(other)), { dry: true })
        assert.strictEqual((yield* Effect.flip(engagement.get(other, a.id)))._tag, "NotFound")
        assert.strictEqual((yield* transact(engagement.lock(other, [a.id]))).size, 0)
        assert.deepStrictEqual(yield* states(blast), ["claimed", "claimed"])
        assert.strictEqual((yield* grant([a])).size, 0)
      }),
    )

    it.effect("settles, claims and records nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { claim, grant, scenario, started, states, store, transact, workspace } = yield* begin
        const { blast, contacts } = yield* started(people(1))
        const failing = <A, E2, R>(body: Effect.Effect<A, E2, R>) =>
          Effect.exit(transact(Effect.andThen(body, Effect.fail("no"))))
        yield* failing(store.claim(workspace, { limit: 10, lease_ms: long_ms }))
        assert.deepStrictEqual(yield* states(blast), ["queued"])
        const claimed = one(yield* claim())
        yield* grant([claimed])
        yield* failing(store.settle(workspace, [settlement(claimed, accepted)]))
        assert.deepStrictEqual(yield* states(blast), ["handed_over"])
        assert.isEmpty((yield* scenario.contact(workspace, one(contacts))).timeline)
        assert.isEmpty((yield* eventsOf(workspace)).filter((event) => event.type.startsWith("email_")))
      }),
    )

    const Command = Schema.Struct({
      what: Schema.Literals([
        "claim",
        "grant",
        "accept",
        "refuse",
        "defer",
        "doubt",
        "release",
        "sweep",
        "pause",
        "resume",
        "open",
      ]),
      /** The worker whose old claim is used. */
      whose: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    })

    it.effect.prop(
      "keeps rows on the state machine and counters correct for any sequence of operations",
      { commands: Schema.Array(Command).check(Schema.isMaxLength(30)) },
      ({ commands }) =>
        Effect.gen(function* () {
          const fixture = yield* begin
          const { scenario, workspace } = fixture
          const { blast } = yield* fixture.started(people(4))
          const model = new Map<DeliveryId, DeliveryMachineState>(
            (yield* scenario.written(workspace, blast)).map((row) => [
              row.id,
              { state: row.state, reason: null, token: row.token, attempts: row.attempts },
            ]),
          )
          const ids = [...model.keys()]
          const claims: Array<ClaimedDelivery> = []
          let paused = false
          const moved = (id: DeliveryId, by: Parameters<typeof move>[1]) => {
            const from = model.get(id)
            const after = from === undefined ? undefined : move(from, by)
            if (after !== undefined) model.set(id, after)
          }
          const ended = (claimed: ClaimedDelivery, outcome: Outcome, ending: DeliveryOutcome) =>
            Effect.gen(function* () {
              yield* fixture.settle([settlement(claimed, outcome)])
              moved(claimed.id, { _tag: "settle", token: claimed.token, ending })
            })
          for (const { what, whose } of [...commands, { what: "sweep" as const, whose: 0 }]) {
            const claimed = claims[whose % Math.max(1, claims.length)]
            if (what === "claim") {
              for (const each of yield* fixture.claim(2)) {
                claims.unshift(each)
                moved(each.id, { _tag: "claim", token: each.token })
              }
            } else if (what === "sweep") yield* fixture.sweep
            else if (what === "pause" || what === "resume") {
              paused = what === "pause"
              yield* scenario.setBlast(workspace, blast, paused ? "paused" : "sending")
            } else if (what === "open") {
              const id = ids[whose]
              if (id !== undefined) {
                yield* fixture.record(id, { _tag: "opened" })
                moved(id, { _tag: "evidence" })
              }
            } else if (claimed !== undefined) {
              const { token } = claimed
              switch (what) {
                case "grant":
                  yield* fixture.grant([claimed])
                  moved(claimed.id, { _tag: "intent", token, answer: paused ? "paused" : "granted" })
                  break
                case "accept":
                  yield* ended(claimed, accepted, { state: "sent" })
                  break
                case "refuse":
                  yield* ended(claimed, refused(554, "554 no"), { state: "failed", reason: "refused" })
                  break
                case "defer":
                  yield* ended(claimed, refused(451, "451 no"), { state: "queued" })
                  break
                case "doubt":
                  yield* ended(claimed, { _tag: "inDoubt" }, { state: "unconfirmed" })
                  break
                case "release":
                  yield* fixture.release([claimed])
                  moved(claimed.id, { _tag: "release", token })
              }
            }
          }
          const rows = yield* scenario.written(workspace, blast)
          for (const row of rows) {
            const { attempts, reason, state, token } = row
            assert.deepStrictEqual({ attempts, reason, state, token }, model.get(row.id))
          }
          const tally = yield* scenario.tally(workspace, blast)
          if (tally !== null) assert.deepStrictEqual(tally, tallyOf(rows))
        }),
      { arbitrary: { runs: sampled(25) } },
    )
  })
}
