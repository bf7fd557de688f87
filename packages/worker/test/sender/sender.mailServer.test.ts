// How long a sender waits before it tries again to connect to a mail server that was away.
import { ConnectFailed, MailConnections } from "@tentpole/core/sending/MailConnection"
import { MailServer } from "@tentpole/worker/sender/SmtpWorker"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const refused = new ConnectFailed({ reason: "connection refused", permanent: false, crowded: false })

it.effect(
  "lanes that find the mail server away at once wait as after one failure, not as after one for each of them",
  () =>
    Effect.gen(function* () {
      const server = new MailServer(8)
      const opened_ms: Array<number> = []
      const mail = MailConnections.of({
        open: Effect.andThen(
          Effect.sleep("1 second"),
          Effect.suspend(() =>
            Effect.andThen(
              Effect.clockWith((clock) => Effect.sync(() => opened_ms.push(clock.currentTimeMillisUnsafe()))),
              Effect.fail(refused),
            ),
          ),
        ),
      })
      const open = Effect.exit(Effect.scoped(server.open(mail)))
      const first = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => open),
          { concurrency: 8, discard: true },
        ),
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      const later = yield* Effect.forkChild(Effect.all([open, open], { discard: true }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(later)
      // Half a second after the first failure, a whole one after the second; each attempt takes a second itself.
      assert.deepStrictEqual(opened_ms.slice(7), [1_000, 2_500, 4_500])
    }),
)
