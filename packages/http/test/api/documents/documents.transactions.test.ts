// Tests that no request parses HTML while its transaction is open: its locked rows would wait for a parsing thread.
import { TentId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { in_place_size_max, inProcess, Parsers } from "@tentpole/core/ports/Parsers"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { serving } from "../../fixtures/World.ts"

interface Parsed {
  readonly parser: string
  readonly inTransaction: boolean
}

/** Parsers that record each input above the size of small ones. */
const watched = (parsed: Array<Parsed>): Parsers => ({
  run: (parser, input, workspace) =>
    Effect.flatMap(Effect.serviceOption(Transaction), (open) => {
      if (parser.sizeOf(input) > in_place_size_max) {
        parsed.push({ parser: parser.name, inTransaction: Option.isSome(open) })
      }
      return inProcess.run(parser, input, workspace)
    }),
})

const large = `<html><head><title>News</title></head><body>${"<p>Hello {{contact.first_name}}</p>".repeat(400)}
<form id="f"><input name="email"></form></body></html>`
const page = large.replaceAll("{{contact.first_name}}", "you")

const letter = {
  name: "n",
  html: large,
  subject: "News",
  from_name: "News",
  from_address: "news@example.test",
  reply_to_email: "news@example.test",
}

const begin = Effect.gen(function* () {
  const parsed: Array<Parsed> = []
  const { call, context } = yield* Effect.provideService(serving(Api, handlers), Parsers, watched(parsed))
  const workspace = (yield* Context.get(context, WorkspaceStore).findFirst)?.id ?? assert.fail()
  const send = Effect.fnUntraced(function* (method: string, path: string, json: unknown = {}) {
    const answer = yield* call(method, path, { json })
    assert.isBelow(answer.status, 300, `${method} ${path}: ${answer.text}`)
    return answer.json
  })
  const generate = (id: string) => Context.get(context, Tents).runGeneration(workspace, TentId.make(id))
  return { parsed, send, generate }
})

type World = Effect.Success<typeof begin>

const requests: Readonly<Record<string, (world: World) => Effect.Effect<unknown>>> = {
  "creating, changing, approving and testing an email": Effect.fnUntraced(function* ({ send }) {
    const { email_id } = yield* send("POST", "/v1/emails", letter)
    yield* send("PUT", `/v1/emails/${email_id}/content`, { html: `${large} ` })
    yield* send("POST", `/v1/emails/${email_id}/approve`)
    yield* send("POST", `/v1/emails/${email_id}/test-send`, { to: ["ann@example.test"] })
  }),
  "approving an email template, and an email from it": Effect.fnUntraced(function* ({ send }) {
    const { template_id } = yield* send("POST", "/v1/email-templates", { name: "n", html: large })
    yield* send("POST", `/v1/email-templates/${template_id}/approve`)
    const { html: _, ...fields } = letter
    yield* send("POST", "/v1/emails", { ...fields, template_id })
  }),
  "approving a tent template": Effect.fnUntraced(function* ({ send }) {
    const { template_id } = yield* send("POST", "/v1/tent-templates", { name: "n", html: page })
    yield* send("POST", `/v1/tent-templates/${template_id}/approve`)
  }),
  "creating, changing, publishing and restoring a page": Effect.fnUntraced(function* ({ send }) {
    const { id } = yield* send("POST", "/v1/tents", { name: "n", html: page })
    yield* send("POST", `/v1/tents/${id}/publish`)
    yield* send("PUT", `/v1/tents/${id}/content`, { html: `${page} ` })
    yield* send("POST", `/v1/tents/${id}/publish`)
    yield* send("POST", `/v1/tents/${id}/versions/1/restore`)
  }),
  "publishing an uploaded page at once": ({ send }) =>
    send("POST", "/v1/tents", { name: "n", html: page, auto_publish: true }),
  "publishing a generated page at once": Effect.fnUntraced(function* ({ generate, send }) {
    const prompt = `Create a page for a bakery with a sign-up form. ${"It sells bread, cakes and coffee. ".repeat(150)}`
    const { id } = yield* send("POST", "/v1/tents", { name: "n", prompt, auto_publish: true })
    yield* generate(id)
    const { json } = { json: yield* send("POST", `/v1/tents/${id}/publish`) }
    assert.strictEqual(json.publication.status, "published")
  }),
}

it.live.each(Object.entries(requests))("%s parses while no transaction is open", ([, run]) =>
  Effect.gen(function* () {
    const world = yield* begin
    yield* run(world)
    assert.isNotEmpty(world.parsed)
    assert.deepStrictEqual(
      world.parsed.filter(({ inTransaction }) => inTransaction),
      [],
    )
  }).pipe(Effect.scoped),
)
