import { Gates, type GateName } from "@tentpole/worker/Gates"
import { PgClient } from "@effect/sql-pg"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import type { BlastId, WorkspaceId } from "@tentpole/core/Ids"
import { Settings } from "@tentpole/core/Settings"
import { assert, layer } from "@effect/vitest"
import type { SenderOptions } from "@tentpole/worker/Sender"
import { Deferred, Effect, Exit, Scope } from "effect"
import { type Dot, type Sink, sink } from "./Sink.ts"
import { counts, quick, sender, sendingBlast, settings, statusOf, until, workspace, world, written } from "./World.ts"

const perRecipient = (dots: ReadonlyArray<Dot>): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  for (const { to } of dots) seen.set(to, (seen.get(to) ?? 0) + 1)
  return seen
}

/** I1: no recipient saw two dots whose reply was 2xx or never given. */
const nobodyTwice = (server: Sink) => {
  const mayHaveIt = server.dots.filter(({ reply }) => reply === null || reply.startsWith("2"))
  for (const [to, count] of perRecipient(mayHaveIt)) assert.strictEqual(count, 1, `${to} has ${count}`)
}

/** I3, I5: what is called sent was accepted; every row is at its end; the counters are a recount. */
const consistent = Effect.fnUntraced(function* (ws: WorkspaceId, blast: BlastId, server: Sink) {
  const accepted = new Set(server.dots.filter(({ reply }) => reply?.startsWith("2")).map(({ to }) => to))
  const rows = yield* written(ws, blast)
  for (const row of rows)
    if (row.state === "sent") assert.isTrue(accepted.has(row.email), `${row.email} is no invention`)
  const { states, tally } = yield* counts(ws, blast)
  const of = (...names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0)
  assert.deepInclude(tally, {
    queued: of("queued", "claimed", "handed_over"),
    sent: of("sent"),
    failed: of("failed", "unconfirmed"),
    blocked: of("blocked"),
  })
})

const atEnd = (ws: WorkspaceId, blast: BlastId) =>
  Effect.map(written(ws, blast), (rows) =>
    rows.every((row) => !["queued", "claimed", "handed_over"].includes(row.state)),
  )

const isSent = (ws: WorkspaceId, blast: BlastId) => Effect.map(statusOf(ws, blast), (row) => row?.status === "sent")

/** A sender that stops with the test, or before. */
const running = Effect.fnUntraced(function* (
  server: Pick<Sink, "port">,
  { gates = () => Effect.void, options = quick, sending = "on" }: Partial<Circumstances> = {},
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  yield* sender(server.port, options).pipe(
    Effect.provideService(Gates, gates),
    Effect.provideService(Settings, Settings.of({ ...settings, sending })),
    Scope.provide(scope),
  )
  return Scope.close(scope, Exit.void)
})

interface Circumstances {
  readonly gates: (name: GateName) => Effect.Effect<void>
  readonly options: SenderOptions
  readonly sending: "on" | "held"
}

/** A sender that comes to a gate and not past it, as if it were frozen there, until it is thawed. It renews no lease. */
const freezing = Effect.fnUntraced(function* (server: Sink, gate: GateName) {
  const reached = yield* Deferred.make<void>()
  const thaw = yield* Deferred.make<void>()
  const gates = (name: GateName) =>
    name === gate ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(thaw)) : Effect.void
  const stop = yield* running(server, { gates, options: { ...quick, renew_every_ms: 3_600_000 } })
  yield* Effect.addFinalizer(() => Deferred.succeed(thaw, undefined))
  yield* Deferred.await(reached)
  return { stop, thaw: Deferred.succeed(thaw, undefined) }
})

/** Far more than a test takes on a machine of its own. */
const patience_ms = 90_000

