import { assert, describe, it } from "@effect/vitest"
import { resolveDraft, readFlowPatch, readReplacement, readStored } from "@tentpole/core/flows/definition/FlowInput"
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

/** The paths of the issues. */
const wrong = (body: object): ReadonlyArray<string> => {
  const result = read(body)
  if (Result.isSuccess(result)) return []
  return result.failure._tag === "Invalid" ? result.failure.issues.map(({ path }) => path) : [result.failure._tag]
}

const missing = (body: object): string | undefined => {
  const result = read(body)
  return Result.isFailure(result) && result.failure._tag === "NotFound" ? result.failure.path : undefined
}

describe("FlowInput", () => {
  it("decodes a stored structure to an equal structure", () => {
    const structure = structureOf(everything)
    const json: unknown = JSON.parse(JSON.stringify(structure))
    assert.deepStrictEqual(readStored(json), structure)
  })

  it("accepts a structure as the API returns it", () => {
    const structure = structureOf(everything)
    assert.deepStrictEqual(structureOf(structure), structure)
  })

  it("decodes a stored flow whose references were archived or deleted", () => {
    const structure = structureOf(everything)
    assert.deepStrictEqual(readStored(structure), structure)
    assert.throws(() => readStored({ steps: [{ type: "unknown" }] }), /steps\.0\.type/)
  })

  it("accepts incomplete triggers and steps", () => {
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

  it("reports every issue with its path", () => {
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

  it("accepts units in singular and plural", () => {
    const [step] = structureOf({ steps: [wait("a", 2, "week")] }).steps
    assert.deepInclude(step, { duration_amount: 2, duration_unit: "weeks" })
    assert.deepStrictEqual(structureOf({ steps: [wait("a", 2, "weeks")] }).steps[0], step)
  })

  it("limits a wait to ten years in every unit", () => {
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

  it("limits counts and sizes", () => {
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

  it("refuses duplicate step ids, after other issues", () => {
    const twice = [send("a"), send("b"), send("a")]
    const result = read({ steps: twice })
    assert.deepInclude(Result.isFailure(result) && result.failure, {
      _tag: "DuplicateStepId",
      code: "campaign_flow_duplicate_step_id",
      path: "steps.2.step_id",
    })
    assert.deepStrictEqual(wrong({ steps: [...twice, wait("w", -1, "days")] }), ["steps.3.duration_amount"])
  })

  it("reports a missing reference with its path", () => {
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

  it("accepts only the operators of the field's type in a contact_updated trigger", () => {
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

  it("requires half hours and a known zone in a date trigger", () => {
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

  it("requires unique token names that merge tokens can contain", () => {
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

  it("checks header fields of create_email steps as an email's own", () => {
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

  it("finds references in all well-formed parts", () => {
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

  it("decodes only the given parts of a patch, and requires the replaced part", () => {
    assert.deepStrictEqual(Result.getOrThrow(resolveDraft(readFlowPatch({ description: null }), named)), {
      description: null,
      structure: {},
    })
    assert.deepStrictEqual(
      Result.getOrThrow(resolveDraft(readFlowPatch({ disqualification_rules: null }), named)).structure,
      {
        disqualification_rules: null,
      },
    )
    assert.isTrue(Result.isFailure(resolveDraft(readFlowPatch({ steps: null }), named)))
    assert.isTrue(Result.isFailure(resolveDraft(readReplacement("steps", {}), named)))
    assert.deepStrictEqual(Result.getOrThrow(resolveDraft(readReplacement("steps", { steps: [] }), named)).structure, {
      steps: [],
    })
  })
})
