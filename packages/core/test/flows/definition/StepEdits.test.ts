import { assert, describe, it } from "@effect/vitest"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import { resolveDraft, type InputRefusal } from "@tentpole/core/flows/definition/FlowInput"
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
const insert = (body: object) => resolveDraft(insertStep(three, { step: send("n"), ...body }), named)
const patch = (id: string, change: object, structure = three) =>
  resolveDraft(patchStep(structure, id, { step: change }), named)

describe("insertStep", () => {
  it("inserts at the given place, at the end by default", () => {
    assert.strictEqual(ids(insert({})), "a b c n")
    assert.strictEqual(ids(insert({ position: "start" })), "n a b c")
    assert.strictEqual(ids(insert({ before_step_id: "b" })), "a n b c")
    assert.strictEqual(ids(insert({ after_step_id: "b" })), "a b n c")
  })

  it("refuses invalid places and duplicate ids", () => {
    assert.strictEqual(refusal(insert({ position: "middle" })), "position")
    assert.strictEqual(refusal(insert({ position: "end", after_step_id: "b" })), "after_step_id")
    assert.strictEqual(refusal(insert({ after_step_id: "x" })), "NotFound")
    assert.strictEqual(refusal(insert({ step: send("a") })), "DuplicateStepId")
    assert.strictEqual(
      refusal(insert({ step: { type: "wait", step_id: "n", duration_amount: -1 } })),
      "step.duration_amount",
    )
    assert.strictEqual(refusal(resolveDraft(insertStep(three, {}), named)), "step")
    const full = structureOf({ steps: Array.from({ length: 100 }, (_, n) => send(`s${n}`)) })
    assert.strictEqual(refusal(resolveDraft(insertStep(full, { step: send("n") }), named)), "step")
  })
})

describe("patchStep", () => {
  it("merges the given fields", () => {
    const after = Result.getOrThrow(patch("b", { duration_unit: "weeks", label: "Rests" }))
    assert.deepInclude(step(after, "b"), {
      label: "Rests",
      duration_amount: 1,
      duration_unit: "weeks",
      next_step_id: "c",
    })
    assert.deepInclude(step(Result.getOrThrow(patch("a", { next_step_id: null })), "a"), { next_step_id: null })
  })

  it("does not change id and type", () => {
    assert.strictEqual(refusal(patch("a", { step_id: "z", type: "wait" })), "step.step_id step.type")
    assert.strictEqual(refusal(patch("a", { step_id: "a", type: "send_email" })), "none")
    assert.strictEqual(refusal(patch("x", {})), "NotFound")
  })

  it("decodes the whole step, but checks only references that the patch names", () => {
    const long = structureOf({ steps: [wait("w", 100_000, "minutes")] })
    assert.strictEqual(refusal(patch("w", { duration_unit: "days" }, long)), "step.duration_amount")
    const rule = condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "is_empty" })
    const checks = structureOf({ steps: [check("c", rule, {})] })
    const since = { ...named, fields: [{ ...stage, status: "archived" as const }, archived] }
    const left = resolveDraft(patchStep(checks, "c", { step: { label: "x" } }), since)
    assert.deepInclude(step(Result.getOrThrow(left), "c"), { label: "x" })
    assert.strictEqual(
      refusal(resolveDraft(patchStep(checks, "c", { step: { condition: rule } }), since)),
      "step.condition.fieldDefinitionId",
    )
  })

  it("removes the fields of the old mode of a wait", () => {
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

describe("removeStep", () => {
  it("refuses to remove a step that other steps refer to, and names them", () => {
    const edit = removeStep(three, "b", null)
    assert.deepInclude(Result.isFailure(edit) && edit.failure, {
      code: "campaign_flow_step_referenced",
      references: [{ path: "steps.0.next_step_id", stepId: "a" }],
    })
    assert.strictEqual(ids(removeStep(three, "a", null)), "b c")
  })

  it("does not change edges to other steps", () => {
    const to = (replacement: string | null) => removeStep(three, "b", { replacement })
    assert.deepInclude(step(Result.getOrThrow(to("c")), "a"), { next_step_id: "c" })
    assert.deepInclude(step(Result.getOrThrow(to(null)), "a"), { next_step_id: null })
    assert.strictEqual(refusal(to("b")), "repair_edges.replacement_step_id")
    assert.strictEqual(refusal(to("x")), "NotFound")
    assert.strictEqual(refusal(removeStep(three, "x", null)), "NotFound")
  })

  it("repairs every kind of edge, and references to created emails", () => {
    const whole = structureOf(everything)
    const after = Result.getOrThrow(removeStep(whole, "make", { replacement: "page" }))
    assert.deepInclude(step(after, "until"), { timeout_step_id: "page" })
    assert.deepInclude(step(after, "which"), { true_step_id: "page", false_step_id: "page" })
    assert.deepInclude(step(after, "own"), { email_source: "flow_step", create_email_step_id: null })
    assert.strictEqual(refusal(removeStep(whole, "make", null)), "StepReferenced")
  })

  it("ignores the step's own edges", () => {
    assert.strictEqual(ids(removeStep(structureOf({ steps: [wait("w", 1, "days", "w")] }), "w", null)), "")
  })

  it("decodes the optional repair of a DELETE body", () => {
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

describe("setStepEmail", () => {
  it("accepts only send_email steps", () => {
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
