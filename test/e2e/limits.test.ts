// Tests of limits that two HTTP processes share.
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { failed_attempts_max } from "@tentpole/http/admin/AttemptLimit"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { Ending } from "../support/Ending.ts"
import { apiKey, ask, freePort, until } from "../support/Service.ts"
import { ServiceProcess } from "../support/ServiceProcess.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const perMinute = 300
const adminToken = "admin_0123456789_0123456789_0123456789"
const ending = new Ending()
const origins: Array<string> = []

beforeAll(async () => {
  const url = await Effect.runPromise(clone("limits"))
  const shared = {
    DATABASE_URL: Redacted.value(url),
    DATA_DIR: await ending.folder(),
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_TOKEN: adminToken,
    RATE_LIMIT_PER_MINUTE: String(perMinute),
    TRUST_PROXY: "127.0.0.1",
  }
  for (let each = 0; each < 2; each++) {
    const port = await freePort()
    const variables = { ...shared, PORT: String(port), PAGES_PORT: String(await freePort()) }
    const started = await ServiceProcess.start(ending, "@tentpole/http/cli/main", variables, { args: ["http"] })
    await started.up()
    const origin = `http://127.0.0.1:${port}`
    await until("readiness", async () => (await ask(origin, "GET", "/readyz")).status === 200)
    origins.push(origin)
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
