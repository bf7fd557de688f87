// Tests of the administration with processes: access by token, erasure of a deleted workspace after a killed worker, and the
// same operations on the command line.
import { ApiError, connectAdmin } from "@tentpole/client"
import { command as run } from "../support/CommandLine.ts"
import { ask, Service, tentpole, until, visit } from "../support/Service.ts"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const token = "admin_0123456789_0123456789_0123456789"
const root = "/admin/v1/workspaces"

describe("administration with ADMIN_TOKEN", () => {
  let service: Service
  const admin = (method: string, path: string, body?: unknown) =>
    ask(service.api, method, path, body, { authorization: `Bearer ${token}` })
  const command = (...args: ReadonlyArray<string>) => run(args, service.environment)

  beforeAll(async () => {
    service = await Service.prepare({ ...(await ownDatabase()), ADMIN_TOKEN: token })
    await service.start()
  })
  afterAll(() => service.remove())

  it(
    "answers 401 to a wrong token and an API key, and accepts the token",
    { tags: ["attack/admin-access"] },
    async () => {
      assert.strictEqual((await service.call("GET", root)).status, 401)
      const description = await admin("GET", "/admin/v1/openapi.json")
      assert.include(Object.keys(description.json.paths), "/admin/v1/workspaces/{workspace_id}")
      assert.strictEqual((await service.call("PUT", root)).status, 405)
      const { json } = await admin("GET", root)
      assert.deepStrictEqual(
        json.workspaces.map(({ slug }: { readonly slug: string }) => slug),
        ["default"],
      )
    },
  )

  it("the client of the administration API creates, lists and refuses", async () => {
    const client = connectAdmin({ url: service.api, adminToken: token })
    const { slug, workspace_id } = await client.workspaces.create({ payload: { name: "By client" } })
    const params = { workspace_id }
    for (const name of ["one", "two"]) await client.keys.create({ params, payload: { name } })
    const names: Array<string> = []
    for await (const key of client.keys.list.each({ params, query: { limit: 1 } })) names.push(key.name)
    assert.sameMembers(names, ["one", "two"])
    const wrong = connectAdmin({ url: service.api, adminToken: `${token}x` })
    const refused = await wrong.workspaces.find.result({ params })
    assert(!refused.ok && refused.error instanceof ApiError)
    assert.deepStrictEqual([slug, refused.error.code], ["by-client", "unauthorized"])
  })

  it("commands print tables for people, and with --json one document", async () => {
    const rows = async (...args: ReadonlyArray<string>) => {
      const { code, output } = await command(...args)
      assert.strictEqual(code, 0, output)
      return output.trimEnd().split("\n")
    }
    assert.match((await rows("workspace", "list"))[0] ?? "", /^slug +name +plan +credits +time_zone +workspace_id$/)
    assert.match((await rows("workspace", "show", "default")).join("\n"), /^sending_limits\.|^slug +default$/m)
    assert.match((await rows("key", "list")).join("\n"), /^key_id +name +prefix .*\n[0-9a-f-]{36} {2}first key/)
    assert.match((await rows("domain", "list"))[1] ?? "", /^example\.test +verified +/)
    assert.deepStrictEqual(await rows("page-domain", "list"), ["None."])
    assert.deepStrictEqual(await rows("suppression", "list"), ["None."])
    assert.match((await rows("hook", "list"))[0] ?? "", /^provider +configured +url$/)
    assert.deepStrictEqual(await rows("job", "dead"), ["None."])
    assert.deepStrictEqual(await rows("restore", "status"), ["Nothing waits: the database was not restored."])
    for (const args of [
      ["workspace", "list"],
      ["workspace", "show", "default"],
      ["key", "list"],
      ["domain", "list"],
      ["page-domain", "list"],
      ["suppression", "list"],
      ["hook", "list"],
      ["job", "dead"],
      ["restore", "status"],
      ["audit-log"],
    ]) {
      const { output } = await command(...args, "--json")
      assert.match(output, /^[{[]/, args.join(" "))
      JSON.parse(output)
    }
  })

  it("commands say in one line what they did not find", async () => {
    for (const action of ["requeue", "discard"]) {
      const { code, output } = await command("job", action, "blast_start:nothing")
      assert.deepStrictEqual([code, output.trimEnd()], [1, "No dead job has this id"])
    }
  })

  it("`workspace update` sets and removes the brand, and pages show it", async () => {
    const brand = [
      "--brand-name",
      "Acme Bakery",
      "--primary-color",
      "#0a7a3c",
      "--logo-url",
      "https://acme.example/l.png",
    ]
    const updated = await command("workspace", "update", "default", ...brand, "--brand-description", "Bread")
    assert.strictEqual(updated.code, 0, updated.output)
    assert.match(updated.output, /^brand\.name +Acme Bakery$/m)
    const missing = await until("the page to have the brand", async () => {
      const { text } = await visit(`${service.pages}/missing`)
      return text.includes("https://acme.example/l.png") && text
    })
    assert.include(missing, "#0a7a3c")
    const cleared = JSON.parse((await command("workspace", "update", "default", "--logo-url", "", "--json")).output)
    assert.deepInclude(cleared.brand, { logo_url: null, name: "Acme Bakery", description: "Bread" })
    const refused = await command("workspace", "update", "default", "--primary-color", "green")
    assert.strictEqual(refused.code, 1)
    assert.include(refused.output, "primary_color must be a colour, such as #1a73e8")
  })

  it("commands see each other's changes, and the audit log has their actor", async () => {
    const creation = ["workspace", "create", "By command", "--plan", "pro", "--from-name", "Ann"]
    const made = await tentpole(creation, service.environment)
    assert.strictEqual(made.code, 0, made.output)
    const at = ["--workspace", "by-command"] as const
    assert.include((await command("page-domain", "create", ...at, "www.command.example")).output, "page_domain_id")
    assert.include((await command("suppression", "create", ...at, "Ann@Example.test")).output, "ann@example.test")
    assert.include((await command("suppression", "list", ...at)).output, "ann@example.test")
    assert.include((await command("domain", "create", ...at, "mail.command.test")).output, "v=DKIM1; k=rsa; p=")
    assert.match((await command("key", "create", ...at, "--name", "k")).output, /^api_key +tp_live_/m)
    const refused = await command("workspace", "delete", "by-command", "--confirm", "other")
    assert.deepStrictEqual([refused.code, refused.output.includes("by-command")], [1, true])
    const log = JSON.parse((await command("audit-log", ...at, "--json")).output)
    assert.sameMembers(
      log.entries.map(({ action, actor }: { readonly action: string; readonly actor: string }) => `${actor} ${action}`),
      ["workspace.created", "page_domain.added", "suppression.added", "domain.added", "key.created"].map(
        (each) => `cli ${each}`,
      ),
    )
  })

  it("the next worker erases a workspace that was deleted while no worker ran", async () => {
    const { json: workspace } = await admin("POST", root, { name: "Doomed" })
    const at = `${root}/${workspace.workspace_id}`
    const { json: key } = await admin("POST", `${at}/keys`, { name: "k" })
    const mine = (method: string, path: string, body?: unknown) =>
      ask(service.api, method, path, body, { authorization: `Bearer ${key.api_key}` })
    const people = Array.from({ length: 100 }, (_, n) => ({ email: `p${n}@doomed.test` }))
    const made = await mine("POST", "/v1/contacts", { items: people })
    assert.strictEqual(made.status, 201, made.text)

    process.kill((await service.pids()).worker, "SIGKILL")
    const deleted = await admin("DELETE", `${at}?confirm=doomed`)
    assert.strictEqual(deleted.status, 202, deleted.text)
    assert.strictEqual((await mine("GET", "/v1/contacts")).status, 401)
    const erased = await until("the workspace to be erased", async () => {
      const { json } = await admin("GET", `/admin/v1/audit-log?workspace_id=${workspace.workspace_id}`)
      return json.entries.find(({ action }: { readonly action: string }) => action === "workspace.erased")
    })
    assert.strictEqual(erased.actor, "worker")
  })

  it("the doctor reports no problem of a running service, and the problems of a broken one", async () => {
    const well = await command("doctor")
    assert.strictEqual(well.code, 0, well.output)
    assert.include(well.output, "PostgreSQL 18 answers")
    const broken = await run(["doctor", "--json"], {
      ...service.environment,
      SMTP_URL: "smtp://127.0.0.1:1",
      DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x",
    })
    assert.strictEqual(broken.code, 1, broken.output)
    for (const says of ["DATABASE_URL", "SMTP_URL"]) assert.include(broken.output, says)
    assert.notInclude(broken.output, "secret")
  })

  it("a repeated request with an idempotency key gets the first answer after a restart of the process", async () => {
    const headers = { "idempotency-key": "over a restart" }
    const body = { name: "Over a restart", kind: "static" }
    const first = await service.call("POST", "/v1/contact-lists", body, headers)
    assert.strictEqual(first.status, 201, first.text)
    process.kill((await service.pids()).http, "SIGKILL")
    const again = await until("the new process", () =>
      service.call("POST", "/v1/contact-lists", body, headers).catch(() => undefined),
    )
    assert.deepStrictEqual(
      [again.status, again.text, again.headers.get("idempotency-replayed")],
      [201, first.text, "true"],
    )
  })
})
