// Tests of operations with processes: readiness, metrics and traces, logs without secrets, a schema that is ahead of the code,
// and a shutdown that completes requests.
import { Effect, Redacted } from "effect"
import parse from "parse-prometheus-text-format"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Proxy } from "../faults/Proxy.ts"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Collector, type Span } from "../support/Collector.ts"
import { statement } from "../support/Owner.ts"
import { Ending } from "../support/Ending.ts"
import { next_applied } from "../support/NextRelease.ts"
import { command } from "../support/CommandLine.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { apiKey, openRequest, Service, until } from "../support/Service.ts"
import * as Canary from "./Canary.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const traceId = "0af7651916cd43dd8448eb211c80319c"
const callersSpan = "b7ad6b7169203331"

describe("a monitored service", () => {
  const ending = new Ending()
  let service: Service
  let collector: Collector
  let database: string
  let wire: Proxy
  let watched: string

  beforeAll(async () => {
    database = Redacted.value(await Effect.runPromise(clone("operating")))
    const url = new URL(database)
    wire = await Proxy.to(Number(url.port), ending)
    url.port = String(wire.port)
    collector = await Collector.listen()
    const sink = await FakeSmtp.start({
      behaviour: { extensions: ["AUTH PLAIN", "PIPELINING", "8BITMIME", "SMTPUTF8"] },
      script: (stage, { to }) => (stage === "rcpt" ? Canary.refusal(to) : undefined),
    })
    const provider = await Canary.refusingProvider()
    await ending.with(() => sink.close())
    await ending.with(async () => provider.server.close())
    const port = String(await freePort())
    watched = `http://127.0.0.1:${port}`
    service = await Service.prepare({
      DATABASE_URL: url.href,
      WORKER_PORT: port,
      DRAIN_SECONDS: "7",
      OTLP_URL: `${collector.url}/`,
      LOG_FORMAT: "json",
      LOG_LEVEL: "debug",
      APP_SECRET: Canary.secrets["the secret of the application"],
      SMTP_URL: sink.url.replace("//", `//canary:${Canary.secrets["the mail server's password"]}@`),
      AI_PROVIDER: "openai",
      AI_BASE_URL: provider.url,
      AI_API_KEY: Canary.secrets["the AI's key"],
    })
    await service.start()
  })
  afterAll(async () => {
    await service.remove()
    collector.close()
    await ending.all()
  })

  const asOwner = <Row extends object>(text: string) => statement<Row>(Redacted.make(database), text)

  const createContact = (name: string, headers: Record<string, string> = {}) =>
    service.call("POST", "/v1/contacts", { items: [{ email: `${name}@example.test` }] }, headers)

  it("API and worker return metrics that an independent parser reads", async () => {
    const families = async (at: string) => {
      const response = await fetch(`${at}/metrics`)
      assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      return parse(await response.text())
    }
    await createContact("measured")
    const own = await until("the metrics of the database", async () => {
      const found = await families(service.api)
      return found.some(({ name }) => name === "tentpole_deliveries") && found
    })
    const histogram = own.find(({ name }) => name === "tentpole_http_request_seconds")
    const created = histogram?.metrics.find(({ labels }) => labels?.["route"] === "/v1/contacts")
    assert.strictEqual(histogram?.type, "HISTOGRAM")
    assert.strictEqual(created?.buckets?.["+Inf"], created?.count)
    await until(
      "the worker to be ready",
      async () => (await fetch(`${watched}/readyz`).catch(() => null))?.status === 200,
    )
    const workers = (await families(watched)).map(({ name }) => name)
    assert.include(workers, "process_resident_memory_bytes")
    assert.notInclude(workers, "tentpole_deliveries")
  })

  it("a request is one trace with the caller's span, the use case and its statements; a job is another", async () => {
    const traceparent = `00-${traceId}-${callersSpan}-01`
    const created = await createContact("traced.secret", { traceparent })
    assert.strictEqual(created.status, 201, created.text)
    const mine = () => collector.spans.filter((span) => span.traceId === traceId)
    const root = await until("the request's span", async () => mine().find(({ name }) => name === "POST /v1/contacts"))
    assert.strictEqual(root.parentSpanId, callersSpan)
    assert.strictEqual(root.service, "tentpole-http")
    assert.strictEqual(root.attributes["request_id"], created.headers.get("x-request-id"))
    assert.strictEqual(Number(root.attributes["http.response.status_code"]), 201)
    const isStatement = (span: Span) => `${span.attributes["db.query.text"]}`.includes("insert into contact")
    const insert = mine().find(isStatement)
    if (insert === undefined) return assert.fail("the insert has no span")
    const above = collector.above(insert).map(({ name }) => name)
    assert.include(above, "Contacts.create")
    assert.strictEqual(above.at(-1), "POST /v1/contacts")

    const letter = await service.call("POST", "/v1/emails", { name: "n", prompt: "A letter about chairs" })
    assert.strictEqual(letter.status, 202, letter.text)
    const job = await until("the job's span", async () =>
      collector.spans.find(({ name }) => name === "job email_generation"),
    )
    assert.strictEqual(job.service, "tentpole-worker")
    for (const secret of ["traced.secret@", apiKey]) assert.notInclude(collector.text, secret)
    const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    assert.deepStrictEqual(
      roots.filter(({ name }) => !/^(job|GET|POST) /.test(name)),
      [],
      "only requests and jobs have traces",
    )
  })

  it(
    "each log line is JSON, the line of a request has its id, and no line has an address or a key",
    { tags: ["attack/log-injection"] },
    async () => {
      const id = "an-id-of-the-callers"
      await createContact("logged", { "x-request-id": id })
      const lines = await until("the line of the request", async () => {
        const found = service.output.split("\n").filter((line) => line.startsWith("{"))
        return found.some((line) => line.includes(id)) && found
      })
      const line = lines.map((each) => JSON.parse(each)).find((each) => each.annotations.request_id === id)
      assert.deepInclude(line.annotations, { method: "POST", route: "/v1/contacts", status: 201, process: "http" })
      for (const secret of ["logged@example.test", new URL(database).password]) {
        assert.notInclude(service.output, secret)
      }
      assert.notInclude(lines.join("\n"), apiKey)
    },
  )

  it("readiness is 503 while the database is down and 200 afterwards, in the same process", async () => {
    wire.refusing = true
    wire.cut()
    const away = await service.call("GET", "/readyz")
    assert.deepStrictEqual([away.status, away.json.status], [503, "database unavailable"])
    assert.strictEqual((await service.call("GET", "/healthz")).status, 200)
    assert.strictEqual((await createContact("away")).status, 503)
    wire.refusing = false
    await until("readiness", async () => (await service.call("GET", "/readyz")).status === 200)
    assert.strictEqual((await createContact("back")).status, 201)

    wire.hold()
    const silent = await service.call("GET", "/readyz")
    assert.deepStrictEqual([silent.status, silent.json.status], [503, "database unavailable"])
    wire.release()
    await until("readiness", async () => (await service.call("GET", "/readyz")).status === 200)
  })

  it(
    "secrets and addresses do not leak, also when requests, mail and AI fail",
    { tags: ["attack/secret-leak"] },
    async () => {
      const refusals = await Canary.live(service)
      wire.refusing = true
      wire.cut()
      const lost = await service.call("POST", "/v1/contacts", { items: [{ email: Canary.address }] })
      assert.strictEqual(lost.status, 503)
      wire.refusing = false
      await until("readiness", async () => (await service.call("GET", "/readyz")).status === 200)
      const metrics = await Promise.all([service.api, watched].map(async (at) => (await fetch(`${at}/metrics`)).text()))
      const doctor = await command(["doctor"], service.environment)
      assert.include(doctor.output, "AI", "the doctor checks the key")
      const lines = service.output.split("\n").filter((line) => line.startsWith("{"))
      const places = {
        logs: lines.join("\n"),
        traces: collector.text,
        metrics: metrics.join("\n"),
        "the doctor": doctor.output,
        refusals: [...refusals, lost.text].join("\n"),
      }
      const found: Array<string> = []
      const [key] = await asOwner<{ readonly sealed: Uint8Array }>(
        "select dkim_private_key_sealed as sealed from sending_domain",
      )
      const dkim = await Canary.wordsOfSealed(key?.sealed ?? assert.fail("the domain has no DKIM key"))
      for (const [what, word] of Object.entries(dkim)) assert.isAtLeast(word.length, 40, what)
      for (const [what, secret] of Object.entries({ ...Canary.secrets, ...dkim, "the API's key": apiKey })) {
        for (const [place, text] of Object.entries(places)) if (text.includes(secret)) found.push(`${what} in ${place}`)
        for (const table of await Canary.tablesHolding(asOwner, secret)) found.push(`${what} in ${table}`)
        for (const file of await Canary.filesHolding(service.folder, secret)) found.push(`${what} in ${file}`)
      }
      for (const place of ["logs", "traces", "metrics", "the doctor"] as const) {
        if (places[place].includes(Canary.address)) found.push(`the address in ${place}`)
      }
      for (const [place, text] of Object.entries(places)) {
        if (text.includes(Canary.datum)) found.push(`the data of a message in ${place}`)
      }
      const withData = await Canary.tablesHolding(asOwner, Canary.datum)
      assert.deepStrictEqual(withData, ["public.email_message_content"])
      const holding = await Canary.tablesHolding(asOwner, Canary.address)
      const tables = holding.map((table) => table.replace(/^public\./, ""))
      assert.include(tables, "contact", "the search finds the address")
      found.push(
        ...tables.filter((table) => !(table in Canary.mayHoldAddress)).map((table) => `the address in ${table}`),
      )
      assert.deepStrictEqual(found, [])
    },
  )

  it("this version works with the schema of the next migration", async () => {
    await asOwner(next_applied)
    await until("readiness", async () => (await service.call("GET", "/readyz")).status === 200)
    const created = await createContact("newer")
    assert.strictEqual(created.status, 201)
    assert.notInclude(created.text, "next_text")
    assert.strictEqual((await service.call("POST", "/v1/email-blasts", { name: "newer" })).status, 201)
  })

  it("on SIGTERM, readiness ends first, open requests are answered, and the exit code is 0", async () => {
    const late = await openRequest(service.api)
    const ended = service.signal("SIGTERM")
    await until("readiness to say so", async () => {
      const { status, json } = await service.call("GET", "/readyz")
      return status === 503 && json.status === "stopping"
    })
    assert.strictEqual((await createContact("while-it-drains")).status, 201)
    assert.strictEqual(await late.complete(), 201)
    assert.strictEqual(await ended, 0)
  })
})
