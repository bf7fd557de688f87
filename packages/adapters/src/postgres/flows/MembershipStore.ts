// `MembershipStore` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { inTimelineOrder, stepsExecuted, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import {
  type ContactMembership,
  type FlowMemberQuery,
  type FlowMemberSort,
  type MemberDetails,
  MembershipStore,
  type MemberView,
  timeline_lines_max,
} from "@tentpole/core/flows/members/MembershipStore"
import type { ContactId, FlowId, MembershipId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced, type SliceQuery } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, type RowOf } from "../kernel/Instants.ts"
import { memberFacts } from "./MembershipFacts.ts"
import { lockForEntry, lockMembers } from "./MembershipLocks.ts"
import { FlowReader, membershipColumns, type MembershipRow, toMembership } from "./MembershipRows.ts"
import { applyMemberships } from "./MembershipWrites.ts"
import { fencedWrites, Reads } from "../kernel/Postgres.ts"
import { newestRows } from "../kernel/Slices.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

type Sql = PgClient.PgClient

type ShownRow = MembershipRow & Pick<MemberView, "contact">

const shownColumns = `${membershipColumns}, case when c.contact_id is not null then jsonb_build_object(
  'id', c.contact_id, 'displayName', c.display_name, 'email', c.email, 'phone', c.phone) end as contact`

const shownTables = (sql: Sql, workspace: WorkspaceId) => sql`flow_membership m
  left join contact c on c.workspace_id = ${workspace} and c.contact_id = m.contact_id`

const sorts: { readonly [Sort in FlowMemberSort]: string } = {
  entered_at: "m.entered_at",
  updated_at: "m.updated_at",
  display_name: "c.display_name_folded",
}

const searched = ["c.display_name_folded", "c.first_name_folded", "c.last_name_folded", "c.email_folded", "c.phone"]

const page = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, flow: FlowId, query: FlowMemberQuery) {
  const status = query.status === null ? sql.literal("") : sql` and m.status = ${query.status}`
  const wanted = query.search === null ? "" : fold(query.search)
  const named =
    wanted === ""
      ? sql.literal("")
      : sql` and (${sql.or(searched.map((column) => sql`strpos(${sql.literal(column)}, ${wanted}) > 0`))})`
  const chosen = sql`m.workspace_id = ${workspace} and m.flow_id = ${flow}${status}${named}`
  const [counted] = yield* sql<{ readonly total: number }>`
    select (select count(*)::int from ${wanted === "" ? sql`flow_membership m` : shownTables(sql, workspace)} where ${chosen}) as total
    from flow f where f.workspace_id = ${workspace} and f.flow_id = ${flow}`
  if (counted === undefined) return yield* new NotFound({ resource: "flow" })
  const rows = yield* sql<ShownRow>`
    select ${sql.literal(shownColumns)} from ${shownTables(sql, workspace)}
    where ${chosen}
    order by ${sql.literal(`${sorts[query.sort]} ${query.order}`)} nulls last, m.membership_id
    limit ${query.limit} offset ${(query.page - 1) * query.limit}`
  const timelines = yield* timelinesOf(sql, workspace, rows)
  return { items: rows.map((row): MemberView => shown(row, timelines)), total: counted.total }
})

interface NamedRow extends ShownRow {
  readonly flowName: string
}

const listByContact = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contact: ContactId,
  query: SliceQuery,
) {
  const rows = yield* newestRows<NamedRow>(sql, query, {
    columns: `${shownColumns}, f.name as "flowName"`,
    from: sql`${shownTables(sql, workspace)} join flow f on f.workspace_id = ${workspace} and f.flow_id = m.flow_id`,
    where: sql`m.workspace_id = ${workspace} and m.contact_id = ${contact}`,
    at: "m.entered_at",
    id: "m.membership_id",
  })
  const timelines = yield* timelinesOf(sql, workspace, rows)
  const members = rows.map(({ flowName, ...row }): ContactMembership => ({ ...shown(row, timelines), flowName }))
  return sliced(members, query.limit, ({ membership }) => ({
    at: membership.enteredAt.epochMilliseconds,
    id: membership.id,
  }))
})

