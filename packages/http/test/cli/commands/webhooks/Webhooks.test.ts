// Tests of `tentpole webhook …` over the API.
import { commandLine } from "@tentpole/http/cli/CommandLine"
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { listening } from "../../../fixtures/Listening.ts"
import { testKey } from "../../../fixtures/World.ts"

/** Runs a command and returns its output. */
const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const say = (line: string): void => void lines.push(line)
  const recorded: Console.Console = { ...console, log: say, error: say }
  yield* Effect.provideService(commandLine(["webhook", ...args]), Console.Console, recorded)
  return lines.join("\n")
})

it.live("creates an endpoint, tests it, and lists what was sent", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    Object.assign(process.env, { PUBLIC_API_URL: `http://127.0.0.1:${api}`, TENTPOLE_API_KEY: testKey })
    const url = "https://crm.example.org/hooks"
    assert.strictEqual(yield* run("list"), "0 endpoints.")
    const created = yield* run("create", url, "--types", "contact.*, email.bounced", "--ordered")
    assert.match(created, /^event_types +contact\.\*, email\.bounced$/m)
    assert.match(created, /^The secret is whsec_\S{44}$/m)
    assert.match(yield* run("list"), /enabled +0 +0 +https:\/\/crm\.example\.org\/hooks\n1 endpoint\.$/)

    const sent = JSON.parse(yield* run("test", url, "--type", "contact.created", "--json"))
    assert.include(yield* run("deliveries", url), sent.delivery_id)
    assert.strictEqual(yield* run("deliveries", url, "--status", "failed"), "No deliveries.")
    assert.match(yield* run("deliveries", url, sent.delivery_id), /^event_type +contact\.created$/m)

    const early = yield* Effect.flip(run("replay", url, sent.delivery_id))
    assert.include(String(early), "The webhook delivery is pending and can't be replayed")
    assert.include(String(yield* Effect.flip(run("replay", url))), "Name a delivery, or a time with --since.")
    assert.strictEqual(
      yield* run("replay", url, "--since", "2020-01-01T00:00:00Z"),
      "Deliveries that are sent again: 0.",
    )
    assert.include(String(yield* Effect.flip(run("test", `${url}/x`))), "No endpoint has the URL")
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        delete process.env["PUBLIC_API_URL"]
        delete process.env["TENTPOLE_API_KEY"]
      }),
    ),
    Effect.scoped,
  ),
)
