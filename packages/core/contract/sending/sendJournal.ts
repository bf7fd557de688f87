// Contract tests of `SendJournal`.
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Exit, Layer, Ref, type Scope, Stream } from "effect"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { BlastId, DeliveryId, type Ids } from "../../src/kernel/Ids.ts"
import { BlobStore, BlobUnavailable } from "../../src/ports/BlobStore.ts"
import {
  addressMark,
  type IntentRecord,
  type JournalRecord,
  type OutcomeRecord,
} from "../../src/sending/journal/JournalRecord.ts"
import { keyOfSegment, segment_bytes_max, segmentOfKey } from "../../src/sending/journal/Segment.ts"
import { SendJournal, type SendJournalService } from "../../src/sending/journal/SendJournal.ts"

const blast = BlastId.make("00000000-0000-7000-8000-000000000001")
const deliveryOf = (number: number) =>
  DeliveryId.make(`00000000-0000-8000-a000-${number.toString(16).padStart(12, "0")}`)

const intent = (number: number): IntentRecord => ({
  _tag: "intent",
  blast,
  delivery: deliveryOf(number),
  token: number,
  address: addressMark(blast, `ann${number}@example.com`),
})
const outcome = (number: number): OutcomeRecord => ({
  _tag: "outcome",
  blast,
  delivery: deliveryOf(number),
  token: number,
  at: DateTime.makeUnsafe(1_700_000_000_000 + number),
  ending: { state: "sent" },
  bounce: null,
})

/** The records that the journal has after a value of the epoch; undefined if one is missing. */
const recordsOf = Effect.fnUntraced(function* (journal: SendJournalService, counter = 0) {
  const { gap, segments } = yield* journal.read(counter)
  const all = yield* Stream.runCollect(segments)
  if (gap || all.some(({ records }) => records === undefined)) return undefined
  return [...all].flatMap(({ records = [] }): ReadonlyArray<JournalRecord> => records)
})

export interface JournalCase {
  /** Opens the journal of another process over the store. */
  readonly layer: (on: boolean) => Layer.Layer<never, never, BlobStore | Ids>
  readonly stores: Layer.Layer<BlobStore | Ids>
}

