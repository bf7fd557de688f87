// Tests of the sender with a send journal: no body leaves before its intent is stored, and a store that fails stops sending.
import * as SendJournalOf from "@tentpole/adapters/journal/SendJournal"
import * as Memory from "@tentpole/adapters/memory/ports/BlobStore"
import { fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { BlobStore, BlobUnavailable } from "@tentpole/core/ports/BlobStore"
import type { JournalRecord } from "@tentpole/core/sending/journal/JournalRecord"
import { SendJournal } from "@tentpole/core/sending/journal/SendJournal"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Ref, Stream } from "effect"
import { consistent, freezing, isSent, noneTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { counts, sendingBlast, until, workspace, world, written } from "../fixtures/WorkerFixture.ts"

/** A journal over a store in memory, whose puts fail while `broken` is set. */
const journaling = Effect.gen(function* () {
  const stores = yield* Layer.build(Layer.fresh(Memory.layer))
  const real = Context.get(stores, BlobStore)
  const broken = yield* Ref.make(false)
  const puts = yield* Ref.make(0)
  const blobs = BlobStore.of({
    ...real,
    put: (key, bytes, options) =>
      Effect.gen(function* () {
        yield* Ref.update(puts, (count) => count + 1)
        if (yield* Ref.get(broken)) return yield* new BlobUnavailable({ cause: "broken" })
        return yield* real.put(key, bytes, options)
      }),
  })
  const built = yield* Layer.build(
    SendJournalOf.layer({ on: true }).pipe(Layer.provide(Layer.succeed(BlobStore, blobs))),
  )
  const journal = Context.get(built, SendJournal)
  const records = Effect.gen(function* () {
    const { segments } = yield* journal.read(0)
    const all = yield* Stream.runCollect(segments)
    return [...all].flatMap(({ records: its = [] }): ReadonlyArray<JournalRecord> => its)
  })
  const intents = Effect.map(
    records,
    (all) => new Set(all.flatMap((each) => (each._tag === "intent" ? [each.delivery] : []))),
  )
  return { broken, intents, journal, puts, records }
})

layer(world, { excludeTestServices: true })("the sender with a send journal", (it) => {
  it.effect(
    "stores each intent before its body, and its outcome",
    () =>
      Effect.gen(function* () {
        const { intents, journal, records } = yield* journaling
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 60)
        const frozen = yield* freezing(server, "after-intent").pipe(Effect.provideService(SendJournal, journal))
        const first = yield* intents
        assert.isAbove(first.size, 0)
        assert.strictEqual(server.messages.length, 0)
        yield* frozen.thaw
        yield* until(isSent(workspaceId, blast))
        yield* journal.flush
        const all = yield* records
        const sent = all.filter((each) => each._tag === "outcome" && each.ending.state === "sent").length
        const { states } = yield* counts(workspaceId, blast)
        assert.strictEqual(sent, states["sent"])
        assert.strictEqual((yield* intents).size, 60)
        noneTwice(server)
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "sends nothing while the file store takes no writes, and everything once afterwards",
    () =>
      Effect.gen(function* () {
        const { broken, intents, journal, puts } = yield* journaling
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 40)
        yield* Ref.set(broken, true)
        yield* running(server).pipe(Effect.provideService(SendJournal, journal))
        yield* until(Effect.map(Ref.get(puts), (count) => count > 3))
        assert.strictEqual(server.messages.length, 0)
        assert.strictEqual((yield* intents).size, 0)
        yield* Ref.set(broken, false)
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        yield* consistent(workspaceId, blast, server)
        assert.deepStrictEqual((yield* counts(workspaceId, blast)).states, { sent: 40 })
        assert.strictEqual((yield* intents).size, 40)
        assert.strictEqual((yield* written(workspaceId, blast)).length, 40)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
