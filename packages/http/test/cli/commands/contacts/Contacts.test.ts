// Tests of `tentpole contact merge` over the API.
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
  yield* Effect.provideService(commandLine(args), Console.Console, recorded)
  return lines.join("\n")
})

const add = (contact: object) => run("api", "POST", "/v1/contacts", "--data", JSON.stringify({ items: [contact] }))

it.live("merges a contact into another one, and shows the result before", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    Object.assign(process.env, { PUBLIC_API_URL: `http://127.0.0.1:${api}`, TENTPOLE_API_KEY: testKey })
    yield* add({ email: "ann@example.org", city: "Bern" })
    yield* add({ phone: "+14155550100", city: "Rome" })
    const names = ["ann@example.org", "+14155550100"]
    const dry = yield* run("contact", "merge", ...names, "--field", "city=source", "--dry-run")
    assert.match(dry, /^city +Rome$/m)
    assert.match(dry, /^dropped_memberships +0$/m)
    assert.include(String(yield* Effect.flip(run("contact", "merge", ...names, "--field", "city=both"))), "city=target")
    const merged = JSON.parse(yield* run("contact", "merge", ...names, "--json"))
    assert.deepInclude(merged, { city: "Bern", phone: "+14155550100" })
    assert.include(
      String(yield* Effect.flip(run("contact", "get", merged.merged.source_contact_id))),
      "was merged into",
    )
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
