// Tests of local mail over the API: a blast to files, read and answered as its recipients would.
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { letterFrom, startBlast } from "../support/Blast.ts"
import { callsOf, type Json, pause, Service, until } from "../support/Service.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const token = "e2e-admin-token-0123456789-0123456789"

/** An open that comes earlier is one of a machine. */
const person_ms = 2_100

describe("local mail", () => {
  let service: Service
  let blast: string
  const get = async (path: string): Promise<Json> => (await service.call("GET", path)).json
  const details = async (): Promise<Json> => (await get(`/v1/email-blasts/${blast}`)).details
  const simulate = (id: string, body: object) => service.call("POST", `/v1/outbox/${id}/events`, body)

  beforeAll(async () => {
    service = await Service.prepare({ ...(await ownDatabase()), ADMIN_TOKEN: token })
    await service.start()
    const call = async (method: string, path: string, body?: unknown): Promise<Json> =>
      (await service.call(method, path, body)).json
    const { items } = await call("POST", "/v1/contacts", {
      items: ["ann", "ben", "cleo", "dan"].map((name) => ({ email: `${name}@example.test`, first_name: name })),
    })
    const { list_id } = await call("POST", "/v1/contact-lists", {
      name: "Readers",
      kind: "static",
      contact_ids: items.map((each: Json) => each.contact_id),
    })
    blast = await startBlast(call, list_id, letterFrom("hello@example.test"))
    await until("the blast to be sent", async () => (await get(`/v1/email-blasts/${blast}`)).status === "sent")
    await pause(person_ms)
  })
  afterAll(() => service.remove())

  it("lists the messages of a blast, and finds them by address and subject", async () => {
    const { messages, next_cursor } = await get(`/v1/outbox?blast_id=${blast}&limit=3`)
    assert.deepStrictEqual([messages.length, messages[0].kind], [3, "blast"])
    const rest = await get(`/v1/outbox?blast_id=${blast}&limit=3&cursor=${next_cursor}`)
    assert.deepStrictEqual([rest.messages.length, rest.next_cursor], [1, null])
    const found = await get("/v1/outbox?to=CLEO&subject=hello%20cleo")
    assert.deepStrictEqual(
      found.messages.map((each: Json) => [each.to, each.subject]),
      [["cleo@example.test", "Hello cleo"]],
    )
  })

  it("shows a message, and counts what its recipient does with it", async () => {
    const [{ message_id }] = (await get("/v1/outbox?to=ann@")).messages
    const message = await get(`/v1/outbox/${message_id}`)
    assert.include(message.html, "Hello ann")
    assert.include(message.text, "Hello ann")
    assert.deepStrictEqual(
      message.headers.slice(0, 2).map((each: Json) => each.name),
      ["Return-Path", "Delivered-To"],
    )
    assert.deepStrictEqual(
      message.links.map((each: Json) => [each.link_index, each.text]),
      [[0, "news"]],
    )
    const source = await service.call("GET", `/v1/outbox/${message_id}/source`)
    assert.match(source.text, /^Return-Path: <b\+[^>]+>\r\nDelivered-To: ann@example\.test\r\n/)
    assert.deepInclude(await details(), { blast_opened_count: 0, blast_clicked_count: 0 })
    assert.strictEqual((await simulate(message_id, { type: "open" })).status, 202)
    assert.deepInclude(await details(), { blast_opened_count: 1, blast_clicked_count: 0 })
    assert.strictEqual((await simulate(message_id, { type: "click", link_index: 0 })).status, 202)
    assert.deepInclude(await details(), { blast_opened_count: 1, blast_clicked_count: 1 })
  })

  it("reports bounces, complaints and unsubscriptions", async () => {
    for (const [name, type] of [
      ["ben", "bounce"],
      ["cleo", "complaint"],
      ["dan", "unsubscribe"],
    ]) {
      const [{ message_id }] = (await get(`/v1/outbox?to=${name}@`)).messages
      assert.strictEqual((await simulate(message_id, { type })).status, 202)
    }
    assert.deepInclude(await details(), { blast_bounced_count: 1, blast_spam_count: 1 })
    const [dan] = (await get("/v1/contacts?email=dan@example.test")).items
    assert.isTrue(dan.unsubscribed)
  })

  it("refuses links that a message does not have, and messages that do not exist", async () => {
    const [{ message_id }] = (await get("/v1/outbox?to=ann@")).messages
    for (const link_index of [undefined, 7]) {
      const refused = await simulate(message_id, { type: "click", link_index })
      assert.deepStrictEqual([refused.status, refused.json.details.issues[0].path], [400, "link_index"])
    }
    const unknown = await service.call("GET", "/v1/outbox/2026-05-01T09-30-00-000Z-1f2e3d4c")
    assert.strictEqual(unknown.status, 404)
  })

  it("shows another workspace nothing, and deletes nothing for it", async () => {
    const admin = { authorization: `Bearer ${token}` }
    const { json } = await service.call("POST", "/admin/v1/workspaces", { name: "Others" }, admin)
    const key = await service.call("POST", `/admin/v1/workspaces/${json.workspace_id}/keys`, { name: "key" }, admin)
    const others = { authorization: `Bearer ${key.json.api_key}` }
    const [{ message_id }] = (await get("/v1/outbox?to=ann@")).messages
    const tried = [
      await service.call("GET", "/v1/outbox", undefined, others),
      await service.call("GET", `/v1/outbox/${message_id}`, undefined, others),
      await service.call("GET", `/v1/outbox/${message_id}/source`, undefined, others),
      await service.call("POST", `/v1/outbox/${message_id}/events`, { type: "bounce" }, others),
      await service.call("DELETE", "/v1/outbox", undefined, others),
    ]
    assert.deepStrictEqual(
      tried.map(({ status }) => status),
      [200, 404, 404, 404, 204],
    )
    assert.deepStrictEqual(tried[0]?.json.messages, [])
    assert.strictEqual((await get("/v1/outbox")).messages.length, 4)
  })

  it("deletes the files", async () => {
    assert.strictEqual((await service.call("DELETE", "/v1/outbox")).status, 204)
    assert.deepStrictEqual((await get("/v1/outbox")).messages, [])
  })

  it("asks the people of an import to confirm, once, and subscribes who presses the button", async () => {
    const admin = { authorization: `Bearer ${token}` }
    const [{ workspace_id }] = (await service.call("GET", "/admin/v1/workspaces?limit=1", undefined, admin)).json
      .workspaces
    const sender_defaults = { from_name: "Acme", from_address: "news@example.test" }
    await service.call("PATCH", `/admin/v1/workspaces/${workspace_id}`, { sender_defaults }, admin)
    const call = callsOf(service)
    const { topic_id } = await call("POST", "/v1/topics", { name: "News", default_subscription: "unsubscribed" })
    const rows = ["eve", "fay", "eve"].map((name) => ({ Email: `${name}@example.test` }))
    const session = await call("POST", "/v1/contacts/imports", { source: "rows", rows })
    const run = await call("POST", `/v1/contacts/imports/${session.import_session_id}/execute`, {
      mappings: [{ header: "Email", target_field: "email" }],
      consent: { topic_ids: [topic_id], source: "fair", text: "Yes, send me the letter.", double_opt_in: true },
    })
    const isDone = async () => (await get("/v1/outbox")).messages.length === 2
    await until("both mails", isDone)
    const read = await get(`/v1/contacts/imports/${run.import_run_id}`)
    assert.deepInclude(read, { status: "completed", created_count: 2, confirmations_waiting_count: 0 })
    const subscribers = async () => (await get(`/v1/topics/${topic_id}`)).subscribed_count
    assert.strictEqual(await subscribers(), 0)
    const [{ kind, message_id }] = (await get("/v1/outbox?to=eve@")).messages
    assert.strictEqual(kind, "message")
    const { text } = await get(`/v1/outbox/${message_id}`)
    assert.include(text, "Yes, send me the letter.")
    const link = new URL(/http\S+\/s\/\S+/.exec(text)?.[0] ?? "")
    const page = `http://127.0.0.1:${service.pagesPort}${link.pathname}`
    assert.strictEqual((await fetch(page)).status, 200)
    assert.strictEqual(await subscribers(), 0, "a program that follows links confirms nothing")
    const confirmed = await fetch(page, { method: "POST", body: new URLSearchParams({ confirm: "subscribe" }) })
    assert.deepStrictEqual([confirmed.status, await subscribers()], [200, 1])
  })
})
