// The command `tentpole api`: one call of the HTTP API with the key of the command line.
import { Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { setTimeout } from "node:timers/promises"
import { attempt, CallFailed, type Remote, remote, textOrFile } from "../Remote.ts"

const call = async ({ key, url }: Remote, method: string, path: string, body: string | null) => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${Redacted.value(key)}`,
      ...(body === null ? {} : { "content-type": "application/json" }),
    },
    body,
  }).catch((cause: unknown) => {
    throw new Error(`No answer from ${url}: run \`npm start\` in another terminal, or set PUBLIC_API_URL.`, { cause })
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") ?? false
  const answer: unknown = isJson ? JSON.parse(text) : text
  if (!response.ok) throw new Error(isJson ? JSON.stringify(answer, null, 2) : text)
  return answer
}

const isKeyed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The value at a path such as `items.0.contact_id`. */
const valueAt = (answer: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isKeyed(value) ? value[name] : undefined), answer)

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2))

const wait_ms_max = 120_000
const every_ms = 500

/** Repeats the call until the field has the value. */
const awaited = async (once: () => Promise<unknown>, condition: string): Promise<unknown> => {
  const [path = "", ...wanted] = condition.split("=")
  const end = Date.now() + wait_ms_max
  for (;;) {
    const answer = await once()
    if (String(valueAt(answer, path)) === wanted.join("=")) return answer
    if (Date.now() > end) {
      throw new Error(`${path} is ${textOf(valueAt(answer, path) ?? null)} after ${wait_ms_max / 1000} seconds.`)
    }
    await setTimeout(every_ms)
  }
}

export const api = Command.make(
  "api",
  {
    method: Argument.String("method").pipe(Argument.withDescription("GET, POST, PUT, PATCH or DELETE")),
    path: Argument.String("path").pipe(Argument.withDescription("Path with query, such as /v1/contacts?limit=10")),
    data: Flag.String("data").pipe(Flag.withDescription("JSON body, or @file"), Flag.optional),
    pick: Flag.String("pick").pipe(
      Flag.withDescription("Prints only this field of the answer, such as items.0.contact_id"),
      Flag.optional,
    ),
    until: Flag.String("until").pipe(
      Flag.withDescription("Repeats the call until a field has a value, such as status=completed"),
      Flag.optional,
    ),
  },
  (input) =>
    Effect.gen(function* () {
      const at = yield* remote
      const answer = yield* attempt(async () => {
        const body = Option.isSome(input.data) ? await textOrFile(input.data.value) : null
        const once = () => call(at, input.method.toUpperCase(), input.path, body)
        return Option.isSome(input.until) ? awaited(once, input.until.value) : once()
      })
      if (Option.isNone(input.pick)) return yield* Console.log(textOf(answer))
      const picked = valueAt(answer, input.pick.value)
      if (picked === undefined) {
        return yield* new CallFailed({ reason: `The answer has no field ${input.pick.value}: ${textOf(answer)}` })
      }
      yield* Console.log(textOf(picked))
    }),
).pipe(Command.withDescription("Calls the HTTP API and prints the answer"))
