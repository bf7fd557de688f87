// The segment store in memory: the contacts that match a rule tree.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { compileRules, type RuleSubject } from "@tentpole/core/segments/Evaluate"
import { requiredFactsIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { type Segment, type SegmentQuery, SegmentStore } from "@tentpole/core/segments/SegmentStore"
import { DateTime, Effect } from "effect"
import { contacts, pageOfContacts } from "../contacts/ContactStore.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { subjectsOf } from "./SegmentMembers.ts"

const pageOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, segment: Segment, query: SegmentQuery) {
  const holds = compileRules(segment.tree, segment)
  const subjects = yield* subjectsOf(db, workspace, yield* db.all(contacts, workspace))
  const picked = subjects.filter(holds).map(({ contact }) => contact)
  return pageOfContacts(picked, { ...query, updatedAfter: null })
})

/** The parts of a subject that the rule tree uses. */
const restrictTo =
  (tree: RuleTree) =>
  ({ contact, activities, lists, topics }: RuleSubject): RuleSubject => {
    const selected = requiredFactsIn(tree)
    const latest = selected.activityTypes.flatMap((type) => {
      const all = activities.filter((each) => each.type === type).map(({ at }) => at)
      return all.length === 0 ? [] : [{ type, at: all.reduce((last, at) => DateTime.max(last, at)) }]
    })
    return {
      contact,
      activities: latest,
      lists: new Set(selected.lists.filter((list) => lists.has(list))),
      topics: new Map([...topics].filter(([id]) => selected.topics.includes(id))),
    }
  }

export const layer = storeLayer(SegmentStore, (db) =>
  SegmentStore.of({
    list: (workspace, segment, query) => pageOf(db, workspace, segment, query),
    subjects: (workspace, selected, tree) =>
      Effect.map(subjectsOf(db, workspace, selected), (subjects) => subjects.map(restrictTo(tree))),
  }),
)
