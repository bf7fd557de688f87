// Acceptance of single messages on PostgreSQL: one statement writes all of a transaction, with their deliveries, their rows of the
// queue and the counters.
import type { PgClient } from "@effect/sql-pg"
import type { AcceptedMessage, AcceptedRequest } from "@tentpole/core/messages/EmailMessageStore"
import { fold } from "@tentpole/core/kernel/Text"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { isDistributed } from "../citus/Dialect.ts"
import { homeOf } from "../citus/Home.ts"
import { iso } from "../kernel/Instants.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { countInserts, insertedColumns } from "../sending/DeliveryCounters.ts"
import { type Ended, endedColumns, unsent, writeEnded } from "../sending/UnsentEvents.ts"
import { announce, announcement } from "./MessageArrivals.ts"
import { takeKeys } from "./MessageKeys.ts"

type Sql = PgClient.PgClient

const toJson = ({ approvalId, body, displayName, emailNormalized, message, ...rest }: AcceptedMessage) => ({
  id: message.id,
  contact_id: message.contactId,
  approval_id: approvalId,
  email: message.to.email,
  email_normalized: emailNormalized,
  display_name: displayName,
  display_name_folded: displayName === null ? null : fold(displayName),
  to_name: message.to.name,
  operational: message.operational,
  topic_id: message.topicId,
  reason: message.reason,
  labels: { tags: message.tags, metadata: message.metadata },
  email_id: message.emailId,
  approved_email_version: message.approvedEmailVersion,
  template_id: message.templateId,
  subject: message.subject,
  preview_text: message.previewText,
  from_name: message.fromName,
  from_address: message.fromAddress,
  reply_to_email: message.replyToEmail,
  track_opens: message.trackOpens,
  track_clicks: message.trackClicks,
  retain_content: message.retainContent,
  headers: message.headers,
  attachments: message.attachments,
  unresolved_tokens: message.unresolvedTokens,
  client_item_id: message.clientItemId,
  scheduled_at: iso(message.scheduledAt),
  expires_at: iso(message.expiresAt),
  created_at: iso(message.createdAt),
  actor: rest.actor,
  data: body.data,
  html: body.own?.html ?? null,
  plain_text: body.own?.text ?? null,
})

const given = `id uuid, contact_id uuid, approval_id uuid, email text, email_normalized text, display_name text,
  display_name_folded text, to_name text, operational boolean, topic_id uuid,
  reason text, labels jsonb, email_id uuid, approved_email_version int,
  template_id uuid, subject text, preview_text text, from_name text, from_address text, reply_to_email text, track_opens boolean,
  track_clicks boolean, retain_content boolean, headers jsonb, attachments jsonb, unresolved_tokens text[], client_item_id text,
  scheduled_at timestamptz, expires_at timestamptz, created_at timestamptz, actor text, data jsonb, html text, plain_text text`

const givenColumns = given
  .split(",")
  .map((column) => `g.${column.trim().split(" ")[0]}`)
  .join(", ")

const messageColumns = `contact_id, to_name, email_id, approved_email_version, template_id, subject, preview_text, from_name,
  from_address, reply_to_email, track_opens, track_clicks, retain_content, headers, attachments, unresolved_tokens, client_item_id,
  scheduled_at, expires_at, created_at, actor`

