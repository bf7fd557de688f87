// Contract tests of page views.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { FormStore } from "../../src/forms/FormStore.ts"
import { SubmissionChange } from "../../src/forms/Submission.ts"
import { ContactId, SubmissionId, TentId } from "../../src/kernel/Ids.ts"
import { daysUntil, other, values_max } from "../../src/traffic/Analytics.ts"
import { TrafficStore } from "../../src/traffic/TrafficStore.ts"
import type { SeenView } from "../../src/traffic/ViewBatch.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"
import { moves } from "../tents/tentMoves.ts"
import { seenView, viewBatch } from "./viewBatches.ts"

export { seenView, viewBatch } from "./viewBatches.ts"

const day_ms = 86_400_000
/** 2026-05-07T12:00:00Z, a noon. */
const noon = DateTime.makeUnsafe(20_580 * day_ms + day_ms / 2)
const ago = (ms: number) => DateTime.subtract(noon, { milliseconds: ms })
const week = daysUntil(noon, 7)

export const traffic = <E>(
  name: string,
  live: Layer.Layer<TrafficStore | TentStore | FormStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Page views (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* TrafficStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const tent = TentId.make(yield* fresh.id)
      const view = (over: Partial<Parameters<typeof seenView>[0]> = {}) => seenView({ tentId: tent, at: noon, ...over })
      const batchOf = (...views: ReadonlyArray<SeenView>) => Effect.provideService(viewBatch(views), Fresh, fresh)
      const record = Effect.fnUntraced(function* (...views: ReadonlyArray<SeenView>) {
        yield* transact(store.record(workspace, yield* batchOf(...views)))
      })
      return { store, transact, fresh, workspace, tent, view, batchOf, record }
    })

    it.effect("deletes the views of a deleted tent and retains those of others", () =>
      Effect.gen(function* () {
        const { store, transact, fresh, workspace, tent, view, record } = yield* begin
        const tents = yield* TentStore
        const other = TentId.make(yield* fresh.id)
        yield* Effect.orDie(transact(tents.apply(workspace, accepted(tent))))
        yield* record(view(), view({ at: ago(day_ms) }), view({ tentId: other }))
        yield* transact(
          Effect.gen(function* () {
            const gone = yield* tents.lock(workspace, tent)
            yield* tents.apply(workspace, TentChange.remove({ tent: gone, assetIds: [] }, noon))
          }),
        )
        const counts = yield* store.counts(workspace, tent, week)
        assert.deepStrictEqual([counts.visits, counts.days, counts.groups.country], [0, [], []])
        assert.strictEqual((yield* store.counts(workspace, other, week)).visits, 1)
      }),
    )

    it.effect("counts submissions of forms by day, of a tent and of the workspace", () =>
      Effect.gen(function* () {
        const { store, transact, fresh, workspace } = yield* begin
        const forms = yield* FormStore
        const tents = moves(yield* TentStore, transact, fresh)
        const submit = Effect.fnUntraced(function* (tentId: TentId, now: DateTime.Utc) {
          const form = { tentId, formId: "sign-up", fields: ["name"], successUrl: null }
          const sending = { id: SubmissionId.make(yield* fresh.id), form, answers: { name: "Ada" }, visitor: null }
          const facts = { existing: [], ids: [ContactId.make(yield* fresh.id)], now }
          yield* transact(forms.apply(workspace, SubmissionChange.receive(sending, facts)))
        })
        const [one, two] = [(yield* tents.completed(workspace)).id, (yield* tents.completed(workspace)).id]
        yield* submit(one, noon)
        yield* submit(one, noon)
        yield* submit(one, ago(day_ms))
        yield* submit(two, noon)
        const days = (tent: TentId | null) => Effect.map(store.counts(workspace, tent, week), (counts) => counts.days)
        assert.deepStrictEqual(yield* days(one), [
          { day: "2026-05-06", views: 0, submissions: 1 },
          { day: "2026-05-07", views: 0, submissions: 2 },
        ])
        assert.deepStrictEqual(yield* days(null), [
          { day: "2026-05-06", views: 0, submissions: 1 },
          { day: "2026-05-07", views: 0, submissions: 3 },
        ])
      }),
    )

    it.effect("counts views by day and by each dimension, and visitors once a day", () =>
      Effect.gen(function* () {
        const { store, workspace, tent, view, record } = yield* begin
        yield* record(view(), view({ browser: "Chrome" }), view({ n: 2, country: "DE" }))
        yield* record(view({ at: ago(day_ms) }), view({ referrer: "a.example", os: "iOS", device: "mobile" }))
        const counts = yield* store.counts(workspace, tent, week)
        assert.strictEqual(counts.visits, 3)
        assert.deepStrictEqual(counts.days, [
          { day: "2026-05-06", views: 1, submissions: 0 },
          { day: "2026-05-07", views: 4, submissions: 0 },
        ])
        assert.deepStrictEqual(counts.groups, {
          country: [
            { value: "CH", views: 4 },
            { value: "DE", views: 1 },
          ],
          device: [
            { value: "desktop", views: 4 },
            { value: "mobile", views: 1 },
          ],
          browser: [
            { value: "Firefox", views: 4 },
            { value: "Chrome", views: 1 },
          ],
          os: [
            { value: "Linux", views: 4 },
            { value: "iOS", views: 1 },
          ],
          referrer: [
            { value: "direct", views: 4 },
            { value: "a.example", views: 1 },
          ],
        })
      }),
    )

    it.effect("counts a repeated batch once, also when four write it at the same time", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, tent, view, batchOf, record } = yield* begin
        const batch = yield* batchOf(view(), view({ n: 2, referrer: "a.example" }))
        const write = transact(store.record(workspace, batch))
        yield* Effect.all([write, write, write, write], { concurrency: 4 })
        yield* record(view())
        yield* write
        for (const of of [tent, null]) {
          const { visits, days, groups, recent } = yield* store.counts(workspace, of, week)
          assert.deepStrictEqual([visits, days], [2, [{ day: "2026-05-07", views: 3, submissions: 0 }]])
          assert.deepStrictEqual(groups.referrer, [
            { value: "direct", views: 2 },
            { value: "a.example", views: 1 },
          ])
          assert.strictEqual(recent.length, 3)
        }
      }),
    )

    it.effect("reports each visitor as new once, and counts views without visitors", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, tent, view, batchOf, record } = yield* begin
        yield* record(view())
        const batch = yield* batchOf(view(), view())
        yield* transact(store.record(workspace, { ...batch, visitors: [], newest: [] }))
        for (const of of [tent, null]) {
          const { visits, days, recent } = yield* store.counts(workspace, of, week)
          assert.deepStrictEqual([visits, days[0]?.views, recent.length], [1, 3, 1])
        }
      }),
    )

    it.effect("stores a limited number of values a day, whatever the number of writers, and adds the others up", () =>
      Effect.gen(function* () {
        const { store, workspace, tent, view, record } = yield* begin
        const sites = (first: number, count: number) =>
          Array.from({ length: count }, (_, index) => view({ referrer: `site-${first + index}.example` }))
        // Of the new values of a batch, those with the most views come first.
        yield* record(...sites(0, values_max - 100), view({ referrer: "site-7.example" }))
        yield* Effect.all(
          Array.from({ length: 6 }, (_, index) =>
            record(...sites(10_000 + index * 40, 40), view({ browser: `browser-${index}` })),
          ),
          { concurrency: 6 },
        )
        for (const of of [tent, null]) {
          const { groups, days } = yield* store.counts(workspace, of, week)
          assert.strictEqual(days[0]?.views, values_max - 100 + 1 + 6 * 41)
          assert.deepStrictEqual(groups.referrer.slice(0, 3), [
            { value: other, views: 6 * 40 - 99 },
            { value: "direct", views: 6 },
            { value: "site-7.example", views: 2 },
          ])
          assert.strictEqual(groups.browser.length, 7)
        }
        yield* record(view({ referrer: "site-7.example" }), view({ referrer: "late.example" }))
        yield* record(view({ referrer: "late.example", at: ago(day_ms) }))
        const { groups } = yield* store.counts(workspace, tent, daysUntil(noon, 1))
        assert.deepInclude(groups.referrer, { value: "site-7.example", views: 3 })
        assert.deepInclude(groups.referrer, { value: other, views: 6 * 40 - 99 + 1 })
        const before = (yield* store.counts(workspace, tent, daysUntil(ago(day_ms), 1))).groups
        assert.deepStrictEqual(before.referrer, [{ value: "late.example", views: 1 }])
      }),
    )

    it.effect("keeps the new values of a batch that have the most views", () =>
      Effect.gen(function* () {
        const { store, workspace, view, tent, record } = yield* begin
        const many = Array.from({ length: values_max + 20 }, (_, index) => view({ referrer: `a-${index}.example` }))
        yield* record(...many, view({ referrer: "z.example" }), view({ referrer: "z.example" }))
        const { groups } = yield* store.counts(workspace, tent, week)
        assert.deepStrictEqual(groups.referrer.slice(0, 2), [
          { value: other, views: 21 },
          { value: "z.example", views: 2 },
        ])
      }),
    )

    it.effect("counts all of several concurrent batches", () =>
      Effect.gen(function* () {
        const { store, fresh, workspace, tent, view, record } = yield* begin
        const other = TentId.make(yield* fresh.id)
        // In opposite orders: writers that lock days in the order of the batch would wait for each other.
        const batch = (flip: boolean) =>
          record(...[tent, other].map((tentId, at) => view({ tentId, browser: flip === (at === 0) ? "a" : "b" })))
        yield* Effect.all(
          Array.from({ length: 12 }, (_, index) => batch(index % 2 === 0)),
          { concurrency: 6 },
        )
        assert.strictEqual((yield* store.counts(workspace, tent, week)).days[0]?.views, 12)
        assert.strictEqual((yield* store.counts(workspace, null, week)).days[0]?.views, 24)
      }),
    )

    it.effect("counts no day outside the time range, to the millisecond", () =>
      Effect.gen(function* () {
        const { store, workspace, tent, view, record } = yield* begin
        const midnight = ago(6 * day_ms + day_ms / 2)
        yield* record(
          view({ at: midnight }),
          view({ at: DateTime.subtract(midnight, { milliseconds: 1 }) }),
          view({ at: ago(-day_ms / 2) }),
        )
        const counts = yield* store.counts(workspace, tent, week)
        assert.deepStrictEqual(counts.days, [{ day: "2026-05-01", views: 1, submissions: 0 }])
        assert.deepStrictEqual(
          counts.recent.map((each) => each.at.epochMilliseconds),
          [midnight.epochMilliseconds],
        )
        assert.strictEqual(counts.visits, 1)
      }),
    )

    it.effect("returns the 50 largest groups and the newest 50 views", () =>
      Effect.gen(function* () {
        const { store, workspace, tent, view, record } = yield* begin
        const many = Array.from({ length: 60 }, (_, index) =>
          view({ referrer: `site-${String(index).padStart(2, "0")}.example`, at: ago(index * 1_000) }),
        )
        yield* record(...many, view({ referrer: "site-59.example", at: ago(100_000) }))
        const { groups, recent } = yield* store.counts(workspace, tent, week)
        assert.strictEqual(groups.referrer.length, 50)
        assert.deepStrictEqual(groups.referrer[0], { value: "site-59.example", views: 2 })
        assert.deepStrictEqual(groups.referrer[1], { value: "site-00.example", views: 1 })
        assert.strictEqual(recent.length, 50)
        assert.strictEqual(recent[0]?.at.epochMilliseconds, noon.epochMilliseconds)
        assert.strictEqual(recent[49]?.referrer, "site-49.example")
      }),
    )

    it.effect(
      "counts a visitor of two tents as one visitor of the workspace, and leaves deleted tents out of the top",
      () =>
        Effect.gen(function* () {
          const { store, workspace, tent, fresh, transact, view, record } = yield* begin
          const named = TentId.make(yield* fresh.id)
          yield* transact(Effect.flatMap(TentStore, (tents) => tents.apply(workspace, accepted(named))))
          yield* record(view(), view({ tentId: named }), view({ tentId: named, n: 2 }))
          assert.strictEqual((yield* store.counts(workspace, null, week)).visits, 2)
          assert.strictEqual((yield* store.counts(workspace, tent, week)).visits, 1)
          assert.deepStrictEqual(yield* store.topTents(workspace, week), [
            { tentId: named, name: "Named", views: 2, visits: 2 },
          ])
        }),
    )

    it.effect("counts nothing when the transaction fails, and accepts the batch again", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, tent, view, batchOf } = yield* begin
        const write = store.record(workspace, yield* batchOf(view()))
        yield* Effect.exit(transact(Effect.andThen(write, Effect.fail("no"))))
        const counts = yield* store.counts(workspace, tent, week)
        assert.deepStrictEqual([counts.visits, counts.days, counts.recent], [0, [], []])
        yield* transact(write)
        assert.deepStrictEqual((yield* store.counts(workspace, tent, week)).days, [
          { day: "2026-05-07", views: 1, submissions: 0 },
        ])
      }),
    )

    it.effect("shows nothing of another workspace", () =>
      Effect.gen(function* () {
        const { store, fresh, tent, view, record } = yield* begin
        const other = yield* fresh.workspace()
        yield* record(view())
        assert.deepStrictEqual((yield* store.counts(other, tent, week)).days, [])
        assert.deepStrictEqual((yield* store.counts(other, null, week)).recent, [])
        assert.deepStrictEqual(yield* store.topTents(other, week), [])
      }),
    )

    it.effect("has one salt a day for all processes, and none after it is deleted", () =>
      Effect.gen(function* () {
        const { store, transact } = yield* begin
        const salt = (day: string, n: number) =>
          Effect.map(transact(store.salt(day, Uint8Array.of(n))), (bytes) => Array.from(bytes))
        const all = yield* Effect.all(
          [1, 2, 3].map((n) => salt("2026-05-06", n)),
          { concurrency: 3 },
        )
        assert.deepStrictEqual(all[1], all[0])
        assert.deepStrictEqual(all[2], all[0])
        const today = yield* salt("2026-05-07", 9)
        yield* transact(store.forgetSalts("2026-05-07"))
        assert.deepStrictEqual(yield* salt("2026-05-07", 10), today)
        assert.deepStrictEqual(yield* salt("2026-05-06", 11), [11])
        yield* transact(store.forgetSalts("2027-01-01"))
      }),
    )
  })

const accepted = (id: TentId): TentChange =>
  TentChange.accept({
    idle: null,
    id,
    name: "Named",
    createdByName: "a key",
    userId: null,
    request: {
      prompt: "a page",
      includeBrand: false,
      template: null,
      assetIds: [],
      reasoning: null,
      variables: {},
      aliasTurn: 1,
      autoPublish: false,
    },
    requestedAlias: null,
    now: noon,
  })
