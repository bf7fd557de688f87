// The laws of the ports to templates: the same for both kinds.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { ApprovalId } from "../../src/kernel/Ids.ts"
import type { Cursor } from "../../src/kernel/Page.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import type { ShownTemplate, TemplateKind } from "../../src/templates/Template.ts"
import { TemplateChange } from "../../src/templates/TemplateChange.ts"
import type { TemplateQuery, TemplateStoreOf } from "../../src/templates/TemplateStore.ts"
import { templateGenerations } from "./templateGenerations.ts"
import { at, begin, emailSample, type Ports, type Sample, tentSample } from "./templateWorld.ts"

export const templates = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  lawsOf(name, live, emailSample)
  lawsOf(name, live, tentSample)
  templateGenerations(name, live, emailSample)
  templateGenerations(name, live, tentSample)
}

const everything: TemplateQuery = { status: null, search: null, after: null, limit: 100 }

const lawsOf = <E, Kind extends TemplateKind>(name: string, live: Layer.Layer<Ports, E>, sample: Sample<Kind>) =>
  layer(live, { excludeTestServices: true })(`${sample.kind} template laws: ${name}`, (it) => {
    const start = begin(sample)

    it.effect("a template is found again as it was written, with its HTML", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, made } = yield* start
        const html = "<P Class=x>é ☃ 🦊</P>\r\n\t<!-- c --><br/>\n"
        const sourceId = sample.toSourceId(yield* fresh.id)
        const template = yield* made({ html, sourceId, name: "Äpfel 'n' \\ % _ 🦊" })
        assert.deepStrictEqual(yield* store.find(workspace, template.id), { template, latest: null })
        const current = { template, latest: null, html }
        assert.deepStrictEqual(yield* store.current(workspace, template.id), current)
        assert.deepStrictEqual(yield* transact(store.lock(workspace, template.id)), current)
        const bare = yield* made({ mail: sample.mails[2] })
        assert.deepStrictEqual((yield* store.find(workspace, bare.id)).template, bare)
      }),
    )

    it.effect("each version keeps its HTML, and what stands beside it makes none", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move } = yield* start
        const { id } = yield* made()
        yield* move(id, ({ template }) => TemplateChange.setContent(template, "<p>two</p>", at(2_000)))
        const renamed = yield* move(id, ({ template }) =>
          TemplateChange.update(template, { name: "other", mail: sample.mails[1] }, at(2_500)),
        )
        assert.deepStrictEqual((yield* store.find(workspace, id)).template, renamed?.after)
        assert.strictEqual(renamed?.after?.currentVersion, 2)
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        assert.strictEqual(yield* store.html(workspace, id, 2), "<p>two</p>")
        assert.strictEqual((yield* store.current(workspace, id)).html, "<p>two</p>")
        for (const version of [0, 3]) {
          assert.strictEqual((yield* Effect.flip(store.html(workspace, id, version)))._tag, "NotFound")
        }
      }),
    )

    it.effect("what is approved is kept as it was, whatever becomes of the template", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move, approve } = yield* start
        const { id } = yield* made()
        const first = yield* approve(id)
        const frozen = yield* store.approved(workspace, first)
        assert.deepStrictEqual(frozen, {
          approvalId: first,
          templateId: id,
          version: 1,
          html: "<p>one</p>",
          mail: sample.mails[0],
          approvedAt: at(3_000),
        })
        assert.deepStrictEqual((yield* store.find(workspace, id)).template.approval, { id: first, version: 1 })
        yield* move(id, ({ template }) => TemplateChange.setContent(template, "<p>two</p>", at(4_000)))
        yield* move(id, ({ template }) =>
          TemplateChange.update(template, { name: "other", mail: sample.mails[1] }, at(4_001)),
        )
        const second = yield* approve(id, 5_000)
        assert.deepInclude(yield* store.approved(workspace, second), { version: 2, mail: sample.mails[1] })
        const back = yield* move(id, ({ template }) =>
          Result.getOrThrow(TemplateChange.unapprove(template, [], at(6_000))),
        )
        assert.isNull((yield* store.find(workspace, id)).template.approval)
        assert.deepStrictEqual((yield* store.find(workspace, id)).template, back?.after)
        yield* move(id, (current) => Result.getOrThrow(TemplateChange.remove(current, [])))
        assert.deepStrictEqual(yield* store.approved(workspace, first), frozen)
        assert.strictEqual((yield* store.approved(workspace, second)).html, "<p>two</p>")
      }),
    )

    it.effect("a template that is removed is gone with its versions", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, move } = yield* start
        const [{ id }, other] = [yield* made(), yield* made()]
        yield* move(id, ({ template }) => TemplateChange.setContent(template, "<p>two</p>", at(2_000)))
        yield* move(id, (current) => Result.getOrThrow(TemplateChange.remove(current, [])))
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.find(workspace, id),
          store.current(workspace, id),
          store.html(workspace, id, 1),
          store.html(workspace, id, 2),
          transact(store.lock(workspace, id)),
        ]
        for (const read of reads) {
          assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        }
        assert.deepStrictEqual((yield* store.slice(workspace, everything)).items, [{ template: other, latest: null }])
      }),
    )

    it.effect("nothing builds on a template yet", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made } = yield* start
        const { id } = yield* made()
        assert.deepStrictEqual(yield* transact(store.uses(workspace, id)), [])
      }),
    )

    it.effect("those who change a template at once do it one after the other, each on what the other left", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move } = yield* start
        const { id } = yield* made()
        const add = (mark: string) =>
          move(id, ({ template, html }) => TemplateChange.setContent(template, html + mark, at(2_000)))
        yield* Effect.all(["a", "b", "c", "d"].map(add), { concurrency: 4 })
        const { template, html } = yield* store.current(workspace, id)
        assert.strictEqual(template.currentVersion, 5)
        assert.sameMembers((html ?? "").replace("<p>one</p>", "").split(""), ["a", "b", "c", "d"])
      }),
    )

    it.effect("a change that was decided on something else, or made up, is a defect and writes nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, approve } = yield* start
        const template = yield* made()
        const stale = TemplateChange.setContent(template, "<p>stale</p>", at(2_000))
        yield* approve(template.id)
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, stale)))))
        const forged: TemplateChange<Kind> = Object.create(
          TemplateChange.prototype,
          Object.getOwnPropertyDescriptors(stale),
        )
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, forged)))))
        const gone = Result.getOrThrow(TemplateChange.remove({ template, latest: null }, []))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, gone)))))
        assert.strictEqual((yield* store.current(workspace, template.id)).html, "<p>one</p>")
      }),
    )

    it.effect("a failed transaction leaves nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, made } = yield* start
        const { id } = yield* made()
        const before = yield* store.current(workspace, id)
        const approvalId = ApprovalId.make(yield* fresh.id)
        yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              const current = yield* store.lock(workspace, id)
              const decided = TemplateChange.approve(current, { approvalId, waitsForGeneration: true }, at(3_000))
              yield* store.apply(workspace, Result.getOrThrow(decided))
              return yield* Effect.fail("no")
            }),
          ),
        )
        assert.deepStrictEqual(yield* store.current(workspace, id), before)
        assert.strictEqual((yield* Effect.flip(store.approved(workspace, approvalId)))._tag, "NotFound")
      }),
    )

    it.effect("another workspace sees nothing, and changes nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, made, begun, approve } = yield* start
        const other = yield* fresh.workspace()
        const { id } = yield* made()
        const approvalId = yield* approve(id)
        const before = yield* store.current(workspace, id)
        const { template, generation } = yield* begun()
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.find(other, id),
          store.current(other, id),
          store.html(other, id, 1),
          store.approved(other, approvalId),
          store.generation(other, template.id, generation.id),
          transact(store.lock(other, id)),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.slice(other, everything), { items: [], next: null })
        const decided = TemplateChange.setContent(before.template, "<p>other</p>", at(5_000))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(other, decided)))))
        assert.deepStrictEqual(yield* store.current(workspace, id), before)
      }),
    )

    it.effect("a walk by slices meets each template once: the newest first, ties by id", () =>
      Effect.gen(function* () {
        const { workspace, store, made } = yield* start
        const all: Array<ShownTemplate<Kind>> = []
        for (const at_ms of [10, 20, 20, 20, 21, 30, 30]) all.push({ template: yield* made({ at_ms }), latest: null })
        const sorted = [...all].sort(
          ({ template: left }, { template: right }) =>
            right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
        )
        for (const limit of [1, 2, 3, 7, 100]) {
          assert.deepStrictEqual(yield* walk(store, workspace, { limit }), sorted)
        }
        assert.isNull((yield* store.slice(workspace, { ...everything, limit: 7 })).next)
        assert.isNotNull((yield* store.slice(workspace, { ...everything, limit: 6 })).next)
      }),
    )

    it.effect("a listing can be narrowed by status and by a part of the name, literally and whatever its case", () =>
      Effect.gen(function* () {
        const { workspace, store, made, approve } = yield* start
        for (const named of ["100% Größe_x", "GRÖSSE", "Ὀδυσσεύς", "plain"]) yield* made({ name: named })
        yield* approve((yield* made({ name: "approved plain" })).id)
        const names = (query: Partial<TemplateQuery>) =>
          Effect.map(walk(store, workspace, query), (found) => found.map(({ template }) => template.name).sort())
        assert.deepStrictEqual(yield* names({ search: "grö" }), ["100% Größe_x", "GRÖSSE"])
        assert.deepStrictEqual(yield* names({ search: "0%" }), ["100% Größe_x"])
        assert.deepStrictEqual(yield* names({ search: "_" }), ["100% Größe_x"])
        assert.deepStrictEqual(yield* names({ search: "ΣΕΎΣ" }), ["Ὀδυσσεύς"])
        assert.deepStrictEqual(yield* names({ search: "\\" }), [])
        assert.deepStrictEqual(yield* names({ status: "approved" }), ["approved plain"])
        assert.deepStrictEqual(yield* names({ status: "draft", search: "plain" }), ["plain"])
      }),
    )
  })

const walk = Effect.fnUntraced(function* <Kind extends TemplateKind>(
  store: TemplateStoreOf<Kind>,
  workspace: Parameters<TemplateStoreOf<Kind>["slice"]>[0],
  query: Partial<TemplateQuery>,
) {
  const seen: Array<ShownTemplate<Kind>> = []
  let after: Cursor | null = null
  do {
    const slice: { readonly items: ReadonlyArray<ShownTemplate<Kind>>; readonly next: Cursor | null } =
      yield* store.slice(workspace, { ...everything, ...query, after })
    seen.push(...slice.items)
    after = slice.next
  } while (after !== null)
  return seen
})
