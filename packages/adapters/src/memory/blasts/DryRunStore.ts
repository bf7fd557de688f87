// The dry run store in memory. It applies the rules of core to every contact of the audience.
import { isMissing } from "@tentpole/core/blasts/inspection/DryRun"
import { domains_max, sample_max, type DryRunCounts, DryRunStore } from "@tentpole/core/blasts/inspection/DryRunStore"
import { blockReasons } from "@tentpole/core/sending/Delivery"
import { blockReason } from "@tentpole/core/sending/Suppression"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { Effect, Layer } from "effect"
import { factsOf } from "../sending/DeliveryTables.ts"
import { findList } from "../lists/ListStore.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

type PreviewCall = DryRunStore["Service"]["calculate"]

const survey = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  list: Parameters<PreviewCall>[1],
  { operational, needed, now }: Parameters<PreviewCall>[2],
) {
  const found = yield* Effect.option(findList(db, workspace, list))
  if (found._tag === "None") return null
  const plan = (yield* db.find(workspaces, null, workspace))?.plan ?? "free"
  const audience = [...(yield* contactsOf(db, workspace, found.value, now))]
    .sort(
      (left, right) =>
        left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
    )
    .slice(0, plans[plan].recipientsPerBlast_max ?? undefined)
    .sort((left, right) => (left.id < right.id ? -1 : 1))
  const judged = yield* Effect.forEach(audience, (contact) =>
    Effect.map(factsOf(db, workspace, contact, contact.emailNormalized), (facts) => ({
      contact,
      reason: blockReason(facts, operational),
    })),
  )
  const qualified = judged.flatMap(({ contact, reason }) => (reason === undefined ? [contact] : []))
  const domains = new Map<string, number>()
  for (const { emailNormalized } of qualified) {
    const domain = emailNormalized?.split("@").at(-1) ?? ""
    domains.set(domain, (domains.get(domain) ?? 0) + 1)
  }
  const surveyed: DryRunCounts = {
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
      .map(([domain, count]) => ({ domain, count }))
      .sort((left, right) => right.count - left.count || byCodePoint(left.domain, right.domain))
      .slice(0, domains_max),
    missingCounts: needed.map((value) => qualified.filter((contact) => isMissing(contact, value)).length),
    sample: qualified.slice(0, sample_max),
  }
  return surveyed
})

export const layer = Layer.effect(
  DryRunStore,
  Effect.map(MemoryDatabase, (db) =>
    DryRunStore.of({ calculate: (workspace, list, options) => survey(db, workspace, list, options) }),
  ),
)
