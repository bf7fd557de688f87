// The draft of a flow: edits, undo and redo, and where issues belong.
import type { StepRule } from "@tentpole/client"
import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "vitest"
import {
  addStep,
  addTrigger,
  changeStep,
  changeTrigger,
  removeStep,
  removeTrigger,
  renameStep,
} from "../../src/flows/draft/edits.ts"
import {
  begin,
  discard,
  edit,
  type FlowDraft,
  fromStored,
  isChanged,
  isSame,
  leftBehind,
  rebased,
  redo,
  saved,
  toStored,
  undo,
} from "../../src/flows/draft/flowDraft.ts"
import { allOf, holding, isWarning, merged, noIssues, placed, withNoticed } from "../../src/flows/draft/issues.ts"
import {
  edgesOf,
  emptyStep,
  emptyTrigger,
  entry,
  type Structure,
  targetOf,
  waysOf,
} from "../../src/flows/draft/steps.ts"
import { anyEdit, anyPlace, anyStructure, drawFrom, empty, idsOf, newStepFor } from "./drawn.ts"

const runs = sampled(2_000)

/** Targets of ways that are no step. */
const lostIn = (structure: Structure): ReadonlyArray<string> => {
  const ids = new Set(idsOf(structure))
  return structure.steps.flatMap((step) =>
    waysOf(step).flatMap((way) => {
      const to = targetOf(step, way)
      return to === null || ids.has(to) ? [] : [to]
    }),
  )
}

const send = (id: string, next: string | null = null) => ({ ...emptyStep("send_email", id), next_step_id: next })

const welcome: Structure = {
  triggers: [{ type: "contact_created" }],
  steps: [send("hello", "pause"), { ...emptyStep("wait", "pause"), next_step_id: "again" }, send("again")],
}

describe("edits of a flow", () => {
  it("never lead a way to a missing step, nor give two steps one id", () => {
    for (let seed = 0; seed < runs; seed++) {
      const structure = anyStructure(drawFrom(seed))
      assert.deepStrictEqual(lostIn(structure), [], `seed ${seed}`)
      assert.strictEqual(new Set(idsOf(structure)).size, structure.steps.length, `seed ${seed}`)
    }
  })

  it("insert a step so that no member goes elsewhere: without it the flow is as before", () => {
    for (let seed = 0; seed < runs; seed++) {
      const draw = drawFrom(seed)
      const structure = anyStructure(draw)
      const step = newStepFor(draw, structure)
      const place = anyPlace(draw, structure)
      const added = addStep(structure, step, place)
      const placeNow = edgesOf(added).find(({ from, way }) => from === place.from && way === place.way)
      assert.strictEqual(placeNow?.to, step.step_id, `seed ${seed}`)
      assert.deepStrictEqual(removeStep(added, step.step_id), structure, `seed ${seed}`)
    }
  })

  it("lead the ways to a removed step where it led, and never to their own step", () => {
    assert.deepStrictEqual(
      removeStep(welcome, "pause").steps.map((step) => [step.step_id, targetOf(step, "next")]),
      [
        ["hello", "again"],
        ["again", null],
      ],
    )
    const loop: Structure = { triggers: [], steps: [send("a", "b"), send("b", "a")] }
    assert.deepStrictEqual(removeStep(loop, "b").steps, [send("a")])
  })

  it("let members enter where a removed first step led", () => {
    const odd: Structure = { triggers: [], steps: [send("first", "third"), send("second"), send("third", "second")] }
    assert.deepStrictEqual(idsOf(removeStep(odd, "first")), ["third", "second"])
  })

  it("rename a step in all that names it", () => {
    const opened: StepRule = {
      kind: "condition",
      source: "email_step",
      nodeId: "hello",
      metric: "opened",
      operator: "has_activity",
    }
    const structure: Structure = {
      triggers: [],
      steps: [
        { ...emptyStep("create_email", "made"), next_step_id: "hello" },
        { ...send("hello", "check"), email_source: "flow_step", create_email_step_id: "made" },
        {
          ...emptyStep("condition_check", "check"),
          condition: { kind: "group", conditions: [opened] },
          true_step_id: "made",
        },
      ],
    }
    const renamed = renameStep(renameStep(structure, "hello", "letter"), "made", "copy")
    assert.deepStrictEqual(renamed.steps, [
      { ...emptyStep("create_email", "copy"), next_step_id: "letter" },
      { ...send("letter", "check"), email_source: "flow_step", create_email_step_id: "copy" },
      {
        ...emptyStep("condition_check", "check"),
        condition: { kind: "group", conditions: [{ ...opened, nodeId: "letter" }] },
        true_step_id: "copy",
      },
    ])
    assert.strictEqual(renameStep(structure, "hello", "made"), structure)
  })

  it("add, change and remove triggers", () => {
    const added = addTrigger(welcome, emptyTrigger("date_based", "Europe/Berlin"))
    const changed = changeTrigger(added, 1, (trigger) => ({ ...trigger, field: "birthday" }) as typeof trigger)
    assert.deepInclude(changed.triggers[1], { field: "birthday", timezone: "Europe/Berlin", trigger_time: "09:00" })
    assert.deepStrictEqual(removeTrigger(changed, 1), welcome)
  })
})

