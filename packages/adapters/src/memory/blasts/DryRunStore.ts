// The dry run store in memory. It applies the rules of core to every contact of the audience.
import { isMissing } from "@tentpole/core/blasts/inspection/DryRuns"
import { domains_max, sample_max, type DryRunCounts, DryRunStore } from "@tentpole/core/blasts/inspection/DryRunStore"
import { blockReasons } from "@tentpole/core/sending/Delivery"
import { blockReason } from "@tentpole/core/sending/Suppression"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import { cutTo } from "../sending/DeliveryAudience.ts"
import { factsOf } from "../sending/DeliveryTables.ts"
import { findList } from "../lists/ListStore.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

const calculate = Effect.fnUntraced(function* (
  db: Rows,
  ...[workspace, list, { operational, needed, now, topicId }]: Parameters<DryRunStore["Service"]["calculate"]>
) {
  const found = yield* Effect.option(findList(db, workspace, list))
  if (found._tag === "None") return null
  const plan = (yield* db.find(workspaces, null, workspace))?.plan ?? "free"
  const contacts = yield* contactsOf(db, workspace, found.value, now)
  const audience = cutTo(contacts, plans[plan].recipientsPerBlast_max ?? Infinity).toSorted(byId)
  const judged = yield* Effect.forEach(audience, (contact) =>
    Effect.map(factsOf(db, workspace, contact, contact.emailNormalized, topicId), (facts) => ({
      contact,
      reason: blockReason(facts, operational),
    })),
  )
  const qualified = judged.flatMap(({ contact, reason }) => (reason === undefined ? [contact] : []))
  const domains = Map.groupBy(qualified, ({ emailNormalized }) => emailNormalized?.split("@").at(-1) ?? "")
  return {
    recipientCount: audience.length,
    qualifiedCount: qualified.length,
    blocked: blockReasons
      .map((reason) => ({ reason, contacts: judged.flatMap((each) => (each.reason === reason ? [each.contact] : [])) }))
      .filter(({ contacts }) => contacts.length > 0)
      .map(({ reason, contacts }) => ({
        reason,
        count: contacts.length,
        sample: contacts.slice(0, sample_max).map(({ id, email }) => ({ contactId: id, email })),
      })),
    domains: [...domains]
      .map(([domain, ours]) => ({ domain, count: ours.length }))
      .sort((left, right) => right.count - left.count || byCodePoint(left.domain, right.domain))
      .slice(0, domains_max),
    missingCounts: needed.map((value) => qualified.filter((contact) => isMissing(contact, value)).length),
    sample: qualified.slice(0, sample_max),
  } satisfies DryRunCounts
})

export const layer = storeLayer(DryRunStore, (db) =>
  DryRunStore.of({
    calculate: (workspace, list, options) => calculate(db, workspace, list, options),
  }),
)
