// The audience pass of a blast: one statement writes a delivery for each contact of a slice, with the block reason where there
// is one.
import type { PgClient } from "@effect/sql-pg"
import type { AudienceCounts, FixedAudience } from "@tentpole/core/sending/Delivery"
import { AudienceGone } from "@tentpole/core/sending/DeliveryStore"
import { type BlastId, type ContactId, ListId, type TopicId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import type { TopicDefault } from "@tentpole/core/topics/Topic"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { mergedRecipients } from "../contacts/ContactMerge.ts"
import { texts } from "../kernel/Arrays.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { homeOf } from "../citus/Home.ts"
import { raiseStatementTimeout, violates } from "../kernel/Postgres.ts"
import { blockReasonOf, consentRequiredColumn, topicParts } from "./BlockReason.ts"
import { countInserts, insertedColumns } from "./DeliveryCounters.ts"
import { audienceCondition, type AudienceList, comparedFields } from "../segments/RuleSql.ts"

type Sql = PgClient.PgClient

/** The part of a list that selects contacts. `list_id` is null when the list is deleted. */
export interface AudienceRow {
  readonly list_id: string | null
  readonly kind: AudienceList["kind"]
  readonly system_list: "all_contacts" | "unsubscribed" | null
  readonly rules: RuleTree | null
}

interface BlastRow extends AudienceRow {
  readonly approval_id: string
  readonly launched_at: Date
  readonly operational: boolean
  readonly topic_id: TopicId | null
  readonly topic_default: TopicDefault | null
  readonly consent_required: boolean
  readonly audience_through: string | null
  readonly audience_fixed_at: Date | null
  readonly recipient_count: number
  readonly qualified_count: number
  readonly audience_truncated: boolean
  readonly recipients_per_blast_max: number | null
  readonly sending_per_domain_per_second: number | null
}

/** Contacts in the order of their ids, after one id up to and including another. Null: no limit on that side. */
interface Slice {
  readonly after: string | null
  readonly through: string | null
}

export const fixAudience = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  blastId: BlastId,
  contacts_max: number,
) {
  const blast = yield* lockBlast(sql, workspace, blastId)
  if (blast === undefined) return null
  if (blast.audience_fixed_at !== null) return toFixedAudience(blast, blast.audience_fixed_at)
  const now = yield* DateTime.now
  const audience = yield* audienceOf(sql, workspace, blast, now).pipe(
    // The blast has ended during its audience pass and its list has been deleted.
    Effect.catchTag("AudienceGone", (error) =>
      blast.audience_through === null ? Effect.fail(error) : Effect.succeed(null),
    ),
  )
  yield* raiseStatementTimeout(sql)
  const max = blast.audience_through === null ? blast.recipients_per_blast_max : null
  const slice =
    max === null && audience !== null
      ? yield* sliceFrom(sql, workspace, blast.audience_through, contacts_max)
      : { after: null, through: null }
  const merged = yield* mergedRecipients(sql, workspace, blastId, blast.launched_at.toISOString())
  const counts =
    audience === null
      ? noRecipients
      : yield* insertSlice(sql, {
          workspace,
          blastId,
          blast,
          audience: without(sql, audience, merged),
          slice,
          max,
          now,
        })
  const counted = {
    recipient_count: blast.recipient_count + counts.recipientCount,
    qualified_count: blast.qualified_count + counts.qualifiedCount,
  }
  const truncated =
    max !== null && audience !== null && counts.recipientCount === max && (yield* hasMore(sql, audience, max))
  const isComplete = slice.through === null
  yield* sql`
    update blast set ${sql.update({
      ...counted,
      audience_through: slice.through,
      audience_truncated: truncated,
      ...(isComplete ? { audience_fixed_at: DateTime.formatIso(now), updated_at: DateTime.formatIso(now) } : {}),
    })}
    where workspace_id = ${workspace} and blast_id = ${blastId}`
  yield* makeDue(sql, "deliveries", workspace)
  // Reports the row counts with the commit: the statistics that are renewed then include these rows.
  yield* sql`select pg_stat_force_next_flush()`
  return isComplete ? toFixedAudience({ ...counted, audience_truncated: truncated }, now) : ("unfinished" as const)
})

