// Tests of single messages over HTTP, on both adapters: fields, answers, batches, repetitions and states. No worker runs.
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { verifiedSender } from "../../attacks/AttackFixture.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Call, type Json, paths, servingOver, testKey, unknownId, world } from "../../fixtures/World.ts"

const root = "/v1/email-messages"
const to = { email: "ann@example.org", name: "Ann Lee" }
const inline = { to, subject: "Your table", text: "It is reserved.", from_address: "orders@example.test" }

const approvedEmail = Effect.fnUntraced(function* (call: Call, more: Json = {}) {
  const email = yield* call("POST", "/v1/emails", {
    json: {
      name: "Receipt",
      subject: "Your order {{data.order.id}}",
      from_name: "Acme",
      from_address: "orders@example.test",
      reply_to_email: "help@example.test",
      html: '<p>{{data.order.total}} <a href="https://example.org/a?b=1&amp;c=2">see</a></p>',
      ...more,
    },
  })
  const { email_id } = email.json
  const approved = yield* call("POST", `/v1/emails/${email_id}/approve`)
  assert.strictEqual(approved.status, 200, approved.text)
  return email_id as string
})

describe.each([
  ["memory", servingOver(world, Api, handlers)],
  ["PostgreSQL", servingOver(postgresWorld, Api, handlers)],
] as const)("single messages on %s", (_, serving) => {
  const started = Effect.gen(function* () {
    const { call, context } = yield* serving
    const shared: Context.Context<Workspaces> = context
    const { workspace } = yield* Effect.orDie(Context.get(shared, Workspaces).authenticate(testKey))
    yield* verifiedSender(workspace.id, shared)
    const send = (json: Json, headers: Record<string, string> = {}) => call("POST", root, { json, headers })
    return { call, send }
  })

  it.live("are accepted with the values of their tokens, and shown with their events", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const email_id = yield* approvedEmail(call)
      const data = { order: { id: 17, total: "19.90 €" } }
      const tags = { kind: "receipt" }
      const headers = { "X-B": "2", "X-A": "1" }
      const sent = yield* send({ to, email_id, data, tags, metadata: { order: "17" }, headers })
      assert.strictEqual(sent.status, 202, sent.text)
      const { created_at, expires_at, message_id, smtp_message_id, warnings, ...rest } = sent.json
      assert.deepStrictEqual(rest, {
        status: "queued",
        reason: null,
        to,
        contact_id: null,
        email_id,
        approved_email_version: 1,
        template_id: null,
        subject: "Your order 17",
        from_name: "Acme",
        from_address: "orders@example.test",
        reply_to_email: "help@example.test",
        operational: true,
        topic_id: null,
        track_opens: false,
        track_clicks: false,
        retain_content: true,
        tags,
        metadata: { order: "17" },
        headers,
        attachments: [],
        unresolved_tokens: [],
        test: false,
        client_item_id: null,
        scheduled_at: null,
        attempts: 0,
        sent_at: null,
        delivered_at: null,
        opened_at: null,
        clicked_at: null,
        clicked_url: null,
        bounced_at: null,
        complained_at: null,
        unsubscribed_at: null,
      })
      assert.deepStrictEqual(warnings, [])
      assert.strictEqual(smtp_message_id, `<${message_id}@example.test>`)
      assert.strictEqual(Date.parse(expires_at) - Date.parse(created_at), 24 * 3_600_000)
      const { events, ...found } = (yield* call("GET", `${root}/${message_id}`)).json
      const { warnings: __, ...shown } = sent.json
      assert.deepStrictEqual(found, shown)
      assert.deepStrictEqual(events, [{ type: "email_accepted", timestamp: created_at, metadata: {} }])
      const html = yield* call("GET", `${root}/${message_id}/content`)
      assert.deepStrictEqual(
        [html.status, html.headers.get("content-security-policy"), html.headers.get("content-type")],
        [200, "sandbox", "text/html; charset=utf-8"],
      )
      assert.include(html.text, '19.90 € <a href="https://example.org/a?b=1&amp;c=2">see</a>')
      const plain = yield* call("GET", `${root}/${message_id}/plain-text`)
      assert.include(plain.text, "19.90 €")
    }).pipe(Effect.scoped),
  )

  it.live("of own content have files, and no HTML if they are plain", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const content = Buffer.from("%PDF").toString("base64")
      const attachments = [{ file_name: "receipt.pdf", content }]
      const { json } = yield* send({ ...inline, attachments, client_item_id: "a" })
      assert.deepStrictEqual(json.attachments, [
        { file_name: "receipt.pdf", content_type: "application/pdf", content_id: null, size_bytes: 4 },
      ])
      assert.deepStrictEqual([json.client_item_id, json.email_id], ["a", null])
      const short = yield* send({ ...inline, to: "ann@example.org" })
      assert.deepStrictEqual(short.json.to, { email: "ann@example.org", name: null }, short.text)
      assert.deepStrictEqual(paths(yield* send({ ...inline, to: "nowhere" })), ["to"])
      assert.strictEqual((yield* call("GET", `${root}/${json.message_id}/content`)).status, 404)
      assert.include((yield* call("GET", `${root}/${json.message_id}/plain-text`)).text, "It is reserved.")
      assert.strictEqual((yield* call("GET", `${root}/${unknownId}/plain-text`)).status, 404)
    }).pipe(Effect.scoped),
  )

  it.live("are refused with the path and the code of what is wrong", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const draft = (yield* call("POST", "/v1/emails", { json: { name: "D", subject: "S", html: "<p>d</p>" } })).json
      const refused = (json: Json) => Effect.map(send(json), (answer) => [answer.json.error_code, answer.json.details])
      const [code, details] = yield* refused({ to, email_id: draft.email_id })
      assert.deepStrictEqual(
        [code, details.issues],
        ["email_not_approved", [{ path: "email_id", message: "is not approved" }]],
      )
      const elsewhere = { ...inline, subject: undefined, from_address: "orders@elsewhere.example" }
      const [notReady, { missing }] = yield* refused(elsewhere)
      assert.deepStrictEqual([notReady, missing], ["email_not_ready", ["subject", "sender_domain"]])
      const [unresolved, { tokens }] = yield* refused({ ...inline, text: "{{data.order.id}}" })
      assert.deepStrictEqual([unresolved, tokens], ["unresolved_tokens", ["data.order.id"]])
      const [gone, { issues }] = yield* refused({ ...inline, to: undefined, contact_id: unknownId })
      assert.deepStrictEqual([gone, issues[0].path], ["not_found", "contact_id"])
      for (const [fields, path] of [
        [{ to: [to] }, "to"],
        [{ cc: "bob@example.org" }, "cc"],
        [{ bogus: 1 }, "bogus"],
        [{ topic_id: unknownId }, "topic_id"],
        [{ tags: { constructor: "x" } }, "tags.constructor"],
        [{ attachments: [{ file_name: "a.exe", content: "QUJD" }] }, "attachments.0.file_name"],
        [{ attachments: [{ file_name: "a.pdf", content: "QUJ" }] }, "attachments.0.content"],
      ] as const) {
        assert.deepStrictEqual(paths(yield* send({ ...inline, ...fields })), [path])
      }
      assert.deepStrictEqual((yield* call("GET", root)).json.email_messages, [])
    }).pipe(Effect.scoped),
  )

  const injectionTest = it.live
  injectionTest("take no header from a name, a subject, a value, a file name or a header", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const evil = "a\r\nBcc: bob@example.org"
      for (const [fields, path] of [
        [{ to: { ...to, name: evil } }, "to.name"],
        [{ subject: evil }, "subject"],
        [{ from_name: evil }, "from_name"],
        [{ headers: { "X-Kind": evil } }, "headers.X-Kind"],
        [{ headers: { "X-Kind\r\nBcc": "a" } }, "headers.X-Kind\r\nBcc"],
        [{ headers: { Bcc: "bob@example.org" } }, "headers.Bcc"],
        [{ attachments: [{ file_name: evil, content: "QUJD" }] }, "attachments.0.file_name"],
        [{ attachments: [{ file_name: "a.pdf", content: "QUJD", content_type: evil }] }, "attachments.0.content_type"],
        [{ attachments: [{ file_name: "a.pdf", content: "QUJD", content_id: evil }] }, "attachments.0.content_id"],
      ] as const) {
        assert.deepStrictEqual(paths(yield* send({ ...inline, ...fields })), [path])
      }
      const sent = yield* send({ ...inline, subject: "Hello {{data.name}}", data: { name: evil } })
      assert.strictEqual(sent.json.subject, "Hello aBcc: bob@example.org", sent.text)
      assert.lengthOf((yield* call("GET", root)).json.email_messages, 1)
    }).pipe(Effect.scoped),
  )

  it.live("of a batch are accepted or rejected one by one", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const items = [
        { ...inline, client_item_id: "a" },
        { ...inline, to: { email: "nowhere" }, client_item_id: "b" },
        { ...inline, attachments: [{ file_name: "a.pdf", content: "QUJD" }] },
        { to: inline.to, email_id: unknownId },
        "text",
      ]
      const { json, status } = yield* send({ items })
      assert.deepStrictEqual([status, json.accepted_count, json.rejected_count], [202, 1, 4])
      assert.deepStrictEqual(
        json.items.map((item: Json) => [item.index, item.client_item_id, item.status, item.error_code]),
        [
          [0, "a", "accepted", undefined],
          [1, "b", "rejected", "INVALID_ITEM"],
          [2, null, "rejected", "INVALID_ITEM"],
          [3, null, "rejected", "NOT_FOUND"],
          [4, null, "rejected", "INVALID_ITEM"],
        ],
      )
      assert.include(json.items[1].message, "to.email must be an email address")
      assert.strictEqual(
        (yield* call("GET", `${root}/${json.items[0].email_message.message_id}`)).json.subject,
        "Your table",
      )
      for (const wrong of [{ items: [] }, { items: Array.from({ length: 101 }, () => inline) }, { items: "text" }]) {
        assert.deepStrictEqual(paths(yield* send(wrong)), ["items"])
      }
      assert.deepStrictEqual(paths(yield* send({ items: [inline], to })), ["to"])
    }).pipe(Effect.scoped),
  )

  it.live("are sent once for an Idempotency-Key, whose repetition gets the first messages", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const key = { "idempotency-key": "order-17" }
      assert.strictEqual((yield* send({ ...inline, subject: undefined }, key)).status, 400)
      const first = yield* send(inline, key)
      const again = yield* send(inline, key)
      assert.deepStrictEqual([first.status, again.status, again.json], [202, 202, first.json])
      assert.deepStrictEqual(
        [first, again].map(({ headers }) => headers.get("idempotency-replayed")),
        [null, "true"],
      )
      const other = yield* send({ ...inline, subject: "Another" }, key)
      assert.deepStrictEqual([other.status, other.json.error_code], [409, "idempotency_key_reused"])
      const batch = { "idempotency-key": "batch" }
      const results = yield* send({ items: [inline, { to: "x" }] }, batch)
      const repeated = yield* send({ items: [inline, { to: "x" }] }, batch)
      assert.deepStrictEqual(repeated.json, results.json)
      assert.strictEqual(repeated.headers.get("idempotency-replayed"), "true")
      assert.deepStrictEqual(paths(yield* send(inline, { "idempotency-key": "ä" })), ["Idempotency-Key"])
      assert.lengthOf((yield* call("GET", root)).json.email_messages, 2)
    }).pipe(Effect.scoped),
  )

  it.live("are listed by status, address, contact, email, tag and time", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const email_id = yield* approvedEmail(call, { subject: "Hello", html: "<p>Hello</p>" })
      const later = new Date(Date.now() + 3_600_000).toISOString()
      const a = (yield* send({ ...inline, to: { email: "Ann@Example.org" }, scheduled_at: later })).json
      const b = (yield* send({
        to: { email: "bob@example.org" },
        email_id,
        contact: "create",
        tags: { kind: "notice" },
      })).json
      const listed = (query: string) =>
        Effect.map(call("GET", `${root}?${query}`), ({ json }) =>
          json.email_messages.map((each: Json) => each.message_id),
        )
      assert.deepStrictEqual([a.status, b.status], ["scheduled", "queued"])
      assert.deepStrictEqual(yield* listed(""), [b.message_id, a.message_id])
      for (const query of [
        "status=queued",
        "to=BOB@example.org",
        `contact_id=${b.contact_id}`,
        `email_id=${email_id}`,
        "tag=kind:notice",
      ]) {
        assert.deepStrictEqual(yield* listed(query), [b.message_id], query)
      }
      assert.deepStrictEqual(yield* listed("status=scheduled"), [a.message_id])
      assert.deepStrictEqual(yield* listed("tag=kind:other"), [])
      assert.deepStrictEqual(yield* listed(`created_after=${later}`), [])
      assert.lengthOf(yield* listed(`created_before=${later}`), 2)
      assert.deepStrictEqual(paths(yield* call("GET", `${root}?tag=kind`)), ["tag"])
      const contact = (yield* call("GET", `/v1/contacts/${b.contact_id}`)).json
      assert.strictEqual(contact.marketing_email_subscribed, false)
    }).pipe(Effect.scoped),
  )

  it.live("of a merged contact are sent, and are its target's, whatever the target has got", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      const people = yield* call("POST", "/v1/contacts", {
        json: { items: [{ email: "ann@example.org" }, { email: "ann.work@example.org" }] },
      })
      const [target, source] = people.json.items.map((item: Json) => item.contact_id)
      for (const email of ["ann@example.org", "ann.work@example.org"]) yield* send({ ...inline, to: { email } })
      const merged = yield* call("POST", `/v1/contacts/${target}/merge`, { json: { source_contact_id: source } })
      assert.strictEqual(merged.json.merged.messages, 1, merged.text)
      const { email_messages: listed } = (yield* call("GET", `${root}?contact_id=${target}`)).json
      assert.deepStrictEqual(
        listed.map((message: Json) => [message.to.email, message.status, message.contact_id]),
        [
          ["ann.work@example.org", "queued", target],
          ["ann@example.org", "queued", target],
        ],
      )
    }).pipe(Effect.scoped),
  )

  it.live("are blocked at once if the address may get none, and end when they are cancelled", () =>
    Effect.gen(function* () {
      const { call, send } = yield* started
      yield* call("POST", "/v1/suppressions", { json: { email: "gone@example.org", reason: "complaint" } })
      const blocked = (yield* send({ ...inline, to: { email: "gone@example.org" } })).json
      assert.deepStrictEqual([blocked.status, blocked.reason], ["blocked", "suppressed"])
      const { message_id } = (yield* send(inline)).json
      const cancelled = yield* call("POST", `${root}/${message_id}/cancel`)
      assert.deepStrictEqual([cancelled.json.status, cancelled.json.reason], ["blocked", "cancelled"], cancelled.text)
      for (const verb of ["cancel", "retry"]) {
        const again = yield* call("POST", `${root}/${message_id}/${verb}`)
        assert.deepStrictEqual(
          [again.status, again.json.error_code, again.json.details.status],
          [409, "invalid_state", "blocked"],
        )
      }
      const { events } = (yield* call("GET", `${root}/${message_id}`)).json
      assert.deepStrictEqual(
        events.map(({ metadata, type }: Json) => [type, metadata]),
        [
          ["email_accepted", {}],
          ["email_blocked", { reason: "cancelled" }],
        ],
      )
    }).pipe(Effect.scoped),
  )
})
