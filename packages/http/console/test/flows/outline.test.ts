// The nested list of a flow, and the flows to begin with.
import { assert, describe, it } from "vitest"
import { emptyStep, type Structure, targetOf, waysOf } from "../../src/flows/draft/steps.ts"
import { type Item, outlineOf } from "../../src/flows/draft/outline.ts"
import { starterOf, starters } from "../../src/flows/starters.ts"
import { anyStructure, drawFrom, empty, idsOf } from "./drawn.ts"

const stepsIn = (items: ReadonlyArray<Item>): ReadonlyArray<string> =>
  items.flatMap((item) =>
    item.kind === "step" ? [item.step.step_id, ...item.branches.flatMap((branch) => stepsIn(branch.items))] : [],
  )

/** The list as text: branches in brackets, the end as a dot. */
const textOf = (items: ReadonlyArray<Item>): string =>
  items
    .flatMap((item) => {
      switch (item.kind) {
        case "step":
          return [item.step.step_id, ...item.branches.map(({ items: inner, way }) => `${way}[${textOf(inner)}]`)]
        case "go":
          return [`>${item.to.step_id}`]
        case "end":
          return ["."]
        case "place":
          return []
      }
    })
    .join(" ")

const send = (id: string, next: string | null = null) => ({ ...emptyStep("send_email", id), next_step_id: next })

describe("the list of a flow", () => {
  it("has each step once", () => {
    for (let seed = 0; seed < 1_000; seed++) {
      const structure = anyStructure(drawFrom(seed))
      const { items, loose } = outlineOf(structure)
      const listed = [...stepsIn(items), ...stepsIn(loose)]
      assert.deepStrictEqual([...listed].sort(), [...idsOf(structure)].sort(), `seed ${seed}`)
    }
  })

  it("goes on after branches with the step at which they meet", () => {
    const structure: Structure = {
      triggers: [],
      steps: [
        { ...emptyStep("condition_check", "opened"), true_step_id: "thanks", false_step_id: "again" },
        send("again", "thanks"),
        send("thanks"),
      ],
    }
    assert.strictEqual(textOf(outlineOf(structure).items), "opened true[] false[again] thanks .")
  })

  it("ends each branch by itself where they do not meet, and names the step that a way leads back to", () => {
    const structure: Structure = {
      triggers: [],
      steps: [
        send("hello", "check"),
        { ...emptyStep("condition_check", "check"), true_step_id: null, false_step_id: "hello" },
        send("lost"),
      ],
    }
    const { items, loose } = outlineOf(structure)
    assert.strictEqual(textOf(items), "hello check true[.] false[>hello]")
    assert.strictEqual(textOf(loose), "lost .")
  })

  it("has one place for a step where there is none", () => {
    assert.deepStrictEqual(outlineOf(empty), {
      items: [{ kind: "place", place: { from: null, way: "next" } }],
      loose: [],
    })
  })
})

describe("flows to begin with", () => {
  const labels = {
    welcome: "Welcome",
    opened: "Opened?",
    reminder: "Reminder",
    birthday: "Birthday",
    miss: "We miss you",
    clicked: "Until a click",
    last: "Last email",
  }

  it.each(starters)("%s leads only to its own steps, and to each of them", (starter) => {
    const structure = starterOf(starter, labels, "Europe/Berlin")
    const ids = idsOf(structure)
    assert.deepStrictEqual([...stepsIn(outlineOf(structure).items)].sort(), [...ids].sort())
    const targets = structure.steps.flatMap((step) => waysOf(step).map((way) => targetOf(step, way)))
    assert.deepStrictEqual(
      targets.filter((to) => to !== null && !ids.includes(to)),
      [],
    )
  })

  it("have a zone for their dates", () => {
    const { triggers } = starterOf("birthday", labels, "Europe/Berlin")
    assert.deepInclude(triggers[0], { timezone: "Europe/Berlin", include_anniversaries: true })
  })
})
