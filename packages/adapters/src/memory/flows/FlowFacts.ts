// What a flow names of other rooms, in memory.
import { apiTokens } from "@tentpole/core/rendering/MergeTokens"
import type { ActivationFacts } from "@tentpole/core/flows/definition/machine"
import type { StoredSimulationFacts } from "@tentpole/core/flows/definition/FlowStore"
import type { NamedByFlow, NamedFacts } from "@tentpole/core/flows/definition/FlowReferences"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import { suppressions } from "../sending/DeliveryTables.ts"
import { emailApprovals, emails } from "../emails/EmailStore.ts"
import type { Rows, Table } from "../kernel/MemoryDatabase.ts"
import { lists, ruleFields } from "../segments/SegmentMembers.ts"
import { emailTemplates, tentTemplates } from "../templates/TemplateStores.ts"
import { tents } from "../tents/TentStore.ts"
import { sendingDomains, systemListRows, workspaces } from "../workspaces/WorkspaceStore.ts"

const fieldsOf = (db: Rows, ws: WorkspaceId, { fields, fieldNames }: NamedByFlow) =>
  ruleFields(db, ws, ({ id, apiName }) => fields.includes(id) || fieldNames.includes(apiName))

/** Of these ids, those with a row that answers to the condition. */
const those = Effect.fnUntraced(function* <Id extends string, Row>(
  db: Rows,
  ws: WorkspaceId,
  ids: ReadonlyArray<Id>,
  from: Table<Row>,
  holds: (row: Row) => boolean = () => true,
) {
  const rows = yield* Effect.forEach(ids, (id) => Effect.map(db.find(from, ws, id), (row) => [id, row] as const))
  return new Set(rows.flatMap(([id, row]) => (row !== undefined && holds(row) ? [id] : [])))
})

const staticLists = (db: Rows, ws: WorkspaceId, named: NamedByFlow) =>
  those(db, ws, named.lists, lists, ({ kind, ownerBlastId }) => kind === "static" && ownerBlastId === null)

export const namedFacts = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, named: NamedByFlow) {
  const dynamic = yield* those(db, ws, named.lists, lists, ({ kind }) => kind === "dynamic")
  const system = yield* those(db, ws, named.lists, systemListRows)
  const facts: NamedFacts = {
    fields: yield* fieldsOf(db, ws, named),
    staticLists: yield* staticLists(db, ws, named),
    otherLists: new Set([...dynamic, ...system]),
    emails: yield* those(db, ws, named.emails, emails),
    emailTemplates: yield* those(db, ws, named.emailTemplates, emailTemplates.documents),
    tentTemplates: yield* those(db, ws, named.tentTemplates, tentTemplates.documents),
    tents: yield* those(db, ws, named.tents, tents),
  }
  return facts
})

const emailFacts = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, { emails: ids }: NamedByFlow) {
  const rows = yield* Effect.forEach(ids, (id) => db.find(emails, ws, id))
  const approvals = yield* Effect.forEach(rows, (email) =>
    db.find(emailApprovals, ws, email?.approval?.id ?? "no approval"),
  )
  return new Map(
    rows.flatMap((email, index) => {
      const approval = approvals[index]
      return email === undefined
        ? []
        : [
            [
              email.id,
              { approval: approval ? { id: approval.approvalId, fromAddress: approval.fromAddress } : null },
            ] as const,
          ]
    }),
  )
})

/** The templates that are there, with what their approvals froze. */
const templateFacts = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, named: NamedByFlow) {
  const rows = yield* Effect.forEach(named.emailTemplates, (id) => db.find(emailTemplates.documents, ws, id))
  const there = rows.flatMap((row) => row ?? [])
  return yield* Effect.forEach(there, (template) =>
    Effect.map(db.find(emailTemplates.approvals, ws, template.approval?.id ?? "no approval"), (approved) => ({
      template,
      approved,
    })),
  )
})

export const activationFacts = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, named: NamedByFlow) {
  const workspace = (yield* db.find(workspaces, null, ws)) ?? (yield* Effect.die("a flow has its workspace"))
  const domains = yield* db.all(sendingDomains, ws)
  const facts: ActivationFacts = {
    plan: plans[workspace.plan],
    fields: yield* fieldsOf(db, ws, named),
    staticLists: yield* staticLists(db, ws, named),
    emails: yield* emailFacts(db, ws, named),
    emailTemplates: new Map(
      (yield* templateFacts(db, ws, named)).flatMap(({ template, approved }) => {
        if (approved === undefined) return []
        const { defaults, plainText } = approved
        const { subject, previewText, fromName } = defaults
        const texts = [approved.html, plainText?.text ?? null, subject, previewText, fromName]
        return [[template.id, { defaults, apiTokens: apiTokens(texts) }] as const]
      }),
    ),
    tentTemplates: yield* those(
      db,
      ws,
      named.tentTemplates,
      tentTemplates.documents,
      ({ approval }) => approval !== null,
    ),
    tents: yield* those(db, ws, named.tents, tents),
    senderDefaults: workspace.senderDefaults,
    verifiedDomains: new Set(domains.flatMap(({ domain, status }) => (status === "verified" ? [domain] : []))),
  }
  return facts
})

export const trialFacts = Effect.fnUntraced(function* (
  db: Rows,
  ws: WorkspaceId,
  { named, emailNormalized }: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
) {
  const workspace = (yield* db.find(workspaces, null, ws)) ?? (yield* Effect.die("a flow has its workspace"))
  const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, ws, emailNormalized)
  const rows = (yield* Effect.forEach(named.emails, (id) => db.find(emails, ws, id))).flatMap((row) => row ?? [])
  const frozen = yield* Effect.forEach(rows, ({ approval }) =>
    db.find(emailApprovals, ws, approval?.id ?? "no approval"),
  )
  const facts: StoredSimulationFacts = {
    facts: {
      fields: yield* fieldsOf(db, ws, named),
      staticLists: yield* staticLists(db, ws, named),
      subjects: new Map(rows.map((email, index) => [email.id, frozen[index]?.subject ?? email.subject])),
      templateSubjects: new Map(
        (yield* templateFacts(db, ws, named)).map(({ template, approved }) => [
          template.id,
          (approved ?? template).defaults.subject,
        ]),
      ),
      workspaceName: workspace.name,
    },
    suppression: suppression?.reason ?? null,
  }
  return facts
})
