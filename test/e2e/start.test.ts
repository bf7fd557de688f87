// Tests of `tentpole start` and its shutdown with processes and a new database.
import { start as embedded } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { command } from "../support/CommandLine.ts"
import { statement } from "../support/Owner.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { apiKey, listening, Service, tentpole, until } from "../support/Service.ts"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("tentpole start", { tags: ["attack/admin-access"] }, () => {
  let service: Service
  let worker: string
  beforeAll(async () => {
    const port = String(await freePort())
    worker = `http://127.0.0.1:${port}`
    service = await Service.prepare({ WORKER_PORT: port })
  })
  afterAll(() => service.remove())

  it("prints its URLs, and no API key that is configured", async () => {
    await service.start()
    for (const shown of [service.api, `${service.api}/docs`, service.pages, "outbox"]) {
      assert.include(service.output, shown)
    }
    assert.notInclude(service.output, apiKey)
    assert.match(
      service.output,
      /^Tentpole is starting\.\nStarting PostgreSQL …\nRunning migrations …\nStarting the API and the worker …\n\nTentpole is running\./,
    )
    assert.match(service.output.trimEnd(), /Send a first mail: {2}npm run tentpole -- hello ann@example\.test$/)
    await until("readiness", async () => {
      const ready = await service.call("GET", "/readyz")
      return ready.status === 200 && ready.json.status === "ready"
    })
    const description = await service.call("GET", "/openapi.json")
    assert.strictEqual(description.json.info.version, "1.0.0")
    const docs = await service.call("GET", "/docs")
    assert.strictEqual(docs.status, 200)
    assert.notMatch(docs.text, /<script[^>]+src="http/)
    assert.include((await service.call("GET", "/metrics")).text, "tentpole_http_requests_total")
  })

  it("answers 404 to everything under /admin without ADMIN_TOKEN", async () => {
    for (const authorization of ["Bearer admin_0123456789_0123456789_0123456789", `Bearer ${apiKey}`, ""]) {
      for (const path of ["/admin/v1/workspaces", "/admin/v1/openapi.json", "/admin"]) {
        const answer = await service.call("GET", path, undefined, { authorization })
        assert.deepStrictEqual([answer.status, answer.json.error_code], [404, "not_found"], path)
      }
      assert.strictEqual((await service.call("POST", "/admin/v1/workspaces", {}, { authorization })).status, 404)
    }
  })

  it("lets no other user read the data folder", async () => {
    const data = join(service.folder, "data")
    // Reading and writing. The embedded PostgreSQL of root runs as another user, which passes the folder.
    const modeOf = async (path: string) => (await stat(path)).mode & 0o066
    for (const path of [data, join(data, "assets"), join(data, "app-secret")])
      assert.strictEqual(await modeOf(path), 0, path)
  })

  it("reads a long prompt on parsing threads, in the HTTP process and in the worker", async () => {
    const prompt = `Create a page for a bakery. ${"It sells bread and cakes. ".repeat(300)}`
    const { json } = await service.call("POST", "/v1/tents", { name: "n", prompt })
    const path = `/v1/tents/${json.id}`
    await until("the page", async () => (await service.call("GET", path)).json.status === "completed")
    const isParsed = (metrics: string, parser: string) =>
      metrics
        .split("\n")
        .some((line) => ["parser_runs_total{", `"${parser}"`, '"parsed"'].every((each) => line.includes(each)))
    assert.isTrue(isParsed(await (await fetch(`${service.api}/metrics`)).text(), "fake_intent"))
    assert.isTrue(isParsed(await (await fetch(`${worker}/metrics`)).text(), "fake_page"))
  })

  it("refuses a second start in the same folder with one sentence", async () => {
    const port = String(await freePort())
    const other = String(await freePort())
    const second = await tentpole(["start"], {
      ...service.environment,
      PORT: port,
      PAGES_PORT: other,
      CONSOLE_PORT: "0",
    })
    assert.strictEqual(second.code, 1)
    assert.match(
      second.output.trim(),
      /^Tentpole is starting\.\nTentpole is already running on .*stop it, or set DATA_DIR to another folder\.$/,
    )
  })

  it("restarts a process that crashed", async () => {
    const before = await service.pids()
    process.kill(before.http, "SIGKILL")
    const after = await until("a new http process", async () => {
      const { http } = await service.pids()
      return http !== before.http && (await fetch(`${service.api}/readyz`).catch(() => undefined))?.ok && http
    })
    assert.notStrictEqual(after, before.http)
    await until("a line about it", async () =>
      service.output.includes("The http process ended by SIGKILL; it is restarted."),
    )
  })

  it("keeps all data after kill -9 of all processes", async () => {
    const { http, worker } = await service.pids()
    await service.signal("SIGKILL")
    for (const pid of [http, worker]) if (alive(pid)) process.kill(pid, "SIGKILL")
    service.output = ""
    await service.start()
    assert.notInclude(service.output, apiKey)
    assert.include((await command(["key", "list"], service.environment)).output, "first key")
  })

  it("stops all processes and the database on Ctrl-C, with exit code 0, and keeps all data", async () => {
    const { http, worker } = await service.pids()
    assert.strictEqual(await service.signal("SIGINT"), 0)
    assert.isFalse(alive(http))
    assert.isFalse(alive(worker))
    const key = await command(["key", "list"], service.environment)
    assert.strictEqual(key.code, 1)
    assert.include(key.output, "No database is available")
    const server = embedded({ folder: join(service.folder, "data/database"), durable: true, port: null })
    const kept = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(server, ({ ownerUrl }) => Effect.promise(() => statement(ownerUrl, "select name from api_key"))),
      ),
    )
    assert.deepStrictEqual(kept, [{ name: "first key" }])
  })
})

