// Tests of a contact's and a workspace's data with processes: export, erasure in every table and file, and a restored copy,
// which sends nothing until SENDING is `on`.
import { Effect, Redacted } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it, vi } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { draftBlast, letterFrom, startBlast } from "../support/Blast.ts"
import { command } from "../support/CommandLine.ts"
import { statement } from "../support/Owner.ts"
import { answered, commandLine, Service, until } from "../support/Service.ts"
import { ServiceProcess } from "../support/ServiceProcess.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { filesHolding, tablesHolding } from "./Canary.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const token = "admin_0123456789_0123456789_0123456789"
/** The secret that encrypts stored secrets. A backup needs it. */
const secret = "a secret that outlives the machine, and its folder"
/** Part of all addresses and texts about the contact, and of nothing else. */
const trace = "anntraced"

const superuser = <Row extends object>(database: string, text: string) =>
  statement<Row>(Redacted.make(`${inject("pgServer")}/${database}`), text)

describe("stored data", () => {
  let sink: FakeSmtp
  let service: Service
  let database: string
  let id = ""

  beforeAll(async () => {
    sink = await FakeSmtp.start()
    const url = Redacted.value(await Effect.runPromise(clone("copies")))
    database = new URL(url).pathname.slice(1)
    service = await Service.prepare({ DATABASE_URL: url, SMTP_URL: sink.url, APP_SECRET: secret, ADMIN_TOKEN: token })
    await service.start()
  })
  afterAll(async () => {
    await service.remove()
    await sink.close()
  })

  const call = (method: string, path: string, body?: unknown) => answered(service, method, path, body)

  /** The tables that contain the trace. */
  const tablesNaming = async (): Promise<ReadonlyArray<string>> => {
    const found = await tablesHolding((text) => superuser(database, text), trace)
    return found.map((name) => name.replace("public.", ""))
  }
  const filesNaming = () => filesHolding(join(service.folder, "data/assets"), trace)

  it("a contact has rows in every room, and files", async () => {
    await superuser(database, "select outbox_subscribe(workspace_id, 'test') from workspace")
    const created = await call("POST", "/v1/contacts", {
      items: [{ email: `${trace}@x.test`, first_name: trace, phone: "+14155550123" }, { email: "other@x.test" }],
    })
    id = created.items[0].contact_id
    await call("PATCH", `/v1/contacts/${id}`, { email: `${trace}.two@x.test` })

    const list = await call("POST", "/v1/contact-lists", { name: "All", kind: "static", contact_ids: [id] })
    const { export_id } = await call("POST", `/v1/contact-lists/${list.list_id}/export`, {})
    const rows = [{ Email: "new@x.test" }, { Email: "no address", Note: `ask ${trace}.two@x.test` }]
    const session = await call("POST", "/v1/contacts/imports", { source: "rows", rows, file_name: "people.csv" })
    const mappings = [{ header: "Email", target_field: "email" }]
    const at = `/v1/contacts/imports/${session.import_session_id}/execute`
    const { import_run_id } = await call("POST", at, { mappings })

    const blast_id = await startBlast(call, list.list_id)
    await until("everything to be done", async () => {
      const [exported, imported, blast] = await Promise.all([
        call("GET", `/v1/contact-lists/${list.list_id}/export/${export_id}`),
        call("GET", `/v1/contacts/imports/${import_run_id}`),
        call("GET", `/v1/email-blasts/${blast_id}`),
      ])
      return exported.status === "completed" && imported.status === "completed" && blast.status === "sent"
    })

    const tables = await tablesNaming()
    for (const table of ["activity", "contact", "delivery", "import_row", "outbox_event"]) assert.include(tables, table)
    assert.isAtLeast((await filesNaming()).length, 2)
  })

  it("the data export of a contact contains everything stored about it", async () => {
    const [row] = await superuser<{ readonly workspace_id: string }>(database, "select workspace_id from workspace")
    const workspace_id = row?.workspace_id ?? ""
    const path = `/admin/v1/workspaces/${workspace_id}/contacts/${id}/export`
    const exported = await service.call("GET", path, undefined, { authorization: `Bearer ${token}` })
    assert.strictEqual(exported.json.contact_id, id)
    assert.includeMembers(Object.keys(exported.json.records), ["activity", "contact", "delivery", "list_member"])
    assert.include(exported.text, `${trace}@x.test`)
    assert.notInclude(exported.text, "other@x.test")
  })

  it("the export of a workspace has a line for each row, without secrets", async () => {
    const folder = join(service.folder, "out")
    const { code, output } = await command(
      ["workspace", "export", "default", "--to", folder, "--json"],
      service.environment,
    )
    assert.strictEqual(code, 0, output)
    const files = await readdir(folder)
    const counted = Object.entries(JSON.parse(output).rows)
    assert.strictEqual(counted.length, files.length)
    for (const [table, rows] of counted) {
      const lines = (await readFile(join(folder, `${table}.ndjson`), "utf8")).trimEnd().split("\n")
      assert.strictEqual(lines.length, rows, table)
      for (const line of lines) assert.isObject(JSON.parse(line))
    }
    assert.includeMembers(
      counted.map(([table]) => table),
      ["blast", "contact", "delivery", "email", "list", "workspace"],
    )
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))
    assert.notMatch(texts.join(""), /private_key|answer_sealed|"hash"/)
    const again = await command(["workspace", "export", "default", "--to", folder], service.environment)
    assert.strictEqual(again.code, 1)
    assert.match(again.output, /can't be written .*: use an empty folder/)
  })

  it("an erased contact is in no table and no file", async () => {
    const { code, output } = await command(["contact", "erase", id], service.environment)
    assert.strictEqual(code, 0, output)
    assert.deepStrictEqual(await tablesNaming(), [])
    assert.deepStrictEqual(await filesNaming(), [])
    const log = await service.call("GET", "/admin/v1/audit-log", undefined, { authorization: `Bearer ${token}` })
    assert.strictEqual(log.json.entries[0].action, "contact.erased")
  })

  it("a restored copy sends nothing with SENDING=held, and each message once with `on`", async () => {
    const { lists } = await call("GET", "/v1/contact-lists?kind=system")
    const { list_id } = lists.find(({ name }: { readonly name: string }) => name === "All contacts")
    const blast_id = await draftBlast(call, list_id, letterFrom("t@example.test"))
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
    await call("POST", `/v1/email-blasts/${blast_id}/schedule`, { scheduled_at })
    assert.strictEqual(await service.signal("SIGTERM"), 0)

    const copy = `${database}_restored`
    const url = new URL(service.environment["DATABASE_URL"] ?? "")
    url.pathname = `/${copy}`
    await superuser("postgres", `create database ${copy} owner ${url.username} template ${database} strategy file_copy`)
    // As if the copy were restored after the scheduled time.
    await superuser(copy, "update blast set scheduled_at = now() - interval '1 minute' where status = 'scheduled'")
    await superuser(copy, "update due_work set due_at = now() - interval '1 minute'")
    const before = sink.messages.length
    const environment = { DATABASE_URL: url.href, SMTP_URL: sink.url, APP_SECRET: secret }
    const restored = await Service.prepare({ ...environment, SENDING: "held" })
    await restored.start()
    try {
      // A worker that has generated a tent has run long enough to have checked the schedules.
      const tent = await answered(restored, "POST", "/v1/tents", { name: "n", prompt: "Build a website" })
      await until("a job", async () => (await answered(restored, "GET", `/v1/tents/${tent.id}`)).status === "completed")
      assert.strictEqual((await answered(restored, "GET", `/v1/email-blasts/${blast_id}`)).status, "scheduled")
      assert.strictEqual(sink.messages.length, before)
      assert.strictEqual(await restored.signal("SIGTERM"), 0)
      const variables = { ...restored.environment, ...environment, SENDING: "on" }
      const released = new ServiceProcess(commandLine.href, variables, { args: ["worker"] })
      try {
        await until("the blast", async () => {
          const [blast] = await superuser<{ status: string }>(
            copy,
            `select status from blast where blast_id = '${blast_id}'`,
          )
          return blast?.status === "sent"
        })
        const sent = sink.messages.slice(before).map(({ to }) => to)
        assert.sameMembers(sent, ["other@x.test", "new@x.test"])
      } finally {
        await released.kill()
      }
    } finally {
      await restored.remove()
    }
  })
})
