// Test that runs every call of docs/getting-started.md with processes, in order.
import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type Json, root, Service, until, visit } from "../support/Service.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

interface Step {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

const steps = (): ReadonlyArray<Step> => {
  const blocks = [...readFileSync(`${root}docs/getting-started.md`, "utf8").matchAll(/^```sh\n(.*?)^```$/gms)]
  return blocks.flatMap(([, block = ""]) =>
    [...block.matchAll(/^(?:api (\w+) +'?([^\s']+)'?(?: +'([^']*)')?|curl -T \S+ "([^"]+)")/gm)].map(
      ([, method = "PUT", path, body, upload = ""]) => ({ method, path: path ?? upload, body }),
    ),
  )
}

/** All fields of an answer by name, including nested ones. */
const fieldsOf = (answer: Json): ReadonlyArray<readonly [string, string]> =>
  Object.entries(answer ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : typeof value === "object" ? fieldsOf(value) : [],
  )

const inProgress = new Set(["queued", "running", "generating", "sending"])

describe("docs/getting-started.md", () => {
  let service: Service

  beforeAll(async () => {
    service = await Service.prepare()
    await service.start()
  })
  afterAll(() => service.remove())

  it("every call succeeds in order, the blast is sent and the page is published", async () => {
    const known = new Map<string, string>()
    const statuses: Array<string> = []
    const filled = (text: string) => text.replaceAll(/<(\w+)>/g, (placeholder, name) => known.get(name) ?? placeholder)
    for (const { method, path, body } of steps()) {
      const at = filled(path)
      const payload = body === undefined && method === "PUT" ? "E-mail\nbo@example.org\n" : body && filled(body)
      const answer = await until(`${method} ${at}`, async () => {
        const got = await service.call(method, at, payload)
        return !(method === "GET" && inProgress.has(got.json?.status)) && got
      })
      assert.isBelow(answer.status, 300, `${method} ${at} answered ${answer.status}: ${answer.text}`)
      for (const [name, value] of fieldsOf(answer.json)) known.set(name, value)
      if (method === "GET" && answer.json?.status !== undefined) statuses.push(answer.json.status)
    }
    assert.deepStrictEqual(statuses, ["completed", "completed", "sent", "completed"])
    assert.include((await visit(`${service.pages}/spring`)).text, "</html>")
  })
})
