// `DryRunStore` on PostgreSQL: one pass over the audience, with the conditions of the audience pass of a launch.
import { PgClient } from "@effect/sql-pg"
import {
  type BlockedContacts,
  domains_max,
  type NeededValue,
  sample_max,
  type DryRunCounts,
  DryRunStore,
} from "@tentpole/core/blasts/inspection/DryRunStore"
import { type BlockReason, blockReasons } from "@tentpole/core/sending/Delivery"
import type { ContactId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { TopicDefault } from "@tentpole/core/topics/Topic"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { contactsById } from "../contacts/ContactStore.ts"
import { blockReasonOf, consentRequiredColumn, topicParts } from "../sending/BlockReason.ts"
import { type AudienceRow, audienceOf, limitTo } from "../sending/DeliveryAudience.ts"
import { LongReads } from "../kernel/Postgres.ts"
import { isBlankText } from "../segments/RuleSql.ts"

type Sql = PgClient.PgClient

interface ListRow extends AudienceRow {
  readonly recipients_per_blast_max: number | null
  readonly topic_default: TopicDefault | null
  readonly consent_required: boolean
}

interface CountsRow extends Pick<DryRunCounts, "domains" | "missingCounts"> {
  /** Recipients of each block reason. */
  readonly reasons: Readonly<Record<string, number>>
  readonly blocked: ReadonlyArray<BlockedContacts["sample"][number] & { readonly reason: BlockReason }>
  readonly sample: ReadonlyArray<ContactId>
}

/** The key of qualified contacts among the reasons: their reason is null, which cannot be a key. */
const qualified_key = ""

/** Whether contact `c` has no value for a merge token. */
const isMissing = (sql: Sql, needed: NeededValue): Statement.Fragment => {
  if (needed.kind === "custom") return isBlankText(sql, sql`(c.custom_fields ->> ${needed.apiName}::text)`)
  const column = sql.literal(`c.${needed.field.apiName}`)
  return needed.field.valueType === "string" ? isBlankText(sql, column) : sql`${column} is null`
}

/**
 * The audience is materialised once, with few columns, for all counts: at a million contacts the sorts and groups over it cost
 * less than a second pass over the contacts.
 */
const queryCounts = (
  sql: Sql,
  workspace: WorkspaceId,
  audience: Statement.Fragment,
  {
    needed,
    reason,
    topicJoin,
  }: {
    readonly needed: ReadonlyArray<NeededValue>
    readonly reason: Statement.Fragment
    readonly topicJoin: Statement.Fragment
  },
) => {
  const lacks = needed.map((value, at) => sql`, ${isMissing(sql, value)} as ${sql.literal(`lacks_${at}`)}`)
  const names = needed.map((_, at) => `, c.lacks_${at}`).join("")
  const counts = needed.map((_, at) => `(count(*) filter (where lacks_${at}))::int`).join(", ")
  const missing = counts === "" ? "'{}'::int[]" : `(select array[${counts}] from judged where reason is null)`
  return sql<CountsRow>`
    with audience as (
      select c.contact_id, c.email, c.email_normalized, c.unsubscribed, c.marketing_email_subscribed,
        c.marketing_email_invalid${lacks.reduce((all, each) => sql`${all}${each}`, sql.literal(""))}
      ${audience}
    ),
    judged as materialized (
      select c.contact_id, c.email, split_part(c.email_normalized, '@', -1) as domain,
        ${reason} as reason${sql.literal(names)}
      from audience c
      left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
      ${topicJoin}
    ),
    reasons as materialized (
      select coalesce(reason, ${qualified_key}) as reason, count(*)::int as count from judged group by 1
    ),
    blocked as materialized (select contact_id, email, reason from judged where reason is not null)
    select
      (select coalesce(jsonb_object_agg(reason, count), '{}') from reasons) as reasons,
      (select coalesce(jsonb_agg(jsonb_build_object('reason', r.reason, 'contactId', b.contact_id, 'email', b.email)
          order by b.contact_id), '[]')
        from reasons r
        cross join lateral (
          select contact_id, email from blocked where reason = r.reason order by contact_id limit ${sample_max}) b
        where r.reason <> ${qualified_key}) as blocked,
      (select coalesce(jsonb_agg(jsonb_build_object('domain', d.domain, 'count', d.count) order by d.count desc, d.domain), '[]')
        from (select domain collate "C" as domain, count(*)::int as count from judged where reason is null
          group by 1 order by 2 desc, 1 limit ${domains_max}) d) as domains,
      ${sql.literal(missing)} as "missingCounts",
      array(select contact_id::text from judged where reason is null order by judged.contact_id limit ${sample_max}) as sample`
}

const blockedOf = ({ reasons, blocked }: CountsRow): ReadonlyArray<BlockedContacts> =>
  blockReasons.flatMap((reason) => {
    const count = reasons[reason] ?? 0
    const sample = blocked.filter((each) => each.reason === reason)
    return count === 0 ? [] : [{ reason, count, sample: sample.map(({ contactId, email }) => ({ contactId, email })) }]
  })

const calculate = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: ListId,
  options: Parameters<DryRunStore["Service"]["calculate"]>[2],
) {
  const [list] = yield* sql<ListRow>`
    select l.list_id, l.kind, l.system_list, l.rules, p.recipients_per_blast_max,
      (select t.default_subscription from topic t
        where t.workspace_id = ${workspace} and t.topic_id = ${options.topicId}::uuid) as topic_default, ${sql.literal(consentRequiredColumn)} as consent_required
    from list l
    join workspace w on w.workspace_id = ${workspace}
    join plan p on p.plan = w.plan
    where l.workspace_id = ${workspace} and l.list_id = ${id}`
  if (list === undefined) return null
  const audience = yield* Effect.orDie(audienceOf(sql, workspace, list, options.now))
  const { operational, topicId } = options
  const { join, topic } = topicParts(
    sql,
    workspace,
    operational || topicId === null ? null : { topicId, default: list.topic_default },
  )
  const [row] = yield* queryCounts(sql, workspace, limitTo(sql, audience, list.recipients_per_blast_max), {
    needed: options.needed,
    reason: blockReasonOf(sql, { operational, topic, consentRequired: list.consent_required }),
    topicJoin: join,
  })
  if (row === undefined) return yield* Effect.die("the audience query returned no row")
  const contacts = yield* contactsById(sql, workspace, row.sample)
  return {
    recipientCount: Object.values(row.reasons).reduce((sum, count) => sum + count, 0),
    qualifiedCount: row.reasons[qualified_key] ?? 0,
    blocked: blockedOf(row),
    domains: row.domains,
    missingCounts: row.missingCounts,
    sample: row.sample.flatMap((each) => contacts.get(each) ?? []),
  } satisfies DryRunCounts
})

export const layer = Layer.effect(
  DryRunStore,
  Effect.map(LongReads, (long) =>
    DryRunStore.of({
      calculate: (workspace, list, options) => long.read(workspace, (sql) => calculate(sql, workspace, list, options)),
    }),
  ),
)
