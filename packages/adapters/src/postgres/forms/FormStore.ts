// `FormStore` on PostgreSQL: form submissions.
import type { PgClient } from "@effect/sql-pg"
import { FormStore, type SubmissionQuery } from "@tentpole/core/forms/FormStore"
import type { FormConsent, FormConsentChange } from "@tentpole/core/forms/FormConsent"
import type { Submission, SubmissionChange } from "@tentpole/core/forms/Submission"
import type { TentId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { writeActivities, writeContacts } from "../contacts/ContactWrites.ts"
import { uuids } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { storeLayer } from "../StoreLayer.ts"

/** Locked in shared mode: submissions run concurrently, and unpublishing the page waits for them. */
const lockPublished = (sql: PgClient.PgClient, workspace: WorkspaceId, tent: TentId) =>
  sql`
    select 1 from tent
    where workspace_id = ${workspace} and tent_id = ${tent} and publication_status = 'published' for share`.pipe(
    Effect.flatMap(requireRow("tent")),
    Effect.asVoid,
  )

const apply = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, change: SubmissionChange) {
  const { submission, contacts, activities } = change
  yield* writeContacts(sql, workspace, contacts)
  yield* sql`
    insert into form_submission (workspace_id, tent_id, submission_id, form_id, fields, contact_id, created_at)
    values (${workspace}, ${submission.tentId}, ${submission.id}, ${submission.formId},
      ${JSON.stringify(submission.fields)}::text::json, ${submission.contactId}::uuid,
      ${iso(submission.createdAt)})`
  yield* writeActivities(sql, workspace, activities)
  yield* countSubmission(sql, workspace, submission)
})

/** Adds to the totals of the day of the page and of the workspace, which analytics read. */
const countSubmission = (sql: PgClient.PgClient, workspace: WorkspaceId, { createdAt, tentId }: Submission) => sql`
  with of_tent as (
    insert into page_view_day as d (workspace_id, tent_id, day, dimension, value, views)
    values (${workspace}, ${tentId}, (${iso(createdAt)}::timestamptz at time zone 'UTC')::date, 'submissions', '', 1)
    on conflict (workspace_id, tent_id, day, dimension, value) do update set views = d.views + 1
    returning day
  ),
  of_workspace as (
    insert into workspace_view_day as d (workspace_id, day, dimension, value, views)
    select home.workspace_id, day, 'submissions', '', 1 from ${homeOf(sql, workspace)} cross join of_tent
    on conflict (workspace_id, day, dimension, value) do update set views = d.views + 1
  )
  select 1`

const columns = `submission_id as id, tent_id as "tentId", form_id as "formId", fields, contact_id as "contactId",
  created_at as "createdAt"`

const sliceOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  tent: TentId,
  query: SubmissionQuery,
) {
  yield* Effect.flatMap(
    sql`select 1 from tent where workspace_id = ${workspace} and tent_id = ${tent}`,
    requireRow("tent"),
  )
  const rows = yield* newestRows<RowOf<Submission>>(sql, query, {
    columns,
    from: "form_submission",
    where: sql`workspace_id = ${workspace} and tent_id = ${tent}`,
    at: "created_at",
    id: "submission_id",
  })
  return slicedByAge(rows.map(fromRow<Submission>), query.limit)
})

interface ConsentRow {
  readonly formId: string
  readonly topicIds: ReadonlyArray<TopicId>
  readonly consentField: string | null
  readonly doubleOptIn: boolean | null
}

const consents = (sql: PgClient.PgClient, workspace: WorkspaceId, tent: TentId) =>
  Effect.map(
    sql<ConsentRow>`
      select form_id as "formId", topic_ids as "topicIds", consent_field as "consentField", double_opt_in as "doubleOptIn"
      from form_consent where workspace_id = ${workspace} and tent_id = ${tent}`,
    (rows) => new Map(rows.map(({ formId, ...consent }): readonly [string, FormConsent] => [formId, consent])),
  )

const applyConsent = (sql: PgClient.PgClient, workspace: WorkspaceId, { after, formId, tentId }: FormConsentChange) =>
  after === null
    ? sql`delete from form_consent where workspace_id = ${workspace} and tent_id = ${tentId} and form_id = ${formId}`
    : Effect.andThen(
        // No other transaction deletes the topics until this one ends.
        sql`
          select 1 from topic where workspace_id = ${workspace} and topic_id = any(${uuids(after.topicIds)})
          order by topic_id for key share`,
        sql`
        insert into form_consent (workspace_id, tent_id, form_id, topic_ids, consent_field, double_opt_in)
        values (${workspace}, ${tentId}, ${formId}, ${uuids(after.topicIds)}, ${after.consentField}::text,
          ${after.doubleOptIn}::boolean)
        on conflict (workspace_id, tent_id, form_id) do update set topic_ids = excluded.topic_ids,
          consent_field = excluded.consent_field, double_opt_in = excluded.double_opt_in`,
      )

export const layer = storeLayer(FormStore, ({ sql, write, quick, writer }) => ({
  lockPublished: (workspace, tent) => write(workspace, lockPublished(sql, workspace, tent)),
  apply: (workspace, change) =>
    write(
      workspace,
      Effect.andThen(apply(sql, workspace, change), writer.writeEffects(workspace, [change.contacts, change])),
    ),
  consents: (workspace, tent) => quick.read(workspace, (client) => consents(client, workspace, tent)),
  applyConsent: (workspace, change) =>
    write(workspace, Effect.andThen(applyConsent(sql, workspace, change), writer.writeEffects(workspace, [change]))),
  list: (workspace, tent, query) => quick.read(workspace, (client) => sliceOf(client, workspace, tent, query)),
}))
