import { assert, describe, it } from "@effect/vitest"
import { FlowNotReady } from "@tentpole/core/flows/definition/FlowErrors"
import { edgesBetween } from "@tentpole/core/flows/definition/Graph"
import { type FlowFacts, flowReadiness } from "@tentpole/core/flows/definition/Readiness"
import {
  check,
  condition,
  emailId,
  everything,
  facts,
  isCold,
  listId,
  opened,
  send,
  stage,
  structureOf,
  templateId,
  tentTemplateId,
  tentId,
  wait,
} from "../FlowFixture.ts"

const manual = { manual_membership_enabled: true }
const lacks = (body: object, known: Partial<FlowFacts> = {}) =>
  flowReadiness(structureOf({ ...manual, ...body }), { ...facts, ...known }).missing.map(
    ({ code, path }) => `${code} ${path}`,
  )

const created = (over: object = {}) => ({
  type: "create_email",
  step_id: "make",
  template_id: templateId,
  next_step_id: "own",
  ...over,
})
const own = send("own", null, { email_id: null, email_source: "flow_step", create_email_step_id: "make" })

describe("flowReadiness", () => {
  it("reports nothing for a complete flow", () => {
    assert.deepStrictEqual(flowReadiness(structureOf(everything), facts), { missing: [], warnings: [] })
  })

  it("reports everything that is missing", () => {
    assert.deepStrictEqual(
      lacks({
        manual_membership_enabled: true,
        triggers: [
          { type: "added_to_static_list" },
          { type: "contact_updated", operator: "eq" },
          { type: "date_based" },
          { type: "form_submitted" },
          { type: "service_api" },
        ],
        steps: [
          send("a", "gone", { email_id: null }),
          { type: "wait", step_id: "w", mode: "condition", timeout_step_id: "a" },
          { type: "wait", step_id: "d" },
          { type: "condition_check", step_id: "c" },
          { type: "create_email", step_id: "e", template_mode: "generate" },
          { type: "create_tent", step_id: "t" },
          send("f", null, { email_source: "flow_step" }),
        ],
      }),
      [
        "trigger_incomplete triggers.0.list_id",
        "trigger_incomplete triggers.1.field",
        "trigger_incomplete triggers.1.value",
        "trigger_incomplete triggers.2.field",
        "trigger_incomplete triggers.2.mode",
        "email steps.0.email_id",
        "edge_target steps.0.next_step_id",
        "step_incomplete steps.1.condition",
        "step_incomplete steps.1.timeout_amount",
        "step_incomplete steps.1.timeout_unit",
        "step_incomplete steps.2.duration_amount",
        "step_incomplete steps.2.duration_unit",
        "step_incomplete steps.3.condition",
        "step_incomplete steps.4.template_id",
        "step_incomplete steps.4.prompt",
        "step_incomplete steps.5.prompt",
        "create_email_step_order steps.6.create_email_step_id",
      ],
    )
  })

  it("requires a step and an entry", () => {
    assert.deepStrictEqual(lacks({}), ["steps steps"])
    assert.deepStrictEqual(lacks({ manual_membership_enabled: false, steps: [send("a")] }), ["entry triggers"])
    assert.deepStrictEqual(lacks({ steps: [send("a")] }), [])
  })

  it("reports references that were deleted, archived or lost their approval", () => {
    const one = { steps: [send("a")] }
    assert.deepStrictEqual(lacks(one, { emails: new Map() }), ["email steps.0.email_id"])
    assert.deepStrictEqual(lacks(one, { emails: new Map([[emailId, { approval: null }]]) }), [
      "email_approval steps.0.email_id",
    ])
    assert.deepStrictEqual(lacks(one, { verifiedDomains: new Set() }), ["sender_identity steps.0.email_id"])
    const list = {
      steps: [check("c", condition({ source: "list_membership", listId, operator: "is_member" }), {})],
      triggers: [{ type: "removed_from_static_list", list_id: listId }],
    }
    assert.deepStrictEqual(lacks(list, { staticLists: new Set() }), [
      "list_deleted triggers.0.list_id",
      "list_deleted steps.0.condition.conditions.0.listId",
    ])
    const fields = [{ ...stage, status: "archived" as const }]
    const rule = condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "is_empty" })
    assert.deepStrictEqual(
      lacks(
        { ...one, disqualification_rules: rule, triggers: [{ type: "contact_updated", field: "stage" }] },
        { fields },
      ),
      ["field_archived triggers.0.field", "field_archived disqualification_rules.conditions.0.fieldDefinitionId"],
    )
    assert.deepStrictEqual(
      lacks({ ...one, triggers: [{ type: "form_submitted", tent_id: tentId }] }, { tents: new Set() }),
      ["trigger_incomplete triggers.0.tent_id"],
    )
    assert.deepStrictEqual(lacks({ steps: [{ ...created(), next_step_id: null }] }, { emailTemplates: new Map() }), [
      "template_approval steps.0.template_id",
    ])
  })

  it("requires a subject and a complete sender for emails with auto_approve", () => {
    const bare: Partial<FlowFacts> = {
      emailTemplates: new Map([
        [
          templateId,
          {
            defaults: { subject: " ", previewText: null, fromName: null, fromAddress: null, replyToEmail: null },
            apiTokens: [],
          },
        ],
      ]),
    }
    const alone = { next_step_id: null }
    assert.deepStrictEqual(lacks({ steps: [created(alone)] }, bare), [
      "subject steps.0.subject",
      "sender_identity steps.0.from_name",
      "sender_identity steps.0.from_address",
      "sender_identity steps.0.reply_to_email",
    ])
    assert.deepStrictEqual(lacks({ steps: [created({ ...alone, auto_approve: false })] }, bare), [])
    const workspace = {
      senderDefaults: { fromName: "W", fromAddress: "w@example.test", replyToEmail: "w@example.test" },
    }
    assert.deepStrictEqual(
      lacks({ steps: [created({ ...alone, template_mode: "generate", prompt: "x" })] }, { ...bare, ...workspace }),
      [],
    )
    assert.deepStrictEqual(
      lacks({ steps: [created({ ...alone, subject: "S", from_address: "a@other.test" })] }, { ...bare, ...workspace }),
      ["sender_identity steps.0.from_address"],
    )
  })

  it("has error codes of its own for API tokens and the order of created emails", () => {
    const tokens: Partial<FlowFacts> = {
      emailTemplates: new Map([
        [
          templateId,
          {
            defaults: facts.emailTemplates.get(templateId)?.defaults ?? {
              subject: null,
              previewText: null,
              fromName: null,
              fromAddress: null,
              replyToEmail: null,
            },
            apiTokens: ["api.price"],
          },
        ],
      ]),
    }
    assert.deepStrictEqual(lacks({ steps: [created(), own] }, tokens), ["template_api_tokens steps.0.template_id"])
    const page = { type: "create_tent", step_id: "t", template_id: tentTemplateId }
    assert.deepStrictEqual(
      lacks({ steps: [page] }, { tentTemplates: new Map([[tentTemplateId, { variables: ["api.city"] }]]) }),
      ["template_api_tokens steps.0.template_id"],
    )
    assert.deepStrictEqual(lacks({ steps: [own, created({ next_step_id: null })] }), [
      "create_email_step_order steps.0.create_email_step_id",
    ])
    assert.deepStrictEqual(lacks({ steps: [created(), own] }), [])
    const code = (body: object, known = {}) =>
      new FlowNotReady({ missing: flowReadiness(structureOf({ ...manual, ...body }), { ...facts, ...known }).missing })
        .code
    assert.strictEqual(code({ steps: [created(), own] }, tokens), "template_api_tokens")
    assert.strictEqual(code({ steps: [own] }), "create_email_step_order")
    assert.strictEqual(code({}), "campaign_flow_not_ready")
  })

  it("requires a send_email step in an email_step condition", () => {
    assert.deepStrictEqual(lacks({ steps: [check("c", opened("a"), {}), send("a")] }), [])
    assert.deepStrictEqual(lacks({ steps: [check("c", opened("c"), {})] }), [
      "step_incomplete steps.0.condition.conditions.0.nodeId",
    ])
  })

  it("requires a wait of a fixed duration in every cycle", () => {
    const cycle = "cycle_without_wait steps.0"
    assert.deepStrictEqual(lacks({ steps: [send("a", "a")] }), [cycle])
    assert.deepStrictEqual(lacks({ steps: [send("a", "b"), check("b", isCold, { true_step_id: "a" })] }), [cycle])
    assert.deepStrictEqual(lacks({ steps: [send("a", "b"), wait("b", 1, "days", "a")] }), [])
    const until = (over: object) => ({ type: "wait", step_id: "b", mode: "condition", condition: opened("a"), ...over })
    assert.deepStrictEqual(lacks({ steps: [send("a", "b"), until({ next_step_id: "a" })] }), [cycle])
    const timed = { timeout_amount: 1, timeout_unit: "days" }
    assert.deepStrictEqual(lacks({ steps: [send("a", "b"), until({ ...timed, timeout_step_id: "a" })] }), [])
    assert.deepStrictEqual(lacks({ steps: [send("a", "b"), until({ ...timed, next_step_id: "a" })] }), [cycle])
  })

  it("reports an unreachable step as a warning", () => {
    const { missing, warnings } = flowReadiness(
      structureOf({ ...manual, steps: [send("a"), send("b", "c"), send("c")] }),
      facts,
    )
    assert.deepStrictEqual(missing, [])
    assert.deepStrictEqual(
      warnings.map(({ code, path }) => `${code} ${path}`),
      ["unreachable_step steps.1", "unreachable_step steps.2"],
    )
  })

  it("edgesBetween returns every edge to an existing step with its kind", () => {
    const { steps } = structureOf({ steps: [...everything.steps, send("loose", "gone")] })
    assert.deepStrictEqual(
      edgesBetween(steps).map(({ from, to, kind }) => `${from} ${kind} ${to}`),
      [
        "hello next pause",
        "pause next until",
        "until next which",
        "until timeout make",
        "which true make",
        "which false page",
        "which default page",
        "make next own",
        "own next page",
      ],
    )
  })
})
