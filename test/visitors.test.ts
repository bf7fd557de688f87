// Test of the bot filter with a labelled corpus of requests.
import { isBot, isTooSoon } from "@tentpole/core/tracking/BotFilter"
import { visitorOf } from "@tentpole/http/tracking/TrackedVisitor"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type LabelledVisit, labelled } from "./fixtures/visitors.ts"

/** The least share of real bots among requests that the filter calls bots. A wrong call loses a reader's engagement. */
const precision_min = 0.99
/** The least share of bots that the filter finds. The others look like browsers and take their time. */
const recall_min = 0.95

const handedOverAt = DateTime.makeUnsafe(1_700_000_000_000)

const judged = ({ after_ms, headers, method, userAgent }: LabelledVisit): LabelledVisit["who"] => {
  const visitor = visitorOf({ method, headers: { ...headers, "user-agent": userAgent ?? undefined } })
  const at = DateTime.makeUnsafe(handedOverAt.epochMilliseconds + after_ms)
  return isBot(visitor) || isTooSoon(handedOverAt, at) ? "machine" : "person"
}

describe("the bot filter", () => {
  const called = labelled.map((visit) => ({ visit, as: judged(visit) }))
  const wrong = called.filter(({ as, visit }) => as !== visit.who)

  it("has a corpus of at least 120 labelled requests of people and bots", () => {
    assert.isAtLeast(labelled.length, 120)
    for (const who of ["person", "machine"]) {
      assert.isAtLeast(labelled.filter((visit) => visit.who === who).length, 50, who)
    }
  })

  it("takes no person for a bot, and finds nearly every bot", () => {
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

  it("misses only bots that nothing distinguishes from people", () => {
    for (const { visit } of wrong) assert.include(visit.why, "nothing gives it away")
  })
})
