// `MembershipStore` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { stepsExecuted, type TimelineEntry, type TimelineType } from "@tentpole/core/flows/members/Membership"
import {
  type FlowMemberQuery,
  type FlowMemberSort,
  type MemberDetails,
  MembershipStore,
  type MemberView,
  timeline_lines_max,
} from "@tentpole/core/flows/members/MembershipStore"
import { ContactId, type FlowId, type MembershipId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { memberFacts } from "./MembershipFacts.ts"
import { lockForEntry, lockMembers } from "./MembershipLocks.ts"
import { FlowReader, membershipColumns, type MembershipRow, toMembership } from "./MembershipRows.ts"
import { applyMemberships } from "./MembershipWrites.ts"
import { fenced, fencedWrites } from "../kernel/Postgres.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

type Sql = PgClient.PgClient

interface ShownRow extends MembershipRow {
  readonly contact_exists: boolean
  readonly display_name: string | null
  readonly email: string | null
  readonly phone: string | null
}

const shownColumns = `${membershipColumns}, c.contact_id is not null as contact_exists, c.display_name, c.email, c.phone`

const shownTables = `flow_membership m
  left join contact c on c.workspace_id = m.workspace_id and c.contact_id = m.contact_id`

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
    select (select count(*)::int from ${sql.literal(wanted === "" ? "flow_membership m" : shownTables)} where ${chosen}) as total
    from flow f where f.workspace_id = ${workspace} and f.flow_id = ${flow}`
  if (counted === undefined) return yield* new NotFound({ resource: "flow" })
  const rows = yield* sql<ShownRow>`
    select ${sql.literal(shownColumns)} from ${sql.literal(shownTables)}
    where ${chosen}
    order by ${sql.literal(`${sorts[query.sort]} ${query.order}`)} nulls last, m.membership_id
    limit ${query.limit} offset ${(query.page - 1) * query.limit}`
  const timelines = yield* timelinesOf(sql, workspace, rows)
  return { items: rows.map((row): MemberView => shown(row, timelines)), total: counted.total }
})

const find = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, flow: FlowId, id: MembershipId) {
  const rows = yield* sql<ShownRow>`
    select ${sql.literal(shownColumns)} from ${sql.literal(shownTables)}
    where m.workspace_id = ${workspace} and m.flow_id = ${flow} and m.membership_id = ${id}`
  const [row] = rows
  if (row === undefined) return yield* new NotFound({ resource: "flow member" })
  const timelines = yield* timelinesOf(sql, workspace, rows)
  const run: MemberDetails = { ...shown(row, timelines), timeline: timelines.get(row.membership_id) ?? [] }
  return run
})

type Timelines = ReadonlyMap<string, ReadonlyArray<TimelineEntry>>

const shown = (row: ShownRow, timelines: Timelines): MemberView => ({
  membership: toMembership(row),
  contact: row.contact_exists
    ? { id: ContactId.make(row.contact_id), displayName: row.display_name, email: row.email, phone: row.phone }
    : null,
  steps: stepsExecuted(timelines.get(row.membership_id) ?? []),
})

interface EventRow {
  readonly membership_id: string
  readonly type: TimelineType
  readonly at: Date
  readonly step_id: string | null
  readonly metadata: TimelineEntry["metadata"]
}

const timelinesOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  members: ReadonlyArray<Pick<MembershipRow, "membership_id">>,
) {
  if (members.length === 0) return new Map<string, Array<TimelineEntry>>()
  const rows = yield* sql<EventRow>`
    select wanted.membership_id, e.type, e.at, e.step_id, e.metadata
    from unnest(${texts(members.map((row) => row.membership_id))}::uuid[]) as wanted (membership_id)
    cross join lateral (
      select position, type, at, step_id, metadata from flow_event
      where workspace_id = ${workspace} and membership_id = wanted.membership_id
      order by position desc
      limit ${timeline_lines_max}) as e
    order by wanted.membership_id, e.position`
  const toEntry = ({ at, metadata, step_id: stepId, type }: EventRow) =>
    ({ type, at: DateTime.makeUnsafe(at), stepId, metadata }) satisfies TimelineEntry
  const byMember = Map.groupBy(rows, ({ membership_id }) => membership_id)
  return new Map([...byMember].map(([id, events]) => [id, events.map(toEntry)]))
})

/** Writes after which a process checks whether the planner's statistics are current. */
const renew_every = 2_000

export const layer = Layer.effect(
  MembershipStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
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