export const sendJournal = (name: string, { layer, stores }: JournalCase) =>
  describe(`SendJournal (${name})`, () => {
    /** Fresh stores; `broken` makes all puts fail, and `late` are those puts: they may still arrive. */
    const world = Effect.gen(function* () {
      const context = yield* Layer.build(Layer.fresh(stores))
      const real = Context.get(context, BlobStore)
      const broken = yield* Ref.make(false)
      const late: Array<Effect.Effect<unknown>> = []
      let puts = 0
      const blobs = BlobStore.of({
        ...real,
        put: (key, bytes, options) =>
          Effect.flatMap(Ref.get(broken), (is) => {
            puts++
            // A put takes a while, so that concurrent appends wait for it.
            if (!is) return Effect.delay(real.put(key, bytes, options), "1 millis")
            late.push(Effect.ignore(real.put(key, bytes, options) as Effect.Effect<unknown, unknown>))
            return Effect.fail(new BlobUnavailable({ cause: "broken" }))
          }),
      })
      const open = (on: boolean): Effect.Effect<SendJournalService, never, Scope.Scope> =>
        Effect.map(
          Layer.build(Layer.fresh(layer(on))).pipe(Effect.provide(Context.add(context, BlobStore, blobs))),
          (built) => Context.get(built, SendJournal),
        )
      const keys = Effect.map(Stream.runCollect(real.list("send-journal")), (all) => [...all].toSorted())
      return { blobs: real, broken, keys, late, open, puts: () => puts, on: yield* open(true) }
    })

    it.live("returns the records of all processes after they were appended", () =>
      Effect.gen(function* () {
        const { on, open } = yield* world
        const other = yield* open(true)
        yield* on.beat(1)
        yield* other.beat(2)
        yield* on.append([intent(1), intent(2)])
        yield* other.append([intent(3)])
        yield* on.note([outcome(1)])
        yield* on.flush
        const found = (yield* recordsOf(on)) ?? []
        const mine = [{ _tag: "beat", counter: 1 }, intent(1), intent(2), outcome(1)]
        const its = [{ _tag: "beat", counter: 2 }, intent(3)]
        assert.sameDeepMembers([...found], [...mine, ...its])
        const tags = found.map(({ _tag }) => _tag).join(" ")
        assert.include(tags, "beat intent intent outcome")
      }).pipe(Effect.scoped),
    )

    it.live("stores outcomes without a later append", () =>
      Effect.gen(function* () {
        const { on } = yield* world
        yield* on.beat(1)
        yield* on.note([outcome(1)])
        while (((yield* recordsOf(on)) ?? []).length < 2) yield* Effect.sleep("5 millis")
      }).pipe(Effect.scoped),
    )

    it.live("shares writes between concurrent appends, and fills segments one after another", () =>
      Effect.gen(function* () {
        const { keys, on, puts } = yield* world
        yield* on.beat(1)
        const appends = Array.from({ length: 2_000 }, (_, at) => on.append([intent(at)]))
        yield* Effect.all(appends, { concurrency: 50, discard: true })
        const found = (yield* recordsOf(on)) ?? []
        assert.strictEqual(found.length, 2_001)
        assert.isAtMost(puts(), 2_000 / 10)
        const bytes = 2_000 * 105
        // A write adds the intents of 50 appends to a segment that is not full.
        assert.isAtLeast((yield* keys).length, Math.floor(bytes / (segment_bytes_max + 50 * 105)))
        assert.isAtMost((yield* keys).length, Math.ceil(bytes / segment_bytes_max) + 1)
      }).pipe(Effect.scoped),
    )

    it.live("reports an append that the store refuses, and stores its records with the next one", () =>
      Effect.gen(function* () {
        const { broken, on } = yield* world
        yield* on.beat(1)
        yield* on.append([intent(1)])
        yield* Ref.set(broken, true)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(on.append([intent(2)]))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(on.flush)))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(on.beat(2))))
        assert.deepStrictEqual(yield* recordsOf(on), [{ _tag: "beat", counter: 1 }, intent(1)])
        yield* Ref.set(broken, false)
        yield* on.append([intent(3)])
        assert.deepStrictEqual((yield* recordsOf(on))?.slice(2), [intent(2), { _tag: "beat", counter: 2 }, intent(3)])
      }).pipe(Effect.scoped),
    )

    it.live("loses no record when a write that failed arrives later", () =>
      Effect.gen(function* () {
        const { broken, late, on } = yield* world
        const fails = (number: number) =>
          Effect.gen(function* () {
            yield* Ref.set(broken, true)
            assert.isTrue(Exit.isFailure(yield* Effect.exit(on.append([intent(number)]))))
            yield* Ref.set(broken, false)
          })
        // In the first write of a segment, and in a later one.
        yield* fails(1)
        yield* on.append([intent(2)])
        yield* fails(3)
        yield* on.append([intent(4)])
        yield* Effect.forEach(late, (put) => put)
        const found = ((yield* recordsOf(on)) ?? []).flatMap((each) => (each._tag === "intent" ? [each.token] : []))
        assert.sameMembers([...new Set(found)], [1, 2, 3, 4])
      }).pipe(Effect.scoped),
    )

    it.live("stores outcomes as soon as the store answers again", () =>
      Effect.gen(function* () {
        const { broken, late, on } = yield* world
        yield* on.beat(1)
        yield* Ref.set(broken, true)
        yield* on.note([outcome(1)])
        while (late.length === 0) yield* Effect.sleep("5 millis")
        yield* Ref.set(broken, false)
        while (((yield* recordsOf(on)) ?? []).length < 2) yield* Effect.sleep("5 millis")
      }).pipe(Effect.scoped),
    )

    it.live("reports a segment that is deleted while it reads", () =>
      Effect.gen(function* () {
        const { blobs, keys, on } = yield* world
        yield* on.beat(1)
        const { gap, segments } = yield* on.read(0)
        for (const key of yield* keys) yield* blobs.delete(key)
        assert.isFalse(gap)
        assert.deepStrictEqual(
          [...(yield* Stream.runCollect(segments))].map(({ records }) => records),
          [undefined],
        )
      }).pipe(Effect.scoped),
    )

    it.live("reports a deleted or damaged segment", () =>
      Effect.gen(function* () {
        const { blobs, keys, on } = yield* world
        for (const counter of [1, 2, 3]) yield* on.beat(counter)
        const [, second = ""] = yield* keys
        yield* blobs.delete(second)
        assert.isUndefined(yield* recordsOf(on))
        yield* blobs.put(second, Stream.succeed(encodeText("b 2\ni 1 cut")), {
          contentType: "text/plain",
          bytes_max: 100,
        })
        assert.isUndefined(yield* recordsOf(on))
      }).pipe(Effect.scoped),
    )

    it.live("reads no segment that was written before the time in question", () =>
      Effect.gen(function* () {
        const { on } = yield* world
        for (const counter of [1, 2, 3, 4]) {
          yield* on.beat(counter)
          yield* on.append([intent(counter)])
        }
        const after = ((yield* recordsOf(on, 3)) ?? []).flatMap((each) => (each._tag === "intent" ? [each.token] : []))
        assert.notInclude(after, 1)
        assert.includeMembers(after, [2, 3, 4])
      }).pipe(Effect.scoped),
    )

    it.live("records nothing while it is off, except that a process without it ran beside a journal", () =>
      Effect.gen(function* () {
        const { keys, on, open } = yield* world
        const record = Effect.fnUntraced(function* (off: SendJournalService, counter: number) {
          yield* off.beat(counter)
          yield* off.append([intent(1)])
          yield* off.note([outcome(1)])
          yield* off.flush
        })
        const off = yield* open(false)
        assert.isFalse(off.on)
        yield* record(off, 1)
        assert.deepStrictEqual(yield* keys, [])
        yield* on.beat(2)
        yield* record(yield* open(false), 3)
        assert.sameDeepMembers(
          [...((yield* recordsOf(off)) ?? [])],
          [
            { _tag: "beat", counter: 2 },
            { _tag: "unjournaled", counter: 3 },
          ],
        )
      }).pipe(Effect.scoped),
    )

    it.live("deletes days that are older than its limit, and no other one", () =>
      Effect.gen(function* () {
        const { blobs, keys, on, open } = yield* world
        yield* on.beat(1)
        const [young = ""] = yield* keys
        const segment = segmentOfKey(young)
        if (segment === undefined) return assert.fail(young)
        const aged = (days: number) =>
          Effect.map(DateTime.now, (now) =>
            keyOfSegment({ ...segment, day: DateTime.formatIso(DateTime.subtract(now, { days })).slice(0, 10) }),
          )
        const [kept, last, old] = [yield* aged(14), yield* aged(15), yield* aged(16)]
        for (const key of [kept, last, old]) yield* blobs.copy(young, key)
        yield* (yield* open(false)).deleteOld(15)
        assert.deepStrictEqual(yield* keys, [last, kept, young])
      }).pipe(Effect.scoped),
    )
  })
