// The audience of a blast, fixed: one statement writes a delivery for everyone in it, with why some are blocked. The reasons
// and their order are those of core's `blockReason`; the laws hold both to the same answers.
import type { PgClient } from "@effect/sql-pg"
import type { FixedAudience } from "@tentpole/core/blasts/Blast"
import { AudienceGone } from "@tentpole/core/deliveries/DeliveryStore"
import { type BlastId, ListId, type WorkspaceId } from "@tentpole/core/Ids"
import { mentionedIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { makeDue } from "./DueWork.ts"
import { audienceCondition, type AudienceList, comparedFields } from "./Segment.ts"

/**
 * Why a recipient must not be mailed, as SQL, null when there is no reason: over `contact c`, left joined to its address's
 * `suppression s`. A snapshot and a dry run ask the same question.
 */
export const blockReasonOf = (sql: PgClient.PgClient, operational: boolean): Statement.Fragment =>
  sql`case
    when c.email_normalized is null then 'no_email'
    when not ${operational}::boolean and (c.unsubscribed or s.reason = 'unsubscribe') then 'unsubscribed'
    when not ${operational}::boolean and c.marketing_email_subscribed is false then 'opt_out'
    when c.marketing_email_invalid then 'invalid_email'
    when s.reason <> 'unsubscribe' then 'suppressed'
  end`

/** A list, as far as it says whom it holds; `list_id` is null when it is gone. */
export interface AudienceRow {
  readonly list_id: string | null
  readonly kind: AudienceList["kind"]
  readonly system_list: "all_contacts" | "unsubscribed" | null
  readonly rules: RuleTree | null
}

interface BlastRow extends AudienceRow {
  readonly approval_id: string
  readonly operational: boolean
  readonly audience_fixed_at: Date | null
  readonly recipient_count: number
  readonly qualified_count: number
  readonly audience_truncated: boolean
  readonly recipients_per_blast_max: number | null
  readonly sending_per_domain_per_second: number | null
}

interface Counts {
  readonly recipients: number
  readonly qualified: number
}

const snapshot_timeout_ms = 15 * 60_000

export const fixAudience = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  blastId: BlastId,
) {
  const [blast] = yield* sql<BlastRow>`
    select l.list_id, l.kind, l.system_list, l.rules, b.approval_id, b.operational, b.audience_fixed_at, b.recipient_count,
      b.qualified_count, b.audience_truncated, p.recipients_per_blast_max, w.sending_per_domain_per_second
    from blast b
    join workspace w on w.workspace_id = b.workspace_id
    join plan p on p.plan = w.plan
    left join list l on l.workspace_id = b.workspace_id and l.list_id = b.audience_list_id
    where b.workspace_id = ${workspace} and b.blast_id = ${blastId} and b.purpose = 'blast' and b.status = 'sending'
    for update of b`
  if (blast === undefined) return null
  if (blast.audience_fixed_at !== null) {
    const fixed: FixedAudience = {
      at: DateTime.makeUnsafe(blast.audience_fixed_at),
      recipientCount: blast.recipient_count,
      qualifiedCount: blast.qualified_count,
      truncated: blast.audience_truncated,
    }
    return fixed
  }
  const now = yield* DateTime.now
  const held = yield* audienceOf(sql, workspace, blast, now)
  // A million recipients take seconds, not the quarter of a minute that a request may.
  yield* sql`select set_config('statement_timeout', ${String(snapshot_timeout_ms)}, true)`
  const max = blast.recipients_per_blast_max
  const audience = cutTo(sql, held, max)
  const counts = yield* insertDeliveries(sql, workspace, blastId, blast, audience, now)
  const truncated = max !== null && counts.recipients === max && (yield* holdsMore(sql, held, max))
  yield* sql`
    update blast set recipient_count = ${counts.recipients}, qualified_count = ${counts.qualified},
      audience_truncated = ${truncated}, audience_fixed_at = ${DateTime.formatIso(now)}, updated_at = ${DateTime.formatIso(now)}
    where workspace_id = ${workspace} and blast_id = ${blastId}`
  yield* makeDue(sql, "deliveries", workspace)
  // Told of with the commit, so that whoever renews the statistics then knows how much has come.
  yield* sql`select pg_stat_force_next_flush()`
  const fixed: FixedAudience = {
    at: now,
    recipientCount: counts.recipients,
    qualifiedCount: counts.qualified,
    truncated,
  }
  return fixed
})

/** As many of them as the plan allows. */
export const cutTo = (sql: PgClient.PgClient, held: Statement.Fragment, max: number | null): Statement.Fragment =>
  max === null ? held : sql`${held} order by c.created_at, c.contact_id limit ${max}`

/** `from fenced_contact c where …`: whom the list holds now. */
export const audienceOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  row: AudienceRow,
  now: DateTime.Utc,
) {
  const list = listOf(row)
  if (list === null) return yield* new AudienceGone()
  const mentioned = list.kind === "dynamic" && list.rules !== null ? mentionedIn(list.rules).fields : []
  const fields = yield* comparedFields(sql, workspace, mentioned)
  return sql`from fenced_contact c
    where c.workspace_id = ${workspace} and (${audienceCondition(sql, workspace, list, { fields, now })})`
})

const listOf = (row: AudienceRow): AudienceList | null => {
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

/** Where domains have a limit, each stands in a lane of its own. */
const laneOf = (sql: PgClient.PgClient, blast: BlastRow): Statement.Fragment =>
  blast.sending_per_domain_per_second === null ? sql`''` : sql`coalesce(split_part(email_normalized, '@', -1), '')`

/**
 * Contacts are unique by address, so no two recipients share one, and it is done once; the unique indexes stand behind that.
 * `on conflict` would cost a quarter of it: each row would be written twice, first to see whether it may stand.
 */
const insertDeliveries = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  blastId: BlastId,
  blast: BlastRow,
  audience: Statement.Fragment,
  now: DateTime.Utc,
) =>
  Effect.map(
    sql<Counts>`
      with audience as (
        select c.contact_id, c.email, c.email_normalized, c.display_name, c.display_name_folded, c.unsubscribed, c.marketing_email_subscribed,
          c.marketing_email_invalid
        ${audience}
      ),
      judged as (
        select c.*, ${blockReasonOf(sql, blast.operational)} as reason
        from audience c
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
      ),
      added as (
        insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized,
          email_domain, lane, display_name, display_name_folded, operational, state, reason, due_at, created_at)
        select ${workspace}, uuidv7_or_v4(), ${blastId}, contact_id, ${blast.approval_id}, email, email_normalized,
          split_part(email_normalized, '@', -1), ${laneOf(sql, blast)}, display_name, display_name_folded, ${blast.operational},
          case when reason is null then 'queued' else 'blocked' end, reason, clock_timestamp(), ${DateTime.formatIso(now)}
        from judged
        returning state
      )
      select count(*)::int as recipients, (count(*) filter (where state = 'queued'))::int as qualified from added`,
    ([counts]) => counts ?? { recipients: 0, qualified: 0 },
  )

const holdsMore = (sql: PgClient.PgClient, held: Statement.Fragment, max: number) =>
  Effect.map(
    sql<{
      readonly more: boolean
    }>`select count(*) > ${max} as more from (select 1 ${held} limit ${max + 1}) as counted`,
    ([row]) => row?.more === true,
  )