const find = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, flow: FlowId, id: MembershipId) {
  const rows = yield* sql<ShownRow>`
    select ${sql.literal(shownColumns)} from ${shownTables(sql, workspace)}
    where m.workspace_id = ${workspace} and m.flow_id = ${flow} and m.membership_id = ${id}`
  const [row] = rows
  if (row === undefined) return yield* new NotFound({ resource: "flow member" })
  const timelines = yield* timelinesOf(sql, workspace, rows)
  const run: MemberDetails = { ...shown(row, timelines), timeline: inTimelineOrder(timelines.get(row.id) ?? []) }
  return run
})

type Timelines = ReadonlyMap<MembershipId, ReadonlyArray<TimelineEntry>>

const shown = ({ contact, ...row }: ShownRow, timelines: Timelines): MemberView => ({
  membership: toMembership(row),
  contact,
  steps: stepsExecuted(timelines.get(row.id) ?? []),
})

interface EntryRow extends RowOf<TimelineEntry> {
  readonly membershipId: MembershipId
}

const timelinesOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  members: ReadonlyArray<Pick<MembershipRow, "id" | "enteredAt">>,
) {
  if (members.length === 0) return new Map<MembershipId, Array<TimelineEntry>>()
  const rows = yield* sql<EntryRow>`
    select wanted.membership_id as "membershipId", e.type, e.at, e.step_id as "stepId", e.metadata
    from unnest(${texts(members.map(({ id }) => id))}::uuid[],
      ${texts(members.map(({ enteredAt }) => enteredAt.toISOString()))}::timestamptz[]) as wanted (membership_id, entered_at)
    cross join lateral (
      select position, type, at, step_id, metadata from flow_event
      where workspace_id = ${workspace} and membership_id = wanted.membership_id
        -- Earlier partitions have none of its entries. The clocks of two processes may differ.
        and at >= wanted.entered_at - interval '1 day'
      order by position desc
      limit ${timeline_lines_max}) as e
    order by wanted.membership_id, e.position`
  const toEntry = ({ membershipId: _, ...entry }: EntryRow) => fromRow<TimelineEntry>(entry)
  const byMember = Map.groupBy(rows, ({ membershipId }) => membershipId)
  return new Map([...byMember].map(([id, entries]) => [id, entries.map(toEntry)]))
})

/** Writes after which a process checks whether the planner's statistics are current. */
const renew_every = 2_000

export const layer = Layer.effect(
  MembershipStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { within } = yield* Reads
    const write = fencedWrites(sql)
    const reader = new FlowReader()
    let written = 0
    /** Many small writes make statistics as outdated as one large write. */
    const countWrites = Effect.fnUntraced(function* (changes: number) {
      written += changes
      if (written < renew_every) return
      written = 0
      yield* sql`select pg_stat_force_next_flush()`
      yield* sql.afterCommit(renewStatistics(sql))
    })
    return MembershipStore.of({
      list: (workspace, flow, query) => within(workspace, page(sql, workspace, flow, query)),
      listByContact: (workspace, contact, query) => within(workspace, listByContact(sql, workspace, contact, query)),
      get: (workspace, flow, id) => within(workspace, find(sql, workspace, flow, id)),
      lockForEnrollment: (workspace, wanted) => write(workspace, lockForEntry(sql, reader, workspace, wanted)),
      lockMembers: (workspace, which) => write(workspace, lockMembers(sql, reader, workspace, which)),
      reserve: (workspace, { attempt, membershipId, visit }, id) =>
        Effect.map(
          write(
            workspace,
            sql<{ readonly made_id: string }>`
              insert into flow_made as m (workspace_id, membership_id, visit, attempt, made_id)
              values (${workspace}, ${membershipId}, ${visit}, ${attempt}, ${id})
              on conflict (workspace_id, membership_id, visit, attempt) do update set made_id = m.made_id
              returning made_id`,
          ),
          ([row]) => row?.made_id ?? id,
        ),
      facts: (workspace, wanted) => within(workspace, memberFacts(sql, workspace, wanted)),
      apply: (workspace, changes, unchanged = []) =>
        write(
          workspace,
          Effect.tap(applyMemberships(sql, workspace, changes, unchanged), () => countWrites(changes.length)),
        ),
    })
  }),
)