/** Locks a blast that is in its audience pass or sending. The lock does not block its deliveries, which refer to the blast. */
const lockBlast = (sql: Sql, workspace: WorkspaceId, blastId: BlastId) =>
  Effect.map(
    sql<BlastRow>`
      select l.list_id, l.kind, l.system_list, l.rules, b.approval_id, b.launched_at, b.operational, b.topic_id,
        t.default_subscription as topic_default, ${sql.literal(consentRequiredColumn)} as consent_required, b.audience_through, b.audience_fixed_at, b.recipient_count, b.qualified_count, b.audience_truncated, p.recipients_per_blast_max,
        w.sending_per_domain_per_second
      from blast b
      join workspace w on w.workspace_id = ${workspace}
      join plan p on p.plan = w.plan
      left join list l on l.workspace_id = ${workspace} and l.list_id = b.audience_list_id
      left join topic t on t.workspace_id = ${workspace} and t.topic_id = b.topic_id
      where b.workspace_id = ${workspace} and b.blast_id = ${blastId} and b.purpose = 'blast'
        and (b.status = 'sending' or b.audience_through is not null)
      for no key update of b`,
    ([blast]) => blast,
  )

const toFixedAudience = (
  row: Pick<BlastRow, "recipient_count" | "qualified_count" | "audience_truncated">,
  at: Date | DateTime.Utc,
): FixedAudience => ({
  at: DateTime.makeUnsafe(at),
  recipientCount: row.recipient_count,
  qualifiedCount: row.qualified_count,
  truncated: row.audience_truncated,
})

const sliceFrom = (sql: Sql, workspace: WorkspaceId, after: string | null, contacts_max: number) =>
  Effect.map(
    sql<{ readonly contact_id: string }>`
      select c.contact_id from fenced_contact c where c.workspace_id = ${workspace} and ${isAfter(sql, after)}
      order by c.contact_id offset ${contacts_max - 1} limit 1`,
    ([last]): Slice => ({ after, through: last?.contact_id ?? null }),
  )

const isAfter = (sql: Sql, after: string | null): Statement.Fragment =>
  after === null ? sql`true` : sql`c.contact_id > ${after}::uuid`

const noRecipients: AudienceCounts = { recipientCount: 0, qualifiedCount: 0 }

/** Limits an audience to the plan's number of recipients, oldest contacts first. */
export const limitTo = (sql: Sql, audience: Statement.Fragment, max: number | null): Statement.Fragment =>
  max === null ? audience : sql`${audience} order by c.created_at, c.contact_id limit ${max}`

/** `from fenced_contact c where …`: the contacts that the list has now. */
export const audienceOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  row: AudienceRow,
  now: DateTime.Utc,
) {
  const list = toAudienceList(row)
  if (list === null) return yield* new AudienceGone()
  return sql`from fenced_contact c
    where c.workspace_id = ${workspace} and (${yield* listCondition(sql, workspace, list, now)})`
})

/** The condition of a list over `fenced_contact c`. Reads the custom fields that its rules name. */
export const listCondition = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  list: AudienceList,
  now: DateTime.Utc,
) {
  const mentioned = list.kind === "dynamic" && list.rules !== null ? referencesIn(list.rules).fields : []
  return audienceCondition(sql, workspace, list, { fields: yield* comparedFields(sql, workspace, mentioned), now })
})

export const toAudienceList = (row: AudienceRow): AudienceList | null => {
  if (row.list_id === null) return null
  const id = ListId.make(row.list_id)
  switch (row.kind) {
    case "static":
      return { id, kind: "static" }
    case "dynamic":
      return { id, kind: "dynamic", rules: row.rules }
    case "system":
      return { id, kind: "system", systemList: row.system_list ?? "all_contacts" }
  }
}

/** While domains are limited, the lane is the recipient domain. Otherwise it is empty. */
const laneOf = (sql: Sql, blast: BlastRow): Statement.Fragment =>
  blast.sending_per_domain_per_second === null ? sql`''` : sql`coalesce(split_part(email_normalized, '@', -1), '')`

/**
 * Due times of the last second, in another order than the rows. Messages that are settled together are then on different pages,
 * each of which has space for the next version of a row.
 */
const spread = (sql: Sql, now: DateTime.Utc): Statement.Fragment =>
  sql`${DateTime.formatIso(now)}::timestamptz - (uuid_hash(contact_id) & 65535) * interval '15 microseconds'`

interface SliceInsert {
  readonly workspace: WorkspaceId
  readonly blastId: BlastId
  readonly blast: BlastRow
  /** The contacts of the list, as `from … where …`. */
  readonly audience: Statement.Fragment
  readonly slice: Slice
  readonly max: number | null
  readonly now: DateTime.Utc
}

