// What can be asked by rules: whom they pick, and why somebody is or isn't among them.
import { Context, DateTime, Effect, Layer } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { type Explanation, explainRules, matchedPaths } from "./Explain.ts"
import { mentionedInJson, parseRules } from "./Parse.ts"
import { RuleFactsStore } from "./RuleFacts.ts"
import { type RuleMetadata, ruleMetadata } from "./RuleMetadata.ts"
import { type Segment, type SegmentQuery, SegmentStore } from "./SegmentStore.ts"

/** A contact that rules picked. */
export interface FoundContact {
  readonly contact: Contact
  /** The paths of the conditions that held; null where nobody asked. */
  readonly matched: ReadonlyArray<string> | null
}

interface Telling {
  /** Whether each contact is told with the conditions that held. */
  readonly explain: boolean
}

/** What a preview shows of those whom it counts. */
const newest: SegmentQuery = { page: 1, limit: 10, sort: "created_at", order: "desc", search: null }

export class Segments extends Context.Service<
  Segments,
  {
    /** Rules are JSON, here and below: all that is wrong with them is told at once, at paths that begin with `rules`. */
    readonly search: (
      workspace: WorkspaceId,
      rules: unknown,
      query: SegmentQuery & Telling,
    ) => Effect.Effect<Paged<FoundContact>, Invalid>
    /** How many contacts the rules pick, and the newest ten. */
    readonly preview: (
      workspace: WorkspaceId,
      rules: unknown,
      telling: Telling,
    ) => Effect.Effect<Paged<FoundContact>, Invalid>
    /** Whether a contact matches the rules, condition by condition. */
    readonly explain: (
      workspace: WorkspaceId,
      contact: ContactId,
      rules: unknown,
    ) => Effect.Effect<Explanation, Invalid | NotFound>
    /** The fields, operators, units and limits that rule trees of this workspace may use. */
    readonly ruleMetadata: (workspace: WorkspaceId) => Effect.Effect<RuleMetadata>
  }
>()("tentpole/Segments") {
  static readonly layer = Layer.effect(
    Segments,
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const contacts = yield* ContactStore
      const facts = yield* RuleFactsStore
      const fields = yield* ContactFieldStore

      const read = Effect.fnUntraced(function* (workspace: WorkspaceId, rules: unknown) {
        const known = yield* facts.of(workspace, mentionedInJson(rules))
        const tree = yield* Effect.fromResult(parseRules(rules, known))
        return { tree, fields: known.fields, now: yield* DateTime.now } satisfies Segment
      })

      const told = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        segment: Segment,
        { items, total }: Paged<Contact>,
        { explain }: Telling,
      ) {
        if (!explain) return { items: items.map((contact): FoundContact => ({ contact, matched: null })), total }
        const subjects = yield* store.subjects(workspace, items, segment.tree)
        const matched = matchedPaths(segment.tree, segment)
        return {
          items: subjects.map((each): FoundContact => ({ contact: each.contact, matched: matched(each) })),
          total,
        }
      })

      return Segments.of({
        ruleMetadata: Effect.fn("Segments.ruleMetadata")((workspace) =>
          Effect.map(fields.list(workspace), ruleMetadata),
        ),

        search: Effect.fn("Segments.search")(function* (workspace, rules, query) {
          const segment = yield* read(workspace, rules)
          return yield* told(workspace, segment, yield* store.list(workspace, segment, query), query)
        }),

        preview: Effect.fn("Segments.preview")(function* (workspace, rules, telling) {
          const segment = yield* read(workspace, rules)
          return yield* told(workspace, segment, yield* store.list(workspace, segment, newest), telling)
        }),

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
