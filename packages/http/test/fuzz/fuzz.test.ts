// Fuzz tests: every response to a random request matches the OpenAPI document. `npm run test:deep` sends 200,000 requests;
// `SEED` repeats a run, `REQUESTS` sets the number.
import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nameOf } from "../attacks/AttackSuite.ts"
import { operationsIn, tenants } from "../fixtures/Described.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Answered, world } from "../fixtures/World.ts"
import { administrationGround, changeOf, fuzz, type Ground, tenantsGround, type Tried } from "./Fuzz.ts"
import { verdictBy } from "./Verdict.ts"

const whole = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? String(otherwise)
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} must be a whole number, got ${text}`)
  return Number(text)
}

const isDeep = process.env["DEEP"] !== undefined
const seed = whole("SEED", Math.floor(Math.random() * 2 ** 31))
const requests_count = whole("REQUESTS", isDeep ? 200_000 : sampled(1_600))
/** Requests to one fixture before a new one is created: its memory grows, and requests delete its entities. */
const requests_each = 2_000

const report = ({ wrong }: Tried): string => wrong.map(({ request, why }) => `${why}\n  ${request}`).join("\n\n")

/** Several fixtures in sequence, each with its own seed. */
const campaign = Effect.fnUntraced(function* <E, R>(ground: Effect.Effect<Ground, E, R>, count: number) {
  const done = new Set<string>()
  for (let from = 0; from < count; from += requests_each) {
    const own = seed + from / requests_each
    const tried = yield* Effect.scoped(
      Effect.flatMap(ground, (each) => fuzz(each, own, Math.min(requests_each, count - from))),
    )
    assert.strictEqual(tried.wrong.length, 0, report(tried))
    for (const name of tried.done) done.add(name)
    if (!isDeep) continue
    const statuses = [...tried.statuses].sort(([left], [right]) => left - right).map((each) => each.join(": "))
    const heap_mb = Math.round(process.memoryUsage().heapUsed / 2 ** 20)
    console.log(
      `${Math.min(count, from + requests_each)} of ${count} requests, ${done.size} operations done, ${heap_mb} MB; ${statuses.join(", ")}`,
    )
  }
  return done
})

describe("responses to random requests", () => {
  const patience = { timeout: isDeep ? 7_200_000 : 300_000 }

  it.live(
    "match the OpenAPI document of the API",
    () =>
      Effect.gen(function* () {
        const done = yield* campaign(tenantsGround(world), requests_count)
        const undone = operationsIn(tenants)
          .map(nameOf)
          .filter((name) => !done.has(name))
        if (isDeep) console.log(`Refused every time: ${undone.join(", ") || "none"}`)
        // An operation that is always refused tests nothing.
        assert.isAbove(done.size, operationsIn(tenants).length / 3)
      }),
    { ...patience, tags: ["attack/json-bomb"] },
  )

  // PostgreSQL is slower and gives the same answers: only the campaign checks which values its statements refuse.
  if (isDeep) {
    it.live(
      "match the OpenAPI document of the API on PostgreSQL",
      () => campaign(tenantsGround(postgresWorld), Math.ceil(requests_count / 10)),
      patience,
    )
  }

  it.live(
    "match the OpenAPI document of the administration",
    () =>
      Effect.gen(function* () {
        const done = yield* campaign(administrationGround, Math.max(100, Math.ceil(requests_count / 10)))
        assert.isAbove(done.size, 5)
      }),
    patience,
  )
})

describe("a response that does not match the document", () => {
  const find = (method: string, path: string) =>
    operationsIn(tenants).find((each) => each.method === method && each.path === path) ??
    assert.fail("no such operation")
  const listed = find("GET", "/v1/contact-fields")
  const deleted = find("DELETE", "/v1/contacts/{contact_id}")
  const verdict = verdictBy(tenants)
  const answered = (status: number, text: string, headers: Record<string, string> = {}): Answered => ({
    status,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : null,
    headers: new Headers({ "content-type": "application/json", "x-request-id": "r1", ...headers }),
  })
  const refusal = (code: string, id = "r1") =>
    JSON.stringify({ error: "Not Found", error_code: code, code, message: "It is gone", details: { request_id: id } })

  it("a matching response passes", () => {
    verdict(listed, answered(200, `{"items":[]}`))
    verdict(deleted, answered(204, "", { "content-type": "" }))
    verdict(deleted, answered(404, refusal("not_found")))
  })

  for (const [what, operation, planted] of [
    ["an error of ours", listed, answered(500, refusal("internal_error"))],
    ["a status that is not listed", listed, answered(202, `{"items":[]}`)],
    ["a code that is not listed", deleted, answered(404, refusal("no_such_code"))],
    ["a refusal of another request", deleted, answered(404, refusal("not_found", "r2"))],
    ["a body of another form", listed, answered(200, `{"fields":[]}`)],
    ["a key too many", listed, answered(200, `{"items":[],"next":1}`)],
    ["another media type", listed, answered(200, `{"items":[]}`, { "content-type": "text/html" })],
    ["a body where there is none", deleted, answered(204, `{"ok":true}`)],
    ["no request id", listed, answered(200, `{"items":[]}`, { "x-request-id": "" })],
  ] as const) {
    it(what, () => {
      assert.throws(() => verdict(operation, planted))
    })
  }

  const groundOf = (json: string, change: string | null): Ground => ({
    description: tenants,
    verdict,
    operations: [listed],
    call: () => Effect.succeed(answered(200, json)),
    ids: { learn: () => undefined, drawn: (draw, name) => `${name}${draw.below(2)}` },
    rightFor: () => [],
    after: Effect.succeed(change),
  })

  it.live("is reported with its seed and a curl command", () =>
    Effect.gen(function* () {
      const { wrong } = yield* fuzz(groundOf(`{"items":[{"field_definition_id":5}]}`, null), 7, 5)
      assert.strictEqual(wrong.length, 1)
      assert.match(wrong[0]?.request ?? "", /^SEED=7, request \d: curl -X GET '\$API\/v1\/contact-fields/)
      assert.match(wrong[0]?.why ?? "", /not as described/)
    }),
  )

  it.live("a change of another workspace is reported with its seed, unless an hour began", () =>
    Effect.gen(function* () {
      const change = changeOf("T09 T09\n[1,2]", "T09 T09\n[1,3]")
      const { wrong } = yield* fuzz(groundOf(`{"items":[]}`, change), 7, 5)
      assert.deepStrictEqual(
        wrong.map(({ request, why }) => [request, why.includes("[1,3]")]),
        [["SEED=7, one of 5 requests", true]],
      )
      assert.isNull(changeOf("T09 T09\n[1,2]", "T09 T09\n[1,2]"))
      assert.isNull(changeOf("T09 T09\n[1,2]", "T09 T10\n[1,3]"))
      assert.isNull(changeOf("T09 T10\n[1,2]", "T10 T10\n[1,3]"))
    }),
  )
})
