import { assert, it } from "@effect/vitest"
import { root } from "@tentpole/core/tents/Alias"
import type { Tent } from "@tentpole/core/tents/Tent"
import { autoPublish, publicationTransitions, publish, TentChange, transitions } from "@tentpole/core/tents/machine"
import { Result, Schema } from "effect"
import { alias, at, completed, completion, context, facts, generating, html, id, queued, there } from "./TentFixture.ts"

const Move = Schema.Literals(["begin", "complete", "fail", "publish", "unpublish"])

const moved = (tent: Tent, move: typeof Move.Type, now: number): TentChange | null => {
  switch (move) {
    case "begin":
      return TentChange.begin(tent, at(now))
    case "complete":
      return TentChange.complete(tent, html, "sample", at(now))
    case "fail":
      return TentChange.fail(tent, "no", at(now))
    case "publish":
      return Result.getOrNull(publish(tent, {}, context()))?.change ?? null
    case "unpublish":
      return TentChange.unpublish(tent, at(now))
  }
}

/** Both machines moved by their tables. */
const assertEdges = (from: Tent, move: typeof Move.Type, to: Tent) => {
  const targets = (row: { readonly [event: string]: string | ReadonlyArray<string> }, event: string) =>
    [row[event] ?? []].flat()
  if (move === "publish" || move === "unpublish") {
    const row = publicationTransitions[from.publication?.status ?? "none"]
    assert.include(targets(row, move), to.publication?.status)
  } else assert.include(targets(transitions[from.generation.status], move), to.generation.status)
}

it.prop(
  "A tent's credit is spent once or returned once, in any sequence of operations",
  [Schema.Array(Move).check(Schema.isMaxLength(30))],
  ([moves]) => {
    let tent = queued()
    let taken = 1
    for (const [index, move] of moves.entries()) {
      const change = moved(tent, move, index + 2)
      if (change === null) continue
      assert.strictEqual(change.before, tent)
      assertEdges(tent, move, there(change.after))
      taken += change.credits_taken
      tent = there(change.after)
    }
    const { status } = tent.generation
    assert.strictEqual(taken, status === "failed" ? 0 : 1)
    assert.strictEqual(tent.credits_held, status === "queued" || status === "generating" ? 1 : 0)
    if (tent.publication?.status === "published") assert.strictEqual(status, "completed")
  },
)

it("A generation goes from queued to generating to completed or failed, and nowhere else", () => {
  const failed = there(TentChange.fail(generating(), "no", at(3))?.after)
  assert.deepStrictEqual(
    [generating(), completed(), failed].map((tent) => TentChange.begin(tent, at(4))),
    [null, null, null],
  )
  for (const tent of [queued(), completed(), failed])
    assert.strictEqual(TentChange.complete(tent, html, "sample", at(4)), null)
  for (const tent of [completed(), failed]) assert.strictEqual(TentChange.fail(tent, "no", at(4)), null)
})

it("An accepted generation queues its job under its own name", () => {
  assert.deepStrictEqual(
    TentChange.accept({
      idle: null,
      id,
      name: "n",
      createdByName: "a key",
      userId: null,
      request: {
        prompt: "p",
        includeBrand: false,
        template: null,
        assetIds: [],
        reasoning: null,
        variables: {},
        aliasTurn: 1,
        autoPublish: false,
      },
      requestedAlias: null,
      now: at(1),
    }).jobs.map((job) => job.id),
    [`tent_generation:${id}`],
  )
})

it("A failed generation with auto_publish reports why nothing was published", () => {
  const tent = there(TentChange.fail(generating({ autoPublish: true, alias: alias("a") }), "no", at(3))?.after)
  assert.strictEqual(tent.publication?.status, "failed")
  assert.strictEqual(tent.publication?.requestedAlias, "a")
})

it("A page that still has a variable is not published", () => {
  const refused = publish(completed(), {}, { ...context(), html: "<p>{{api.city}}</p>" })
  assert.deepInclude(Result.isFailure(refused) ? refused.failure : {}, {
    _tag: "UnfilledVariables",
    names: ["api.city"],
  })
})