describe("a draft", () => {
  it("goes back to the beginning by undo and to the end by redo, whatever was edited", () => {
    for (let seed = 0; seed < sampled(300); seed++) {
      const draw = drawFrom(seed)
      const base = anyStructure(draw)
      let draft = begin(base)
      for (let count = draw.below(40); count > 0; count--) draft = edit(draft, anyEdit(draw, draft.present))
      const end = draft.present
      const steps = draft.past.length
      for (let count = 0; count < steps; count++) draft = undo(draft)
      assert.deepStrictEqual(draft.present, base, `seed ${seed}`)
      assert.isFalse(isChanged(draft))
      for (let count = 0; count < steps; count++) draft = redo(draft)
      assert.deepStrictEqual(draft.present, end, `seed ${seed}`)
      assert.strictEqual(redo(draft), draft)
    }
  })

  it("forgets what could be redone with the next edit", () => {
    const draft = edit(undo(edit(begin(welcome), removeStep(welcome, "again"))), removeStep(welcome, "pause"))
    assert.deepStrictEqual([draft.future, draft.past.length], [[], 1])
  })

  it("takes the letters of a field back together, and those of two fields apart", () => {
    const label = (draft: FlowDraft, id: string, text: string) =>
      edit(
        draft,
        changeStep(draft.present, id, (step) => ({ ...step, label: text })),
        `${id}.label`,
      )
    const typed = label(label(label(begin(welcome), "hello", "W"), "hello", "We"), "again", "A")
    assert.strictEqual(typed.past.length, 2)
    assert.strictEqual(undo(typed).present.steps[0]?.label, "We")
    assert.deepStrictEqual(undo(undo(typed)).present, welcome)
    // After an undo the same field is another edit.
    assert.strictEqual(label(undo(typed), "hello", "Wel").past.length, 2)
  })

  it("follows the stored flow until it is changed, and keeps its changes then", () => {
    const other = removeStep(welcome, "again")
    assert.deepStrictEqual(rebased(begin(welcome), other), begin(other))
    const changed = edit(begin(welcome), removeStep(welcome, "pause"))
    assert.deepStrictEqual(rebased(changed, other).present, changed.present)
    assert.isTrue(isChanged(rebased(changed, other)))
    assert.isFalse(isChanged(rebased(changed, changed.present)))
  })

  it("is unchanged once both parts are stored", () => {
    const draft = edit(begin(empty), welcome)
    const stored = welcome.steps.map((step) => ({ ...step, label: "as stored" }))
    const half = saved(draft, { steps: draft.present.steps }, { steps: stored })
    assert.isTrue(isChanged(half))
    const whole = saved(half, { triggers: half.present.triggers }, { triggers: welcome.triggers })
    assert.isFalse(isChanged(whole))
    assert.strictEqual(whole.present.steps[0]?.label, "as stored")
    assert.deepStrictEqual(discard(half).present, { triggers: [], steps: stored })
  })

  it("names the removed steps where members are", () => {
    const counts = new Map([
      ["pause", 12],
      ["again", 0],
    ])
    const draft = edit(begin(welcome), { ...welcome, steps: welcome.steps.slice(0, 1) })
    assert.deepStrictEqual(
      leftBehind(draft, counts).map(({ count, step }) => [step.step_id, count]),
      [["pause", 12]],
    )
    assert.deepStrictEqual(leftBehind(begin(welcome), counts), [])
  })

  it("comes back from the storage of the tab, and ignores what it can't read", () => {
    const draft = edit(begin(empty), welcome)
    assert.deepStrictEqual(fromStored(toStored(draft), empty).present, welcome)
    assert.isNull(toStored(begin(welcome)))
    for (const text of [null, "{", "[]", '{"steps":[1],"triggers":[]}', '{"steps":[]}']) {
      assert.deepStrictEqual(fromStored(text, welcome), begin(welcome))
    }
  })

  it("compares by content, not by the order of keys", () => {
    assert.isTrue(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }))
    assert.isFalse(isSame({ a: [1, 2] }, { a: [2, 1] }))
  })
})

