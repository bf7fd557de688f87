// Tests of the lists and flows of a contact, and of what keeps mail from it.
import { Flows } from "@tentpole/core/flows/Flows"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, serving, unknownId } from "../../fixtures/World.ts"

const served = Effect.map(serving(Api, handlers), ({ call, context }) => {
  const post = (path: string, json: Json) => Effect.map(call("POST", path, { json }), (answer) => answer.json)
  const person = (more: Json) => Effect.map(post("/v1/contacts", { items: [more] }), (json) => json.items[0].contact_id)
  const list = (name: string, more: Json) =>
    Effect.map(post("/v1/contact-lists", { name, ...more }), ({ list_id }): string => list_id)
  const cityIs = (value: string) => ({
    rules: { kind: "condition", source: "contact", field: "city", operator: "equals", value },
  })
  const flow = (name: string) =>
    Effect.gen(function* () {
      const flows = Context.get(context, Flows)
      const workspace = WorkspaceId.make((yield* Context.get(context, WorkspaceStore).findFirst)?.id ?? "")
      const steps = [{ type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days" }]
      const made = yield* flows.create(workspace, { name, steps })
      yield* flows.activate(workspace, made.flow.id)
      return made.flow.id
    }).pipe(Effect.orDie)
  return { call, post, person, list, cityIs, flow }
})

it.live("a contact has the static lists that it joined, then the dynamic lists that match it now, by name", () =>
  Effect.gen(function* () {
    const { call, person, list, cityIs } = yield* served
    const ann = yield* person({ email: "ann@example.com", city: "Rome" })
    const june = yield* list("June", { kind: "static", contact_ids: [ann] })
    yield* list("Others", { kind: "static" })
    const romans = yield* list("Romans", { kind: "dynamic", ...cityIs("rome") })
    const all = yield* list("all Romans", { kind: "dynamic", ...cityIs("Rome") })
    yield* list("Berliners", { kind: "dynamic", ...cityIs("berlin") })
    yield* list("No rules", { kind: "dynamic" })
    const rules = { kind: "condition", source: "list_membership", listId: june, operator: "is_member" }
    const readers = yield* list("Readers", { kind: "dynamic", rules })
    const { json, status } = yield* call("GET", `/v1/contacts/${ann}/lists`)
    assert.strictEqual(status, 200)
    const [first, ...rest] = json.lists
    assert.deepInclude(first, { list_id: june, name: "June", kind: "static" })
    assert.match(first.added_at, /Z$/)
    assert.deepStrictEqual(rest, [
      { list_id: all, name: "all Romans", kind: "dynamic", added_at: null },
      { list_id: readers, name: "Readers", kind: "dynamic", added_at: null },
      { list_id: romans, name: "Romans", kind: "dynamic", added_at: null },
    ])
    assert.strictEqual((yield* call("GET", `/v1/contacts/${unknownId}/lists`)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a contact has its memberships with the names of their flows, page by page", () =>
  Effect.gen(function* () {
    const { call, person, flow } = yield* served
    const ann = yield* person({ email: "ann@example.com" })
    const flows = [yield* flow("Welcome"), yield* flow("Birthday")]
    for (const id of flows) yield* call("POST", `/v1/email-flows/${id}/contacts/${ann}`, { json: {} })
    const path = `/v1/contacts/${ann}/memberships`
    const one = yield* call("GET", `${path}?limit=1`)
    const two = yield* call("GET", `${path}?limit=1&cursor=${one.json.next_cursor}`)
    assert.isNull(two.json.next_cursor)
    const memberships = [...one.json.memberships, ...two.json.memberships]
    assert.deepStrictEqual(memberships.map(({ flow_name }: Json) => flow_name).sort(), ["Birthday", "Welcome"])
    assert.deepInclude(memberships[0], { contact_id: ann, status: "active", current_step_id: "rest" })
    assert.strictEqual((yield* call("GET", `${path}?cursor=x`)).json.error_code, "invalid_cursor")
    assert.strictEqual((yield* call("GET", `/v1/contacts/${unknownId}/memberships`)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a contact is not mailed for reasons, some of which operational mail ignores", () =>
  Effect.gen(function* () {
    const { call, post, person } = yield* served
    const mailable = (id: string, query = "") =>
      Effect.map(call("GET", `/v1/contacts/${id}/mailable${query}`), ({ json }) => json)
    const ann = yield* person({ email: "ann@example.com" })
    assert.deepStrictEqual(yield* mailable(ann), { mailable: true, reasons: [] })
    const bob = yield* person({ email: "Bob@example.com", unsubscribed: true, marketing_email_subscribed: false })
    const unsubscribed = { reason: "unsubscribed", since: null, source: "contact", topic_id: null }
    const optOut = { reason: "opt_out", since: null, source: "contact", topic_id: null }
    assert.deepStrictEqual(yield* mailable(bob), { mailable: false, reasons: [unsubscribed, optOut] })
    assert.deepStrictEqual(yield* mailable(bob, "?operational=true"), { mailable: true, reasons: [] })
    yield* post("/v1/suppressions", { email: "bob@example.com", reason: "complaint" })
    const after = yield* mailable(bob, "?operational=true")
    assert.isFalse(after.mailable)
    assert.deepInclude(after.reasons[0], { reason: "suppressed", source: "complaint" })
    assert.match(after.reasons[0].since, /Z$/)
    const phone = yield* person({ phone: "+12025550123" })
    assert.strictEqual((yield* mailable(phone, "?operational=false")).reasons[0].reason, "no_email")
    assert.strictEqual((yield* call("GET", `/v1/contacts/${ann}/mailable?operational=maybe`)).status, 400)
    assert.strictEqual((yield* call("GET", `/v1/contacts/${unknownId}/mailable`)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a list names what uses it", () =>
  Effect.gen(function* () {
    const { call, list } = yield* served
    const june = yield* list("June", { kind: "static" })
    const usage = (id: string) => Effect.map(call("GET", `/v1/contact-lists/${id}/usage`), ({ json }) => json)
    assert.deepStrictEqual(yield* usage(june), { blasts: [], flows: [], lists: [], count: 0 })
    const rules = { kind: "condition", source: "list_membership", listId: june, operator: "is_member" }
    const readers = yield* list("Readers", { kind: "dynamic", rules })
    const used = { blasts: [], flows: [], lists: [{ id: readers, name: "Readers" }], count: 1 }
    assert.deepStrictEqual(yield* usage(june), used)
    assert.strictEqual((yield* call("GET", `/v1/contact-lists/${unknownId}/usage`)).status, 404)
  }).pipe(Effect.scoped),
)
