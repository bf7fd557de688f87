// The counters of flows, for any life of a membership.
import { assert, describe, it } from "@effect/vitest"
import { type CountedChange, tallyMoves } from "@tentpole/core/flows/members/TallyMoves"
import { DrawnFlow } from "../../../contract/flows/flowDraws.ts"
import { Life, live } from "../FlowDraws.ts"

const lives = { arbitrary: { runs: 100 } }

const plain = ({ steps, tallies }: ReturnType<typeof tallyMoves>) => ({
  tallies: [...tallies.values()].map(({ lastEntryAt: _, ...counts }) => counts),
  steps: [...steps.values()].flatMap((members) => [...members]),
})

describe("tallyMoves, for any life of a membership", () => {
  it.prop(
    "adds up to the count of its last state, and with its deletion to nothing",
    [DrawnFlow, Life],
    ([flow, life]) => {
      const moments = live(flow, life)
      const [first, last] = [moments[0]?.before, moments.at(-1)?.after]
      if (first === undefined || last === undefined) return
      const changes: ReadonlyArray<CountedChange> = [{ before: null, after: first }, ...moments]
      const counted = plain(tallyMoves([{ before: null, after: last }]))
      assert.deepStrictEqual(plain(tallyMoves(changes)), counted)
      const none = plain(tallyMoves([...changes, { before: last, after: null }]))
      assert.deepStrictEqual(none.tallies, [{ active: 0, waiting: 0, completed: 0, dropped: 0, failed: 0 }])
      assert.deepStrictEqual(none.steps, [])
    },
    lives,
  )
})
