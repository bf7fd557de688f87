import { assert, describe, it } from "@effect/vitest"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import { finish, type InputRefusal } from "@tentpole/core/flows/definition/FlowInput"
import type { StepReferenced, StepTypeInvalid } from "@tentpole/core/flows/definition/FlowErrors"
import { insertStep, patchStep, readRepair, removeStep, setStepEmail } from "@tentpole/core/flows/definition/StepEdits"
import { Result } from "effect"
import {
  archived,
  check,
  condition,
  emailId,
  everything,
  isCold,
  named,
  otherEmailId,
  send,
  stage,
  structureOf,
  wait,
} from "../FlowFixture.ts"

const three = structureOf({ steps: [send("a", "b"), wait("b", 1, "days", "c"), send("c")] })

type Edit = Result.Result<Structure, InputRefusal | StepReferenced | StepTypeInvalid>

const ids = (edit: Edit) =>
  Result.getOrThrow(edit)
    .steps.map(({ step_id: id }) => id)
    .join(" ")
const refusal = (edit: Edit): string => {
  if (Result.isSuccess(edit)) return "none"
  const { failure } = edit
  return failure._tag === "Invalid" ? failure.issues.map(({ path }) => path).join(" ") : failure._tag
}
const step = (structure: Structure, id: string) => structure.steps.find((each) => each.step_id === id)
const insert = (body: object) => finish(insertStep(three, { step: send("n"), ...body }), named)
const patch = (id: string, change: object, structure = three) =>
  finish(patchStep(structure, id, { step: change }), named)

describe("a step put in", () => {
  it("stands where it is said, at the end unless it is said", () => {
    assert.strictEqual(ids(insert({})), "a b c n")
    assert.strictEqual(ids(insert({ position: "start" })), "n a b c")
    assert.strictEqual(ids(insert({ before_step_id: "b" })), "a n b c")
    assert.strictEqual(ids(insert({ after_step_id: "b" })), "a b n c")
  })

  it("is refused where it can't be", () => {
    assert.strictEqual(refusal(insert({ position: "middle" })), "position")
    assert.strictEqual(refusal(insert({ position: "end", after_step_id: "b" })), "after_step_id")
    assert.strictEqual(refusal(insert({ after_step_id: "x" })), "NotFound")
    assert.strictEqual(refusal(insert({ step: send("a") })), "DuplicateStepId")
    assert.strictEqual(
      refusal(insert({ step: { type: "wait", step_id: "n", duration_amount: -1 } })),
      "step.duration_amount",
    )
    assert.strictEqual(refusal(finish(insertStep(three, {}), named)), "step")
    const full = structureOf({ steps: Array.from({ length: 100 }, (_, n) => send(`s${n}`)) })
    assert.strictEqual(refusal(finish(insertStep(full, { step: send("n") }), named)), "step")
  })
})

describe("a step merged", () => {
  it("has what was said, and what it had", () => {
    const after = Result.getOrThrow(patch("b", { duration_unit: "weeks", label: "Rests" }))
    assert.deepInclude(step(after, "b"), {
      label: "Rests",
      duration_amount: 1,
      duration_unit: "weeks",
      next_step_id: "c",
    })
    assert.deepInclude(step(Result.getOrThrow(patch("a", { next_step_id: null })), "a"), { next_step_id: null })
  })

  it("keeps its id and its type", () => {
    assert.strictEqual(refusal(patch("a", { step_id: "z", type: "wait" })), "step.step_id step.type")
    assert.strictEqual(refusal(patch("a", { step_id: "a", type: "send_email" })), "none")
    assert.strictEqual(refusal(patch("x", {})), "NotFound")
  })

  it("is judged as a whole, but what is left alone is not judged again", () => {
    const long = structureOf({ steps: [wait("w", 100_000, "minutes")] })
    assert.strictEqual(refusal(patch("w", { duration_unit: "days" }, long)), "step.duration_amount")
    const rule = condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "is_empty" })
    const checks = structureOf({ steps: [check("c", rule, {})] })
    const since = { ...named, fields: [{ ...stage, status: "archived" as const }, archived] }
    const left = finish(patchStep(checks, "c", { step: { label: "x" } }), since)
    assert.deepInclude(step(Result.getOrThrow(left), "c"), { label: "x" })
    assert.strictEqual(
      refusal(finish(patchStep(checks, "c", { step: { condition: rule } }), since)),
      "step.condition.fieldDefinitionId",
    )
  })

  it("a wait that gets another mode loses what belonged to the old one", () => {
    const after = Result.getOrThrow(patch("b", { mode: "condition", condition: isCold }))
    assert.deepInclude(step(after, "b"), {
      mode: "condition",
      timeout_amount: null,
      timeout_unit: null,
      next_step_id: "c",
    })
    assert.notProperty(step(after, "b"), "duration_amount")
    assert.strictEqual(refusal(patch("b", { condition: isCold })), "step.condition")
  })
})

