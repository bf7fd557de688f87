import { assert, describe, it } from "@effect/vitest"
import { finish, readFlowPatch, readReplacement, readStored } from "@tentpole/core/flows/definition/FlowInput"
import { namedBy } from "@tentpole/core/flows/definition/FlowReferences"
import { Result } from "effect"
import {
  birthday,
  check,
  dynamicListId,
  emailId,
  everything,
  isCold,
  listId,
  named,
  nowhere,
  opened,
  read,
  send,
  stage,
  structureOf,
  templateId,
  tentId,
  tentTemplateId,
  wait,
} from "../FlowFixture.ts"

/** The paths of what is wrong with it; empty when nothing is. */
const wrong = (body: object): ReadonlyArray<string> => {
  const result = read(body)
  if (Result.isSuccess(result)) return []
  return result.failure._tag === "Invalid" ? result.failure.issues.map(({ path }) => path) : [result.failure._tag]
}

const missing = (body: object): string | undefined => {
  const result = read(body)
  return Result.isFailure(result) && result.failure._tag === "NotFound" ? result.failure.path : undefined
}

describe("what people write of a flow", () => {
  it("everything that can be said is read, stored, read again, and the same", () => {
    const structure = structureOf(everything)
    const json: unknown = JSON.parse(JSON.stringify(structure))
    assert.deepStrictEqual(readStored(json), structure)
  })

  it("what an answer shows can be sent back", () => {
    const structure = structureOf(everything)
    assert.deepStrictEqual(structureOf(structure), structure)
  })

  it("a stored flow is read though what it names is archived or gone", () => {
    const structure = structureOf(everything)
    assert.deepStrictEqual(readStored(structure), structure)
    assert.throws(() => readStored({ steps: [{ type: "unknown" }] }), /steps\.0\.type/)
  })

  it("incomplete is allowed: what is missing matters when it is activated", () => {
    for (const type of ["added_to_static_list", "contact_updated", "date_based", "form_submitted", "service_api"]) {
      assert.deepStrictEqual(wrong({ triggers: [{ type }] }), [], type)
    }
    for (const type of ["send_email", "wait", "condition_check", "create_email", "create_tent"]) {
      assert.deepStrictEqual(wrong({ steps: [{ type, step_id: "a", next: undefined }] }).length, 1, type)
      assert.deepStrictEqual(wrong({ steps: [{ type, step_id: "a", label: null }] }), [], type)
    }
    assert.deepStrictEqual(wrong({ steps: [send("a", "not there")] }), [])
    assert.deepStrictEqual(wrong({ steps: [{ type: "wait", step_id: "a", mode: "condition" }] }), [])
  })

  it("everything that is wrong is told at once, each with its path", () => {
    assert.deepStrictEqual(
      wrong({
        name: " ",
        colour: "red",
        status: "active",
        reentry_policy: "sometimes",
        description: "x".repeat(1001),
        settings: [],
        disqualification_rules: { kind: "group", conditions: [opened("a")] },
        triggers: [
          { type: "contact_updated", field: "old_stage" },
          { type: "no" },
          "x",
          { type: "date_based", field: "stage" },
        ],
        steps: [
          { type: "wait", step_id: "a", duration_amount: 0, duration_unit: "fortnight" },
          { type: "wait", step_id: "b", duration_amount: 1.5, condition: isCold },
          { type: "send_email", step_id: "x".repeat(121), operational: "yes", next_step_id: 1 },
          check("c", { kind: "condition", source: "contact", field: "nickname", operator: "eq", value: "x" }, {}),
        ],
      }).toSorted(),
      [
        "colour",
        "description",
        "disqualification_rules.conditions.0.source",
        "name",
        "reentry_policy",
        "settings",
        "status",
        "steps.0.duration_amount",
        "steps.0.duration_unit",
        "steps.1.condition",
        "steps.1.duration_amount",
        "steps.2.next_step_id",
        "steps.2.operational",
        "steps.2.step_id",
        "steps.3.condition.field",
        "triggers.0.field",
        "triggers.1.type",
        "triggers.2",
        "triggers.3.field",
      ],
    )
  })

  it("units are read in singular and plural", () => {
    const [step] = structureOf({ steps: [wait("a", 2, "week")] }).steps
    assert.deepInclude(step, { duration_amount: 2, duration_unit: "weeks" })
    assert.deepStrictEqual(structureOf({ steps: [wait("a", 2, "weeks")] }).steps[0], step)
  })

  it("a wait is at most ten years, in whatever unit", () => {
    for (const [amount, unit] of [
      [5_256_000, "minutes"],
      [87_600, "hours"],
      [3650, "days"],
      [520, "weeks"],
      [120, "months"],
    ] as const) {
      assert.deepStrictEqual(wrong({ steps: [wait("a", amount, unit)] }), [])
      assert.deepStrictEqual(wrong({ steps: [wait("a", amount + 1, unit)] }), ["steps.0.duration_amount"])
    }
  })

  it("counts and sizes have their limits", () => {
    const triggers = (count: number) => ({
      triggers: Array.from({ length: count }, () => ({ type: "contact_created" })),
    })
    const steps = (count: number) => ({ steps: Array.from({ length: count }, (_, n) => send(`s${n}`)) })
    assert.deepStrictEqual([wrong(triggers(25)), wrong(triggers(26))], [[], ["triggers"]])
    assert.deepStrictEqual([wrong(steps(100)), wrong(steps(101))], [[], ["steps"]])
    const settings = (length: number) => ({ settings: { text: "x".repeat(length) } })
    assert.deepStrictEqual([wrong(settings(16 * 1024 - 11)), wrong(settings(16 * 1024 - 10))], [[], ["settings"]])
    assert.deepStrictEqual(wrong({ settings: { text: "ü".repeat(8_200) } }), ["settings"])
    assert.deepStrictEqual(wrong({ name: "x".repeat(201) }), ["name"])
  })

  it("a step's id stands once, and that is another answer than what is wrong by itself", () => {
    const twice = [send("a"), send("b"), send("a")]
    const result = read({ steps: twice })
    assert.deepInclude(Result.isFailure(result) && result.failure, {
      _tag: "DuplicateStepId",
      code: "campaign_flow_duplicate_step_id",
      path: "steps.2.step_id",
    })
    assert.deepStrictEqual(wrong({ steps: [...twice, wait("w", -1, "days")] }), ["steps.3.duration_amount"])
  })

  it("an id of what is not there is told with its path", () => {
    assert.strictEqual(
      missing({ triggers: [{ type: "added_to_static_list", list_id: nowhere }] }),
      "triggers.0.list_id",
    )
    assert.strictEqual(missing({ triggers: [{ type: "form_submitted", tent_id: nowhere }] }), "triggers.0.tent_id")
    assert.strictEqual(missing({ steps: [send("a", null, { email_id: nowhere })] }), "steps.0.email_id")
    for (const type of ["create_email", "create_tent"]) {
      assert.strictEqual(missing({ steps: [{ type, step_id: "a", template_id: nowhere }] }), "steps.0.template_id")
    }
    assert.deepStrictEqual(wrong({ triggers: [{ type: "added_to_static_list", list_id: dynamicListId }] }), [
      "triggers.0.list_id",
    ])
  })

  it("a trigger on a change takes the operators of its field's type, and their aliases", () => {
    const trigger = (over: object) => wrong({ triggers: [{ type: "contact_updated", ...over }] })
    assert.deepStrictEqual(trigger({ field: "serviceScore", operator: "gt", value: 5 }), [])
    assert.deepStrictEqual(trigger({ field: "serviceScore", operator: "contains", value: "5" }), [
      "triggers.0.operator",
    ])
    assert.deepStrictEqual(trigger({ field: "serviceScore", operator: "gt", value: "5" }), ["triggers.0.value"])
    assert.deepStrictEqual(trigger({ field: "unsubscribed", operator: "true" }), [])
    assert.deepStrictEqual(trigger({ field: "lead_status" }), ["triggers.0.field"])
    assert.deepStrictEqual(trigger({ field: "updatedAt" }), ["triggers.0.field"])
    assert.deepStrictEqual(trigger({ field: birthday.apiName, operator: "lt", value: "2026-02-30" }), [
      "triggers.0.value",
    ])
    assert.deepStrictEqual(
      structureOf({ triggers: [{ type: "contact_updated", field: "stage", value: "x" }] }).triggers,
      [{ type: "contact_updated", field: "stage", operator: "changed", value: null }],
    )
  })

  it("a date trigger looks at half hours of a zone that there is", () => {
    const trigger = (over: object) =>
      wrong({ triggers: [{ type: "date_based", field: "createdAt", mode: "on_date", ...over }] })
    assert.deepStrictEqual(trigger({}), [])
    for (const trigger_time of ["9:00", "09:15", "24:00", "12:00:00", 9]) {
      assert.deepStrictEqual(trigger({ trigger_time }), ["triggers.0.trigger_time"])
    }
    for (const timezone of ["Europe/Atlantis", "+02:00", "", 1]) {
      assert.deepStrictEqual(trigger({ timezone }), ["triggers.0.timezone"])
    }
    assert.deepStrictEqual(trigger({ days_before: -1, days_after: 0.5 }), [
      "triggers.0.days_before",
      "triggers.0.days_after",
    ])
    assert.deepStrictEqual(trigger({ field: "lastActivityAt" }), ["triggers.0.field"])
  })

  it("tokens are declared once, by names that templates can spell", () => {
    const fields = (...declared: ReadonlyArray<object>) =>
      wrong({ triggers: [{ type: "service_api", fields: declared }] })
    assert.deepStrictEqual(fields({ name: "Order_2", type: "string" }), [])
    assert.deepStrictEqual(fields({ name: "trigger", type: "string" }), ["triggers.0.fields.0.name"])
    assert.deepStrictEqual(fields({ name: "2nd", type: "string" }, { name: "ok" }), [
      "triggers.0.fields.0.name",
      "triggers.0.fields.1.type",
    ])
    assert.deepStrictEqual(fields({ name: "a", type: "date" }), ["triggers.0.fields.0.type"])
    assert.deepStrictEqual(fields({ name: "a", type: "number" }, { name: "a", type: "number" }), [
      "triggers.0.fields.1.name",
    ])
  })

  it("the header of a created email is checked as an email's own", () => {
    const step = (over: object) => wrong({ steps: [{ type: "create_email", step_id: "a", ...over }] })
    assert.deepStrictEqual(
      step({ subject: "a\nb", from_address: "nobody", preview_text: "x".repeat(201), name: 1 }).toSorted(),
      ["steps.0.from_address", "steps.0.name", "steps.0.preview_text", "steps.0.subject"],
    )
    assert.deepStrictEqual(
      wrong({ steps: [{ type: "create_tent", step_id: "a", custom_page_alias: "v1", output_key: "a-b" }] }),
      ["steps.0.custom_page_alias", "steps.0.output_key"],
    )
  })

  it("what a body names is found in all that is well formed", () => {
    const names = namedBy(readFlowPatch(everything).pieces)
    assert.deepStrictEqual(names.lists, [listId])
    assert.deepStrictEqual(names.fields, [stage.id])
    assert.deepStrictEqual(names.fieldNames, ["leadStatus", "stage", "birthday"])
    assert.deepStrictEqual(
      [names.emails, names.emailTemplates, names.tentTemplates, names.tents],
      [[emailId], [templateId], [tentTemplateId], [tentId]],
    )
    for (const odd of [null, 1, "x", [], { triggers: 1, steps: [null, [], 7] }])
      assert.doesNotThrow(() => namedBy(readFlowPatch(odd).pieces))
  })

  it("a patch has what was said and nothing else, and a replacement is whole", () => {
    assert.deepStrictEqual(Result.getOrThrow(finish(readFlowPatch({ description: null }), named)), {
      description: null,
      structure: {},
    })
    assert.deepStrictEqual(
      Result.getOrThrow(finish(readFlowPatch({ disqualification_rules: null }), named)).structure,
      {
        disqualification_rules: null,
      },
    )
    assert.isTrue(Result.isFailure(finish(readFlowPatch({ steps: null }), named)))
    assert.isTrue(Result.isFailure(finish(readReplacement("steps", {}), named)))
    assert.deepStrictEqual(Result.getOrThrow(finish(readReplacement("steps", { steps: [] }), named)).structure, {
      steps: [],
    })
  })
})