/** Blocked messages keep no content: they have ended. */
const insert = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  messages: ReadonlyArray<AcceptedMessage>,
) {
  const stored_at = yield* transactionTime(sql)
  const distributed = yield* isDistributed(sql)
  const written = yield* sql<Ended & { readonly count: number }>`
    with given as materialized (
      select ${sql.literal(givenColumns)}, b.blast_id from jsonb_to_recordset(${JSON.stringify(messages.map(toJson))}::jsonb) as g (${sql.literal(given)})
      join blast b on b.workspace_id = ${workspace} and b.purpose = 'messages'
    ),
    accepted as (
      insert into email_message (workspace_id, delivery_id, ${sql.literal(messageColumns)})
      select home.workspace_id, id, ${sql.literal(messageColumns)} from ${homeOf(sql, workspace)} cross join given order by id
      returning 1
    ),
    content as (
      insert into email_message_content (workspace_id, delivery_id, contact_id, retained, data, html, plain_text)
      select home.workspace_id, id, contact_id, retain_content, data, html, plain_text from ${homeOf(sql, workspace)} cross join given
      where reason is null or retain_content order by id
      returning 1
    ),
    tagged as (
      insert into email_message_tag (workspace_id, tag, delivery_id)
      select home.workspace_id, t.key || ':' || t.value, g.id
      from ${homeOf(sql, workspace)} cross join given g cross join lateral jsonb_each_text(g.labels -> 'tags') as t
      order by 2, 3
      returning 1
    ),
    added as (
      insert into delivery as d (workspace_id, delivery_id, blast_id, message, contact_id, approval_id, topic_id, email, email_normalized,
        display_name, display_name_folded, operational, holds_address, state, reason, created_at)
      select home.workspace_id, id, blast_id, labels, contact_id, approval_id, topic_id, email, email_normalized, display_name,
        display_name_folded, operational, false, case when reason is null then 'queued' else 'blocked' end, reason, created_at
      from ${homeOf(sql, workspace)} cross join given order by id
      returning d.email_normalized, d.operational, ${sql.literal(endedColumns)}, ${sql.literal(insertedColumns)}
    ),
    queued as (
      insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, topic_id, lane, due_at,
        expires_at)
      select home.workspace_id, g.id, g.blast_id, g.contact_id, g.email_normalized, g.operational, g.topic_id,
        case when w.sending_per_domain_per_second is null then '' else split_part(g.email_normalized, '@', -1) end,
        coalesce(g.scheduled_at, ${stored_at}), g.expires_at
      from ${homeOf(sql, workspace)} cross join given g join workspace w on w.workspace_id = ${workspace}
      where g.reason is null order by g.id
      returning 1
    ),
    ${yield* countInserts(sql, workspace, "added")}
    select (select count(*)::int from added) as count, ${unsent(sql, workspace, sql`added`, stored_at)},
      ${distributed ? sql`null as hinted` : announcement(sql, workspace, messages)}`
  if (distributed) yield* announce(sql, workspace, messages)
  return written
})

/** The line of a workspace, with its first message. */
const createLine = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId) {
  const now = yield* transactionTime(sql)
  yield* sql`
    insert into blast (workspace_id, blast_id, name, name_folded, status, purpose, launched_at, created_at, updated_at)
    select ${workspace}, uuid_v7(), 'Single messages', 'single messages', 'sending', 'messages', ${now}, ${now}, ${now}
    on conflict do nothing`
  yield* sql`
    insert into due_work (kind, workspace_id, due_at) values ('messages', ${workspace}, 'infinity') on conflict do nothing`
})

const insertFiles = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  messages: ReadonlyArray<AcceptedMessage>,
) {
  for (const { files, message } of messages) {
    if (message.state === "blocked" && !message.retainContent) continue
    for (const [place, bytes] of files.entries()) {
      yield* sql`
        insert into email_message_file (workspace_id, delivery_id, place, contact_id, bytes)
        values (${workspace}, ${message.id}, ${place}, ${message.contactId}, ${bytes})`
    }
  }
})

export const accept = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  requests: ReadonlyArray<AcceptedRequest>,
) {
  const answers = yield* takeKeys(
    sql,
    workspace,
    requests.map(({ key }) => key),
  )
  const messages = requests.flatMap((request, place) => (answers[place] === null ? request.messages : []))
  if (messages.length === 0) return answers
  let written = yield* insert(sql, workspace, messages)
  if (written[0]?.count === 0) {
    yield* createLine(sql, workspace)
    written = yield* insert(sql, workspace, messages)
  }
  yield* insertFiles(sql, workspace, messages)
  if (messages.some(({ message }) => message.state === "blocked")) yield* writeEnded(sql, workspace, written)
  return answers
})
