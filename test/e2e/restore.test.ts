// Tests of a restore with processes: a database that is replaced by a backup sends nothing until its release, and then no
// recipient a second message.
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it, vi } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { letterFrom, startBlast } from "../support/Blast.ts"
import { command } from "../support/CommandLine.ts"
import { statement } from "../support/Owner.ts"
import { answered, commandLine, Service, until } from "../support/Service.ts"
import { ServiceProcess } from "../support/ServiceProcess.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const addresses = ["ann@x.test", "bob@x.test", "cyd@x.test"]

describe("restore", () => {
  let sink: FakeSmtp
  let service: Service
  let blastId = ""

  const call = (method: string, path: string, body?: unknown) => answered(service, method, path, body)
  const restore = async (...args: ReadonlyArray<string>) => {
    const { code, output } = await command(["restore", ...args, "--json"], service.environment)
    assert.strictEqual(code, 0, output)
    return JSON.parse(output)
  }
  const status = async () => (await call("GET", `/v1/email-blasts/${blastId}`)).status
  const send = async () => {
    const { lists } = await call("GET", "/v1/contact-lists?kind=system")
    const { list_id } = lists.find(({ name }: { readonly name: string }) => name === "All contacts")
    return startBlast((method, path, body) => call(method, path, body), list_id, letterFrom("t@example.test"))
  }

  /** A blast that waits in the backup, and that is sent after it. Then the backup takes the place of the database. */
  beforeAll(async () => {
    sink = await FakeSmtp.start()
    const url = new URL(Redacted.value(await Effect.runPromise(clone("restore"))))
    const database = url.pathname.slice(1)
    const environment = { DATABASE_URL: url.href, SMTP_URL: sink.url }
    service = await Service.prepare({ ...environment, SENDING: "held" })
    await service.start()
    await call("POST", "/v1/contacts", { items: addresses.map((email) => ({ email })) })
    blastId = await send()
    await until("the audience", async () => {
      const { contacts } = await call("GET", `/v1/email-blasts/${blastId}/contacts`)
      return contacts.length === addresses.length
    })
    assert.strictEqual(await service.signal("SIGTERM"), 0)
    const backup = `${database}_backup`
    await statement(
      Redacted.make(`${inject("pgServer")}/postgres`),
      `create database ${backup} owner ${url.username} template ${database} strategy file_copy`,
    )
    const folder = { DATA_DIR: join(service.folder, "data") }
    const variables = { ...service.environment, ...environment, SENDING: "on" }
    const sending = new ServiceProcess(commandLine.href, variables, { args: ["worker"] })
    await until("the messages", async () => sink.messages.length === addresses.length)
    sending.terminate()
    assert.strictEqual(await sending.ended, 0)
    url.pathname = `/${backup}`
    service = await Service.prepare({ ...environment, ...folder, DATABASE_URL: url.href })
    await service.start()
  })
  afterAll(async () => {
    await service.remove()
    await sink.close()
  })

  it("the doctor and the status say what waits, and nothing is sent", async () => {
    // A worker recognises it after its start.
    await until("the restore to be recognised", async () =>
      /warning\s+restore .*backup/.test((await command(["doctor"], service.environment)).output),
    )
    const { restore: found } = await restore("status")
    assert.deepStrictEqual(
      found.blasts.map(({ id, open_count, status: state }: Record<string, unknown>) => [id, open_count, state]),
      [[blastId, addresses.length, "sending"]],
    )
    // A worker that has generated a tent has run long enough to have claimed messages.
    const tent = await call("POST", "/v1/tents", { name: "n", prompt: "Build a website" })
    await until("a job", async () => (await call("GET", `/v1/tents/${tent.id}`)).status === "completed")
    assert.strictEqual(sink.messages.length, addresses.length)
    assert.strictEqual(await status(), "sending")
  })

  it("a release without a choice is refused, and one of another id changes nothing", async () => {
    const refused = await command(["restore", "release"], service.environment)
    assert.strictEqual(refused.code, 1)
    assert.match(refused.output, /--blasts, --flows or --all/)
    const other = "00000000-0000-7000-8000-000000000000"
    assert.deepStrictEqual(await restore("release", "--blasts", other), {
      released: [],
      unknown: [other],
      ended: false,
    })
  })

  it("after its release the blast ends without a second message", async () => {
    const { released } = await restore("release", "--blasts", blastId)
    assert.deepStrictEqual(released, [
      { id: blastId, outcome: "released", unconfirmed: addresses.length, sent: 0, failed: 0 },
    ])
    await until("the blast to end", async () => (await status()) === "sent")
    assert.strictEqual(sink.messages.length, addresses.length)
  })

  it("ends with --all, and later blasts are sent", async () => {
    assert.deepStrictEqual(await restore("release", "--all"), { released: [], unknown: [], ended: true })
    assert.deepStrictEqual(await restore("status"), { restore: null })
    await send()
    await until("the messages", async () => sink.messages.length === 2 * addresses.length)
  })
})
