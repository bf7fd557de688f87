// Page views in batches for tests that need stored views.
import { Effect } from "effect"
import { dayOf } from "../../src/traffic/Analytics.ts"
import type { ViewBatch } from "../../src/traffic/TrafficStore.ts"
import { type SeenView, sumViews } from "../../src/traffic/ViewBatch.ts"
import { Fresh } from "../kernel/fresh.ts"

const visitor = (n: number) => n.toString(16).padStart(32, "0")

/** A view by the first visitor, unless stated otherwise. */
export const seenView = ({
  n = 1,
  ...over
}: Pick<SeenView, "tentId" | "at"> & Partial<SeenView> & { readonly n?: number }): SeenView => ({
  visitor: visitor(n),
  country: "CH",
  device: "desktop",
  browser: "Firefox",
  os: "Linux",
  referrer: "direct",
  ...over,
  day: dayOf(over.at),
})

/** A batch of views under a new id. */
export const viewBatch = Effect.fnUntraced(function* (views: ReadonlyArray<SeenView>) {
  const fresh = yield* Fresh
  const { sums, visitors, newest } = sumViews(views)
  const made: ViewBatch = {
    id: yield* fresh.id,
    sums,
    visitors,
    newest: yield* Effect.forEach(newest, (view) => Effect.map(fresh.id, (id) => ({ ...view, id }))),
  }
  return made
})