describe("issues", () => {
  const said = placed(
    [
      { code: "email", path: "steps.0.email_id", message: "is required: the email to send" },
      { code: "unreachable_step", path: "steps.2", message: "no edge leads from the first step to it" },
      { code: "trigger_incomplete", path: "triggers.0.list_id", message: "is required" },
      { path: "steps.1.condition.conditions.0.value", message: "must be text" },
      { code: "entry", path: "triggers", message: "must have at least one trigger" },
    ],
    welcome,
  )

  it("belong to the step or trigger of their path, and to the flow without one", () => {
    assert.deepStrictEqual(
      [...said.steps].map(([id, issues]) => [id, issues.map(({ key }) => key)]),
      [
        ["hello", ["email_id"]],
        ["again", [""]],
        ["pause", ["condition.conditions.0.value"]],
      ],
    )
    assert.deepStrictEqual([...said.triggers.keys()], [0])
    assert.deepStrictEqual(
      said.rest.map(({ key }) => key),
      ["triggers"],
    )
  })

  it("hold for fields that are as they were, and follow a step that moved", () => {
    const labelled = changeStep(welcome, "hello", (step) => ({ ...step, label: "Hi" }))
    assert.deepStrictEqual(
      holding(said, welcome, labelled)
        .steps.get("hello")
        ?.map(({ code }) => code),
      ["email"],
    )
    const chosen = changeStep(welcome, "hello", (step) => ({ ...step, email_id: "1" }) as typeof step)
    assert.isUndefined(holding(said, welcome, chosen).steps.get("hello"))
    assert.isUndefined(holding(said, welcome, chosen).steps.get("again"))
    const moved = addStep(welcome, send("new"), entry)
    assert.deepStrictEqual(
      holding(said, welcome, moved)
        .steps.get("hello")
        ?.map(({ code }) => code),
      ["email"],
    )
  })

  it("name what a new step still needs", () => {
    const added = addStep(welcome, emptyStep("condition_check", "check"), entry)
    assert.deepStrictEqual(withNoticed(noIssues, welcome, added).steps.get("check"), [
      { key: "condition", code: "step_incomplete", message: null },
    ])
    assert.deepStrictEqual([...withNoticed(noIssues, added, added).steps], [])
    const refused = placed([{ path: "steps.0.condition", message: "is required" }], added)
    assert.strictEqual(withNoticed(refused, welcome, added).steps.get("check")?.length, 1)
  })

  it("of two answers stand together", () => {
    assert.strictEqual(merged(said, said).steps.get("hello")?.length, 2)
    assert.deepStrictEqual(
      allOf(said)
        .filter(isWarning)
        .map(({ code }) => code),
      ["unreachable_step"],
    )
  })
})
