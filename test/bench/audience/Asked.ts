// How the product is asked for the contacts that a tree picks: through the port, as the use cases ask.
import { segmentCounted } from "@tentpole/adapters/postgres/segments/SegmentCounts"
import { LongReads } from "@tentpole/adapters/postgres/kernel/Postgres"
import type { DynamicList } from "@tentpole/core/lists/List"
import { ListId } from "@tentpole/core/kernel/Ids"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { mentionedIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import type { World } from "./World.ts"

/** A page as both sides answer it. */
export interface Answer {
  readonly ids: ReadonlyArray<string>
  readonly total: number
}

export const page_limit = 25

/** A list that nobody has made: what a dynamic list with these rules holds, is what the tree picks. */
const listOf = ({ now }: World, rules: RuleTree): DynamicList => ({
  id: ListId.make("00000000-0000-4000-8000-00000000000d"),
  kind: "dynamic",
  name: "",
  slug: "",
  description: null,
  rules,
  ownerBlastId: null,
  createdAt: now,
  updatedAt: now,
})

export interface Asked {
  readonly count: () => Promise<number>
  readonly firstPage: () => Promise<Answer>
  /** How PostgreSQL goes about the count. */
  readonly plan: () => Promise<ReadonlyArray<string>>
}

interface PlanRow {
  readonly "QUERY PLAN": string
}

export const linesOf = (rows: ReadonlyArray<PlanRow>): ReadonlyArray<string> => rows.map((row) => row["QUERY PLAN"])

export const askedOf = async (world: World, tree: RuleTree): Promise<Asked> => {
  const { now, workspace, run } = world
  const { fields } = await run(Effect.flatMap(RuleFactsStore, (facts) => facts.of(workspace, mentionedIn(tree))))
  const audience = { list: listOf(world, tree), fields, now }
  const query = {
    page: 1,
    limit: page_limit,
    sort: "created_at",
    order: "desc",
    search: null,
    unsubscribed: null,
  } as const
  return {
    count: () => run(Effect.flatMap(ListStore, (store) => store.countOf(workspace, audience))),
    firstPage: async () => {
      const { items, total } = await run(
        Effect.flatMap(ListStore, (store) => store.members(workspace, audience, query)),
      )
      return { ids: items.map(({ contact }) => contact.id), total }
    },
    plan: () =>
      run(
        Effect.flatMap(LongReads, (long) =>
          long.read(workspace, (sql) =>
            Effect.gen(function* () {
              const { from, where } = yield* segmentCounted(sql, workspace, { tree, fields, now })
              return linesOf(
                yield* sql<PlanRow>`
                  explain (analyze, costs off, timing off, summary off) select count(*) from ${from} where ${where}`,
              )
            }),
          ),
        ),
      ),
  }
}
