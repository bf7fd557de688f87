// Tests of the merge of two contacts over the API, and of what callers get for the id that has ended.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, serving, unknownId } from "../../fixtures/World.ts"

const served = Effect.gen(function* () {
  const { call } = yield* serving(Api, handlers)
  const post = (path: string, json: Json) => call("POST", path, { json })
  const person = (more: Json) =>
    Effect.map(post("/v1/contacts", { items: [more] }), ({ json }): string => json.items[0].contact_id)
  const target = yield* person({ email: "ann@example.org", city: "Bern" })
  const source = yield* person({ phone: "+14155550100", first_name: "Ann", city: "Rome", unsubscribed: true })
  const merge = (more: Json = {}) => post(`/v1/contacts/${target}/merge`, { source_contact_id: source, ...more })
  return { call, post, person, target, source, merge }
})

it.live("a merge answers the contact with what it has taken over, and a dry run writes nothing", () =>
  Effect.gen(function* () {
    const { call, merge, source, target } = yield* served
    const dry = yield* merge({ dry_run: true })
    assert.strictEqual(dry.status, 200)
    assert.strictEqual((yield* call("GET", `/v1/contacts/${source}`)).status, 200)
    const { json, status } = yield* merge()
    assert.strictEqual(status, 200)
    assert.deepInclude(json, {
      contact_id: target,
      email: "ann@example.org",
      phone: "+14155550100",
      first_name: "Ann",
      city: "Bern",
      unsubscribed: true,
    })
    const merged = {
      source_contact_id: source,
      activities: 1,
      lists: 0,
      messages: 0,
      submissions: 0,
      consent_records: 0,
      dropped_memberships: [],
    }
    assert.deepStrictEqual([dry.json.merged, json.merged], [merged, merged])
    const { merged: _, ...contact } = json
    assert.deepStrictEqual((yield* call("GET", `/v1/contacts/${target}`)).json, contact)
    const { activities } = (yield* call("GET", `/v1/contacts/${target}/activities`)).json
    assert.strictEqual(activities[0].type, "contact_merged")
    assert.strictEqual(activities[0].metadata.merged_contact_id, source)
  }).pipe(Effect.scoped),
)

it.live("the id that has ended names the contact that has it now, in paths, bodies and batches", () =>
  Effect.gen(function* () {
    const { call, merge, post, source, target } = yield* served
    yield* merge()
    const gone = yield* Effect.forEach(
      [
        call("GET", `/v1/contacts/${source}`),
        call("PATCH", `/v1/contacts/${source}`, { json: { city: "Bonn" } }),
        call("DELETE", `/v1/contacts/${source}`),
        call("GET", `/v1/contacts/${source}/activities`),
        call("GET", `/v1/contacts/${source}/lists`),
        call("GET", `/v1/contacts/${source}/memberships`),
        call("GET", `/v1/contacts/${source}/mailable`),
        post("/v1/contact-lists", { name: "June", kind: "static", contact_ids: [source] }),
        merge(),
      ],
      (each) => each,
    )
    assert.deepStrictEqual(
      gone.map(({ json, status }) => [status, json.error_code, json.merged_into]),
      gone.map(() => [404, "not_found", target]),
    )
    for (const path of ["/v1/contacts/update", "/v1/contacts/delete"]) {
      const { json } = yield* post(path, { items: [{ contact_id: source }, { contact_id: unknownId }] })
      assert.deepStrictEqual(
        json.items.map((item: Json) => [item.error_code, item.merged_into]),
        [
          ["NOT_FOUND", target],
          ["NOT_FOUND", undefined],
        ],
      )
    }
  }).pipe(Effect.scoped),
)

it.live("a merge is refused for one contact as both, for unknown ones, and for fields that can't be chosen", () =>
  Effect.gen(function* () {
    const { call, merge, source, target } = yield* served
    const refused = yield* Effect.forEach(
      [
        merge({ source_contact_id: target }),
        merge({ fields: { unsubscribed: "target", "custom_fields.size": "source", constructor: "source" } }),
        merge({ prefer: "both" }),
        merge({ source_contact_id: unknownId }),
      ],
      (each) => each,
    )
    assert.deepStrictEqual(
      refused.map(({ json, status }) => [status, json.details.issues.map(({ path }: Json) => path)]),
      [
        [400, ["source_contact_id"]],
        [400, ["fields.unsubscribed", "fields.custom_fields.size", "fields.constructor"]],
        [400, ["prefer"]],
        [404, ["source_contact_id"]],
      ],
    )
    const taken = yield* call("PATCH", `/v1/contacts/${target}`, { json: { phone: "+14155550100" } })
    assert.deepInclude(taken.json.details, { merge: true })
    assert.strictEqual(taken.json.existing_contact.contact_id, source)
  }).pipe(Effect.scoped),
)

it.live("a field is taken from the contact that the call chooses", () =>
  Effect.gen(function* () {
    const { merge } = yield* served
    const { json } = yield* merge({ prefer: "source", fields: { city: "target" }, dry_run: true })
    assert.deepInclude(json, { city: "Bern", email: "ann@example.org", phone: "+14155550100" })
  }).pipe(Effect.scoped),
)
