// Tests of both typed clients beside plain `fetch`, with processes; and of the programs in docs/client.md.
import { ApiError, type Client } from "@tentpole/client"
import { clients } from "@tentpole/http/test/fixtures/Clients"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { programsIn, run } from "../support/Programs.ts"
import { apiKey, Service, until } from "../support/Service.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const perMinute = 120

describe("the typed clients", () => {
  let service: Service

  beforeAll(async () => {
    service = await Service.prepare({ ...(await ownDatabase()), RATE_LIMIT_PER_MINUTE: String(perMinute) })
    await service.start()
  })
  afterAll(() => service.remove())

  it("the programs of docs/client.md print what the page shows", async () => {
    const [withPromises = "", withEffect = ""] = await programsIn("docs/client.md")
    const place = { TENTPOLE_URL: service.api, TENTPOLE_KEY: apiKey }
    for (const time of ["for the first time", "again"]) {
      const said = await run(withPromises, place)
      assert.deepStrictEqual([said.code, said.output], [0, "Ann is on Romans\n"], time)
    }
    const said = await run(withEffect, place)
    assert.strictEqual(said.code, 0, said.output)
    assert.match(said.output, /ann@example\.org[^]*created [0-9a-f-]{36}\n$/)
  })

  describe.each(Object.entries(clients))("%s", (name, connectTo) => {
    let tentpole: Client

    beforeAll(() => {
      tentpole = connectTo({ url: service.api, apiKey })
    })

    it("the client and fetch see each other's changes", async () => {
      const list = await tentpole.lists.create({ payload: { name: `Of ${name}`, kind: "static" } })
      const seen = await service.call("GET", `/v1/contact-lists/${list.list_id}`)
      assert.deepStrictEqual(seen.json, list)
      const { json } = await service.call("POST", "/v1/contact-lists", {
        name: `By fetch beside ${name}`,
        kind: "static",
      })
      const found = await tentpole.lists.find({ params: { listId: json.list_id } })
      assert.deepStrictEqual(found, json)
      const taken = await tentpole.lists.create.result({ payload: { name: `by FETCH beside ${name}`, kind: "static" } })
      const plain = await service.call("POST", "/v1/contact-lists", { name: `by FETCH beside ${name}`, kind: "static" })
      assert(!taken.ok && taken.error instanceof ApiError)
      assert.deepStrictEqual([taken.error.status, taken.error.code], [plain.status, plain.json.code])
      assert.isString(taken.error.requestId)
    })

    it("imports a file from the upload to the end of the run", async () => {
      const session = await tentpole.imports.begin({ payload: { source: "upload", file_name: "people.csv" } })
      if (!("upload_url" in session) || typeof session.upload_url !== "string") return assert.fail("no upload_url")
      await fetch(session.upload_url, {
        method: "PUT",
        body: `Email,First Name\r\n${name.replaceAll(" ", "-")}@example.org,Bo\r\n`,
      })
      const params = { session_id: session.import_session_id }
      const { proposed_mappings } = await tentpole.imports.preview({ params })
      const mappings = proposed_mappings.flatMap(({ header, target_field, target_kind }) =>
        target_field === null || target_kind === null ? [] : [{ header, target_field, target_kind }],
      )
      const { import_run_id } = await tentpole.imports.execute({ params, payload: { mappings } })
      const ended = await until("the import to end", async () => {
        const at = await tentpole.imports.find({ params: { import_run_id } })
        return at.status === "completed" || at.status === "failed" ? at : undefined
      })
      assert.deepStrictEqual([ended.status, ended.created_count], ["completed", 1])
    })

    it("a POST with an idempotency key is executed once, also if its process is killed before the retry", async () => {
      const named = { idempotencyKey: `once ${name}` }
      const call = () => tentpole.lists.create.result({ payload: { name: `Once ${name}`, kind: "static" } }, named)
      const first = await call()
      process.kill((await service.pids()).http, "SIGKILL")
      // The process restarts while the client retries.
      const second = await until("an answer", async () => {
        const outcome = await call()
        return outcome.ok && outcome
      })
      assert(first.ok)
      assert.deepStrictEqual(second.value, first.value)
      assert.strictEqual(second.headers["idempotency-replayed"], "true")
    })
  })

  // Last, because plain requests get 429 afterwards.
  describe.each(Object.entries(clients))("%s", (_, connectTo) => {
    it("waits and retries after 429", async () => {
      const turnedAway: Array<number> = []
      const busy = connectTo({
        url: service.api,
        apiKey,
        fetch: async (input, init) => {
          const response = await fetch(input, init)
          if (response.status === 429) turnedAway.push(response.status)
          return response
        },
      })
      while (turnedAway.length === 0) {
        // Concurrent requests use up the limit: in sequence, it would be refilled on a slow machine.
        const others = Array.from({ length: perMinute }, () => service.call("GET", "/v1/contact-lists?limit=1"))
        const statuses = new Set((await Promise.all(others)).map(({ status }) => status))
        assert.isEmpty([...statuses].filter((status) => status !== 200 && status !== 429))
        assert.strictEqual((await busy.lists.list({ query: { limit: 1 } })).pagination.page, 1)
      }
    })
  })
})
