// The use cases of rules: search, preview and explanation.
import { Context, DateTime, Effect, Layer } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { type Explanation, explainRules, matchedPaths } from "./Explain.ts"
import { referencesInJson, parseRules } from "./Parse.ts"
import { RuleFactsStore } from "./RuleFacts.ts"
import { type Segment, type SegmentQuery, SegmentStore } from "./SegmentStore.ts"

export interface FoundContact {
  readonly contact: Contact
  /** The paths of the conditions that hold; null if not requested. */
  readonly matched: ReadonlyArray<string> | null
}

interface ExplainOption {
  /** Whether to return the conditions that hold for each contact. */
  readonly explain: boolean
}

/** The contacts that a preview returns beside the count. */
const newest: SegmentQuery = { page: 1, limit: 10, sort: "created_at", order: "desc", search: null }

export class Segments extends Context.Service<
  Segments,
  {
    /** `rules` is JSON, here and below. All issues are reported at once, at paths that begin with `rules`. */
    readonly search: (
      workspace: WorkspaceId,
      rules: unknown,
      query: SegmentQuery & ExplainOption,
    ) => Effect.Effect<Paged<FoundContact>, Invalid>
    /** The number of contacts that match the rules, and the newest ten of them. */
    readonly preview: (
      workspace: WorkspaceId,
      rules: unknown,
      option: ExplainOption,
    ) => Effect.Effect<Paged<FoundContact>, Invalid>
    /** Whether a contact matches the rules, condition by condition. */
    readonly explain: (
      workspace: WorkspaceId,
      contact: ContactId,
      rules: unknown,
    ) => Effect.Effect<Explanation, Invalid | NotFound>
  }
>()("tentpole/Segments") {
  static readonly layer = Layer.effect(
    Segments,
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const contacts = yield* ContactStore
      const facts = yield* RuleFactsStore

      const read = Effect.fnUntraced(function* (workspace: WorkspaceId, rules: unknown) {
        const known = yield* facts.of(workspace, referencesInJson(rules))
        const tree = yield* Effect.fromResult(parseRules(rules, known))
        return { tree, fields: known.fields, now: yield* DateTime.now } satisfies Segment
      })

      const search = Effect.fn("Segments.search")(function* (
        workspace: WorkspaceId,
        rules: unknown,
        query: SegmentQuery & ExplainOption,
      ) {
        const segment = yield* read(workspace, rules)
        const { items, total } = yield* store.list(workspace, segment, query)
        if (!query.explain) return { items: items.map((contact): FoundContact => ({ contact, matched: null })), total }
        const subjects = yield* store.subjects(workspace, items, segment.tree)
        const matched = matchedPaths(segment.tree, segment)
        return {
          items: subjects.map((each): FoundContact => ({ contact: each.contact, matched: matched(each) })),
          total,
        }
      })

      return Segments.of({
        search,
        preview: (workspace, rules, option) => search(workspace, rules, { ...newest, ...option }),
        explain: Effect.fn("Segments.explain")(function* (workspace, id, rules) {
          const contact = yield* contacts.get(workspace, id)
          return yield* explainContact(store, workspace, yield* read(workspace, rules), contact)
        }),
      })
    }),
  )
}

/** Evaluates every condition of the segment for the contact. */
export const explainContact = Effect.fnUntraced(function* (
  store: SegmentStore["Service"],
  workspace: WorkspaceId,
  segment: Segment,
  contact: Contact,
) {
  const [subject] = yield* store.subjects(workspace, [contact], segment.tree)
  if (subject === undefined) return yield* Effect.die("a store returns a subject for every contact")
  return explainRules(segment.tree, segment)(subject)
})
