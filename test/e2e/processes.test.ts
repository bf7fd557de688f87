// Tests of single processes, as on several machines: `tentpole http` and `tentpole worker` with a database that the next
// release has migrated.
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { ServiceProcess } from "../support/ServiceProcess.ts"
import { startBlast } from "../support/Blast.ts"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { statement } from "../support/Owner.ts"
import { Ending } from "../support/Ending.ts"
import { next_applied } from "../support/NextRelease.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { answered, apiKey, ask, callsOf, commandLine, openRequest, until } from "../support/Service.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const ending = new Ending()
const processes: Array<ServiceProcess> = []
let api = ""
let sink: FakeSmtp

beforeAll(async () => {
  sink = await FakeSmtp.start()
  await ending.with(() => sink.close())
  const url = await Effect.runPromise(clone("processes"))
  await statement(url, next_applied)
  const ports = [await freePort(), await freePort()]
  api = `http://127.0.0.1:${ports[0]}`
  const variables = {
    DATABASE_URL: Redacted.value(url),
    DATA_DIR: await ending.folder(),
    PORT: String(ports[0]),
    PAGES_PORT: String(ports[1]),
    CONSOLE_PORT: "0",
    SMTP_URL: sink.url,
    BOOTSTRAP_API_KEY: apiKey,
    DRAIN_SECONDS: "7",
    JSON_BYTES_MAX: String(2 ** 20),
  }
  for (const command of ["http", "worker"]) {
    processes.push(await ServiceProcess.start(ending, commandLine.href, variables, { args: [command] }))
  }
  await Promise.all(processes.map((started) => started.up()))
})
afterAll(() => ending.all())

const call = (method: string, path: string, body?: unknown) => ask(api, method, path, body)

it("http and worker processes work with a database that the next release has migrated", async () => {
  await until("readiness", async () => (await call("GET", "/readyz")).status === 200)
  await answered({ call }, "POST", "/v1/contacts", { items: [{ email: "ann@example.test" }] })
  const { lists } = await answered({ call }, "GET", "/v1/contact-lists?kind=system")
  const { list_id } = lists.find(({ name }: { readonly name: string }) => name === "All contacts")
  const blast = await startBlast(callsOf({ call }), list_id)
  await until("the blast", async () => (await call("GET", `/v1/email-blasts/${blast}`)).json.status === "sent")
  assert.deepStrictEqual(
    sink.messages.map(({ to }) => to),
    ["ann@example.test"],
  )
})

it("a request body above the configured limit is refused with the limit", async () => {
  const large = await call("POST", "/v1/contacts", {
    items: [{ email: "a@example.test", first_name: "x".repeat(2 ** 20) }],
  })
  assert.deepStrictEqual([large.status, large.json.error_code], [413, "payload_too_large"])
  assert.include(large.json.message, "exceeds the limit of 1 MB")
  assert.strictEqual(large.json.details.request_id, large.headers.get("x-request-id"))
})

it("on SIGTERM, readiness ends first, open requests are answered, and the exit code is 0", async () => {
  const late = await openRequest(api)
  for (const started of processes) started.terminate()
  const isStopping = async () => (await call("GET", "/readyz")).json.status === "stopping"
  await until("readiness to say so", isStopping, { every_ms: 20 })
  assert.strictEqual(await late.complete(), 201)
  assert.deepStrictEqual(await Promise.all(processes.map(({ ended }) => ended)), [0, 0])
})
