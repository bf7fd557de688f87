// Contract tests of `SearchStore`.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { fold } from "../../src/kernel/Text.ts"
import { bestOf, inOrder, results_max, type SearchResult } from "../../src/operations/search/Search.ts"
import { SearchStore } from "../../src/operations/search/SearchStore.ts"
import { type FlowRooms, flowWorld } from "../flows/flowWorld.ts"
import { drawFrom } from "../kernel/draws.ts"

const words = ["spring", "Spring", "sale", "SALE", "100%", "straße", "Ärzte", "a_b", "c\\d"]

export const search = <E>(name: string, live: Layer.Layer<FlowRooms | SearchStore, E>) =>
  layer(live, { excludeTestServices: true })(`SearchStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const world = yield* flowWorld()
      const store = yield* SearchStore
      const found = (text: string) =>
        Effect.map(store.list(world.workspace, fold(text)), (all) => all.toSorted(inOrder(fold(text))))
      const names = (text: string) => Effect.map(found(text), (all) => all.map((each) => each.name))
      return { ...world, search: store, found, names }
    })

    it.effect("finds everything of a workspace by a part of its name, with its id and its status or kind", () =>
      Effect.gen(function* () {
        const { found, ...world } = yield* begin
        const { workspace } = world
        const other = yield* flowWorld()
        yield* other.listOf("A spring list", [])
        const result = (type: SearchResult["type"], { id, name }: { id: string; name: string }, detail: string) => ({
          type,
          id,
          name,
          detail,
        })
        const wanted = [
          result("list", yield* world.listOf("A spring list", []), "static"),
          result("email", yield* world.approvedEmail("Spring email"), "approved"),
          result("blast", yield* world.draft("Our SPRING blast"), "draft"),
          result("flow", yield* world.flow("Spring flow"), "draft"),
          result("tent", yield* world.tentMoves.accept(workspace, { name: "spring tent" }), "queued"),
          result("email_template", yield* world.emailTemplates.made({ name: "spring letter" }), "draft"),
          result("tent_template", yield* world.tentTemplates.made({ name: "spring page" }), "draft"),
        ]
        yield* world.inlineList("spring audience")
        yield* world.listOf("Autumn", [])
        const all = yield* found("Spring")
        assert.sameDeepMembers(
          all.filter(({ name }) => name !== "spring audience"),
          wanted,
        )
        // The inline audience belongs to a blast of its name.
        assert.deepStrictEqual(
          all.filter(({ name }) => name === "spring audience").map(({ type }) => type),
          ["blast"],
        )
        assert.deepStrictEqual(
          (yield* found("all contacts")).map(({ detail, type }) => [type, detail]),
          [["list", "system"]],
        )
      }),
    )

    it.effect("finds contacts by the beginning of their address or of a name", () =>
      Effect.gen(function* () {
        const { found, names, person } = yield* begin
        yield* person("zoe", { displayName: "Ann Lee", firstName: "Bea", lastName: "Ärni" })
        yield* person("ann", { displayName: null, firstName: "Cyd", lastName: "Doe" })
        yield* person("yves", { displayName: null, phone: "+41791234567" })
        for (const [text, wanted] of [
          ["ann", ["Ann Lee", "Cyd Doe"]],
          ["ANN L", ["Ann Lee"]],
          ["bea", ["Ann Lee"]],
          ["ärn", ["Ann Lee"]],
          ["doe", ["Cyd Doe"]],
          ["ann@example.test", ["Cyd Doe"]],
          ["yves", ["yves@example.test"]],
          ["lee", []],
          ["example", []],
          ["_nn", []],
          ["%", []],
        ] as const) {
          assert.deepStrictEqual(yield* names(text), [...wanted], text)
        }
        const [ann] = yield* found("ann l")
        assert.deepInclude(ann, { type: "contact", detail: "zoe@example.test" })
      }),
    )

    it.effect("finds the first five contacts in the order of each name, and none of another workspace", () =>
      Effect.gen(function* () {
        const { names, person } = yield* begin
        const other = yield* begin
        for (const last of ["c", "a", "g", "e", "b", "f", "d"]) {
          yield* person(`p${last}`, { displayName: `Ann ${last}`, lastName: `Z${last}` })
        }
        const anns = ["a", "b", "c", "d", "e"].map((last) => `Ann ${last}`)
        assert.deepStrictEqual(yield* names("ann"), anns)
        assert.deepStrictEqual(yield* names("z"), anns)
        assert.deepStrictEqual(yield* other.names("ann"), [])
      }),
    )

    it.effect("has the best results among many names, whatever the text is", () =>
      Effect.gen(function* () {
        const { draft, listOf, search: store, workspace } = yield* begin
        const draw = drawFrom(7)
        const all: Array<SearchResult> = []
        for (let nth = 0; nth < 40; nth++) {
          const text = [draw.of(words), draw.of(words), draw.of(words)].join(draw.of(["", " "]))
          if (draw.chance(0.5)) {
            const made = yield* listOf(`${text} ${nth}`, [])
            all.push({ type: "list", id: made.id, name: made.name, detail: "static" })
          } else {
            const made = yield* draft(text)
            all.push({ type: "blast", id: made.id, name: made.name, detail: "draft" })
          }
        }
        for (const text of [...words, "s", "e", "% ", "spring s", "_", "\\", "nothing"]) {
          const folded = fold(text)
          const matching = all.filter((each) => fold(each.name).includes(folded))
          const found = (yield* store.list(workspace, folded)).filter(({ detail }) => detail !== "system")
          assert.deepStrictEqual(bestOf(found, folded, results_max), bestOf(matching, folded, results_max), text)
        }
      }),
    )
  })
