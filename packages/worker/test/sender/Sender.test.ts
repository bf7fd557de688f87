// The sender on a real database and real sockets, while nothing goes wrong.
import { PgClient } from "@effect/sql-pg"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { consistent, isSent, nobodyTwice, patience_ms, perRecipient, running } from "../fixtures/SenderChecks.ts"
import { sink } from "../fixtures/MailServer.ts"
import { counts, sendingBlast, settings, until, workspace, world, written } from "../fixtures/WorkerFixture.ts"

layer(world, { excludeTestServices: true })("the sender", (it) => {
  it.effect(
    "three hundred recipients get one message each, although a sender is stopped in the middle",
    () =>
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

  it.effect(
    "a message is signed, addressed and returned to where it should",
    () =>
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

  it.effect(
    "two senders at once send nothing twice",
    () =>
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

  it.effect(
    "an empty audience is sent at once",
    () =>
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

  it.effect(
    "a pause holds what was not handed over, a resumption sends the rest",
    () =>
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

  it.effect(
    "who unsubscribes in the middle gets nothing any more",
    () =>
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

  it.effect(
    "SENDING=held sends nothing",
    () =>
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