describe("tentpole start with an invalid configuration prints one sentence with the remedy", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tentpole-bad-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const refused = async (more: Record<string, string>, sentence: RegExp) => {
    const ports = { PORT: String(await freePort()), PAGES_PORT: String(await freePort()), CONSOLE_PORT: "0" }
    const { code, output } = await command(["start"], { DATA_DIR: folder, ...ports, ...more })
    assert.strictEqual(code, 1, output)
    assert.match(output.trim(), sentence)
    assert.strictEqual(output.trim().split("\n").length, 1)
  }

  it("for an unreachable database", async () => {
    const unusedPort = await freePort()
    await refused(
      { DATABASE_URL: `postgres://u:secret@127.0.0.1:${unusedPort}/x` },
      /^PostgreSQL can't be reached: check DATABASE_URL/,
    )
  })

  it("after the name of the step that failed", async () => {
    const broken = await mkdtemp(join(tmpdir(), "tentpole-broken-"))
    await writeFile(join(broken, "database"), "no folder")
    const ports = {
      PORT: String(await freePort()),
      PAGES_PORT: String(await freePort()),
      CONSOLE_PORT: String(await freePort()),
    }
    const { code, output } = await tentpole(["start"], { DATA_DIR: broken, ...ports })
    assert.strictEqual(code, 1, output)
    assert.match(output, /^Tentpole is starting\.\nStarting PostgreSQL …\n./)
    assert.notInclude(output, "Running migrations")
    await rm(broken, { recursive: true })
  })

  it("for a port in use", async () => {
    const server = createServer()
    await refused(
      { PORT: String(await listening(server)) },
      /^Port \d+ on 127\.0\.0\.1 is in use.*set PORT to a free port\.$/,
    )
    server.close()
  })

  it("for a malformed SMTP_URL", () =>
    refused({ SMTP_URL: "mail.example.com:25" }, /SMTP_URL must be a URL like smtp:\/\/user:password@/))

  it("for a DATA_DIR without write permission", async () => {
    await chmod(folder, 0o755)
    await refused(
      { DATA_DIR: "/dev/null/data" },
      /^DATA_DIR \(\/dev\/null\/data\) can't be written: .* this user may write\.$/,
    )
  })

  it("for several mistakes at once", () =>
    refused(
      { SMTP_CONNECTIONS: "many", SENDING: "off" },
      /SMTP_CONNECTIONS must be .*; SENDING must be one of on, held/,
    ))
})
