// Tests of the headers that connect a message to its delivery, and of its maximum size.
import { decodeText } from "@tentpole/core/kernel/Bytes"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { sendingBlast, settings, workspace, world } from "../fixtures/WorkerFixture.ts"

const postmark = Settings.of({
  ...settings,
  hooks: { ...settings.hooks, postmarkLogin: Redacted.make("user:a password for tests") },
})
const byPostmark = Layer.fresh(OutgoingMail.layer).pipe(Layer.provide(Layer.succeed(Settings, postmark)))

const tiny = Layer.fresh(OutgoingMail.layer).pipe(
  Layer.provide(Layer.succeed(Settings, Settings.of({ ...settings, message_bytes_max: 100 }))),
)

const headOf = (bytes: Uint8Array): string => decodeText(bytes).split("\r\n\r\n", 1)[0] ?? ""

layer(world, { excludeTestServices: true })("an outgoing message", (it) => {
  it.effect("has the delivery id in a Postmark header only if Postmark is the provider", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      yield* sendingBlast(workspaceId, 1)
      const { transact } = yield* Transactor
      const [claimed] = yield* transact((yield* DeliveryStore).claim(workspaceId, { limit: 1, lease_ms: 60_000 }))
      assert(claimed !== undefined)
      const make = Effect.flatMap(OutgoingMail, (mail) => mail.render(workspaceId, claimed))
      const plain = headOf((yield* make).bytes)
      const named = headOf((yield* Effect.provide(make, byPostmark)).bytes)
      assert.notInclude(plain, "X-PM-")
      assert.include(named, `\r\nX-PM-Metadata-delivery: ${claimed.id}`)
      assert.include(named, "DKIM-Signature: ")
    }),
  )

  it.effect("fails alone, with a reason of its own, if it is too large", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      yield* sendingBlast(workspaceId, 1)
      const { transact } = yield* Transactor
      const [claimed] = yield* transact((yield* DeliveryStore).claim(workspaceId, { limit: 1, lease_ms: 60_000 }))
      assert(claimed !== undefined)
      const make = Effect.flatMap(OutgoingMail, (mail) => mail.render(workspaceId, claimed))
      const refused = yield* Effect.flip(Effect.provide(make, tiny))
      assert.deepInclude(refused, { _tag: "NotRendered", reason: "message_too_large" })
    }),
  )
})
