import { assert, it } from "@effect/vitest"
import { TentId } from "@tentpole/core/kernel/Ids"
import { devices } from "@tentpole/core/traffic/Agents"
import { dayNumberOf, dayOf, recent_max } from "@tentpole/core/traffic/Analytics"
import { type SeenView, sumViews, type ViewSums } from "@tentpole/core/traffic/ViewBatch"
import { DateTime, Schema } from "effect"

const tents = ["a", "b"].map((digit) => TentId.make(`00000000-0000-4000-8000-00000000000${digit}`))
const midnight = Date.parse("2026-05-07T00:00:00Z")
const Few = Schema.Literals(["x", "y", "z"])

/** Of two tents, around a midnight, with repeated values. */
const View = Schema.Struct({
  tentId: Schema.Literals(tents),
  ms: Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 3 })),
  visitor: Few,
  country: Few,
  device: Schema.Literals(devices),
  browser: Few,
  os: Few,
  referrer: Few,
})
const Views = Schema.Array(View).check(Schema.isMaxLength(300))
const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))).check(Schema.isMaxLength(6))

const seen = ({ ms, ...view }: typeof View.Type): SeenView => {
  const at = DateTime.makeUnsafe(midnight + ms)
  return { ...view, at, day: dayOf(at) }
}

const split = <A>(all: ReadonlyArray<A>, cuts: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<A>> => {
  const at = [0, ...[...cuts].sort((left, right) => left - right), all.length]
  return at.slice(1).map((end, index) => all.slice(at[index], end))
}

const total = (parts: ReadonlyArray<ViewSums>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { tentId, day, dimension, value, views } of parts.flatMap(({ sums }) => sums)) {
    const key = [tentId, day, dimension, value].join("/")
    counts[key] = (counts[key] ?? 0) + views
  }
  return counts
}

const visitors = (parts: ReadonlyArray<ViewSums>): ReadonlyArray<string> =>
  [
    ...new Set(
      parts.flatMap((part) => part.visitors.map(({ tentId, day, visitor }) => [tentId, day, visitor].join("/"))),
    ),
  ].sort()

const options = { arbitrary: { runs: 200, size: 300 } }

it.prop(
  "Batches of views add up to the same sums and visitors for any division",
  [Views, Cuts],
  ([given, cuts]) => {
    const views = given.map(seen)
    const parts = split(views, cuts).map(sumViews)
    const whole = sumViews(views)
    assert.deepStrictEqual(total(parts), total([whole]))
    assert.deepStrictEqual(visitors(parts), visitors([whole]))
    assert.strictEqual(visitors([whole]).length, whole.visitors.length)
    for (const dimension of ["all", "country", "device", "browser", "os", "referrer"]) {
      const its = whole.sums.filter((sum) => sum.dimension === dimension)
      assert.strictEqual(
        its.reduce((sum, each) => sum + each.views, 0),
        views.length,
      )
    }
  },
  options,
)

it.prop(
  "The newest views of the batches are the newest of the whole",
  [Views, Cuts],
  ([given, cuts]) => {
    const views = given.map((view, index) => ({ ...seen(view), referrer: String(index) }))
    const newestOf = (all: ReadonlyArray<SeenView>) => new Set(sumViews(all).newest.map(({ referrer }) => referrer))
    const kept = split(views, cuts).flatMap((part) => {
      const its = newestOf(part)
      return part.filter(({ referrer }) => its.has(referrer))
    })
    const sums = [views, kept].map(sumViews)
    for (const tentId of tents) {
      for (const day of ["2026-05-06", "2026-05-07"]) {
        const its = views.filter((view) => view.tentId === tentId && view.day === day)
        const order = its.toSorted((left, right) => left.at.epochMilliseconds - right.at.epochMilliseconds)
        for (const { newest: all } of sums) {
          const newest = all.filter((view) => view.tentId === tentId && dayOf(view.at) === day)
          assert.deepStrictEqual(
            newest.map(({ referrer }) => referrer),
            order.slice(-recent_max).map(({ referrer }) => referrer),
          )
        }
      }
    }
  },
  options,
)

it("A single view has nothing that identifies its visitor", () => {
  const [single] = sumViews([
    seen({
      tentId: tents[0] ?? assert.fail("no tent"),
      ms: 0,
      visitor: "x",
      country: "x",
      device: "mobile",
      browser: "x",
      os: "x",
      referrer: "x",
    }),
  ]).newest
  assert.hasAllKeys(single, ["tentId", "at", "country", "device", "browser", "os", "referrer"])
})

it("Days have numbers that change at midnight UTC", () => {
  const at = (text: string) => dayNumberOf(DateTime.makeUnsafe(text))
  assert.strictEqual(at("2026-05-07T00:00:00.000Z"), at("2026-05-07T23:59:59.999Z"))
  assert.strictEqual(at("2026-05-07T00:00:00.000Z") - at("2026-05-06T23:59:59.999Z"), 1)
  assert.strictEqual(at("1969-12-31T23:59:59.999Z"), -1)
})
