// Tests that prompts and answers of the AI are parsed with the limits of parsing threads, in the turn of their workspace.
import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import { Ai } from "@tentpole/core/ports/Ai"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { in_place_size_max, inProcess, Parsers, TooComplex } from "@tentpole/core/ports/Parsers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { processorTime_ms } from "./processorTime.ts"
import { providers } from "./Providers.ts"
import { asking, email, emailRequest, html, request, workspace } from "./ProviderServer.ts"

/** Parsers that record the name of each parser and its workspace. */
const watched = (parsed: Array<readonly [parser: string, workspace: WorkspaceId | null]>): Parsers => ({
  run: (parser, input, workspace) =>
    Effect.suspend(() => {
      parsed.push([parser.name, workspace])
      return inProcess.run(parser, input, workspace)
    }),
})

const fake = Effect.provide(Ai, FakeAi.layer)

it.effect("the fake AI parses each kind of request in the turn of its workspace", () =>
  Effect.gen(function* () {
    const parsed: Parameters<typeof watched>[0] = []
    const ai = yield* Effect.provideService(fake, Parsers, watched(parsed))
    yield* ai.asksForPage(workspace, "Create a page", { hasTemplate: false })
    yield* ai.generatePage(workspace, request)
    yield* Effect.ignore(ai.generatePage(workspace, { ...request, template: html, isRevision: true }))
    yield* ai.generateEmail(workspace, emailRequest)
    yield* ai.matchColumns(workspace, { columns: [], fields: [] })
    const names = ["fake_intent", "fake_page", "fake_revision", "fake_email", "fake_columns"]
    assert.deepStrictEqual(
      parsed,
      names.map((name) => [name, workspace]),
    )
  }),
)

it.live.each(Object.entries(providers))("answers of %s are parsed in the turn of the workspace", ([, provider]) =>
  Effect.gen(function* () {
    const parsed: Parameters<typeof watched>[0] = []
    const { ask } = asking(provider)
    const { ai } = yield* Effect.provideService(
      ask({ body: provider.says(html) }, { body: provider.says(`Subject: A\n${email}`) }),
      Parsers,
      watched(parsed),
    )
    yield* ai.generatePage(workspace, request)
    yield* ai.generateEmail(workspace, emailRequest)
    assert.deepStrictEqual(parsed, [
      ["page_answer", workspace],
      ["email_answer", workspace],
    ])
  }).pipe(Effect.scoped),
)

it.effect("a prompt that exceeds the limits of parsers is too complex", () =>
  Effect.gen(function* () {
    const refusing: Parsers = { run: () => Effect.fail(new TooComplex({ reason: "takes longer than 5 s to read" })) }
    const ai = yield* Effect.provideService(fake, Parsers, refusing)
    const intent = yield* Effect.flip(ai.asksForPage(workspace, "Create a page", { hasTemplate: false }))
    assert.strictEqual(intent._tag, "TooComplex")
    assert.strictEqual((yield* Effect.flip(ai.generatePage(workspace, request)))._tag, "AiRefused")
  }),
)

/** Of those that were tried, these take the most time: about 6 ms, or 23 ms for HTML. */
const worst = ["page for\n", "page ", "may 5 ", "5 pm, ", "a: b\n", "change x to y. ", "&amp;", "<p>x"]

it.each(worst)("a prompt of %j that is parsed in the calling thread takes less than 50 ms", (unit) => {
  const text = (size: number, begin: string) => begin + unit.repeat(Math.floor((size - begin.length) / unit.length))
  const prompt = text(in_place_size_max, "Create a page: ")
  const half = text(in_place_size_max / 2, "Create a page: ")
  const template = text(in_place_size_max / 2, `<h1>x</h1><p>${"<b id=i>".repeat(20)}`)
  for (const work of [
    () => FakeAi.fakeIntents.run({ prompt, options: { hasTemplate: false } }),
    () => FakeAi.fakePages.run({ ...request, prompt }),
    () => FakeAi.fakePages.run({ ...request, prompt: half, template }),
    () => FakeAi.fakeRevisions.run({ ...request, prompt: half, template }),
    () => FakeAi.fakeEmails.run({ ...emailRequest, prompt }),
    () => FakeAi.fakeEmails.run({ ...emailRequest, prompt: half, basis: template }),
  ]) {
    // The first runs compile the code.
    const spent_ms = Math.min(...Array.from({ length: 5 }, () => processorTime_ms(() => void work())))
    assert.isBelow(spent_ms, 50)
  }
})
