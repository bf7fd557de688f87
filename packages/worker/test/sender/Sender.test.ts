// Tests of the sender with PostgreSQL and sockets, without faults.
import { PgClient } from "@effect/sql-pg"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { consistent, isSent, noneTwice, patience_ms, perRecipient, running } from "../fixtures/SenderChecks.ts"
import { fakeSmtp, messageIdOf } from "@tentpole/adapters/test/FakeSmtp"
import { counts, sendingBlast, settings, until, workspace, world, written } from "../fixtures/WorkerFixture.ts"

layer(world, { excludeTestServices: true })("the sender", (it) => {
  it.effect(
    "sends three hundred recipients one message each, also across a restart of the sender",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 15 } })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 300)
        const stop = yield* running(server)
        yield* until(Effect.sync(() => server.messages.length >= 100))
        yield* stop
        const { states } = yield* counts(workspaceId, blast)
        assert.notProperty(states, "claimed", "the claims are released")
        assert.notProperty(states, "handed_over", "the handed-over messages are settled")
        assert.notProperty(states, "unconfirmed", "since the server answered in time")
        assert.strictEqual(states["sent"], server.messages.length)
        yield* running(server)
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        assert.strictEqual(perRecipient(server.messages).size, 300)
        assert.isAbove(server.ahead_count, 0, "envelopes leave with the message before")
        yield* consistent(workspaceId, blast, server)
        assert.deepInclude((yield* counts(workspaceId, blast)).tally, { sent: 300, delivered: 300, queued: 0 })
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "each message has its Message-ID and its recipient",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 1)
        yield* running(server)
        yield* until(isSent(workspaceId, blast))
        const [row] = yield* written(workspaceId, blast)
        assert.deepStrictEqual(
          server.messages.map((message) => ({ messageId: messageIdOf(message), to: message.to })),
          [{ messageId: `${row?.id}@sender.test`, to: "person1@example.test" }],
        )
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "two senders send no message twice",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 200)
        yield* running(server)
        yield* running(server)
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        assert.strictEqual(server.messages.length, 200)
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a blast without recipients is sent at once",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 0)
        yield* running(server)
        yield* until(isSent(workspaceId, blast))
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a pause stops messages before their hand-over, and a resume sends the rest",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 10 } })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 150)
        yield* running(server)
        yield* until(Effect.sync(() => server.messages.length >= 20))
        const blasts = yield* Blasts
        yield* blasts.pause(workspaceId, blast).pipe(Effect.orDie)
        const rows = yield* written(workspaceId, blast)
        const handedOver = rows.filter((row) => row.state === "handed_over" || row.state === "sent").length
        yield* Effect.sleep("300 millis")
        assert.isAtMost(server.messages.length, handedOver, "each message after the pause has an intent from before it")
        yield* blasts.resume(workspaceId, blast).pipe(Effect.orDie)
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        assert.strictEqual(server.messages.length, 150)
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "contacts that unsubscribe during the blast get no message",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 20 } })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 100)
        yield* running(server)
        yield* until(Effect.sync(() => server.messages.length >= 10))
        const sql = yield* PgClient.PgClient
        yield* sql
          .withTransaction(
            Effect.andThen(
              sql`select set_config('tentpole.workspace_id', ${workspaceId}, true)`,
              sql`update contact set unsubscribed = true where workspace_id = ${workspaceId}`,
            ),
          )
          .pipe(Effect.orDie)
        const committed = server.messages.length
        yield* until(isSent(workspaceId, blast))
        assert.isAtMost(server.messages.length - committed, settings.smtpConnections)
        const rows = yield* written(workspaceId, blast)
        assert.isTrue(
          rows.every((row) => row.state === "sent" || (row.state === "blocked" && row.reason === "unsubscribed")),
        )
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "SENDING=held sends nothing",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 5)
        const stop = yield* running(server, { sending: "held" })
        yield* Effect.sleep("300 millis")
        yield* stop
        assert.isEmpty(server.messages)
        assert.deepStrictEqual((yield* counts(workspaceId, blast)).states, { queued: 5 })
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
