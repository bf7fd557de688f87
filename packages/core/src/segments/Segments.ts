// What can be asked by rules: whom they pick, and why somebody is or isn't among them.
import { Context, DateTime, Effect, Layer } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import type { ContactId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { List } from "../lists/List.ts"
import { ListStore } from "../lists/ListStore.ts"
import type { Paged } from "../kernel/Page.ts"
import { type Invalid, NotFound } from "../kernel/Refusal.ts"
import { type Explanation, explainRules, matchedPaths } from "./Explain.ts"
import { mentionedInJson, parseRules } from "./Parse.ts"
import { RuleFactsStore } from "./RuleFacts.ts"
import { type RuleMetadata, ruleMetadata } from "./RuleMetadata.ts"
import { mentionedIn, type RuleTree } from "./RuleTree.ts"
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
    /** Lists without rules are explained by no conditions. An unknown list is refused at `list_id`. */
    readonly explain: (
      workspace: WorkspaceId,
      contact: ContactId,
      by: { readonly rules: unknown } | { readonly listId: ListId },
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
      const lists = yield* ListStore
      const facts = yield* RuleFactsStore
      const fields = yield* ContactFieldStore

      const read = Effect.fnUntraced(function* (workspace: WorkspaceId, rules: unknown) {
        const known = yield* facts.of(workspace, mentionedInJson(rules))
        const tree = yield* Effect.fromResult(parseRules(rules, known))
        return { tree, fields: known.fields, now: yield* DateTime.now } satisfies Segment
      })

      /** Stored rules may name fields that have been archived since, which no new ones may. */
      const reread = Effect.fnUntraced(function* (workspace: WorkspaceId, tree: RuleTree) {
        const { fields } = yield* facts.of(workspace, mentionedIn(tree))
        return { tree, fields, now: yield* DateTime.now } satisfies Segment
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

      const explained = Effect.fnUntraced(function* (workspace: WorkspaceId, segment: Segment, contact: Contact) {
        const [subject] = yield* store.subjects(workspace, [contact], segment.tree)
        if (subject === undefined) return yield* Effect.die("a store tells of every contact that it is asked of")
        return explainRules(segment.tree, segment)(subject)
      })

      const explainedByList = Effect.fnUntraced(function* (workspace: WorkspaceId, list: List, contact: Contact) {
        switch (list.kind) {
          case "static": {
            const { matches } = yield* explained(workspace, yield* reread(workspace, membersOf(list.id)), contact)
            return withoutRules(matches)
          }
          case "dynamic":
            return list.rules === null
              ? withoutRules(false)
              : yield* explained(workspace, yield* reread(workspace, list.rules), contact)
          case "system":
            return withoutRules(list.systemList === "all_contacts" || contact.unsubscribed)
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

        explain: Effect.fn("Segments.explain")(function* (workspace, id, by) {
          const contact = yield* contacts.get(workspace, id)
          if ("rules" in by) return yield* explained(workspace, yield* read(workspace, by.rules), contact)
          const list = yield* Effect.mapError(
            lists.get(workspace, by.listId),
            ({ resource }) => new NotFound({ resource, path: "list_id" }),
          )
          return yield* explainedByList(workspace, list, contact)
        }),
      })
    }),
  )
}

/** What there is to say where no rules decide. */
const withoutRules = (matches: boolean): Explanation => ({ matches, conditions: [] })

const membersOf = (listId: ListId): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "list_membership", listId, operator: "is_member" }],
})
