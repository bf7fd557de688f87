// The selection of a draft's audience: an existing list, or an inline list that the blast's change creates.
import { DateTime, Effect } from "effect"
import { type BlastId, type ContactId, Ids, ListId, type WorkspaceId } from "../kernel/Ids.ts"
import { contact_ids_max, type List, ListChange, type NewList } from "../lists/List.ts"
import { name_length_max as list_name_length_max, nameCandidates, type WantedName } from "../lists/ListName.ts"
import { ListStore } from "../lists/ListStore.ts"
import { Invalid, NotFound } from "../kernel/Refusal.ts"
import { fold, nameWith } from "../kernel/Text.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import { parseRules, referencesInJson } from "../segments/Parse.ts"
import { RuleFactsStore } from "../segments/RuleFacts.ts"
import type { Audience, Blast } from "./Blast.ts"

interface InlineList {
  readonly source: "inline"
  /** Defaults to a name derived from the blast's name. */
  readonly name?: string
  readonly description?: string | null
}

interface InlineStatic extends InlineList {
  readonly kind: "static"
  readonly contactIds: ReadonlyArray<ContactId>
}

interface InlineDynamic extends InlineList {
  readonly kind: "dynamic"
  /** Undecoded JSON. */
  readonly rules: unknown
}

interface ExistingList {
  readonly source: "existing"
  readonly listId: ListId
}

export type AudienceSelection = ExistingList | InlineStatic | InlineDynamic

export interface SelectedAudience {
  readonly audience: Audience
  /** The deletion of the former inline list comes first, so that its name is free. */
  readonly lists: ReadonlyArray<ListChange>
}

const isOwned = (list: List): list is List & { readonly ownerBlastId: BlastId } => list.ownerBlastId !== null

/** The deletion of the blast's former inline list, if it has one. */
export const inlineListDeletion = (blast: Blast, former: List | null, now: DateTime.Utc): ReadonlyArray<ListChange> =>
  former !== null && isOwned(former) && former.ownerBlastId === blast.id ? [ListChange.discardInline(former, now)] : []

const wantedName = (blast: Blast, name: string | undefined): WantedName =>
  name === undefined
    ? { text: nameWith(blast.name, " audience", list_name_length_max), origin: "derived" }
    : { text: name, origin: "given" }

/** Resolves audience selections against the lists and rules of the workspace. */
export const audienceSelector = Effect.gen(function* () {
  const lists = yield* ListStore
  const ruleFacts = yield* RuleFactsStore
  const ids = yield* Ids

  /** Locks the blast's inline list for deletion. Null when there is none, or when it has been deleted. */
  const former = (workspace: WorkspaceId, { audience }: Blast): Effect.Effect<List | null, never, Transaction> =>
    audience?.source === "inline"
      ? lists.lockForDelete(workspace, audience.listId).pipe(
          Effect.map(({ list }) => list),
          Effect.catchTag("NotFound", () => Effect.succeed(null)),
        )
      : Effect.succeed(null)

  /** Another blast's inline list is refused, because it is deleted with that blast. */
  const existing = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    blast: Blast,
    listId: ListId,
    deletion: ReadonlyArray<ListChange>,
  ) {
    const list = yield* lists
      .get(workspace, listId)
      .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "contact list", path: "list_id" })))
    if (!isOwned(list)) return { audience: { listId, source: "existing" }, lists: deletion } satisfies SelectedAudience
    return list.ownerBlastId === blast.id
      ? ({ audience: { listId, source: "inline" }, lists: [] } satisfies SelectedAudience)
      : yield* Invalid.at("list_id", "is the inline audience of another blast. Use another list")
  })

  /** Creates an inline list. It may reuse the name and slug of the former one, which is deleted first. */
  const inline = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    blast: Blast,
    choice: InlineStatic | InlineDynamic,
    deletion: ReadonlyArray<ListChange>,
  ) {
    const contactIds = choice.kind === "static" ? choice.contactIds : []
    if (contactIds.length > contact_ids_max) {
      return yield* Invalid.at("contact_ids", `must have at most ${contact_ids_max} ids, got ${contactIds.length}`)
    }
    const candidates = nameCandidates(wantedName(blast, choice.name), yield* ids.random)
    const named = choice.kind === "dynamic" ? referencesInJson(choice.rules).lists : []
    const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds, named })
    const content = yield* contentOf(workspace, choice)
    const wanted: NewList = {
      id: ListId.make(yield* ids.next),
      candidates,
      description: choice.description || null,
      content,
    }
    const names = new Map(facts.taken.names)
    const slugs = new Set(facts.taken.slugs)
    for (const { before } of deletion) {
      names.delete(fold(before?.name ?? ""))
      slugs.delete(before?.slug ?? "")
    }
    const free = { ...facts, taken: { names, slugs } }
    const created = yield* Effect.fromResult(ListChange.createInline(wanted, blast.id, free, yield* DateTime.now))
    return {
      audience: { listId: created.list.id, source: "inline" },
      lists: [...deletion, created.change],
    } satisfies SelectedAudience
  })

  const contentOf = Effect.fnUntraced(function* (workspace: WorkspaceId, choice: InlineStatic | InlineDynamic) {
    if (choice.kind === "static") return { kind: "static", contactIds: choice.contactIds } as const
    const facts = yield* ruleFacts.of(workspace, referencesInJson(choice.rules))
    return { kind: "dynamic", rules: yield* Effect.fromResult(parseRules(choice.rules, facts)) } as const
  })

  const select = Effect.fnUntraced(function* (workspace: WorkspaceId, blast: Blast, choice: AudienceSelection) {
    const deletion = inlineListDeletion(blast, yield* former(workspace, blast), yield* DateTime.now)
    return choice.source === "inline"
      ? yield* inline(workspace, blast, choice, deletion)
      : yield* existing(workspace, blast, choice.listId, deletion)
  })

  return { former, select }
})
