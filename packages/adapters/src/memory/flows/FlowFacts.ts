// The rows of other rooms that a flow refers to, in memory.
import { apiTokens } from "@tentpole/core/rendering/MergeTokens"
import type { ActivationFacts } from "@tentpole/core/flows/definition/machine"
import type { StoredSimulationFacts } from "@tentpole/core/flows/definition/FlowStore"
import type { NamedByFlow, NamedFacts } from "@tentpole/core/flows/definition/FlowReferences"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { nameTokenOf, plans } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import { suppressions } from "../sending/DeliveryTables.ts"
import { emailApprovals, emails } from "../emails/EmailStore.ts"
import type { Rows, Table } from "../kernel/MemoryDatabase.ts"
import { lists, ruleFields } from "../segments/SegmentMembers.ts"
import { unfilledIn } from "@tentpole/core/tents/Variables"
import { emailTemplates, tentTemplates } from "../templates/TemplateStores.ts"
import { tents } from "../tents/TentStore.ts"
import { topics } from "../topics/TopicTables.ts"
import { sendingDomains, systemListRows, workspaces } from "../workspaces/WorkspaceStore.ts"

const fieldsOf = (db: Rows, workspace: WorkspaceId, { fields, fieldNames }: NamedByFlow) =>
  ruleFields(db, workspace, ({ id, apiName }) => fields.includes(id) || fieldNames.includes(apiName))

/** Those of the ids whose row satisfies the condition. */
const idsWhere = Effect.fnUntraced(function* <Id extends string, Row>(
  db: Rows,
  workspace: WorkspaceId,
  ids: ReadonlyArray<Id>,
  from: Table<Row>,
  holds: (row: Row) => boolean = () => true,
) {
  const rows = yield* Effect.forEach(ids, (id) => Effect.map(db.find(from, workspace, id), (row) => [id, row] as const))
  return new Set(rows.flatMap(([id, row]) => (row !== undefined && holds(row) ? [id] : [])))
})

const staticLists = (db: Rows, workspace: WorkspaceId, named: NamedByFlow) =>
  idsWhere(db, workspace, named.lists, lists, ({ kind, ownerBlastId }) => kind === "static" && ownerBlastId === null)

export const namedFacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, named: NamedByFlow) {
  const dynamic = yield* idsWhere(db, workspace, named.lists, lists, ({ kind }) => kind === "dynamic")
  const system = yield* idsWhere(db, workspace, named.lists, systemListRows)
  const facts: NamedFacts = {
    fields: yield* fieldsOf(db, workspace, named),
    staticLists: yield* staticLists(db, workspace, named),
    topics: yield* idsWhere(db, workspace, named.topics, topics),
    otherLists: new Set([...dynamic, ...system]),
    emails: yield* idsWhere(db, workspace, named.emails, emails),
    emailTemplates: yield* idsWhere(db, workspace, named.emailTemplates, emailTemplates.documents),
    tentTemplates: yield* idsWhere(db, workspace, named.tentTemplates, tentTemplates.documents),
    tents: yield* idsWhere(db, workspace, named.tents, tents),
    stepTopics: yield* idsWhere(db, workspace, named.stepTopics, topics),
  }
  return facts
})

interface Approvable {
  readonly approval: { readonly id: string } | null
}

/** The rows that exist, each with its approval. */
const withApprovals = Effect.fnUntraced(function* <Row extends Approvable, Approval>(
  db: Rows,
  workspace: WorkspaceId,
  ids: ReadonlyArray<string>,
  from: { readonly documents: Table<Row>; readonly approvals: Table<Approval> },
) {
  const found = yield* Effect.forEach(ids, (id) => db.find(from.documents, workspace, id))
  return yield* Effect.forEach(
    found.flatMap((row) => row ?? []),
    (row) =>
      Effect.map(db.find(from.approvals, workspace, row.approval?.id ?? "no approval"), (approved) => ({
        row,
        approved,
      })),
  )
})

const emailsOf = (db: Rows, workspace: WorkspaceId, { emails: ids }: NamedByFlow) =>
  withApprovals(db, workspace, ids, { documents: emails, approvals: emailApprovals })

const templatesOf = (db: Rows, workspace: WorkspaceId, named: NamedByFlow) =>
  withApprovals(db, workspace, named.emailTemplates, emailTemplates)

export const activationFacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, named: NamedByFlow) {
  const settings = (yield* db.find(workspaces, null, workspace)) ?? (yield* Effect.die("a flow has its workspace"))
  const domains = yield* db.all(sendingDomains, workspace)
  const stepTopics = (yield* db.all(topics, workspace)).filter(({ id }) => named.stepTopics.includes(id))
  const facts: ActivationFacts = {
    plan: plans[settings.plan],
    fields: yield* fieldsOf(db, workspace, named),
    staticLists: yield* staticLists(db, workspace, named),
    topics: yield* idsWhere(db, workspace, named.topics, topics),
    emails: new Map(
      (yield* emailsOf(db, workspace, named)).map(({ row, approved }) => [
        row.id,
        { approval: approved === undefined ? null : { id: approved.approvalId, fromAddress: approved.fromAddress } },
      ]),
    ),
    emailTemplates: new Map(
      (yield* templatesOf(db, workspace, named)).flatMap(({ row, approved }) => {
        if (approved === undefined) return []
        const { defaults, plainText } = approved
        const { subject, previewText, fromName } = defaults
        const texts = [approved.html, plainText?.text ?? null, subject, previewText, fromName]
        return [[row.id, { defaults, apiTokens: apiTokens(texts) }] as const]
      }),
    ),
    tentTemplates: new Map(
      (yield* withApprovals(db, workspace, named.tentTemplates, tentTemplates)).flatMap(({ row, approved }) =>
        approved === undefined ? [] : [[row.id, { variables: unfilledIn([approved.html], {}) }] as const],
      ),
    ),
    tents: yield* idsWhere(db, workspace, named.tents, tents),
    stepTopics: new Map(stepTopics.map(({ id, status }) => [id, status])),
    senderDefaults: settings.senderDefaults,
    verifiedDomains: new Set(domains.flatMap(({ domain, status }) => (status === "verified" ? [domain] : []))),
  }
  return facts
})

export const trialFacts = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { named, emailNormalized }: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
) {
  const settings = (yield* db.find(workspaces, null, workspace)) ?? (yield* Effect.die("a flow has its workspace"))
  const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
  const facts: StoredSimulationFacts = {
    facts: {
      fields: yield* fieldsOf(db, workspace, named),
      staticLists: yield* staticLists(db, workspace, named),
      topics: yield* idsWhere(db, workspace, named.topics, topics),
      subjects: new Map(
        (yield* emailsOf(db, workspace, named)).map(({ row, approved }) => [row.id, approved?.subject ?? row.subject]),
      ),
      templateSubjects: new Map(
        (yield* templatesOf(db, workspace, named)).map(({ row, approved }) => [
          row.id,
          (approved ?? row).defaults.subject,
        ]),
      ),
      workspaceName: nameTokenOf(settings),
    },
    suppression: suppression?.reason ?? null,
  }
  return facts
})
