// `ConfirmationQueue` on PostgreSQL: contacts of imports that wait for their confirmation mail, and the turns of their workspaces.
import type { PgClient } from "@effect/sql-pg"
import { ConfirmationQueue } from "@tentpole/core/imports/confirmations/ConfirmationQueue"
import type { WaitingConfirmation, WaitingKey } from "@tentpole/core/imports/confirmations/WaitingConfirmation"
import { ContactId, ImportRunId, TopicId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { endTurn, makeDue, takeTurns } from "../kernel/DueWork.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

const add = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  waiting: ReadonlyArray<WaitingConfirmation>,
) {
  if (waiting.length === 0) return
  const now = DateTime.formatIso(yield* DateTime.now)
  yield* sql`
    insert into import_confirmation as w (workspace_id, import_run_id, contact_id, topic_ids, due_at)
    select ${workspace}, u.run, u.contact, array(select jsonb_array_elements_text(u.topics)::uuid), ${now}::timestamptz
    from unnest(${texts(waiting.map(({ runId }) => runId))}::uuid[], ${texts(waiting.map(({ contactId }) => contactId))}::uuid[],
      ${texts(waiting.map(({ topicIds }) => JSON.stringify(topicIds)))}::jsonb[]) as u (run, contact, topics)
    on conflict (workspace_id, import_run_id, contact_id) do update set topic_ids = w.topic_ids || excluded.topic_ids`
  yield* makeDue(sql, "confirmations", workspace)
})

const rowOf = (sql: Sql, workspace: WorkspaceId, { contactId, runId }: WaitingKey) =>
  sql`workspace_id = ${workspace} and import_run_id = ${runId} and contact_id = ${contactId}`

export const layer = storeLayer(ConfirmationQueue, ({ sql, within, write }) => ({
  add: (workspace, waiting) => write(workspace, add(sql, workspace, waiting)),
  due: (workspace, now, limit) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly run: string; readonly contact: string }>`
          select w.import_run_id as run, w.contact_id as contact from import_confirmation w
          where w.workspace_id = ${workspace} and w.due_at <= ${DateTime.formatIso(now)}
          order by w.due_at, w.contact_id limit ${limit}`,
        (rows) =>
          rows.map(({ contact, run }) => ({ runId: ImportRunId.make(run), contactId: ContactId.make(contact) })),
      ),
    ),
  take: (workspace, key) =>
    write(
      workspace,
      Effect.map(
        sql<{ readonly topics: ReadonlyArray<string> }>`
          delete from import_confirmation where ${rowOf(sql, workspace, key)} returning topic_ids as topics`,
        ([row]) => (row === undefined ? null : { ...key, topicIds: row.topics.map((id) => TopicId.make(id)) }),
      ),
    ),
  postpone: (workspace, key, until) =>
    write(
      workspace,
      Effect.asVoid(sql`
        update import_confirmation set due_at = ${DateTime.formatIso(until)} where ${rowOf(sql, workspace, key)}`),
    ),
  counts: (workspace, runs) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly run: string; readonly count: number }>`
          select w.import_run_id as run, count(*)::int as count from import_confirmation w
          where w.workspace_id = ${workspace} and w.import_run_id = any(${texts(runs)}::uuid[])
          group by w.import_run_id`,
        (rows) => new Map(rows.map(({ count, run }) => [ImportRunId.make(run), count])),
      ),
    ),
  takeTurns: (options) => Effect.andThen(Transaction, orDefect(takeTurns(sql, ["confirmations"], options))),
  endTurn: ({ token, workspace }, earliest) =>
    write(
      workspace,
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly next: Date | null }>`
          select min(w.due_at) as next from import_confirmation w where w.workspace_id = ${workspace}`
        const next = row?.next ?? null
        const at =
          next === null
            ? sql`'infinity'`
            : sql`${DateTime.formatIso(DateTime.max(earliest, DateTime.makeUnsafe(next)))}::timestamptz`
        yield* endTurn(sql, { kind: "confirmations", workspace, token }, at)
      }),
    ),
}))
