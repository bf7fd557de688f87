// Test of the backoff of connections to an unreachable mail server.
import { ConnectFailed, MailConnections } from "@tentpole/core/sending/MailConnection"
import { MailServer } from "@tentpole/worker/sender/SmtpWorker"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const refused = new ConnectFailed({ reason: "connection refused", permanent: false, crowded: false })

it.effect("SMTP workers that fail to connect at the same time count one failure for the backoff", () =>
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
    // The pauses are half a second and one second; each attempt takes a second itself.
    assert.deepStrictEqual(opened_ms.slice(7), [1_000, 2_500, 4_500])
  }),
)
