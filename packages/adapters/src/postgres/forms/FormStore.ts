// `FormStore` on PostgreSQL: form submissions.
import { PgClient } from "@effect/sql-pg"
import { FormStore, type SubmissionQuery } from "@tentpole/core/forms/FormStore"
import type { Submission, SubmissionChange } from "@tentpole/core/forms/Submission"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { writeActivities, writeContacts } from "../contacts/ContactWrites.ts"
import { fenced, Reads } from "../kernel/Postgres.ts"
import { sliced } from "../kernel/Slices.ts"

const notFound = new NotFound({ resource: "tent" })

/** Locked in shared mode: submissions run concurrently, and unpublishing the page waits for them. */
const lockPublished = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, tent: TentId) {
  const rows = yield* sql`
    select 1 from tent
    where workspace_id = ${workspace} and tent_id = ${tent} and publication_status = 'published' for share`
  if (rows.length === 0) return yield* notFound
})

const apply = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, change: SubmissionChange) {
  const { submission, contacts, activities } = change
  yield* writeContacts(sql, workspace, contacts)
  yield* sql`
    insert into form_submission (workspace_id, tent_id, submission_id, form_id, fields, contact_id, created_at)
    values (${workspace}, ${submission.tentId}, ${submission.id}, ${submission.formId},
      ${JSON.stringify(submission.fields)}::text::json, ${submission.contactId}::uuid,
      ${DateTime.formatIso(submission.createdAt)})`
  yield* writeActivities(sql, workspace, activities)
})

const sliceOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  tent: TentId,
  { after, limit }: SubmissionQuery,
) {
  const found = yield* sql`select 1 from tent where workspace_id = ${workspace} and tent_id = ${tent}`
  if (found.length === 0) return yield* notFound
  const conditions = [sql`workspace_id = ${workspace}`, sql`tent_id = ${tent}`]
  if (after !== null) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(after.at))
    conditions.push(sql`(created_at < ${at} or (created_at = ${at} and submission_id > ${after.id}))`)
  }
  const rows = yield* sql<Omit<Submission, "createdAt"> & { readonly createdAt: Date }>`
    select submission_id as id, tent_id as "tentId", form_id as "formId", fields, contact_id as "contactId",
      created_at as "createdAt"
    from form_submission
    where ${sql.and(conditions)} order by created_at desc, submission_id limit ${limit + 1}`
  const items = rows.map((row) => ({ ...row, createdAt: DateTime.makeUnsafe(row.createdAt) }))
  return sliced(items, limit, ({ createdAt, id }) => ({ at: createdAt.epochMilliseconds, id }))
})

export const layer = Layer.effect(
  FormStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { read } = yield* Reads
    const writer = yield* ChangeWriter
    const within = fenced(sql)
    return FormStore.of({
      lockPublished: (workspace, tent) =>
        Effect.andThen(Transaction, within(workspace, lockPublished(sql, workspace, tent))),
      apply: (workspace, change) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            Effect.andThen(apply(sql, workspace, change), writer.writeEffects(workspace, [change.contacts, change])),
          ),
        ),
      list: (workspace, tent, query) => read(workspace, (client) => sliceOf(client, workspace, tent, query)),
    })
  }),
)
