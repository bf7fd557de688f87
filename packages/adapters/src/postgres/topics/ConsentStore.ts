// `ConsentStore` on PostgreSQL: what people chose, and the evidence. Writes go by the contacts, which the transaction has locked.
import type { PgClient } from "@effect/sql-pg"
import { countsOfChoices } from "@tentpole/core/figures/DayFigures"
import type { ContactId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import type { ChoiceMove, ChoicesChange } from "@tentpole/core/topics/ChoicesChange"
import type { ConsentRecord } from "@tentpole/core/topics/ConsentRecord"
import { ConsentStore, type PreferenceFacts } from "@tentpole/core/topics/ConsentStore"
import type { Topic, TopicChoice, TopicStatus } from "@tentpole/core/topics/Topic"
import { noBrand } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect } from "effect"
import { writeActivities } from "../contacts/ContactWrites.ts"
import { addDayCounts } from "../figures/DayFigures.ts"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { newestRows } from "../kernel/Slices.ts"
import { storeLayer } from "../StoreLayer.ts"
import { choiceColumns, readRecordColumns, recordColumns, recordKeys, recordType, topicColumns } from "./ConsentRows.ts"
import { countChoices } from "./TopicCounts.ts"

type Sql = PgClient.PgClient

/** `topics` null: for all. */
const choices = (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  topics: ReadonlyArray<TopicId> | null,
) =>
  Effect.map(
    sql<RowOf<TopicChoice>>`
      select ${sql.literal(choiceColumns)} from topic_choice h
      where h.workspace_id = ${workspace} and h.contact_id = any(${texts(contacts)}::uuid[])
        ${topics === null ? sql`` : sql`and h.topic_id = any(${texts(topics)}::uuid[])`}`,
    (rows) => rows.map(fromRow<TopicChoice>),
  )

type PreferenceRow = Omit<PreferenceFacts, "brand" | "topics"> & {
  readonly brand: Partial<PreferenceFacts["brand"]>
  readonly chosen: TopicStatus | null
} & (RowOf<Topic> | { readonly id: null })

/** A row for each topic, or one without a topic. */
const preferences = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, contact: ContactId) {
  const rows = yield* sql<PreferenceRow>`
    select c.email, c.unsubscribed, exists (
        select 1 from suppression s
        where s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized and s.reason = 'unsubscribe'
      ) as "addressUnsubscribed", w.brand, h.status as chosen, ${sql.literal(topicColumns)}
    from contact c
    join workspace w on w.workspace_id = ${workspace} and w.deleted_at is null
    left join topic o on o.workspace_id = ${workspace}
    left join topic_choice h on h.workspace_id = ${workspace} and h.topic_id = o.topic_id and h.contact_id = ${contact}
    where c.workspace_id = ${workspace} and c.contact_id = ${contact}
    order by o.position, o.name_folded`
  const { addressUnsubscribed, brand, email, unsubscribed } = yield* requireRow("contact")(rows)
  const topics = rows.flatMap(
    ({ addressUnsubscribed: _, brand: __, email: ___, unsubscribed: ____, chosen: status, ...topic }) =>
      topic.id === null ? [] : [{ topic: fromRow<Topic>(topic), choice: status === null ? null : { status } }],
  )
  return { email, unsubscribed, addressUnsubscribed, brand: { ...noBrand, ...brand }, topics }
})

/** The contacts are locked, so no choice of theirs changes. The topics are not deleted before the transaction ends. */
const lock = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  topics: ReadonlyArray<TopicId>,
) {
  yield* sql`
    select 1 from topic o where o.workspace_id = ${workspace} and o.topic_id = any(${texts(topics)}::uuid[])
    order by o.topic_id for key share`
  return yield* choices(sql, workspace, contacts, topics)
})

type Kept = ChoiceMove & { readonly after: NonNullable<ChoiceMove["after"]> }
const isKept = (move: ChoiceMove): move is Kept => move.after !== null

