// Entries of the audit log as texts, links and a file.
import { assert, describe, it } from "vitest"
import { csvOf } from "../../src/csv.ts"
import {
  type AuditEntry,
  csv_columns,
  csvRowOf,
  detailsOf,
  firstDay,
  nameOf,
  pathOf,
  thingOf,
} from "../../src/operations/audit/audit.ts"

const own = "3f9fd0f6-6d43-4c8a-9a3a-6c2b3f1d7e55"
const id = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const entry = (fields: Partial<AuditEntry>): AuditEntry => ({
  entry_id: id,
  at: "2026-05-01T09:30:00.000Z",
  actor: "admin",
  actor_name: null,
  workspace_id: own,
  action: "blast.paused",
  target: id,
  target_name: null,
  details: {},
  ...fields,
})

describe("an entry of the audit log", () => {
  it("links to the screen of its thing, if that is in this workspace", () => {
    assert.strictEqual(pathOf(entry({}), own), `/blasts/${id}`)
    assert.strictEqual(pathOf(entry({ action: "page_domain.added" }), own), "/domains")
    assert.isNull(pathOf(entry({ workspace_id: id }), own))
    assert.isNull(pathOf(entry({ action: "user.signed_in", workspace_id: null }), own))
    assert.isNull(pathOf(entry({ action: "domain.removed" }), own))
    assert.strictEqual(pathOf(entry({ action: "webhook.replayed" }), own), `/webhooks/${id}`)
    assert.isNull(pathOf(entry({ action: "webhook_endpoint.deleted" }), own))
    assert.isNull(pathOf(entry({ action: "contact.erased" }), own))
    assert.strictEqual(thingOf("page_domain.added"), "page_domain")
  })

  it("has a name: that of the user, the domain or the address, or the beginning of the id", () => {
    assert.strictEqual(nameOf(entry({ target_name: "Ann Lee" })), "Ann Lee")
    assert.strictEqual(nameOf(entry({ details: { domain: "example.org" } })), "example.org")
    assert.strictEqual(nameOf(entry({ details: { host: "crm.example.org" } })), "crm.example.org")
    assert.strictEqual(nameOf(entry({ details: { alias: "spring" } })), "7b0c7bd2")
    assert.strictEqual(nameOf(entry({ target: "sign-in" })), "sign-in")
    assert.isNull(nameOf(entry({ action: "member.invited" })))
  })

  it("has its details in one line", () => {
    const changes = [{ field: "plan", from: "free", to: "pro" }, { field: "name" }]
    const changed = (field: string, from: string, to: string) => `${field}: ${from} to ${to}`
    assert.strictEqual(detailsOf(entry({ details: { changes } }), changed), "plan: free to pro, name")
    assert.strictEqual(
      detailsOf(entry({ details: { domain: "example.org", rules: { a: 1 }, none: null } }), changed),
      'rules: {"a":1}',
    )
  })
})

describe("the file of the audit log", () => {
  it("has a line for each entry, and starts no formula", () => {
    const text = csvOf(csv_columns, [csvRowOf(entry({ actor_name: '=HYPERLINK("x")', details: { a: "b" } }))])
    assert.strictEqual(
      text,
      `\ufeff"at","actor","actor_name","action","target","target_name","workspace_id","details"\r\n` +
        `"2026-05-01T09:30:00.000Z","admin","'=HYPERLINK(""x"")","blast.paused","${id}","","${own}","{""a"":""b""}"\r\n`,
    )
  })

  it("begins at the first of the last days, in UTC", () => {
    const now_ms = Date.parse("2026-05-03T23:59:00Z")
    assert.strictEqual(firstDay(1, now_ms), "2026-05-03")
    assert.strictEqual(firstDay(3, now_ms), "2026-05-01")
  })
})
