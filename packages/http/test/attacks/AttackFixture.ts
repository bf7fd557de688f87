// Assertions about responses to attacks, and a fixture with several workspaces and keys.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { table } from "@tentpole/http/edge/Errors"
import { handlers } from "@tentpole/http/Handlers"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import type { Attack } from "./Attacks.ts"
import { type Answered, type Call, type Json, servingOver } from "../fixtures/World.ts"

/** The refusal in an answer, with the same shape for a whole request and for one item. */
export const holdToShape = (what: string, { status, json, text, headers }: Answered) => {
  assert.isBelow(status, 500, `${what}: ${text}`)
  if (status < 400) return
  for (const key of ["error", "error_code", "message", "code"]) assert.isString(json?.[key], `${what}: ${text}`)
  assert.strictEqual(json.code, json.error_code, what)
  const row = table[json.error_code as ErrorCode]
  assert.deepStrictEqual([row?.status, row?.title], [status, json.error], `${what}: ${text}`)
  assert.strictEqual(json.details.request_id, headers.get("x-request-id"), what)
}

/** Whether the request was refused as a whole, or one of its items was. */
export const isRefused = ({ status, json }: Answered): boolean =>
  status >= 400 ||
  (Array.isArray(json?.items) &&
    json.items.length > 0 &&
    json.items.every((item: Json) => item.status === "rejected" && item.error_code in table))

const related = (reported: string, wrong: string): boolean =>
  reported === wrong || wrong.startsWith(`${reported}.`) || reported.startsWith(wrong === "" ? "" : `${wrong}.`)

/** Whether a refusal names the place: in the paths of its issues, or in the message of the rejected item. */
const speaksOf = ({ status, json }: Answered, wrong: string): boolean => {
  if (status >= 400) return (json.details.issues ?? []).some((issue: Json) => related(issue.path, wrong))
  const [, index, , within = ""] = /^items(?:\.(\d+)(\.(.*))?)?$/s.exec(wrong) ?? []
  const [item] = json.items.filter((each: Json) => index === undefined || String(each.index) === index)
  return item !== undefined && (item.message.includes(within) || item.message.includes(within.split(".")[0]))
}

/** Error codes of malformed requests. Codes that depend on state need no path. */
const sayWhere: ReadonlySet<string> = new Set(["validation_failed", "invalid_id", "invalid_email", "invalid_phone"])

export const holdTo = ({ what, wrong, expected }: Attack, answered: Answered) => {
  holdToShape(what, answered)
  const refused = isRefused(answered)
  if (expected === "refused") assert.isTrue(refused, `${what} went through: ${answered.status} ${answered.text}`)
  const where = refused && (answered.status < 400 || sayWhere.has(answered.json.error_code))
  if (where && wrong !== null) assert.isTrue(speaksOf(answered, wrong), `${what} is not named: ${answered.text}`)
}

/** An answer without the parts that differ for each request: the request id and the id in the path. */
export const comparable = ({ status, json }: Answered, id: string): Json => [
  status,
  JSON.parse(
    JSON.stringify(json ?? null, (key, value: Json) => (key === "request_id" ? null : value)).replaceAll(id, "the id"),
  ),
]

let drawn = 0

/** A name that no other attack uses. */
export const fresh = (): string => `attack${++drawn}`

/** Posts JSON and returns the JSON of the answer. */
export const posting =
  (call: Call) =>
  (path: string, json: Json = {}): Effect.Effect<Json> =>
    Effect.map(call("POST", path, { json }), (answered): Json => answered.json)

/** Lets the workspace send from `example.test`, unless it already can. */
export const verifiedSender = (workspace: WorkspaceId, context: Context.Context<Workspaces>) => {
  const { addDomain, verifyDomain } = Context.get(context, Workspaces)
  return Effect.ignore(
    Effect.flatMap(addDomain(workspace, "example.test"), ({ domain }) => verifyDomain(workspace, domain.id)),
  )
}

/** The API on the given adapters. `tenant` creates a workspace and returns it with a caller that has its key. */
export const tenants = Effect.fnUntraced(function* <Out, E>(over: Layer.Layer<Out | Workspaces, E>) {
  // The log is off: the attacks send thousands of requests.
  const quiet = Layer.merge(over, Layer.succeed(References.MinimumLogLevel, "Error"))
  const { call, context } = yield* servingOver(quiet, Api, handlers)
  const tenant = Effect.fnUntraced(function* (name: string) {
    const { create, createKey } = Context.get(context, Workspaces)
    const { id } = yield* create({ name, slug: name, plan: "max", credits: 1000 })
    const { raw } = yield* createKey(id, { name: "test" })
    const authorization = `Bearer ${raw}`
    const withKey: Call = (method, path, sent = {}) =>
      call(method, path, { ...sent, headers: { authorization, ...sent.headers } })
    return { call: withKey, workspace: id }
  }, Effect.orDie)
  return { tenant, context }
})
