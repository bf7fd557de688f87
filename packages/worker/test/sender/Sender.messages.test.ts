// Tests of single messages with PostgreSQL and sockets: they arrive at once, before the messages of blasts, and once.
import { EmailMessages } from "@tentpole/core/messages/EmailMessages"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { noneTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { quick, sendingBlast, until, workspace, workspaceWith, world } from "../fixtures/WorkerFixture.ts"

const live = Layer.provideMerge(EmailMessages.layer, world)

const input = (to: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  to: { email: to },
  subject: "Your order",
  text: "Thank you.",
  from_address: "orders@sender.test",
  ...fields,
})

const isInState = (id: WorkspaceId, status: string, count: number) =>
  Effect.flatMap(EmailMessages, (messages) =>
    Effect.map(
      messages.list(id, { limit: 100 }),
      ({ items }) => items.filter((item) => item.status === status).length === count,
    ),
  ).pipe(Effect.orDie)

layer(live, { excludeTestServices: true })("the sender of single messages", (it) => {
  it.effect(
    "sends a batch of messages once each, also across a restart",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 5 } })
        const id = yield* workspace
        const messages = yield* EmailMessages
        const items = Array.from({ length: 60 }, (_, at) => input(`person${at}@example.test`))
        yield* messages.sendMany(id, items, null)
        const stop = yield* running(server)
        yield* until(Effect.sync(() => server.messages.length >= 20))
        yield* stop
        yield* running(server)
        yield* until(isInState(id, "sent", 60))
        noneTwice(server)
        assert.lengthOf(server.messages, 60)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "sends a message before the waiting messages of a blast, and does not stop the blast",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 20 } })
        const id = yield* workspace
        const messages = yield* EmailMessages
        yield* messages.send(id, input("first@example.test"), null)
        yield* running(server)
        yield* until(isInState(id, "sent", 1))
        yield* sendingBlast(id, 300)
        yield* until(Effect.sync(() => server.messages.length >= 30))
        const before = server.messages.length
        yield* messages.send(id, input("ann@example.test"), null)
        yield* until(isInState(id, "sent", 2))
        const place = server.messages.findIndex(({ to }) => to === "ann@example.test")
        assert.isBelow(place, before + 100)
        yield* until(Effect.sync(() => server.messages.length === 302))
        noneTwice(server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "sends messages over a single connection too, and those of every workspace",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { connections_max: 1 } })
        const [one, two] = [yield* workspaceWith({}), yield* workspaceWith({ sendingPerSecond: 50 })]
        const messages = yield* EmailMessages
        for (const id of [one, two]) {
          yield* messages.sendMany(id, [input("ann@example.test"), input("ben@example.test")], null)
        }
        yield* sendingBlast(one, 3, { prefix: "blast" })
        yield* running(server)
        yield* until(Effect.sync(() => server.messages.length === 7))
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "does not send a message late that the mail server refused until its end",
    () =>
      Effect.gen(function* () {
        const id = yield* workspace
        const messages = yield* EmailMessages
        const now = yield* DateTime.now
        const expires_at = DateTime.formatIso(DateTime.add(now, { seconds: 1 }))
        const { message } = yield* messages.send(id, input("ann@example.test", { expires_at }), null)
        yield* Effect.sleep("1100 millis")
        const server = yield* fakeSmtp()
        yield* running(server, { options: { ...quick, sweep_every_ms: 3_600_000 } })
        yield* until(isInState(id, "failed", 1))
        assert.strictEqual((yield* messages.get(id, message.id)).message.reason, "expired")
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
