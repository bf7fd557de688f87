// Tests of `tentpole message …` over the API.
import { commandLine } from "@tentpole/http/cli/CommandLine"
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { verifiedSender } from "../../../attacks/AttackFixture.ts"
import { listening } from "../../../fixtures/Listening.ts"
import { testKey } from "../../../fixtures/World.ts"

/** Runs a command and returns its output. */
const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const say = (line: string): void => void lines.push(line)
  const recorded: Console.Console = { ...console, log: say, error: say }
  yield* Effect.provideService(commandLine(["message", ...args]), Console.Console, recorded)
  return lines.join("\n")
})

it.live("sends a message once for a key, and shows it", () =>
  Effect.gen(function* () {
    const { api, context, workspace } = yield* listening
    yield* verifiedSender(workspace, context)
    Object.assign(process.env, { PUBLIC_API_URL: `http://127.0.0.1:${api}`, TENTPOLE_API_KEY: testKey })
    const own = ["--subject", "Order {{data.id}}", "--text", "Thank you", "--from", "orders@example.test"]
    const args = ["ann@example.org", ...own, "--data", '{"id": 17}', "--tag", "kind=receipt", "--key", "order-17"]
    const sent = yield* run("send", ...args)
    assert.match(sent, /^subject +Order 17$/m)
    assert.match(sent, /^tags +kind:receipt$/m)
    const { message_id } = JSON.parse(yield* run("send", ...args, "--json"))
    assert.include(sent, `tentpole message show ${message_id}`, "the same message")
    assert.match(yield* run("show", message_id), /^\S+ +email_accepted/m)
    assert.include(yield* run("show", message_id, "--text"), "Thank you")
    const wrong = yield* Effect.flip(run("send", "ann@example.org", "--data", "{secret"))
    assert.include(String(wrong), "--data must be a JSON object")
    assert.notInclude(String(wrong), "secret")
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
