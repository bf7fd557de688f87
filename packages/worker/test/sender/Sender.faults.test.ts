// What befalls a sender: death and freezing at every gate, refusals, servers that hang up, a database that is away.
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import type { GateName } from "@tentpole/worker/Gates"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { atEnd, consistent, freezing, isSent, nobodyTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { sink } from "../fixtures/MailServer.ts"
import {
  counts,
  quick,
  sendingBlast,
  settings,
  statusOf,
  until,
  workspace,
  world,
  written,
} from "../fixtures/WorkerFixture.ts"

layer(world, { excludeTestServices: true })("the sender, when things go wrong", (it) => {
  for (const gate of [
    "after-claim",
    "before-intent",
    "after-intent",
    "before-settle",
  ] as const satisfies ReadonlyArray<GateName>) {
    it.effect(
      `a sender that dies at the gate ${gate} leaves nothing doubled and nobody forgotten, nor does it when it wakes up`,
      () =>
        Effect.gen(function* () {
          const server = yield* sink()
          const ws = yield* workspace
          const blast = yield* sendingBlast(ws, 60)
          const frozen = yield* freezing(server, gate)
          yield* running(server)
          yield* until(isSent(ws, blast))
          nobodyTwice(server)
          yield* consistent(ws, blast, server)
          const { states } = yield* counts(ws, blast)
          const bound = settings.smtpConnections + quick.settle_batch_max
          assert.isAtMost(states["unconfirmed"] ?? 0, gate === "after-claim" || gate === "before-intent" ? 0 : bound)
          assert.strictEqual((states["sent"] ?? 0) + (states["unconfirmed"] ?? 0), 60)
          // It was only frozen: what it does now can't do harm either, and what it tells is believed.
          yield* frozen.thaw
          yield* Effect.sleep("200 millis")
          yield* frozen.stop
          nobodyTwice(server)
          yield* consistent(ws, blast, server)
          assert.notProperty((yield* counts(ws, blast)).states, "unconfirmed")
        }).pipe(Effect.scoped),
      patience_ms,
    )
  }

  it.effect(
    "refusals end each message as the server said",
    () =>
      Effect.gen(function* () {
        const server = yield* sink({
          recipient: (to) => {
            if (to.startsWith("person1@")) return "550 5.1.1 no such user"
            if (to.startsWith("person2@")) return "451 4.7.1 greylisted"
            return to.startsWith("person3@") ? "554 5.7.1 not you" : null
          },
          dot: (to) => {
            if (to.startsWith("person4@")) return { reply: "552 5.2.2 mailbox full" }
            if (to.startsWith("person5@")) return { reply: "451 4.3.0 later" }
            return to.startsWith("person6@") ? "cut" : { reply: "250 2.0.0 ok" }
          },
        })
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 8)
        yield* running(server)
        const settled = Effect.map(written(ws, blast), (rows) =>
          rows.every((row) => row.state !== "queued" || row.attempts > 0),
        )
        yield* until(
          Effect.map(
            Effect.all([settled, counts(ws, blast)]),
            ([all, { states }]) => all && states["claimed"] === undefined && states["handed_over"] === undefined,
          ),
        )
        const rows = new Map((yield* written(ws, blast)).map((row) => [row.email.split("@")[0], row]))
        assert.deepInclude(rows.get("person1"), { state: "failed", reason: "hard_bounce" })
        assert.deepInclude(rows.get("person2"), { state: "queued", attempts: 1 })
        assert.deepInclude(rows.get("person3"), { state: "failed", reason: "refused" })
        assert.deepInclude(rows.get("person4"), { state: "failed", reason: "refused" })
        assert.deepInclude(rows.get("person5"), { state: "queued", attempts: 1 })
        assert.deepInclude(rows.get("person6"), { state: "unconfirmed", reason: "unconfirmed" })
        assert.deepInclude(rows.get("person7"), { state: "sent" })
        assert.deepInclude(rows.get("person8"), { state: "sent" })
        nobodyTwice(server)
        yield* consistent(ws, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "replies that don't come before the sender has to stop leave their messages in doubt",
    () =>
      Effect.gen(function* () {
        const server = yield* sink({
          dot: (_, nth) => (nth < 5 ? { reply: "250 2.0.0 ok", after_ms: 100 } : "silence"),
        })
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 40)
        const stop = yield* running(server, { options: { ...quick, grace_ms: 300 } })
        yield* until(Effect.sync(() => server.dots.length >= 5 + settings.smtpConnections))
        yield* stop
        const { states } = yield* counts(ws, blast)
        assert.deepStrictEqual(states, { sent: 5, unconfirmed: 8, queued: 27 })
        yield* consistent(ws, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "while the database does not answer nothing is handed over, and afterwards nothing is doubled or in doubt",
    () =>
      Effect.gen(function* () {
        const server = yield* sink()
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 60)
        const store = yield* DeliveryStore
        const times = { grant: 3, settle: 3, giveBack: 2 }
        const failing = <A, R>(
          verb: keyof typeof times,
          write: Effect.Effect<A, never, R>,
        ): Effect.Effect<A, never, R> =>
          Effect.suspend(() => (times[verb]-- > 0 ? Effect.die(new Unavailable({ part: "database" })) : write))
        const moody = DeliveryStore.of({
          ...store,
          // The second time it was written, and only the answer got lost.
          grant: (...asked) =>
            times.grant === 2
              ? Effect.andThen(store.grant(...asked), failing("grant", Effect.die("unreachable")))
              : failing("grant", store.grant(...asked)),
          settle: (...told) => failing("settle", store.settle(...told)),
          release: (...back) => failing("giveBack", store.release(...back)),
        })
        yield* running(server).pipe(Effect.provideService(DeliveryStore, moody))
        yield* until(isSent(ws, blast))
        nobodyTwice(server)
        assert.deepStrictEqual((yield* counts(ws, blast)).states, { sent: 60 })
        assert.isTrue((yield* written(ws, blast)).every((row) => row.attempts === 0))
        assert.isTrue(
          Object.values(times).every((left) => left < 0),
          "all of it happened",
        )
        yield* consistent(ws, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a server that bears one connection, and hangs up after three messages, gets everything all the same",
    () =>
      Effect.gen(function* () {
        const server = yield* sink({ connections_max: 1, messages_max: 3 })
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 40)
        yield* running(server)
        yield* until(isSent(ws, blast))
        nobodyTwice(server)
        assert.strictEqual(server.dots.length, 40)
        assert.isTrue((yield* written(ws, blast)).every((row) => row.state === "sent"))
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a mail server that isn't there costs the waiting messages no tries",
    () =>
      Effect.gen(function* () {
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 60)
        const stop = yield* running({ port: 1 })
        yield* until(Effect.map(written(ws, blast), (now) => now.some((row) => row.attempts > 0)))
        yield* Effect.sleep("300 millis")
        yield* stop
        const rows = yield* written(ws, blast)
        assert.isTrue(rows.every((row) => row.state === "queued"))
        // Each lane once, and then one at a time, after pauses that double: five more take a quarter of a minute.
        assert.isAtMost(rows.filter((row) => row.attempts > 0).length, settings.smtpConnections + 5)
        const server = yield* sink()
        yield* running(server)
        yield* until(
          Effect.map(written(ws, blast), (now) =>
            now.filter((row) => row.attempts === 0).every((row) => row.state === "sent"),
          ),
        )
        nobodyTwice(server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a sender's domain that is not verified fails the blast, once",
    () =>
      Effect.gen(function* () {
        const server = yield* sink()
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 20, { from: "news@elsewhere.test" })
        yield* running(server)
        yield* until(atEnd(ws, blast))
        assert.deepStrictEqual(yield* statusOf(ws, blast), { status: "failed", failure: "sender_domain_unverified" })
        assert.isTrue(
          (yield* written(ws, blast)).every((row) => row.state === "failed" && row.reason === "blast_failed"),
        )
        assert.isEmpty(server.dots)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "what goes wrong with a message before it is handed over counts as a try, so that it does not come round for ever",
    () =>
      Effect.gen(function* () {
        const server = yield* sink()
        const ws = yield* workspace
        const blast = yield* sendingBlast(ws, 10)
        const broken = OutgoingMail.of({ make: () => Effect.die("a mistake of ours") })
        yield* running(server).pipe(Effect.provideService(OutgoingMail, broken))
        yield* until(Effect.map(written(ws, blast), (rows) => rows.every((row) => row.attempts > 0)))
        yield* Effect.sleep("200 millis")
        assert.isTrue((yield* written(ws, blast)).every((row) => row.state === "queued" && row.attempts === 1))
        assert.isEmpty(server.named)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
