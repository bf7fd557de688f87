// The laws of what the AI is asked for: one writing at a time for each template, and each is paid for once.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import type { TemplateKind } from "../../src/templates/Template.ts"
import { TemplateChange } from "../../src/templates/TemplateChange.ts"
import { at, begin, type Ports, type Sample } from "./templateWorld.ts"

export const templateGenerations = <E, Kind extends TemplateKind>(
  name: string,
  live: Layer.Layer<Ports, E>,
  sample: Sample<Kind>,
) =>
  layer(live, { excludeTestServices: true })(`${sample.kind} template laws: ${name}: generations`, (it) => {
    const start = begin(sample)
    const answer = { html: "<p>written ☃</p>", mail: sample.mails[1] }

    it.effect("a template that the AI is to write is there with its generation, without HTML, and paid for", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, credits } = yield* start
        const { template, generation } = yield* begun()
        const shown = { template, latest: generation }
        assert.deepStrictEqual(yield* store.find(workspace, template.id), shown)
        assert.deepStrictEqual(yield* store.current(workspace, template.id), { ...shown, html: null })
        assert.deepStrictEqual(yield* store.generation(workspace, template.id, generation.id), generation)
        assert.deepStrictEqual(
          (yield* store.slice(workspace, { status: null, search: null, after: null, limit: 9 })).items,
          [shown],
        )
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("what it wrote is the next version, and the credit is spent", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, move, credits } = yield* start
        const { template, generation } = yield* begun()
        const done = yield* move(template.id, (current) =>
          TemplateChange.complete(current, generation.id, answer, at(9_000)),
        )
        const { html, latest, template: after } = yield* store.current(workspace, template.id)
        assert.deepStrictEqual([html, after, latest], [answer.html, done?.after, done?.generation?.after])
        assert.deepStrictEqual([after.currentVersion, after.mail, latest?.version], [1, sample.mails[1], 1])
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("one that fails leaves the template as it is, and gives the credit back", () =>
      Effect.gen(function* () {
        const { store, workspace, made, asked, move, credits } = yield* start
        const template = yield* made()
        const wish = yield* asked
        yield* move(template.id, (current) => Result.getOrThrow(TemplateChange.generate(current, wish, at(5_000))))
        assert.strictEqual(yield* credits(), 999)
        yield* move(template.id, (current) => TemplateChange.fail(current, wish.id, "no Ö", at(6_000)))
        const { latest, ...rest } = yield* store.current(workspace, template.id)
        assert.deepStrictEqual(rest, { template, html: "<p>one</p>" })
        assert.deepStrictEqual([latest?.status, latest?.error, latest?.completedAt], ["failed", "no Ö", at(6_000)])
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("the latest of several is the one that is shown, and each is found by its id", () =>
      Effect.gen(function* () {
        const { store, workspace, made, asked, move } = yield* start
        const [template, other] = [yield* made(), yield* made({ at_ms: 1 })]
        const [first, second] = [yield* asked, yield* asked]
        yield* move(template.id, (current) => Result.getOrThrow(TemplateChange.generate(current, first, at(5_000))))
        yield* move(template.id, (current) => TemplateChange.fail(current, first.id, "no", at(5_001)))
        yield* move(template.id, (current) => Result.getOrThrow(TemplateChange.generate(current, second, at(7_000))))
        const { latest } = yield* store.find(workspace, template.id)
        assert.deepStrictEqual([latest?.id, latest?.status], [second.id, "generating"])
        assert.strictEqual((yield* store.generation(workspace, template.id, first.id)).status, "failed")
        assert.strictEqual((yield* Effect.flip(store.generation(workspace, other.id, first.id)))._tag, "NotFound")
        const { items } = yield* store.slice(workspace, { status: null, search: null, after: null, limit: 9 })
        assert.deepStrictEqual(
          items.map((each) => each.latest?.id ?? null),
          [second.id, null],
        )
      }),
    )

    it.effect("a template that is removed gives back what its generation has not spent, once", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, move, credits } = yield* start
        const { template, generation } = yield* begun()
        const done = yield* begun()
        yield* move(done.template.id, (current) =>
          TemplateChange.complete(current, done.generation.id, answer, at(9_000)),
        )
        assert.strictEqual(yield* credits(), 998)
        yield* move(template.id, (current) => Result.getOrThrow(TemplateChange.remove(current, [])))
        yield* move(done.template.id, (current) => Result.getOrThrow(TemplateChange.remove(current, [])))
        assert.strictEqual(yield* credits(), 999)
        const left = yield* Effect.flip(store.generation(workspace, template.id, generation.id))
        assert.strictEqual(left._tag, "NotFound")
      }),
    )

    it.effect("without a credit there is neither template nor generation", () =>
      Effect.gen(function* () {
        const { store, fresh, begun, credits } = yield* start
        const poor = yield* fresh.workspace({ credits: 1 })
        const both = yield* Effect.all([Effect.result(begun(poor)), Effect.result(begun(poor))], { concurrency: 2 })
        assert.deepStrictEqual(both.map((each) => (Result.isFailure(each) ? each.failure._tag : "ok")).sort(), [
          "InsufficientCredits",
          "ok",
        ])
        assert.strictEqual(yield* credits(poor), 0)
        assert.lengthOf((yield* store.slice(poor, { status: null, search: null, after: null, limit: 9 })).items, 1)
      }),
    )

    it.effect("a step that was decided on an older generation is a defect, and moves no credit", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, begun, move, credits } = yield* start
        const { template, generation } = yield* begun()
        const late = TemplateChange.fail({ template, latest: generation }, generation.id, "late", at(8_000))
        yield* move(template.id, (current) => TemplateChange.fail(current, generation.id, "no", at(7_000)))
        const refused = yield* Effect.exit(late === null ? Effect.void : transact(store.apply(workspace, late)))
        assert.isTrue(Exit.hasDies(refused))
        assert.strictEqual((yield* store.find(workspace, template.id)).latest?.error, "no")
        assert.strictEqual(yield* credits(), 1000)
      }),
    )
  })