const writeChoices = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, moves: ReadonlyArray<Kept>) {
  if (moves.length === 0) return
  const rows = yield* sql<{ readonly isNew: boolean }>`
    insert into topic_choice as h (workspace_id, topic_id, contact_id, status, source, changed_at)
    select ${workspace}, u.topic_id, u.contact_id, u.status, u.source, u.changed_at
    from unnest(${texts(moves.map(({ topicId }) => topicId))}::uuid[],
      ${texts(moves.map(({ contactId }) => contactId))}::uuid[], ${texts(moves.map(({ after }) => after.status))}::text[],
      ${texts(moves.map(({ after }) => after.source))}::text[],
      ${texts(moves.map(({ after }) => iso(after.changedAt)))}::timestamptz[]) as u (topic_id, contact_id, status, source, changed_at)
    on conflict (workspace_id, topic_id, contact_id) do update set
      status = excluded.status, source = excluded.source, changed_at = excluded.changed_at
    returning h.xmax = 0 as "isNew"`
  const new_count = rows.filter(({ isNew }) => isNew).length
  if (new_count !== moves.filter(({ before }) => before === null).length) return yield* notLocked
})

const notLocked = Effect.die("choices are not what the change was decided on: lock them first")

const deleteChoices = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, moves: ReadonlyArray<ChoiceMove>) {
  if (moves.length === 0) return
  const deleted = yield* sql`
    delete from topic_choice h
    using unnest(${texts(moves.map(({ topicId }) => topicId))}::uuid[],
      ${texts(moves.map(({ contactId }) => contactId))}::uuid[]) as u (topic_id, contact_id)
    where h.workspace_id = ${workspace} and h.topic_id = u.topic_id and h.contact_id = u.contact_id
    returning 1`
  if (deleted.length !== moves.length) return yield* notLocked
})

const asText = (value: ConsentRecord[keyof ConsentRecord]): string | null =>
  DateTime.isDateTime(value) ? DateTime.formatIso(value) : value

const insertRecords = (sql: Sql, workspace: WorkspaceId, records: ReadonlyArray<ConsentRecord>) =>
  records.length === 0
    ? Effect.void
    : sql`
        insert into consent_record (workspace_id, contact_id, ${sql.literal(recordColumns.join(", "))})
        select ${workspace}, u.contact_id, ${sql.literal(
          recordColumns
            .slice(0, -1)
            .map((name) => `u.${name}`)
            .join(", "),
        )}, sha256(convert_to(u.text, 'UTF8')) from unnest(
          ${texts(records.map(({ contactId }) => contactId))}::uuid[], ${sql.csv(
            recordKeys.map(
              (key) => sql`${texts(records.map((record) => asText(record[key])))}::${sql.literal(recordType(key))}[]`,
            ),
          )}) as u (contact_id, ${sql.literal(recordColumns.slice(0, -1).join(", "))})
        returning 1`

const apply = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, change: ChoicesChange) {
  const { activities, moves, records } = change
  yield* writeChoices(sql, workspace, moves.filter(isKept))
  yield* deleteChoices(
    sql,
    workspace,
    moves.filter(({ after }) => after === null),
  )
  if (moves.length > 0) yield* countChoices(sql, workspace, moves)
  const counts = countsOfChoices(moves)
  if (counts.length > 0) yield* Effect.flatten(addDayCounts(sql, workspace, counts))
  yield* insertRecords(sql, workspace, records)
  yield* writeActivities(sql, workspace, activities)
})

export const layer = storeLayer(ConsentStore, ({ quick, sql, within, write, writer }) => ({
  choices: (workspace, contacts, topics) => within(workspace, choices(sql, workspace, contacts, topics)),
  preferences: (workspace, contact) => within(workspace, preferences(sql, workspace, contact)),
  lock: (workspace, contacts, topics) => write(workspace, lock(sql, workspace, contacts, topics)),
  apply: (workspace, change) =>
    write(workspace, Effect.andThen(apply(sql, workspace, change), writer.writeEffects(workspace, [change]))),
  records: (workspace, contact, slice) =>
    quick
      .read(workspace, (client) =>
        newestRows<RowOf<ConsentRecord>>(client, slice, {
          columns: readRecordColumns,
          from: "consent_record r",
          where: client`r.workspace_id = ${workspace} and r.contact_id = ${contact}`,
          at: "r.at",
          id: "r.consent_record_id",
        }),
      )
      .pipe(
        Effect.map((rows) =>
          sliced(rows.map(fromRow<ConsentRecord>), slice.limit, ({ at, id }) => ({ at: at.epochMilliseconds, id })),
        ),
      ),
}))