it("A page is published at the requested alias, and again there without a new request", () => {
  const first = Result.getOrThrow(publish(completed(), { alias: alias("spring") }, context()))
  const live = there(first.change?.after)
  assert.strictEqual(live.alias, "spring")
  assert.include(first.change?.page?.html, "Made with Tentpole")
  const away = there(TentChange.unpublish(live, at(10))?.after)
  assert.strictEqual(away.alias, "spring")
  const again = there(Result.getOrThrow(publish(away, {}, context())).change?.after)
  assert.deepStrictEqual([again.alias, again.publication?.requestedAlias], ["spring", "spring"])
})

it("Publishing the live page again changes nothing; another alias or branding does", () => {
  const live = there(Result.getOrThrow(publish(completed(), { alias: alias("a") }, context())).change?.after)
  assert.strictEqual(Result.getOrThrow(publish(live, {}, context())).change, null)
  assert.strictEqual(Result.getOrThrow(publish(live, { alias: alias("a") }, context())).change, null)
  assert.strictEqual(Result.getOrThrow(publish(live, { alias: null }, context())).change?.after?.alias, null)
  const bare = Result.getOrThrow(publish(live, { removeBranding: true }, context())).change
  assert.notInclude(bare?.page?.html, "Made with Tentpole")
  assert.isFalse(bare?.after?.branding)
})

it("A tent without a page is not published", () => {
  for (const tent of [queued(), generating(), there(TentChange.fail(generating(), "no", at(3))?.after)]) {
    const refused = publish(tent, {}, context())
    assert.strictEqual(Result.isFailure(refused) && refused.failure.code, "tent_not_ready")
  }
})

it("A manual publication is refused for another tent's alias", () => {
  const refused = publish(completed(), { alias: alias("a") }, context({ taken: new Set(["a"]) }))
  assert.strictEqual(Result.isFailure(refused) && refused.failure.code, "alias_taken")
})

it("A publication over the plan's limit is refused, and the failure is stored", () => {
  const full = context({ plan: { publishedTents_max: 1, brandingRemovable: false }, others_published: 1 })
  const { refusal, change } = Result.getOrThrow(publish(completed(), {}, full))
  assert.deepStrictEqual(refusal?.extras, { limit: 1, current: 1 })
  assert.strictEqual(change?.after?.publication?.status, "failed")
  assert.strictEqual(change?.page, undefined)
})

it("A live page does not count against its own alias change on a full plan", () => {
  const live = there(Result.getOrThrow(publish(completed(), {}, context())).change?.after)
  const full = context({ plan: { publishedTents_max: 1, brandingRemovable: false }, others_published: 1 })
  const { refusal, change } = Result.getOrThrow(publish(live, { alias: alias("b") }, full))
  assert.strictEqual(refusal, null)
  assert.strictEqual(change?.after?.alias, "b")
})

it("A plan that shows the branding line publishes with it and warns", () => {
  const { change } = Result.getOrThrow(
    publish(completed(), { removeBranding: true }, context({ plan: { ...facts().plan, brandingRemovable: false } })),
  )
  const publication = change?.after?.publication
  assert.include(change?.page?.html, "Made with Tentpole")
  assert.deepStrictEqual(publication?.status === "published" && publication.warnings.map((each) => each.code), [
    "branding_required",
  ])
})

it("An automatic publication takes the next free alias, and the default address for a taken root", () => {
  const outcome = (wanted: string, taken: ReadonlyArray<string>) => {
    const { after } = autoPublish(
      completion({ autoPublish: true, alias: alias(wanted) }),
      context({ taken: new Set(taken) }),
    )
    const publication = after?.publication
    const warnings = publication?.status === "published" ? publication.warnings.map((each) => each.code) : null
    return [String(after?.alias), warnings]
  }
  assert.deepStrictEqual(outcome("a", []), ["a", []])
  assert.deepStrictEqual(outcome("a", ["a", "a-2"]), ["a-3", ["alias_adjusted"]])
  assert.deepStrictEqual(outcome(root, [root]), ["null", ["alias_taken"]])
})

it("An automatic publication on a full plan completes without publishing", () => {
  const change = autoPublish(
    completion({ autoPublish: true }),
    context({ plan: { publishedTents_max: 1, brandingRemovable: true }, others_published: 1 }),
  )
  assert.strictEqual(change.after?.generation.status, "completed")
  assert.strictEqual(change.after?.publication?.status, "failed")
  assert.strictEqual(change.version?.html, html)
  assert.strictEqual(change.before?.generation.status, "generating")
})