layer(world, { timeout: "60 seconds", excludeTestServices: true })("the sender", (it) => {
  it.effect("three hundred recipients get one message each, although a sender is stopped in the middle", () =>
    Effect.gen(function* () {
      const server = yield* sink({ dot: () => ({ reply: "250 2.0.0 ok", after_ms: 15 }) })
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 300)
      const stop = yield* running(server)
      yield* until(Effect.sync(() => server.dots.length >= 100))
      yield* stop
      const { states } = yield* counts(ws, blast)
      assert.notProperty(states, "claimed", "what it held is given back")
      assert.notProperty(states, "handed_over", "and what it handed over is settled")
      assert.notProperty(states, "unconfirmed", "since the server answered in time")
      assert.strictEqual(states["sent"], server.dots.length)
      yield* running(server)
      yield* until(isSent(ws, blast))
      nobodyTwice(server)
      assert.strictEqual(perRecipient(server.dots).size, 300)
      yield* consistent(ws, blast, server)
      assert.deepInclude((yield* counts(ws, blast)).tally, { sent: 300, delivered: 300, queued: 0 })
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("a message is signed, addressed and returned to where it should", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 1)
      yield* running(server)
      yield* until(isSent(ws, blast))
      const [row] = yield* written(ws, blast)
      assert.deepStrictEqual(
        server.dots.map(({ messageId, to }) => ({ messageId, to })),
        [{ messageId: `${row?.id}@sender.test`, to: "person1@example.test" }],
      )
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("two senders at once send nothing twice", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 200)
      yield* running(server)
      yield* running(server)
      yield* until(isSent(ws, blast))
      nobodyTwice(server)
      assert.strictEqual(server.dots.length, 200)
      yield* consistent(ws, blast, server)
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("an empty audience is sent at once", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 0)
      yield* running(server)
      yield* until(isSent(ws, blast))
      assert.isEmpty(server.dots)
    }).pipe(Effect.scoped),
    patience_ms,
  )

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

  it.effect("refusals end each message as the server said", () =>
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

  it.effect("replies that don't come before the sender has to stop leave their messages in doubt", () =>
    Effect.gen(function* () {
      const server = yield* sink({ dot: (_, nth) => (nth < 5 ? { reply: "250 2.0.0 ok", after_ms: 100 } : "silence") })
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 40)
      const stop = yield* running(server)
      yield* until(Effect.sync(() => server.dots.length >= 5 + settings.smtpConnections))
      yield* stop
      const { states } = yield* counts(ws, blast)
      assert.deepStrictEqual(states, { sent: 5, unconfirmed: 8, queued: 27 })
      yield* consistent(ws, blast, server)
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("a pause holds what was not handed over, a resumption sends the rest", () =>
    Effect.gen(function* () {
      const server = yield* sink({ dot: () => ({ reply: "250 2.0.0 ok", after_ms: 10 }) })
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 150)
      yield* running(server)
      yield* until(Effect.sync(() => server.dots.length >= 20))
      const blasts = yield* Blasts
      yield* blasts.pause(ws, blast).pipe(Effect.orDie)
      const rows = yield* written(ws, blast)
      const handedOver = rows.filter((row) => row.state === "handed_over" || row.state === "sent").length
      yield* Effect.sleep("300 millis")
      assert.isAtMost(server.dots.length, handedOver, "every later dot belongs to an intent from before the pause")
      yield* blasts.resume(ws, blast).pipe(Effect.orDie)
      yield* until(isSent(ws, blast))
      nobodyTwice(server)
      assert.strictEqual(server.dots.length, 150)
      yield* consistent(ws, blast, server)
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("who unsubscribes in the middle gets nothing any more", () =>
    Effect.gen(function* () {
      const server = yield* sink({ dot: () => ({ reply: "250 2.0.0 ok", after_ms: 20 }) })
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 100)
      yield* running(server)
      yield* until(Effect.sync(() => server.dots.length >= 10))
      const sql = yield* PgClient.PgClient
      yield* sql
        .withTransaction(
          Effect.andThen(
            sql`select set_config('tentpole.workspace_id', ${ws}, true)`,
            sql`update contact set unsubscribed = true where workspace_id = ${ws}`,
          ),
        )
        .pipe(Effect.orDie)
      const committed = server.dots.length
      yield* until(isSent(ws, blast))
      assert.isAtMost(server.dots.length - committed, settings.smtpConnections)
      const rows = yield* written(ws, blast)
      assert.isTrue(
        rows.every((row) => row.state === "sent" || (row.state === "blocked" && row.reason === "unsubscribed")),
      )
      yield* consistent(ws, blast, server)
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("a server that bears one connection, and hangs up after three messages, gets everything all the same", () =>
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

  it.effect("a mail server that isn't there costs the waiting messages no tries", () =>
    Effect.gen(function* () {
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 60)
      const stop = yield* running({ port: 1 })
      yield* Effect.sleep("600 millis")
      yield* stop
      const rows = yield* written(ws, blast)
      assert.isTrue(rows.every((row) => row.state === "queued"))
      assert.isAbove(rows.filter((row) => row.attempts > 0).length, 0)
      assert.isAtMost(rows.filter((row) => row.attempts > 0).length, settings.smtpConnections + 3)
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

  it.effect("a sender's domain that is not verified fails the blast, once", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 20, { from: "news@elsewhere.test" })
      yield* running(server)
      yield* until(atEnd(ws, blast))
      assert.deepStrictEqual(yield* statusOf(ws, blast), { status: "failed", failure: "sender_domain_unverified" })
      assert.isTrue((yield* written(ws, blast)).every((row) => row.state === "failed" && row.reason === "blast_failed"))
      assert.isEmpty(server.dots)
    }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect("SENDING=held sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const ws = yield* workspace
      const blast = yield* sendingBlast(ws, 5)
      const stop = yield* running(server, { sending: "held" })
      yield* Effect.sleep("300 millis")
      yield* stop
      assert.isEmpty(server.dots)
      assert.deepStrictEqual((yield* counts(ws, blast)).states, { queued: 5 })
    }).pipe(Effect.scoped),
    patience_ms,
  )
})
