// The use case that merges two contacts into one. It is after all rooms that contacts have rows in.
import { Context, DateTime, Effect, Layer } from "effect"
import type { Contact } from "../../contacts/Contact.ts"
import { ContactFieldStore } from "../../contacts/ContactFieldStore.ts"
import type { ContactView } from "../../contacts/Contacts.ts"
import { ContactsChange } from "../../contacts/ContactsChange.ts"
import { ContactStore, retryOnIdentityConflict } from "../../contacts/ContactStore.ts"
import { activeValues } from "../../contacts/CustomField.ts"
import {
  endingMemberships,
  mergedContact,
  type MergePair,
  type MergePreference,
  type MergeSide,
  type MergingMembership,
  readPreference,
} from "../../contacts/Merge.ts"
import { MembershipRunner } from "../../flows/engine/MembershipRunner.ts"
import { MembershipStore } from "../../flows/members/MembershipStore.ts"
import { CsvReader } from "../../imports/CsvReader.ts"
import type { ContactId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { fileKeys, fileSearch } from "../privacy/FileSearch.ts"
import { identifierPatternsOf } from "../privacy/IdentifierPatterns.ts"
import { ContactBusy } from "../privacy/PrivacyStore.ts"
import { type MergeCounts, MergeStore } from "./MergeStore.ts"

export interface MergeRequest {
  readonly source: ContactId
  readonly prefer: MergeSide
  readonly fields: Readonly<Record<string, MergeSide>>
  /** Returns the result, and writes nothing. */
  readonly dryRun: boolean
}

/** The target after the merge, and what it has taken over. */
export interface MergeResult {
  readonly shown: ContactView
  readonly source: ContactId
  readonly counts: MergeCounts
  /** The flows in which the membership of the source ended. */
  readonly droppedMemberships: ReadonlyArray<FlowId>
}

export class ContactMerges extends Context.Service<
  ContactMerges,
  {
    /** Merges a contact into the target, which keeps its id. It can't be undone. */
    readonly merge: (
      workspace: WorkspaceId,
      target: ContactId,
      request: MergeRequest,
    ) => Effect.Effect<MergeResult, NotFound | Invalid | ContactBusy | BlobUnavailable>
  }
>()("tentpole/ContactMerges") {
  static readonly layer = Layer.effect(
    ContactMerges,
    Effect.gen(function* () {
      const store = yield* MergeStore
      const contacts = yield* ContactStore
      const fieldStore = yield* ContactFieldStore
      const memberships = yield* MembershipStore
      const { advanceLocked } = yield* MembershipRunner
      const { transact } = yield* Transactor
      const isNamed = fileSearch(yield* BlobStore, yield* CsvReader)

      const pairOf = Effect.fnUntraced(function* (workspace: WorkspaceId, ids: MergePair<ContactId>) {
        const target = yield* contacts.get(workspace, ids.target)
        const source = yield* Effect.mapError(contacts.get(workspace, ids.source), (error) =>
          error.at("source_contact_id"),
        )
        const pair: MergePair<Contact> = { target, source }
        return pair
      })

      /** Files can be large, so they are read while no transaction is open. An import that starts later finds the target. */
      const requireNoImport = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        { email, emailNormalized, phone }: Contact,
      ) {
        const patterns = identifierPatternsOf([email, emailNormalized], [phone])
        for (const file of yield* store.openImports(workspace)) {
          for (const key of fileKeys(workspace, file)) {
            if (yield* isNamed(file, key, patterns)) return yield* new ContactBusy({ because: "import" })
          }
        }
      })

      /** What the merge does, as decided on what is stored now. */
      const decideMerge = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        ids: MergePair<ContactId>,
        preference: MergePreference,
      ) {
        const pair = yield* pairOf(workspace, ids)
        const { counts, isSending, live } = yield* store.facts(workspace, ids)
        if (isSending) return yield* new ContactBusy({ because: "message" })
        const at = yield* DateTime.now
        return { pair, at, counts, ending: endingMemberships(ids, live), after: mergedContact(pair, preference, at) }
      })

      /** They end as members of the target, whose timeline and events then say so. */
      const endMemberships = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        target: ContactId,
        ending: ReadonlyArray<MergingMembership>,
      ) {
        if (ending.length === 0) return
        const ids = ending.map(({ membershipId }) => membershipId)
        const locked = yield* memberships.lockMembers(workspace, {
          _tag: "touched",
          memberships: ids,
          contacts: [],
          flows: [],
        })
        const members = locked.members.map((member) => ({ ...member, contactId: target }))
        yield* advanceLocked(workspace, { ...locked, members }, () => [{ type: "merged" }])
      })

      const write = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        ids: MergePair<ContactId>,
        preference: MergePreference,
      ) {
        yield* store.lock(workspace, ids)
        const decided = yield* decideMerge(workspace, ids, preference)
        yield* endMemberships(workspace, ids.target, decided.ending)
        yield* contacts.apply(workspace, ContactsChange.merge(decided.pair, decided.after, decided.at))
        return decided
      })

      return ContactMerges.of({
        merge: Effect.fn("ContactMerges.merge")(function* (workspace, target, { dryRun, fields, prefer, source }) {
          if (source === target) {
            return yield* Invalid.at("source_contact_id", "must be another contact than the one in the path")
          }
          const ids = { target, source }
          const customFields = yield* fieldStore.list(workspace)
          const preference = yield* Effect.fromResult(readPreference(prefer, fields, customFields))
          yield* requireNoImport(workspace, (yield* pairOf(workspace, ids)).source)
          const { after, counts, ending } = yield* dryRun
            ? decideMerge(workspace, ids, preference)
            : retryOnIdentityConflict(transact(write(workspace, ids, preference)))
          return {
            shown: { contact: after, customFields: activeValues(after, customFields) },
            source,
            counts,
            droppedMemberships: ending.map(({ flowId }) => flowId),
          }
        }),
      })
    }),
  )
}
