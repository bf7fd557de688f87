// Machines are told from people: a labelled corpus, and how much of it is judged right.
import { isBot, isTooSoon } from "@tentpole/core/tracking/BotFilter"
import { visitorOf } from "@tentpole/http/tracking/TrackedVisitor"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type LabelledVisit, labelled } from "./fixtures/visitors.ts"

/** Of those that are called machines, so many are. Whoever is called one wrongly is a reader who counts for nothing. */
const precision_min = 0.99
/** Of the machines, so many are called so. The rest pass for browsers, and take their time. */
const recall_min = 0.95

const handedOverAt = DateTime.makeUnsafe(1_700_000_000_000)

const judged = ({ after_ms, headers, method, userAgent }: LabelledVisit): LabelledVisit["who"] => {
  const visitor = visitorOf({ method, headers: { ...headers, "user-agent": userAgent ?? undefined } })
  const at = DateTime.makeUnsafe(handedOverAt.epochMilliseconds + after_ms)
  return isBot(visitor) || isTooSoon(handedOverAt, at) ? "machine" : "person"
}

describe("who fetches pixels and follows links", () => {
  const called = labelled.map((visit) => ({ visit, as: judged(visit) }))
  const wrong = called.filter(({ as, visit }) => as !== visit.who)

  it("is labelled for 120 requests and more, of people and of machines", () => {
    assert.isAtLeast(labelled.length, 120)
    for (const who of ["person", "machine"]) {
      assert.isAtLeast(labelled.filter((visit) => visit.who === who).length, 50, who)
    }
  })

  it("no reader is taken for a machine, and nearly every machine is found", () => {
    const machines = called.filter(({ visit }) => visit.who === "machine")
    const found = machines.filter(({ as }) => as === "machine").length
    const accused = called.filter(({ as }) => as === "machine").length
    const precision = found / accused
    const recall = found / machines.length
    const list = wrong.map(({ visit }) => `${visit.who}, ${visit.why}: ${visit.userAgent}`).join("\n")
    assert.isAtLeast(precision, precision_min, list)
    assert.isAtLeast(recall, recall_min, list)
    console.log(
      `visitors: ${labelled.length} requests, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}` +
        ` (bars: ${precision_min}, ${recall_min})`,
    )
  })

  it("what goes unfound is what nothing gives away", () => {
    for (const { visit } of wrong) assert.include(visit.why, "nothing gives it away")
  })
})
