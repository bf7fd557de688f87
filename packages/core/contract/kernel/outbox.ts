// Contract tests of the outbox.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, type Layer, Random } from "effect"
import { ContactId, Ids } from "../../src/kernel/Ids.ts"
import { type DomainEvent, Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh, test_consumer } from "./fresh.ts"

const event = (type: string): DomainEvent => ({
  type,
  contactId: null,
  at: DateTime.makeUnsafe(1000),
  data: { of: type },
})

const writers_count = 8
const transactions_count = 15

export const outbox = <E>(name: string, live: Layer.Layer<Outbox | Transactor | Fresh | Ids, E>) =>
  layer(live, { excludeTestServices: true })(`Outbox (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      const outbox = yield* Outbox
      const { transact } = yield* Transactor
      const workspace = yield* fresh.workspace()
      const write = (...types: ReadonlyArray<string>) => transact(outbox.append(workspace, types.map(event)))
      const read = (limit = 100, consumer = test_consumer) => outbox.read(workspace, consumer, limit)
      return { outbox, transact, fresh, workspace, write, read }
    })
    const types = (events: ReadonlyArray<DomainEvent>) => events.map((each) => each.type)

    it.effect("returns events as written, in order, and again until the consumer acknowledges them", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        const full = { ...event("a"), contactId: ContactId.make(yield* (yield* Ids).next), data: { n: [1, "é", null] } }
        yield* transact(outbox.append(workspace, [full, event("b")]))
        yield* write("c")
        const [first, second, ...others] = yield* read(2)
        assert(first !== undefined && second !== undefined && others.length === 0)
        const { position, ...stored } = first
        assert.deepStrictEqual(stored, full)
        assert.deepStrictEqual(types(yield* read()), ["a", "b", "c"])
        yield* transact(outbox.advance(workspace, test_consumer, second.position))
        assert.deepStrictEqual(types(yield* read()), ["c"])
        assert.notStrictEqual(position, second.position)
      }),
    )

    it.effect("stores a position for each consumer, which never goes back", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        yield* transact(outbox.subscribe(workspace, "other"))
        yield* write("a", "b")
        const [a, b] = yield* read()
        yield* transact(outbox.advance(workspace, test_consumer, b?.position ?? ""))
        yield* transact(outbox.advance(workspace, test_consumer, a?.position ?? ""))
        yield* transact(outbox.subscribe(workspace, test_consumer))
        assert.deepStrictEqual(types(yield* read()), [])
        assert.deepStrictEqual(types(yield* read(100, "other")), ["a", "b"])
      }),
    )

    it.effect("returns only later events to a new consumer, and none to an unknown one", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        yield* write("before")
        yield* transact(outbox.subscribe(workspace, "late"))
        yield* write("after")
        assert.deepStrictEqual(types(yield* read(100, "late")), ["after"])
        assert.deepStrictEqual(types(yield* read(100, "unknown")), [])
      }),
    )

    it.effect("writes no event of a workspace without a consumer", () =>
      Effect.gen(function* () {
        const { fresh, outbox, transact } = yield* begin
        const workspace = yield* fresh.unreadWorkspace
        yield* transact(outbox.append(workspace, [event("unread")]))
        yield* transact(outbox.subscribe(workspace, "first"))
        yield* transact(outbox.append(workspace, [event("read")]))
        const [only, ...others] = yield* outbox.read(workspace, "first", 10)
        assert.deepStrictEqual([only?.type, Number(only?.position), others.length], ["read", 1, 0])
      }),
    )

    it.effect("writes no event and adds no consumer when the transaction fails", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        const both = Effect.andThen(outbox.append(workspace, [event("x")]), outbox.subscribe(workspace, "failed"))
        yield* Effect.exit(transact(Effect.andThen(both, Effect.fail("no"))))
        yield* write("y")
        const events = yield* read()
        assert.deepStrictEqual(
          events.map(({ type, position }) => [type, Number(position)]),
          [["y", 1]],
        )
        assert.deepStrictEqual(yield* read(10, "failed"), [])
      }),
    )

    it.effect("writes the events of a savepoint that succeeds, and not of one that fails", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        yield* transact(
          Effect.gen(function* () {
            yield* outbox.append(workspace, [event("outer")])
            yield* write("kept")
            yield* Effect.exit(transact(Effect.andThen(outbox.append(workspace, [event("no")]), Effect.fail("no"))))
            yield* outbox.append(workspace, [event("last")])
          }),
        )
        assert.deepStrictEqual(types(yield* read()), ["outer", "kept", "last"])
      }),
    )

    it.effect("orders events by the commits of their transactions, and an open transaction delays no other", () =>
      Effect.gen(function* () {
        const { outbox, read, transact, workspace, write } = yield* begin
        const appended = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const slow = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* outbox.append(workspace, [event("slow")])
              yield* Deferred.succeed(appended, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(appended)
        const quick = yield* Effect.forkChild(write("quick"))
        // Memory has one transaction at a time.
        if (name === "memory") yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(quick)
        if (name !== "memory") assert.deepStrictEqual(types(yield* read()), ["quick"])
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(slow)
        assert.deepStrictEqual(types(yield* read()), name === "memory" ? ["slow", "quick"] : ["quick", "slow"])
      }),
    )

    it.effect("a reader sees each event of eight concurrent writers once, in order and without gaps", () =>
      Effect.gen(function* () {
        const { fresh, outbox, transact } = yield* begin
        // The stream of the smallest id is locked first, and its lock lasts while the others are written.
        const all = yield* Effect.forEach(Array.from({ length: 6 }), () => fresh.workspace())
        const workspace = all.reduce((left, right) => (left < right ? left : right))
        const writer = Effect.fnUntraced(function* (writer: number) {
          for (let turn = 0; turn < transactions_count; turn++) {
            const count = yield* Random.nextBetween(0, 4)
            const events = Array.from({ length: count }, (_, nth) => event(`${writer} ${turn} ${nth}`))
            const isLost = yield* Random.nextBoolean
            const body = Effect.gen(function* () {
              for (const each of yield* Random.shuffle(all)) yield* outbox.append(each, events)
              yield* Effect.sleep(yield* Random.nextBetween(0, 5))
              if (isLost) return yield* Effect.fail("lost")
            })
            yield* Effect.exit(transact(body))
            if (!isLost) for (const { type } of events) committed.push(type)
          }
        })
        const committed: Array<string> = []
        const seen: Array<string> = []
        let last = 0
        const poll = Effect.gen(function* () {
          const events = yield* outbox.read(workspace, test_consumer, 7)
          for (const { position, type } of events) {
            last++
            assert.strictEqual(Number(position), last)
            seen.push(type)
          }
          const end = events.at(-1)
          if (end !== undefined) yield* transact(outbox.advance(workspace, test_consumer, end.position))
          return events.length
        })
        const writers = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: writers_count }).keys(), writer, { concurrency: writers_count }),
        )
        yield* Effect.repeat(poll, { until: () => writers.pollUnsafe() !== undefined })
        yield* Fiber.join(writers)
        yield* Effect.repeat(poll, { while: (count) => count > 0 })
        assert.deepStrictEqual([...seen].sort(), [...committed].sort())
        for (const of of Array.from({ length: writers_count }).keys()) {
          const ofWriter = (all: ReadonlyArray<string>) => all.filter((type) => type.startsWith(`${of} `))
          assert.deepStrictEqual(ofWriter(seen), ofWriter(committed))
        }
      }),
    )

    it.effect("writes the events of a transaction that commits after the first consumer was added", () =>
      Effect.gen(function* () {
        const { fresh, outbox, transact } = yield* begin
        const workspace = yield* fresh.unreadWorkspace
        const appended = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const slow = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              yield* outbox.append(workspace, [event("slow")])
              yield* Deferred.succeed(appended, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(appended)
        const subscribing = yield* Effect.forkChild(transact(outbox.subscribe(workspace, "first")))
        if (name === "memory") yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(subscribing)
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(slow)
        assert.deepStrictEqual(types(yield* outbox.read(workspace, "first", 10)), name === "memory" ? [] : ["slow"])
      }),
    )

    it.effect("shows nothing of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, outbox, write } = yield* begin
        const other = yield* fresh.workspace()
        yield* write("a")
        assert.deepStrictEqual(types(yield* outbox.read(other, test_consumer, 10)), [])
      }),
    )
  })
