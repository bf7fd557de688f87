// Calls of the store for the contacts of a rule tree, as the use cases make them.
import type { DynamicList } from "@tentpole/core/lists/List"
import { ListId } from "@tentpole/core/kernel/Ids"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

/** A page, from either side. */
export interface Answer {
  readonly ids: ReadonlyArray<string>
  readonly total: number
}

export const page_limit = 25

/** A dynamic list that is not stored: its members are the contacts of the rules. */
const listOf = ({ now }: LargeWorkspace, rules: RuleTree): DynamicList => ({
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
}

export const askedOf = async (world: LargeWorkspace, tree: RuleTree): Promise<Asked> => {
  const { inside, now, workspace } = world
  const { fields } = await inside.run(
    Effect.flatMap(RuleFactsStore, (facts) => facts.of(workspace, referencesIn(tree))),
  )
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
    count: () => inside.run(Effect.flatMap(ListStore, (store) => store.countMembers(workspace, audience))),
    firstPage: async () => {
      const { items, total } = await inside.run(
        Effect.flatMap(ListStore, (store) => store.members(workspace, audience, query)),
      )
      return { ids: items.map(({ contact }) => contact.id), total }
    },
  }
}
