// The merge store in memory.
import { isLive } from "@tentpole/core/flows/members/Membership"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { MergeStore } from "@tentpole/core/operations/merge/MergeStore"
import { Effect } from "effect"
import { messagesOf, newListsOf } from "../contacts/ContactMerge.ts"
import { activities, submissions } from "../contacts/ContactTables.ts"
import { memberships } from "../flows/MembershipTables.ts"
import { importRuns, importSessions } from "../imports/ImportStore.ts"
import { consentRecords } from "../topics/TopicTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"

export const layer = storeLayer(MergeStore, (db) =>
  MergeStore.of({
    facts: Effect.fnUntraced(function* (workspace, pair) {
      const { forBoth, own } = yield* messagesOf(db, workspace, pair)
      const ofSource = ({ contactId }: { readonly contactId: string | null }) => contactId === pair.source
      const counts = {
        activities: (yield* db.all(activities, workspace)).filter(ofSource).length,
        lists: (yield* newListsOf(db, workspace, pair)).length,
        messages: own.length,
        consentRecords: (yield* db.all(consentRecords, workspace)).filter(ofSource).length,
        submissions: (yield* db.all(submissions, workspace)).filter(ofSource).length,
      }
      const live = (yield* db.all(memberships, workspace)).flatMap(({ membership: { contactId, flowId, id, state } }) =>
        isLive(state) && (contactId === pair.source || contactId === pair.target)
          ? [{ membershipId: id, flowId, contactId }]
          : [],
      )
      return {
        counts,
        live: live.sort((left, right) => byCodePoint(left.membershipId, right.membershipId)),
        isSending: [...own, ...forBoth].some(({ state }) => state === "claimed" || state === "handed_over"),
      }
    }),
    // Transactions run one after another.
    lock: () => Effect.asVoid(Transaction),
    openImports: Effect.fnUntraced(function* (workspace) {
      const runs = (yield* db.all(importRuns, workspace)).filter(
        ({ status }) => status === "queued" || status === "running",
      )
      const files = yield* Effect.forEach(runs, (run) =>
        Effect.map(db.find(importSessions, workspace, run.sessionId), (session) =>
          session === undefined
            ? []
            : [{ sessionId: session.id, source: session.source, blobKey: session.blobKey, run }],
        ),
      )
      return files.flat()
    }),
  }),
)