/**
 * Contacts are unique by address and each is in one slice. Two recipients share an address only if it moved from one contact
 * to another between their slices. The unique index finds that case, and only then is the insert repeated with `on conflict`:
 * that clause writes each row twice and would cost a quarter of the time on every insert.
 */
const insertSlice = (sql: Sql, insert: SliceInsert) =>
  Effect.catchIf(
    sql.withTransaction(insertDeliveries(sql, insert, sql.literal(""))),
    (error) => violates(error, "email_normalized"),
    () => insertDeliveries(sql, insert, sql.literal("on conflict do nothing")),
  )

const insertDeliveries = Effect.fnUntraced(function* (
  sql: Sql,
  { blast, blastId, audience, max, now, slice, workspace }: SliceInsert,
  onConflict: Statement.Fragment,
) {
  const { operational } = blast
  const named =
    operational || blast.topic_id === null ? null : { topicId: blast.topic_id, default: blast.topic_default }
  const { join, topic } = topicParts(sql, workspace, named)
  const reason = blockReasonOf(sql, { operational, topic, consentRequired: blast.consent_required })
  const [counts] = yield* sql<AudienceCounts>`
      with audience as (
        select c.contact_id, c.email, c.email_normalized, c.display_name, c.display_name_folded, c.unsubscribed, c.marketing_email_subscribed,
          c.marketing_email_invalid
        ${limitTo(sql, inSlice(sql, audience, slice), max)}
      ),
      checked as (
        select c.*, ${reason} as reason
        from audience c
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
        ${join} ${named === null ? sql`` : choicesInSlice(sql, slice)}
      ),
      added as (
        insert into delivery as d (workspace_id, delivery_id, blast_id, contact_id, approval_id, topic_id, email, email_normalized,
          display_name, display_name_folded, operational, holds_address, state, reason, created_at)
        select home.workspace_id, timed_id(${blast.launched_at.getTime()}::bigint, uuid_send(${blastId}::uuid) || uuid_send(contact_id)), ${blastId}, contact_id, ${blast.approval_id}, ${named?.topicId ?? null}, email, email_normalized,
          display_name, display_name_folded, ${operational}, reason is null,
          case when reason is null then 'queued' else 'blocked' end, reason, ${DateTime.formatIso(now)}
        from ${homeOf(sql, workspace)} cross join checked
        ${onConflict}
        returning d.contact_id, d.email_normalized, ${sql.literal(insertedColumns)}
      ),
      queued as (
        insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, topic_id, lane, due_at)
        select home.workspace_id, delivery_id, ${blastId}, contact_id, email_normalized, ${operational}, ${named?.topicId ?? null},
          ${laneOf(sql, blast)},
          ${spread(sql, now)} as due_at
        from ${homeOf(sql, workspace)} cross join added where state = 'queued'
        order by due_at
        returning 1
      ),
      ${yield* countInserts(sql, workspace, "added")}
      select count(*)::int as "recipientCount", (count(*) filter (where state = 'queued'))::int as "qualifiedCount" from added`
  return counts ?? noRecipients
})

const without = (sql: Sql, audience: Statement.Fragment, contacts: ReadonlyArray<ContactId>): Statement.Fragment =>
  contacts.length === 0 ? audience : sql`${audience} and c.contact_id <> all(${texts(contacts)}::uuid[])`

const inSlice = (sql: Sql, audience: Statement.Fragment, { after, through }: Slice): Statement.Fragment =>
  sql`${audience} and ${isAfter(sql, after)} and ${through === null ? sql`true` : sql`c.contact_id <= ${through}::uuid`}`

/** For the planner: without it, each slice could read the choices of all contacts. */
const choicesInSlice = (sql: Sql, { after, through }: Slice): Statement.Fragment =>
  sql`${after === null ? sql`` : sql`and tc.contact_id > ${after}::uuid`}
    ${through === null ? sql`` : sql`and tc.contact_id <= ${through}::uuid`}`

const hasMore = (sql: Sql, audience: Statement.Fragment, max: number) =>
  Effect.map(
    sql<{
      readonly more: boolean
    }>`select count(*) > ${max} as more from (select 1 ${audience} limit ${max + 1}) as counted`,
    ([row]) => row?.more === true,
  )
