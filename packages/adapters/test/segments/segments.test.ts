// The contract of rules: a store's query matches exactly the contacts that the evaluator accepts. `npm run test:deep` draws
// a hundred thousand trees. `SEED` repeats a run, `TREES` sets its length.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { audienceCondition, ruleCondition } from "@tentpole/adapters/postgres/segments/RuleSql"
import { assert, layer } from "@effect/vitest"
import { drawFrom, Fresh, sampled, tagged } from "@tentpole/core/contract"
import type { ListId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { compileRules, ruleIssues } from "@tentpole/core/segments/Evaluate"
import { parseRules } from "@tentpole/core/segments/Parse"
import { RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { conditionsOf, referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Array as Arr, Effect, Result } from "effect"
import { drawPopulation, fields, lists, topics } from "../fixtures/RuleDraws.ts"
import { drawTrees, everyComparison, everything } from "../fixtures/RuleTreeDraws.ts"
import { compared, disagreement, populated, explained } from "../fixtures/RuleWorld.ts"
import { postgres } from "../fixtures/Stores.ts"

const whole = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? String(otherwise)
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} must be a whole number, got ${text}`)
  return Number(text)
}

const seed = whole("SEED", Math.floor(Math.random() * 2 ** 31))
const trees_count = whole("TREES", process.env["DEEP"] === undefined ? sampled(1_000) : 100_000)
/** The number of trees for each population. */
const trees_each = 50
const contacts_count = 120

const positives = new Map([
  ["not_equals", "equals"],
  ["not_contains", "contains"],
  ["is_not_empty", "is_empty"],
] as const)

/** The tree with the opposite matches; null for archived fields, which match no contact with either operator. */
const positiveOf = (tree: RuleTree): RuleTree | undefined => {
  const [leaf] = conditionsOf(tree)
  if (leaf?.source !== "contact" && leaf?.source !== "custom_field") return undefined
  if (leaf.source === "custom_field" && ruleIssues(tree, fields).length > 0) return undefined
  for (const [negative, operator] of positives) {
    if (leaf.operator === negative) return { ...tree, conditions: [{ ...leaf, operator }] }
  }
  return undefined
}

layer(postgres, { excludeTestServices: true })("rules on PostgreSQL", (it) => {
  const begin = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const population = drawPopulation(drawFrom(seed), contacts_count)
    return { sql, workspace: yield* populated(population), ...population }
  })

  // A new tree can't use archived fields, but an older one can.
  const known = {
    fields: fields.map((each) => ({ ...each, status: "active" as const })),
    staticLists: new Set(lists),
    topics: new Set(topics.map(({ id }) => id)),
  }

  /** One population and some trees of one seed, rolled back. Returns the drawn kinds, and how many trees split the contacts. */
  const trial = Effect.fnUntraced(function* (own: number, count: number) {
    const { transact } = yield* Transactor
    const draw = drawFrom(own)
    const population = drawPopulation(draw, contacts_count)
    const { next, seen } = drawTrees(draw, population.subjects)
    const asked = Effect.gen(function* () {
      const workspace = yield* populated(population)
      let telling = 0
      for (let drawn = 0; drawn < count; drawn++) {
        const tree = Result.getOrThrow(parseRules(next(), known))
        const { found, picked } = yield* disagreement(workspace, tree, { fields, now: population.now }, population)
        if (found !== undefined) assert.fail(explained(found, population))
        if (picked > 0 && picked < contacts_count) telling++
      }
      return { seen, telling }
    })
    // The transaction is rolled back: the result is returned as its failure.
    return yield* Effect.flip(transact(Effect.flip(asked))).pipe(
      Effect.tapCause(() => Effect.sync(() => console.error(`To repeat: SEED=${own} TREES=${count}`))),
    )
  })

  it.effect(
    "the store and the evaluator agree on random trees over random contacts",
    () =>
      Effect.gen(function* () {
        const seen = new Set<string>()
        let telling = 0
        for (let done = 0; done < trees_count; done += trees_each) {
          // Each population has its own seed, so that a failure can be repeated alone.
          const drawn = yield* trial(seed + done / trees_each, Math.min(trees_each, trees_count - done))
          for (const each of drawn.seen) seen.add(each)
          telling += drawn.telling
        }
        assert.isAbove(telling, trees_count / 3, "most trees must tell contacts apart, or nothing is compared")
        const missing = trees_count < 1_000 ? [] : everything.filter((each) => !seen.has(each))
        assert.deepStrictEqual(missing, [], `seed ${seed}: kinds of conditions and shapes that were never drawn`)
      }),
    { timeout: 300_000 + trees_count * 60 },
  )

  const textFoldingTest = tagged(it.effect, "attack/text-folding")
  textFoldingTest(
    "the store and the evaluator agree on every operator with all boundary values, and negated rules match the other contacts",
    () =>
      Effect.gen(function* () {
        const { sql, workspace, subjects, now } = yield* begin
        const every = everyComparison.map((json) => Result.getOrThrow(parseRules(json, known)))
        const asked = every.flatMap((tree) => [tree, positiveOf(tree)].filter((each) => each !== undefined))
        // All in one query: a condition that is null in a WHERE clause matches no contact.
        const picks = yield* Effect.forEach(Arr.chunksOf(asked, 60), (trees) =>
          fenced(sql)(
            workspace,
            sql<{ readonly held: ReadonlyArray<boolean> }>`
            select array[${sql.csv(trees.map((tree) => sql`(${ruleCondition(sql, workspace, tree, { fields: compared, now })}) is true`))}] as held
            from fenced_contact c where c.workspace_id = ${workspace} order by c.contact_id`,
          ).pipe(Effect.map((rows) => trees.map((tree, at) => [tree, rows.map(({ held }) => held[at])] as const))),
        )
        const held = new Map(picks.flat())
        for (const tree of asked) {
          const expected = subjects.map(compileRules(tree, { fields, now }))
          assert.deepStrictEqual(held.get(tree), expected, `seed ${seed}: ${JSON.stringify(tree)}`)
        }
        for (const tree of every) {
          const positive = positiveOf(tree)
          if (positive === undefined) continue
          const others = subjects.map(compileRules(positive, { fields, now })).map((yes) => !yes)
          assert.deepStrictEqual(held.get(tree), others, JSON.stringify(tree))
        }
      }),
  )

  it.effect("contacts of other workspaces do not match", () =>
    Effect.gen(function* () {
      const { sql, workspace, subjects, now } = yield* begin
      const other = yield* (yield* Fresh).workspace()
      const tree: RuleTree = {
        kind: "group",
        operator: "and",
        conditions: [{ kind: "condition", source: "contact", field: "createdAt", operator: "is_not_empty" }],
      }
      const count = (asked: WorkspaceId) =>
        Effect.map(
          fenced(sql)(
            asked,
            sql`select 1 from fenced_contact c where c.workspace_id = ${asked} and ${ruleCondition(sql, asked, tree, { fields: compared, now })}`,
          ),
          (rows) => rows.length,
        )
      assert.strictEqual(yield* count(workspace), subjects.length)
      assert.strictEqual(yield* count(other), 0)
    }),
  )

  it.effect("rules can refer to each kind of list", () =>
    Effect.gen(function* () {
      const { sql, workspace, subjects, now } = yield* begin
      const [first = lists[0]] = lists
      if (first === undefined) return assert.fail("no list")
      const held = (list: Parameters<typeof audienceCondition>[2]) =>
        Effect.map(
          fenced(sql)(
            workspace,
            sql`select 1 from fenced_contact c where c.workspace_id = ${workspace} and ${audienceCondition(sql, workspace, list, { fields: compared, now })}`,
          ),
          (rows) => rows.length,
        )
      const members = subjects.filter((subject) => subject.lists.has(first)).length
      const gone = subjects.filter((subject) => subject.contact.unsubscribed).length
      assert.isAbove(members, 0)
      assert.strictEqual(yield* held({ id: first, kind: "static" }), members)
      assert.strictEqual(yield* held({ id: first, kind: "dynamic", rules: null }), 0)
      assert.strictEqual(yield* held({ id: first, kind: "system", systemList: "all_contacts" }), subjects.length)
      assert.strictEqual(yield* held({ id: first, kind: "system", systemList: "unsubscribed" }), gone)
      const tree = Result.getOrThrow(
        parseRules({ kind: "condition", source: "list_membership", listId: first, operator: "is_not_member" }, known),
      )
      assert.strictEqual(yield* held({ id: first, kind: "dynamic", rules: tree }), subjects.length - members)
    }),
  )

  it.effect("facts contain only mentioned fields and lists of this workspace", () =>
    Effect.gen(function* () {
      const { workspace } = yield* begin
      const facts = yield* RuleFactsStore
      const mentioned = { fields: fields.map((each) => each.id), lists, topics: [...known.topics] }
      const read = yield* facts.of(workspace, mentioned)
      assert.deepStrictEqual(
        [...read.fields].sort((left, right) => (left.id < right.id ? -1 : 1)),
        fields,
      )
      assert.deepStrictEqual([read.staticLists, read.topics], [new Set(lists), known.topics])
      const other = yield* (yield* Fresh).workspace()
      const none = { fields: [], staticLists: new Set<ListId>(), topics: new Set<TopicId>() }
      assert.deepStrictEqual(yield* facts.of(other, mentioned), none)
      assert.deepStrictEqual(yield* facts.of(workspace, referencesIn(null)), none)
    }),
  )
})
