// Places on the canvas, arrow keys, and the frames of a simulation.
import type { FlowTimelineEntry } from "@tentpole/client"
import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "vitest"
import { nodeId } from "../../src/flows/canvas/ids.ts"
import { layoutOf, nearestPlace, neighbourOf, pathThrough, shapeOf } from "../../src/flows/canvas/layout.ts"
import { changeStep } from "../../src/flows/draft/edits.ts"
import { edgesOf, emptyStep, openPlacesOf, type Structure } from "../../src/flows/draft/steps.ts"
import { dark, framesOf, litAt, spanOf } from "../../src/flows/simulation/playback.ts"
import { anyStructure, drawFrom, empty } from "./drawn.ts"

const branching: Structure = {
  triggers: [{ type: "contact_created" }],
  steps: [
    { ...emptyStep("send_email", "hello"), next_step_id: "opened" },
    { ...emptyStep("condition_check", "opened"), true_step_id: "thanks", false_step_id: "again" },
    emptyStep("send_email", "thanks"),
    { ...emptyStep("send_email", "again"), next_step_id: "thanks" },
  ],
}

describe("the canvas", () => {
  it("has a place for each box and way, and no two boxes overlap", () => {
    for (let seed = 0; seed < sampled(150); seed++) {
      const structure = anyStructure(drawFrom(seed))
      const { boxes, wires } = layoutOf(structure)
      const opens = openPlacesOf(structure).length
      assert.strictEqual(boxes.size, 1 + structure.steps.length + opens, `seed ${seed}`)
      assert.strictEqual(wires.length, edgesOf(structure).length + opens, `seed ${seed}`)
      const all = [...boxes.values()]
      for (const [index, box] of all.entries()) {
        const over = all
          .slice(index + 1)
          .find(
            (other) =>
              other.x < box.x + box.width &&
              box.x < other.x + other.width &&
              other.y < box.y + box.height &&
              box.y < other.y + other.height,
          )
        assert.isUndefined(over, `seed ${seed}: ${box.id} and ${over?.id ?? ""}`)
      }
    }
  })

  it("draws 100 steps whose ways go anywhere in less than a second", () => {
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`)
    const draw = drawFrom(1)
    const steps = ids.map((id) => ({
      ...emptyStep("condition_check", id),
      true_step_id: draw.of(ids),
      false_step_id: draw.of(ids),
      default_step_id: draw.of(ids),
    }))
    const begun = performance.now()
    assert.strictEqual(layoutOf({ triggers: [], steps }).boxes.size, 101)
    assert.isBelow(performance.now() - begun, 1_000)
  })

  it("keeps its places while texts of steps change", () => {
    assert.strictEqual(
      shapeOf(changeStep(branching, "hello", (step) => ({ ...step, label: "Hi" }))),
      shapeOf(branching),
    )
    assert.notStrictEqual(shapeOf(branching), shapeOf(empty))
  })

  it("moves along ways by arrow keys, and sideways to the nearest box", () => {
    const layout = layoutOf(branching)
    const go = (from: string | null, direction: "up" | "down" | "left" | "right") =>
      neighbourOf(layout, nodeId(from), direction)
    assert.strictEqual(go(null, "down"), nodeId("hello"))
    assert.strictEqual(go("hello", "down"), nodeId("opened"))
    assert.strictEqual(go("opened", "down"), nodeId("thanks"))
    assert.strictEqual(go("hello", "up"), "entry")
    assert.isNull(neighbourOf(layout, "entry", "up"))
    assert.isNull(neighbourOf(layoutOf(empty), "entry", "left"))
  })

  it("drops a step on the way that is nearest", () => {
    const layout = layoutOf(branching)
    for (const { from, label, way } of layout.wires) {
      assert.deepStrictEqual(nearestPlace(layout, { x: label.x + 2, y: label.y - 2 }), { from, way })
    }
  })

  it("draws a way through its points with round corners", () => {
    const corner = [
      { x: 0, y: 0 },
      { x: 0, y: 50 },
      { x: 50, y: 50 },
    ]
    assert.strictEqual(pathThrough(corner), "M0,0L0,40Q0,50 10,50L50,50")
  })
})

describe("a simulation", () => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()
  const entry = (
    type: FlowTimelineEntry["type"],
    minutes: number,
    step_id: string | null,
    metadata: Readonly<Record<string, unknown>> = {},
  ): FlowTimelineEntry => ({ type, timestamp: at(minutes), step_id, metadata })
  const frames = framesOf(
    {
      timeline: [
        entry("entered_flow", 0, "hello"),
        entry("email_sent", 0, "hello"),
        entry("step_executed", 0, "hello", { next_step_id: "opened" }),
        entry("step_executed", 90, "opened", { next_step_id: "again", result: false }),
        entry("completed", 90, null),
      ],
    },
    branching,
  )

  it("becomes frames with the ways that the member takes", () => {
    assert.deepStrictEqual(
      frames.map(({ after_ms, way }) => [after_ms / 60_000, way === null ? null : `${way.way} to ${way.to}`]),
      [
        [0, "next to hello"],
        [0, null],
        [0, "next to opened"],
        [90, "false to again"],
        [90, null],
      ],
    )
  })

  it("takes the way of the result where two lead to the same step", () => {
    const same: Structure = {
      triggers: [],
      steps: [
        { ...emptyStep("condition_check", "check"), true_step_id: "end", false_step_id: "end" },
        emptyStep("send_email", "end"),
      ],
    }
    const wayOf = (result: boolean | null) =>
      framesOf({ timeline: [entry("step_executed", 0, "check", { next_step_id: "end", result })] }, same)[0]?.way?.way
    assert.deepStrictEqual([true, false].map(wayOf), ["true", "false"])
  })

  it("lights what the member has passed, and where the member is", () => {
    assert.deepStrictEqual(litAt(frames, -1), dark)
    const lit = litAt(frames, 2)
    assert.deepStrictEqual([[...lit.steps], lit.stepId, lit.ways.length], [["hello", "opened"], "opened", 2])
    assert.strictEqual(litAt(frames, 4).stepId, null)
  })

  it("says times in their largest unit", () => {
    assert.deepStrictEqual(
      [0, 5, 90, 1_440 * 3].map((minutes) => spanOf(minutes * 60_000)),
      [
        { amount: 0, unit: "minute" },
        { amount: 5, unit: "minute" },
        { amount: 1.5, unit: "hour" },
        { amount: 3, unit: "day" },
      ],
    )
  })
})
