// Tests of limits that two HTTP processes share.
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { tests_per_hour_max } from "@tentpole/core/sending/TestMails"
import { submissionLimit } from "@tentpole/http/pages/FormPages"
import { failed_attempts_max } from "@tentpole/http/admin/AttemptLimit"
import { Effect, Redacted } from "effect"
import { request } from "node:http"
import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { Ending } from "../support/Ending.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { apiKey, ask, commandLine, until } from "../support/Service.ts"
import { ServiceProcess } from "../support/ServiceProcess.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const perMinute = 300
const adminToken = "admin_0123456789_0123456789_0123456789"
const ending = new Ending()
const origins: Array<string> = []
const pages: Array<number> = []

beforeAll(async () => {
  const url = await Effect.runPromise(clone("limits"))
  const shared = {
    DATABASE_URL: Redacted.value(url),
    DATA_DIR: await ending.folder(),
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_TOKEN: adminToken,
    RATE_LIMIT_PER_MINUTE: String(perMinute),
    CONSOLE_PORT: "0",
    TRUST_PROXY: "127.0.0.1",
  }
  for (let each = 0; each < 2; each++) {
    const port = await freePort()
    const pagesPort = await freePort()
    const variables = { ...shared, PORT: String(port), PAGES_PORT: String(pagesPort) }
    const started = await ServiceProcess.start(ending, commandLine.href, variables, { args: ["http"] })
    await started.up()
    const origin = `http://127.0.0.1:${port}`
    await until("readiness", async () => (await ask(origin, "GET", "/readyz")).status === 200)
    origins.push(origin)
    pages.push(pagesPort)
  }
})
afterAll(() => ending.all())

const process = (each: number): string => origins[each % origins.length] ?? assert.fail("no process")

it("two processes together accept the requests that one may accept", async () => {
  const began_ms = Date.now()
  const client = async (first: number) => {
    const statuses: Array<number> = []
    for (let each = 0; each < 60; each++) {
      statuses.push((await ask(process(first + each), "GET", "/v1/contact-lists?limit=1")).status)
    }
    return statuses
  }
  const statuses = (await Promise.all(Array.from({ length: 10 }, (_, first) => client(first)))).flat()
  const refilled = ((Date.now() - began_ms) / 60_000) * perMinute
  const accepted = statuses.filter((status) => status === 200).length
  assert.isAtLeast(accepted, Math.min(statuses.length, perMinute) * 0.9)
  assert.isAtMost(accepted, perMinute * 1.05 + refilled)
  assert.sameMembers([...new Set(statuses)], [200, 429])
})

it("wrong administration tokens of an address are limited in all processes, and no other address is", async () => {
  const admin = (each: number, token: string, address: string) =>
    ask(process(each), "GET", "/admin/v1/workspaces", undefined, {
      authorization: `Bearer ${token}`,
      "x-forwarded-for": address,
    })
  const [guesser, owner] = ["203.0.113.7", "203.0.113.8"]
  const statuses = []
  for (let each = 0; each < failed_attempts_max + 2; each++) {
    statuses.push((await admin(each, `${adminToken}${each}`, guesser)).status)
  }
  assert.deepStrictEqual(statuses, [...Array.from({ length: failed_attempts_max }, () => 401), 429, 429])
  for (let each = 0; each < 2; each++) {
    const refused = await admin(each, adminToken, guesser)
    assert.deepStrictEqual([refused.status, refused.json.error_code], [429, "rate_limited"], "also the right token")
    assert.match(refused.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/)
    for (let again = 0; again < failed_attempts_max + 1; again++) {
      assert.strictEqual((await admin(each, adminToken, owner)).status, 200)
    }
  }
})

/** Another key, whose requests count for themselves. */
const anotherKey = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${adminToken}`, "x-forwarded-for": "203.0.113.9" }
  const { json } = await ask(process(0), "GET", "/admin/v1/workspaces", undefined, headers)
  const path = `/admin/v1/workspaces/${json.workspaces[0].workspace_id}/keys`
  const created = await ask(process(0), "POST", path, { name: "limits" }, headers)
  assert.strictEqual(created.status, 201, created.text)
  return created.json.api_key
}

it("two processes together accept the test messages that one may accept", async () => {
  const authorization = `Bearer ${await anotherKey()}`
  const send = (each: number, path: string, body: unknown) => ask(process(each), "POST", path, body, { authorization })
  const fields = { from_name: "News", from_address: "news@example.test", reply_to_email: "news@example.test" }
  const email = await send(0, "/v1/emails", { name: "n", subject: "News", html: "<p>News</p>", ...fields })
  const path = `/v1/emails/${email.json.email_id}/test-send`
  const statuses: Array<number> = []
  for (let each = 0; each < tests_per_hour_max + 10; each++) {
    statuses.push((await send(each, path, { to: ["ann@example.test"] })).status)
  }
  assert.sameMembers([...new Set(statuses)], [202, 429])
  const accepted = statuses.filter((status) => status === 202).length
  assert.isAtLeast(accepted, tests_per_hour_max * 0.9)
  assert.isAtMost(accepted, tests_per_hour_max * 1.1)
})

it("two processes together accept the submissions of a visitor that one may accept, and others of another visitor", async () => {
  const authorization = `Bearer ${await anotherKey()}`
  const html = '<html><body><form id="f"><input name="email"></form></body></html>'
  const body = { name: "n", html, auto_publish: true }
  const { json } = await ask(process(0), "POST", "/v1/tents", body, { authorization })
  const submit = (each: number, address: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host: "default.localhost",
        "content-type": "application/x-www-form-urlencoded",
        "x-forwarded-for": address,
      }
      const port = pages[each % pages.length]
      request({ host: "127.0.0.1", port, path: `/f/${json.id}/f`, method: "POST", headers }, (response) =>
        resolve(response.resume().statusCode),
      )
        .once("error", reject)
        .end(`email=person${each}@example.test`)
    })
  const began_ms = Date.now()
  const statuses: Array<number | undefined> = []
  for (let each = 0; each < submissionLimit.burst * 2; each++) statuses.push(await submit(each, "203.0.113.10"))
  const refilled = ((Date.now() - began_ms) / 1000) * submissionLimit.per_second
  assert.sameMembers([...new Set(statuses)], [200, 429])
  const accepted = statuses.filter((status) => status === 200).length
  assert.isAtLeast(accepted, submissionLimit.burst * 0.9)
  assert.isAtMost(accepted, submissionLimit.burst * 1.1 + refilled)
  assert.strictEqual(await submit(0, "203.0.113.11"), 200)
})
