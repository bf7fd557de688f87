// Tests of the administration API.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { administrationOver } from "../fixtures/AdminWorld.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Answered, type Json, paths, testKey, unknownId } from "../fixtures/World.ts"

const root = "/admin/v1/workspaces"
const statusAndCode = ({ status, json }: Answered) => [status, json?.error_code]

const begin = Effect.gen(function* () {
  const { admin, context } = yield* administrationOver(postgresWorld)
  const made = yield* admin("POST", root, { json: { name: "Acme Ltd." } })
  const id: string = made.json.workspace_id
  const get = (path: string) => Effect.map(admin("GET", path), ({ json }) => json)
  const log = Effect.map(get(`/admin/v1/audit-log?workspace_id=${id}&limit=100`), ({ entries }) =>
    entries.map((entry: Json) => `${entry.actor} ${entry.action}`),
  )
  return { admin, at: `${root}/${id}`, context, get, id, log, made }
})

/** Reads all pages of a listing. */
const throughout = Effect.fnUntraced(function* (
  get: (path: string) => Effect.Effect<Json>,
  path: string,
  name: string,
) {
  const all: Array<Json> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Json = yield* get(`${path}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
    assert.isAtMost(page[name].length, 2)
    all.push(...page[name])
    cursor = page.next_cursor
  }
  return all
})

const notFound = [404, "not_found"]

describe("administration", () => {
  it.live("creates a workspace from a name and returns all of its fields", () =>
    Effect.gen(function* () {
      const { made, at, get } = yield* begin
      assert.strictEqual(made.status, 201)
      const { created_at, updated_at, workspace_id, ...shown } = made.json
      assert.deepStrictEqual(shown, {
        name: "Acme Ltd.",
        slug: "acme-ltd",
        plan: "free",
        credits: 0,
        time_zone: "UTC",
        default_country: "US",
        postal_address: null,
        sender_defaults: { from_name: null, from_address: null, reply_to_email: null },
        brand: {
          logo_url: null,
          icon_url: null,
          primary_color: null,
          name: null,
          domain: null,
          description: null,
          guidelines: null,
        },
        sending_limits: { per_second: null, per_domain_per_second: null },
        four_eyes: false,
        consent: {
          marketing_consent: "assumed",
          confirmation_days: 7,
          confirmation_email_id: null,
          confirmations_per_hour: 1000,
          privacy_url: null,
          one_click: "topic",
        },
      })
      assert.deepStrictEqual(yield* get(at), made.json)
      assert.match(created_at + updated_at, /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z){2}$/)
      assert.match(workspace_id, /^[0-9a-f-]{36}$/)
    }).pipe(Effect.scoped),
  )

  it.live("updates the given fields, clears null ones, and refuses a slug that is in use", () =>
    Effect.gen(function* () {
      const { admin, at, log } = yield* begin
      const json = {
        plan: "pro",
        credits: 5,
        postal_address: "1 Way",
        sender_defaults: { from_name: "Ann", from_address: "ann@example.com" },
        brand: { primary_color: "#112233", name: "Acme" },
        sending_limits: { per_second: 7 },
        consent: { confirmation_days: 3, privacy_url: "https://example.org/privacy" },
      }
      const first = yield* admin("PATCH", at, { json })
      assert.strictEqual(first.status, 200, first.text)
      assert.deepInclude(first.json, { plan: "pro", credits: 5, postal_address: "1 Way", name: "Acme Ltd." })
      const cleared = {
        postal_address: null,
        sender_defaults: { from_name: null },
        sending_limits: { per_second: null },
        consent: { privacy_url: null },
      }
      const { json: second } = yield* admin("PATCH", at, { json: cleared })
      assert.deepStrictEqual(
        [second.postal_address, second.sender_defaults, second.brand.primary_color, second.sending_limits.per_second],
        [null, { from_name: null, from_address: "ann@example.com", reply_to_email: null }, "#112233", null],
      )
      assert.deepInclude(second.consent, { confirmation_days: 3, privacy_url: null, one_click: "topic" })
      const taken = yield* admin("PATCH", at, { json: { slug: "default" } })
      assert.deepStrictEqual(statusAndCode(taken), [409, "conflict"])
      const { json: found } = yield* admin("GET", `${root}/${taken.json.details.existing_id}`)
      assert.strictEqual(found.slug, "default")
      assert.deepStrictEqual(yield* log, [
        "admin workspace.updated",
        "admin workspace.updated",
        "admin workspace.created",
      ])
    }).pipe(Effect.scoped),
  )

  it.live("reports all issues of a workspace with their paths", () =>
    Effect.gen(function* () {
      const { admin, at } = yield* begin
      const json = {
        plan: "gold",
        credits: -1,
        sender_defaults: { from_address: "no address", other: 1 },
        brand: { name: 5 },
        created_at: "x",
        bogus: 1,
      }
      const bad = yield* admin("PATCH", at, { json })
      assert.deepStrictEqual(statusAndCode(bad), [400, "validation_failed"])
      assert.sameMembers(
        [...paths(bad)],
        [
          "plan",
          "credits",
          "sender_defaults.from_address",
          "sender_defaults.other",
          "brand.name",
          "created_at",
          "bogus",
        ],
      )
      const zone = yield* admin("PATCH", at, { json: { time_zone: "Mars", brand: { logo_url: "javascript:1" } } })
      assert.sameMembers([...paths(zone)], ["time_zone", "brand.logo_url"])
    }).pipe(Effect.scoped),
  )

  const keyGuessingTest = tagged(it.live, "attack/key-guessing")
  keyGuessingTest("returns an API key once; it works until it is revoked", () =>
    Effect.gen(function* () {
      const { admin, at, context, get, log } = yield* begin
      const json = { name: "site", expires_at: "2999-01-01T00:00:00Z" }
      const made = yield* admin("POST", `${at}/keys`, { json })
      assert.strictEqual(made.status, 201, made.text)
      const { api_key, ...shown } = made.json
      assert.match(api_key, /^tp_live_[0-9A-Za-z]{38}$/)
      assert.deepInclude(shown, {
        name: "site",
        prefix: api_key.slice(0, 12),
        expires_at: "2999-01-01T00:00:00.000Z",
      })
      assert.deepStrictEqual((yield* get(`${at}/keys`)).keys, [shown])
      const { authenticate } = Context.get(context, Workspaces)
      assert.strictEqual((yield* authenticate(api_key)).key.id, shown.key_id)
      const revoked = yield* admin("DELETE", `${at}/keys/${shown.key_id}`)
      assert.deepStrictEqual([revoked.status, revoked.text], [204, ""])
      assert.strictEqual((yield* Effect.flip(authenticate(api_key)))._tag, "Unauthorized")
      assert.isString((yield* get(`${at}/keys`)).keys[0].revoked_at)
      const audited = yield* get(`/admin/v1/audit-log?workspace_id=${at.slice(root.length + 1)}`)
      assert.notInclude(JSON.stringify(audited), api_key.slice(12))
      assert.deepStrictEqual((yield* log).slice(0, 2).sort(), ["admin key.created", "admin key.revoked"])
    }).pipe(Effect.scoped),
  )

  it.live("adds, verifies and removes a sending domain", () =>
    Effect.gen(function* () {
      const { admin, at, get, log } = yield* begin
      const added = yield* admin("POST", `${at}/domains`, { json: { domain: "Mail.Example.test" } })
      assert.deepStrictEqual(
        [added.status, added.json.domain, added.json.status],
        [201, "mail.example.test", "pending"],
      )
      assert.sameMembers(
        added.json.dns_records.map(({ purpose }: Json) => purpose),
        ["dkim", "spf", "return_path", "dmarc"],
      )
      assert.match(added.json.dns_records[0].value, /^v=DKIM1; k=rsa; p=/)
      const here = `${at}/domains/${added.json.domain_id}`
      assert.strictEqual((yield* admin("POST", `${here}/verify`)).json.status, "verified")
      assert.strictEqual((yield* get(here)).status, "verified")
      assert.notInclude(JSON.stringify(yield* get(`${at}/domains`)), "PRIVATE")
      const again = yield* admin("POST", `${at}/domains`, { json: { domain: "mail.EXAMPLE.test" } })
      assert.deepStrictEqual(statusAndCode(again), [409, "domain_exists"])
      assert.strictEqual(again.json.details.existing_id, added.json.domain_id)
      assert.deepStrictEqual(statusAndCode(yield* admin("POST", `${at}/domains`, { json: { domain: "com" } })), [
        400,
        "validation_failed",
      ])
      assert.strictEqual((yield* admin("DELETE", here)).status, 204)
      assert.deepStrictEqual(statusAndCode(yield* admin("GET", here)), notFound)
      assert.includeMembers(yield* log, ["admin domain.added", "admin domain.verified", "admin domain.removed"])
    }).pipe(Effect.scoped),
  )

  it.live("refuses a page domain of another workspace", () =>
    Effect.gen(function* () {
      const { admin, at, get } = yield* begin
      const other = (yield* admin("POST", root, { json: { name: "other" } })).json.workspace_id
      const json = { domain: "www.acme.example" }
      const made = yield* admin("POST", `${at}/page-domains`, { json })
      assert.strictEqual(made.status, 201, made.text)
      const taken = yield* admin("POST", `${root}/${other}/page-domains`, { json })
      assert.deepStrictEqual(statusAndCode(taken), [409, "conflict"])
      assert.strictEqual(taken.json.details.existing_id, made.json.page_domain_id)
      assert.deepStrictEqual((yield* get(`${at}/page-domains`)).page_domains, [made.json])
      const stray = `${root}/${other}/page-domains/${made.json.page_domain_id}`
      assert.deepStrictEqual(statusAndCode(yield* admin("DELETE", stray)), notFound)
      assert.strictEqual((yield* admin("DELETE", `${at}/page-domains/${made.json.page_domain_id}`)).status, 204)
      assert.strictEqual((yield* admin("POST", `${root}/${other}/page-domains`, { json })).status, 201)
      const own = yield* admin("POST", `${at}/page-domains`, { json: { domain: "acme.pages.test" } })
      assert.deepStrictEqual(statusAndCode(own), [400, "validation_failed"])
    }).pipe(Effect.scoped),
  )

  it.live("normalizes suppressions, applies the strongest reason, removes them, and logs no address", () =>
    Effect.gen(function* () {
      const { admin, at, get, id } = yield* begin
      const add = (email: string, reason?: string) =>
        admin("POST", `${at}/suppressions`, { json: { email, ...(reason === undefined ? {} : { reason }) } })
      const first = yield* add(" Ann@Example.TEST ")
      assert.deepInclude(first.json, { email: "ann@example.test", reason: "manual" })
      assert.strictEqual(first.status, 201)
      assert.strictEqual((yield* add("ann@example.test", "bounce")).json.reason, "manual")
      assert.deepStrictEqual(statusAndCode(yield* add("no address")), [400, "validation_failed"])
      assert.deepStrictEqual(statusAndCode(yield* add("a@b.test", "whim")), [400, "validation_failed"])
      for (const each of ["b", "c", "d", "e"]) yield* add(`${each}@example.test`, "complaint")
      const all = yield* throughout(get, `${at}/suppressions`, "suppressions")
      assert.sameMembers(
        all.map(({ email }) => email),
        ["ann", "b", "c", "d", "e"].map((each) => `${each}@example.test`),
      )
      assert.strictEqual((yield* admin("DELETE", `${at}/suppressions/ANN%40example.test`)).status, 204)
      assert.deepStrictEqual(statusAndCode(yield* admin("DELETE", `${at}/suppressions/ann@example.test`)), notFound)
      assert.notInclude(JSON.stringify(yield* get(`/admin/v1/audit-log?workspace_id=${id}`)), "@")
    }).pipe(Effect.scoped),
  )

  it.live("pages workspaces and the audit log, the newest first, each entry once", () =>
    Effect.gen(function* () {
      const { admin, get } = yield* begin
      for (const each of ["b", "c", "d"]) yield* admin("POST", root, { json: { name: each } })
      const all = yield* throughout(get, root, "workspaces")
      assert.sameMembers(
        all.map(({ slug }) => slug),
        ["default", "acme-ltd", "b", "c", "d"],
      )
      const times = all.map(({ created_at }) => created_at)
      assert.deepStrictEqual(times, [...times].sort().reverse())
      const entries = yield* throughout(get, "/admin/v1/audit-log", "entries")
      assert.strictEqual(new Set(entries.map(({ entry_id }) => entry_id)).size, entries.length)
      assert.isAtLeast(entries.length, 5)
      assert.deepStrictEqual((yield* get(`/admin/v1/audit-log?workspace_id=${unknownId}`)).entries, [])
    }).pipe(Effect.scoped),
  )

  it.live("deletes a workspace at once, erases it later, and keeps its audit log", () =>
    Effect.gen(function* () {
      const { admin, at, context, id, log } = yield* begin
      const { json: key } = yield* admin("POST", `${at}/keys`, { json: { name: "k" } })
      yield* admin("POST", `${at}/suppressions`, { json: { email: "a@b.test" } })
      assert.deepStrictEqual(statusAndCode(yield* admin("DELETE", at)), [400, "validation_failed"])
      const wrong = yield* admin("DELETE", `${at}?confirm=acme`)
      assert.deepStrictEqual([statusAndCode(wrong), paths(wrong)], [[400, "validation_failed"], ["confirm"]])
      const deleted = yield* admin("DELETE", `${at}?confirm=acme-ltd`)
      assert.deepStrictEqual([deleted.status, deleted.json], [202, { workspace_id: id, status: "erasing" }])
      assert.deepStrictEqual(statusAndCode(yield* admin("GET", at)), notFound)
      assert.deepStrictEqual(statusAndCode(yield* admin("DELETE", `${at}?confirm=acme-ltd`)), notFound)
      assert.deepStrictEqual(statusAndCode(yield* admin("GET", `${at}/suppressions`)), notFound)
      const { authenticate } = Context.get(context, Workspaces)
      assert.strictEqual((yield* Effect.flip(authenticate(key.api_key)))._tag, "Unauthorized")
      const { erase } = Context.get(context, Administration)
      yield* erase(WorkspaceId.make(id))
      yield* erase(WorkspaceId.make(id))
      assert.includeMembers(yield* log, ["admin workspace.deleted", "worker workspace.erased"])
      assert.strictEqual((yield* admin("POST", root, { json: { name: "x", slug: "acme-ltd" } })).status, 201)
    }).pipe(Effect.scoped),
  )
})

const adminAccessTest = tagged(it.live, "attack/admin-access")
adminAccessTest("the administration refuses API keys, parts of the token and two tokens", () =>
  Effect.gen(function* () {
    const { admin } = yield* administrationOver(postgresWorld)
    const right = "admin_0123456789_0123456789_0123456789"
    for (const authorization of [
      "",
      "Bearer",
      "Bearer  ",
      `Bearer ${testKey}`,
      `Bearer ${right}x`,
      `Bearer ${right.slice(1)}`,
      `Basic ${right}`,
      `Bearer ${right}, Bearer ${right}`,
    ]) {
      const refused = yield* admin("GET", root, { headers: { authorization } })
      assert.deepStrictEqual(statusAndCode(refused), [401, "unauthorized"], authorization)
      assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      assert.strictEqual(refused.json.details.request_id, refused.headers.get("x-request-id"))
    }
    assert.strictEqual((yield* admin("GET", root, { headers: { authorization: `bearer ${right}` } })).status, 200)
  }).pipe(Effect.scoped),
)
