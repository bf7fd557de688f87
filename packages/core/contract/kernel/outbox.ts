// Contract tests of the outbox.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, type Layer } from "effect"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { type DomainEvent, Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "./fresh.ts"
import { eventually } from "./eventually.ts"

const event = (type: string): DomainEvent => ({
  type,
  contactId: null,
  at: DateTime.makeUnsafe(1000),
  data: { of: type },
})

export const outbox = <E>(name: string, live: Layer.Layer<Outbox | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`Outbox (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      return { outbox: yield* Outbox, ...(yield* Transactor), fresh, workspace: yield* fresh.workspace() }
    })
    const types = (events: ReadonlyArray<DomainEvent>) => events.map((each) => each.type)

    /** Reads once `count` events are readable. Any older transaction of the server may delay them for a moment. */
    const reading = (workspace: WorkspaceId, consumer: string, limit: number, count: number) =>
      Effect.flatMap(Outbox, (outbox) =>
        eventually(outbox.read(workspace, consumer, limit), (events) => events.length >= count),
      )

    it.effect("returns events in the order of writing, and again until the consumer acknowledges them", () =>
      Effect.gen(function* () {
        const { outbox, transact, workspace } = yield* begin
        yield* transact(outbox.append(workspace, [event("a"), event("b")]))
        yield* transact(outbox.append(workspace, [event("c")]))
        const first = yield* reading(workspace, "reader", 2, 2)
        assert.deepStrictEqual(types(first), ["a", "b"])
        assert.deepStrictEqual(first[0]?.data, { of: "a" })
        assert.deepStrictEqual(types(yield* reading(workspace, "reader", 10, 3)), ["a", "b", "c"])
        yield* transact(outbox.advance(workspace, "reader", first[1]?.position ?? ""))
        assert.deepStrictEqual(types(yield* reading(workspace, "reader", 10, 1)), ["c"])
      }),
    )

    it.effect("stores a position for each consumer, which never goes back", () =>
      Effect.gen(function* () {
        const { outbox, transact, workspace } = yield* begin
        yield* transact(outbox.append(workspace, [event("a"), event("b")]))
        const [a, b] = yield* reading(workspace, "one", 10, 2)
        yield* transact(outbox.advance(workspace, "one", b?.position ?? ""))
        yield* transact(outbox.advance(workspace, "one", a?.position ?? ""))
        assert.deepStrictEqual(types(yield* outbox.read(workspace, "one", 10)), [])
        assert.deepStrictEqual(types(yield* reading(workspace, "two", 10, 2)), ["a", "b"])
      }),
    )

    it.effect("writes no event when the transaction fails", () =>
      Effect.gen(function* () {
        const { outbox, transact, workspace } = yield* begin
        yield* Effect.exit(transact(Effect.andThen(outbox.append(workspace, [event("x")]), Effect.fail("no"))))
        assert.deepStrictEqual(types(yield* outbox.read(workspace, "reader", 10)), [])
      }),
    )

    it.effect("does not skip an event that commits after a later one was read", () =>
      Effect.gen(function* () {
        const { outbox, transact, workspace } = yield* begin
        const written = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const slow = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* outbox.append(workspace, [event("slow")])
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(written)
        const quick = yield* Effect.forkChild(transact(outbox.append(workspace, [event("quick")])))
        yield* Effect.sleep("50 millis")
        const between = yield* outbox.read(workspace, "reader", 10)
        const last = between.at(-1)
        if (last !== undefined) yield* transact(outbox.advance(workspace, "reader", last.position))
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(slow)
        yield* Fiber.join(quick)
        const after = yield* reading(workspace, "reader", 10, 2 - between.length)
        assert.deepStrictEqual([...types(between), ...types(after)].sort(), ["quick", "slow"])
      }),
    )

    it.effect("shows nothing of another workspace", () =>
      Effect.gen(function* () {
        const { outbox, transact, workspace, fresh } = yield* begin
        const other = yield* fresh.workspace()
        yield* transact(outbox.append(workspace, [event("a")]))
        assert.deepStrictEqual(types(yield* outbox.read(other, "reader", 10)), [])
        assert.strictEqual(yield* transact(outbox.delete(other, 0)), 0)
      }),
    )
  })