describe("a step taken out", () => {
  it("is refused while others lead to it, and they are named", () => {
    const edit = removeStep(three, "b", null)
    assert.deepInclude(Result.isFailure(edit) && edit.failure, {
      code: "campaign_flow_step_referenced",
      references: [{ path: "steps.0.next_step_id", stepId: "a" }],
    })
    assert.strictEqual(ids(removeStep(three, "a", null)), "b c")
  })

  it("leaves edges that lead elsewhere, or nowhere", () => {
    const to = (replacement: string | null) => removeStep(three, "b", { replacement })
    assert.deepInclude(step(Result.getOrThrow(to("c")), "a"), { next_step_id: "c" })
    assert.deepInclude(step(Result.getOrThrow(to(null)), "a"), { next_step_id: null })
    assert.strictEqual(refusal(to("b")), "repair_edges.replacement_step_id")
    assert.strictEqual(refusal(to("x")), "NotFound")
    assert.strictEqual(refusal(removeStep(three, "x", null)), "NotFound")
  })

  it("every kind of edge is repaired, and what is sent that it creates", () => {
    const whole = structureOf(everything)
    const after = Result.getOrThrow(removeStep(whole, "make", { replacement: "page" }))
    assert.deepInclude(step(after, "until"), { timeout_step_id: "page" })
    assert.deepInclude(step(after, "which"), { true_step_id: "page", false_step_id: "page" })
    assert.deepInclude(step(after, "own"), { email_source: "flow_step", create_email_step_id: null })
    assert.strictEqual(refusal(removeStep(whole, "make", null)), "StepReferenced")
  })

  it("a circle of one step is no reference of another", () => {
    assert.strictEqual(ids(removeStep(structureOf({ steps: [wait("w", 1, "days", "w")] }), "w", null)), "")
  })

  it("the body of the deletion says whether edges are repaired", () => {
    assert.deepStrictEqual(readRepair(undefined), Result.succeed(null))
    assert.deepStrictEqual(readRepair({}), Result.succeed(null))
    assert.deepStrictEqual(
      readRepair({ repair_edges: { replacement_step_id: null } }),
      Result.succeed({ replacement: null }),
    )
    assert.deepStrictEqual(
      readRepair({ repair_edges: { replacement_step_id: "c" } }),
      Result.succeed({ replacement: "c" }),
    )
    for (const body of [
      1,
      { repair_edges: true },
      { repair_edges: {} },
      { repair_edges: { replacement_step_id: 1 } },
      { edges: 1 },
    ]) {
      assert.isTrue(Result.isFailure(readRepair(body)), JSON.stringify(body))
    }
  })
})

describe("a step's email", () => {
  it("is for steps that send one", () => {
    const set = (id: string) => setStepEmail(three, id, { source: "inline", emailId: otherEmailId })
    assert.deepInclude(step(Result.getOrThrow(set("a")), "a"), {
      email_source: "inline",
      email_id: otherEmailId,
      next_step_id: "b",
    })
    assert.strictEqual(refusal(set("b")), "StepTypeInvalid")
    assert.strictEqual(refusal(set("x")), "NotFound")
    assert.deepInclude(step(three, "a"), { email_source: "existing", email_id: emailId })
  })
})
