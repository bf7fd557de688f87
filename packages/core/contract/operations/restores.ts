// Contract tests of a restore: nothing of a restored blast is claimed or granted, and a release ends what may have been sent.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { BlastId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { RestoreStore } from "../../src/operations/restore/RestoreStore.ts"
import { test_consumer } from "../kernel/fresh.ts"
import { accepted, begin, type DeliveryPorts, one, people, settlement, tallyOf } from "../sending/deliveryScenario.ts"

const restoring = Effect.gen(function* () {
  const world = yield* begin
  const restores = yield* RestoreStore
  const { transact, workspace } = world
  return {
    ...world,
    restores,
    mark: Effect.flatMap(restores.counter, (counter) => restores.markRestored(counter + 10)),
    unconfirm: (blast: BlastId, limit = 100) => transact(restores.unconfirm(workspace, blast, limit)),
    letGo: (blast: BlastId) => transact(restores.releaseBlast(workspace, blast)),
  }
})

export const restores = <E>(name: string, live: Layer.Layer<RestoreStore | Outbox | DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`RestoreStore (${name})`, (it) => {
    it.effect("marks a restore once for two workers, and raises the counter above all copies", () =>
      Effect.gen(function* () {
        const { restores } = yield* restoring
        const copy = (yield* restores.increment(true)) + 10
        const marked = yield* Effect.all([restores.markRestored(copy), restores.markRestored(copy)], { concurrency: 2 })
        assert.sameMembers(marked, [true, false])
        assert.isAbove(yield* restores.increment(true), copy)
        const found = yield* restores.restore
        assert.isNotNull(found)
        yield* restores.end
        assert.isNull(yield* restores.restore)
      }),
    )

    it.effect("adopts a counter only where no worker has run", () =>
      Effect.gen(function* () {
        const { restores } = yield* restoring
        const before = yield* restores.increment(true)
        yield* restores.adopt(before + 5)
        assert.strictEqual(yield* restores.counter, before)
      }),
    )

    it.effect("gives later events greater positions than all events of the lost time, in old and new streams", () =>
      Effect.gen(function* () {
        const { fresh, mark, restores, transact, workspace } = yield* restoring
        const outbox = yield* Outbox
        const event = { type: "x", contactId: null, at: DateTime.makeUnsafe(0), data: {} }
        const write = Effect.fnUntraced(function* (to: WorkspaceId) {
          yield* transact(outbox.append(to, [event]))
          return BigInt((yield* outbox.read(to, test_consumer, 100)).at(-1)?.position ?? "0")
        })
        const backup = yield* restores.counter
        yield* mark
        const lost = yield* write(workspace)
        assert.strictEqual(lost >> 28n, BigInt(backup + 10))
        yield* mark
        assert.isTrue((yield* write(workspace)) > lost)
        assert.isTrue((yield* write(yield* fresh.workspace())) > lost)
        yield* restores.end
        assert.isTrue((yield* write(yield* fresh.workspace())) > lost)
      }),
    )

    it.effect("claims and grants nothing of a restored blast, and sends later blasts", () =>
      Effect.gen(function* () {
        const { claim, grant, mark, started, states } = yield* restoring
        const restored = yield* started(people(3))
        const claimed = yield* claim(1)
        assert.isTrue(yield* mark)
        const answers = yield* grant(claimed)
        assert.deepStrictEqual([...answers.values()], ["paused"])
        assert.deepStrictEqual(yield* claim(), [])
        assert.deepStrictEqual(yield* states(restored.blast), ["queued", "queued", "queued"])
        const later = yield* started([{ email: "late@example.test" }, { email: "later@example.test" }])
        const next = yield* claim()
        assert.deepStrictEqual(
          next.map(({ blastId }) => blastId),
          [later.blast, later.blast],
        )
        assert.deepStrictEqual([...(yield* grant(next)).values()], ["granted", "granted"])
      }),
    )

    it.effect("ends open deliveries as unconfirmed in batches, and changes no other one", () =>
      Effect.gen(function* () {
        const { claim, grant, mark, scenario, settle, started, states, unconfirm, workspace } = yield* restoring
        const { blast } = yield* started([...people(5), { email: "no@example.test", unsubscribed: true }])
        const claimed = yield* claim(3)
        yield* grant(claimed.slice(0, 2))
        yield* settle([settlement(one(claimed), accepted)])
        assert.strictEqual(yield* unconfirm(blast), 0, "the blast is not restored")
        yield* mark
        assert.strictEqual(yield* unconfirm(blast, 3), 3)
        assert.strictEqual(yield* unconfirm(blast, 3), 1)
        assert.strictEqual(yield* unconfirm(blast, 3), 0)
        const expected = ["blocked", "sent", "unconfirmed", "unconfirmed", "unconfirmed", "unconfirmed"]
        assert.deepStrictEqual(yield* states(blast), expected)
        const tally = yield* scenario.tally(workspace, blast)
        if (tally !== null) assert.deepStrictEqual(tally, tallyOf(yield* scenario.written(workspace, blast)))
      }),
    )

    it.effect("settles messages of the lost time under the tokens that they had then, once", () =>
      Effect.gen(function* () {
        const { claim, grant, mark, restores, settle, started, states, transact, unconfirm, workspace } =
          yield* restoring
        const { blast } = yield* started(people(4))
        const claimed = yield* claim(2)
        yield* grant(claimed.slice(0, 1))
        const all = claimed.map(({ id }) => id)
        const rows = () => transact(restores.deliveries(workspace, blast, all))
        assert.sameMembers(
          (yield* rows()).map(({ state }) => state),
          ["handed_over", "claimed"],
        )
        const lost = claimed.map((each) => ({ ...each, token: each.token + 1_000 }))
        const sent = () => transact(restores.unconfirmSent(workspace, blast, lost))
        assert.strictEqual(yield* sent(), 0, "the blast is not restored")
        yield* mark
        assert.strictEqual(yield* sent(), 2)
        assert.strictEqual(yield* sent(), 0)
        assert.strictEqual((yield* settle(claimed.map((each) => settlement(each, accepted)))).length, 2, "other tokens")
        assert.deepStrictEqual(yield* settle(lost.map((each) => settlement(each, accepted))), [])
        assert.deepStrictEqual(yield* states(blast), ["queued", "queued", "sent", "sent"])
        const elsewhere = yield* started([{ email: "elsewhere@example.test" }])
        assert.deepStrictEqual(yield* transact(restores.deliveries(workspace, elsewhere.blast, all)), [])
        assert.strictEqual(yield* unconfirm(blast), 2)
      }),
    )

    it.effect("ends deliveries whose intent is in the backup, and leaves the others in the queue", () =>
      Effect.gen(function* () {
        const { claim, grant, mark, restores, started, states, transact, workspace } = yield* restoring
        const { blast } = yield* started(people(4))
        yield* grant((yield* claim(2)).slice(0, 1))
        yield* mark
        assert.strictEqual(yield* transact(restores.unconfirmHandedOver(workspace, blast, 100)), 1)
        assert.strictEqual(yield* transact(restores.unconfirmHandedOver(workspace, blast, 100)), 0)
        assert.deepStrictEqual(yield* states(blast), ["claimed", "queued", "queued", "unconfirmed"])
      }),
    )

    it.effect("reports the counters of the backup and of the lost time, and workers without a journal", () =>
      Effect.gen(function* () {
        const { restores } = yield* restoring
        yield* restores.end
        const backup = yield* restores.increment(false)
        yield* restores.markRestored(backup + 10)
        yield* restores.increment(true)
        const found = yield* restores.restore
        assert.deepInclude(found, { backupCounter: backup, lostCounter: backup + 10, backupJournaled: false })
        yield* restores.end
      }),
    )

    it.effect("lists restored blasts of one workspace, and sends them again after their release", () =>
      Effect.gen(function* () {
        const { claim, fresh, letGo, mark, restores, started, workspace } = yield* restoring
        const { blast } = yield* started(people(2))
        yield* mark
        const { blasts } = yield* restores.restored(workspace)
        assert.deepStrictEqual(
          blasts.map(({ growing, id, open_count }) => ({ growing, id, open_count })),
          [{ growing: false, id: blast, open_count: 2 }],
        )
        const elsewhere = yield* fresh.workspace()
        assert.deepStrictEqual((yield* restores.restored(elsewhere)).blasts, [])
        assert.includeMembers([...(yield* restores.workspaces(null, 1000))], [workspace, elsewhere])
        assert.isTrue(yield* letGo(blast))
        assert.isFalse(yield* letGo(blast))
        assert.strictEqual((yield* claim()).length, 2)
      }),
    )
  })
