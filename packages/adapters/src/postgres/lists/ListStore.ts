// `ListStore` on PostgreSQL: contact lists and their members.
import type { PgClient } from "@effect/sql-pg"
import { ContactId, type ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DynamicList, List, StaticList, SystemList } from "@tentpole/core/lists/List"
import type { NameCandidates } from "@tentpole/core/lists/ListName"
import { type ListAudience, type ListQuery, ListStore, type MemberQuery } from "@tentpole/core/lists/ListStore"
import { list_users_max, type ListUser, type ListUses } from "@tentpole/core/lists/ListUse"
import type { RuleTree } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Effect, Predicate } from "effect"
import { lockName } from "../kernel/AdvisoryLocks.ts"
import { texts } from "../kernel/Arrays.ts"
import {
  contactSortKeys,
  contactsWhere,
  countedPage,
  countSelection,
  type Readers,
  searchedNames,
  searchIn,
} from "../contacts/ContactPages.ts"
import { segmentCounted } from "../segments/SegmentCounts.ts"
import { storedListCount } from "./StoredCounts.ts"
import { applyList } from "./ListWrites.ts"
import { flowsUsingList } from "../flows/FlowUses.ts"
import { audienceCondition, withColumns } from "../segments/RuleSql.ts"
import { fromRow, requireRow, type RowOf } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

type Common = Omit<SystemList, "kind" | "systemList">

type ListRow = RowOf<Common> & {
  readonly kind: List["kind"]
  readonly systemList: SystemList["systemList"] | null
  readonly rules: RuleTree | null
  readonly memberCount: number | null
}

const listColumns = `l.list_id as id, l.kind, l.system_list as "systemList", l.name, l.slug, l.description, l.rules,
  l.member_count as "memberCount", l.owner_blast_id as "ownerBlastId", l.created_at as "createdAt", l.updated_at as "updatedAt"`

const toList = ({ kind, systemList, rules, memberCount, ...row }: ListRow): List => {
  const common = fromRow<Common>(row)
  switch (kind) {
    case "static":
      return { ...common, kind, memberCount: memberCount ?? 0 }
    case "dynamic":
      return { ...common, kind, rules }
    case "system":
      return { ...common, kind, systemList: systemList ?? "all_contacts" }
  }
}

const found = (rows: ReadonlyArray<ListRow>) => Effect.map(requireRow("contact list")(rows), toList)

const pageOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { page, limit, search, kind }: ListQuery,
) {
  const matching = sql.and([
    sql`l.workspace_id = ${workspace} and l.owner_blast_id is null`,
    ...(kind === null ? [] : [sql`l.kind = ${kind}`]),
    ...(search === null ? [] : [sql`strpos(l.name_folded, ${fold(search)}) > 0`]),
  ])
  const [all] = yield* sql<{ readonly total: number }>`select count(*)::int as total from list l where ${matching}`
  const rows = yield* sql<ListRow>`
    select ${sql.literal(listColumns)} from list l where ${matching}
    order by l.created_at desc, l.list_id
    limit ${limit} offset ${(page - 1) * limit}`
  return { items: rows.map(toList), total: all?.total ?? 0 }
})

interface JoinedRow extends ListRow {
  readonly addedAt: Date
}

const isStatic = (list: List): list is StaticList => list.kind === "static"
const isDynamic = (list: List): list is DynamicList => list.kind === "dynamic"

const joinedLists = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, contact: ContactId, limit: number) {
  const rows = yield* sql<JoinedRow>`
    select ${sql.literal(listColumns)}, m.added_at as "addedAt" from list_member m
    join list l on l.workspace_id = ${workspace} and l.list_id = m.list_id
    where m.workspace_id = ${workspace} and m.contact_id = ${contact} and l.owner_blast_id is null
    order by m.added_at desc, l.list_id limit ${limit}`
  return rows.flatMap(({ addedAt, ...row }) => {
    const list = toList(row)
    return isStatic(list) ? [{ list, addedAt: DateTime.makeUnsafe(addedAt) }] : []
  })
})

type Slice = Parameters<ListStore["Service"]["dynamicLists"]>[1]

const dynamicLists = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { after, limit }: Slice) {
  const rows = yield* sql<ListRow>`
    select ${sql.literal(listColumns)} from list l
    where l.workspace_id = ${workspace} and l.kind = 'dynamic' and l.rules is not null and l.owner_blast_id is null
      and (${after}::uuid is null or l.list_id > ${after}::uuid)
    order by l.list_id limit ${limit}`
  return rows.map(toList).filter(isDynamic)
})

/** The contacts of the list, under the alias `c`. */
const membersOf = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { list, fields, now }: ListAudience) {
  if (list.kind === "static") {
    return {
      from: sql`fenced_contact c join list_member m on m.workspace_id = ${workspace} and m.contact_id = c.contact_id`,
      where: sql`c.workspace_id = ${workspace} and m.list_id = ${list.id}`,
      addedAt: sql.literal("m.added_at"),
    }
  }
  const reading = { fields: yield* withColumns(sql, workspace, fields), now }
  return contactsWhere(sql, workspace, audienceCondition(sql, workspace, list, reading))
})

/** The same contacts, in the form that is fastest to count. */
const membersCounted = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, audience: ListAudience) {
  const { list, fields, now } = audience
  if (list.kind !== "dynamic" || list.rules === null) return yield* membersOf(sql, workspace, audience)
  return yield* segmentCounted(sql, workspace, { tree: list.rules, fields, now })
})

const isUnfiltered = ({ search, unsubscribed }: MemberQuery): boolean => search === null && unsubscribed === null

const memberPage = (readers: Readers, workspace: WorkspaceId, audience: ListAudience, query: MemberQuery) =>
  countedPage(readers, workspace, {
    selection: (sql) =>
      Effect.map(membersOf(sql, workspace, audience), (all) => ({
        ...all,
        where: sql.and(
          [
            all.where,
            searchIn(sql, query.search, searchedNames),
            query.unsubscribed === null ? null : sql`c.unsubscribed = ${query.unsubscribed}`,
          ].filter(Predicate.isNotNull),
        ),
      })),
    ...(isUnfiltered(query) ? { counting: (sql: Sql) => membersCounted(sql, workspace, audience) } : {}),
    ordered: { ...query, key: query.sort === "member_added_at" ? addedAtKey(audience) : contactSortKeys[query.sort] },
    total: isUnfiltered(query) ? storedListCount(workspace, audience.list) : null,
  })

const addedAtKey = ({ list }: ListAudience) => ({
  column: list.kind === "static" ? "m.added_at" : "null::timestamptz",
  nullable: list.kind !== "static",
  indexed: false,
})

const countMembers = (sql: Sql, workspace: WorkspaceId, audience: ListAudience) => {
  const stored = storedListCount(workspace, audience.list)
  return stored === null
    ? Effect.flatMap(membersCounted(sql, workspace, audience), (counted) => countSelection(sql, counted))
    : stored(sql)
}

/** The contacts that exist, locked against deletion until the transaction ends. Ordered, so that no deadlock occurs. */
const lockContacts = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) =>
  ids.length === 0
    ? Effect.succeed(new Set<ContactId>())
    : Effect.map(
        sql<{ readonly contact_id: string }>`
          select c.contact_id from contact c
          where c.workspace_id = ${workspace} and c.contact_id = any(${texts(ids)}::uuid[])
          order by c.contact_id for key share`,
        (rows) => new Set(rows.map((row) => ContactId.make(row.contact_id))),
      )

/**
 * Locks the static lists that rules name against deletion until the transaction ends. Every transaction locks contacts, the list
 * that it writes, the lists that this one names, then the workspace's list names, so that no deadlock occurs.
 */
const lockNamedLists = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<ListId>) =>
  ids.length === 0
    ? Effect.void
    : sql`
        select 1 from list l
        where l.workspace_id = ${workspace} and l.kind = 'static' and l.list_id = any(${texts(ids)}::uuid[])
        order by l.list_id for key share`

/** The candidates that are taken. Holds the lock on the workspace's list names until the transaction ends. */
const takenNames = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  candidates: NameCandidates,
  own: ListId | null,
) {
  yield* lockName(sql, "list_names", workspace)
  // A second statement: it sees what the previous owner of the lock has committed.
  const taken = yield* sql<{ readonly id: ListId; readonly name_folded: string; readonly slug: string }>`
    select l.list_id as id, l.name_folded, l.slug from list l
    where l.workspace_id = ${workspace} and l.list_id is distinct from ${own}::uuid
      and (l.name_folded = any(${texts(candidates.names.map(fold))}) or l.slug = any(${texts(candidates.slugs)}))`
  return { names: new Map(taken.map((row) => [row.name_folded, row.id])), slugs: new Set(taken.map((row) => row.slug)) }
})

type Creation = Parameters<ListStore["Service"]["lockForCreation"]>[1]

const creationFacts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { candidates, contactIds, named }: Creation,
) {
  const contacts = yield* lockContacts(sql, workspace, contactIds)
  yield* lockNamedLists(sql, workspace, named)
  return { contacts, taken: yield* takenNames(sql, workspace, candidates, null) }
})

const lockedList = (sql: Sql, workspace: WorkspaceId, id: ListId, strength: "update" | "no key update") =>
  Effect.flatMap(
    sql<ListRow>`
      select ${sql.literal(listColumns)} from list l
      where l.workspace_id = ${workspace} and l.list_id = ${id} for ${sql.literal(strength)}`,
    found,
  )

type Edit = Parameters<ListStore["Service"]["lockForUpdate"]>[2]

const editFacts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: ListId,
  { candidates, named }: Edit,
) {
  // A new name changes key columns, which needs the stronger lock. Taking it later could block other transactions meanwhile.
  const list = yield* lockedList(sql, workspace, id, candidates === undefined ? "no key update" : "update")
  if (list.kind === "dynamic") yield* lockNamedLists(sql, workspace, named)
  const taken =
    candidates === undefined
      ? { names: new Map<string, ListId>(), slugs: new Set<string>() }
      : yield* takenNames(sql, workspace, candidates, id)
  return { list, taken }
})

interface UserRow {
  readonly type: ListUser["type"]
  readonly id: string
  readonly name: string
  readonly total: number
}

/**
 * A caller that decides about a deletion has locked the list. Every room that uses lists has a branch here. In the transaction that begins a use it locks
 * the list with `for key share`: blasts in `BlastFacts.ts`, rules in `ListStore.ts`, flows in `FlowFacts.ts`.
 */
const listUses = (sql: Sql, workspace: WorkspaceId, id: ListId) =>
  Effect.map(
    sql<UserRow>`
      select u.type, u.id, u.name, (count(*) over ())::int as total
      from (
        select 'blast' as type, b.blast_id as id, b.name, b.name_folded
        from blast b
        where b.workspace_id = ${workspace} and b.audience_list_id = ${id} and b.status in ('scheduled', 'sending')
        union all
        select 'contact_list', l.list_id, l.name, l.name_folded
        from list l
        where l.workspace_id = ${workspace} and l.rules is not null
          and jsonb_path_exists(l.rules, '$.**.listId ? (@ == $id)', jsonb_build_object('id', ${id}::text))
        union all
        select 'flow', f.flow_id, f.name, f.name_folded from flow f where ${flowsUsingList(sql, workspace, id)}
      ) as u
      order by u.type, u.name_folded, u.id
      limit ${list_users_max}`,
    (rows): ListUses => ({
      users: rows.map(({ type, id: user, name }) => ({ type, id: user, name })),
      count: rows[0]?.total ?? 0,
    }),
  )

/** Two statements: the second sees uses that were committed while the first waited for the lock. */
const deletionFacts = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: ListId) {
  const list = yield* lockedList(sql, workspace, id, "update")
  return { list, uses: yield* listUses(sql, workspace, id) }
})

const memberFacts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: ListId,
  contactIds: ReadonlyArray<ContactId>,
) {
  const contacts = yield* lockContacts(sql, workspace, contactIds)
  const list = yield* lockedList(sql, workspace, id, "no key update")
  const rows = yield* sql<{ readonly contact_id: string }>`
    select m.contact_id from list_member m
    where m.workspace_id = ${workspace} and m.list_id = ${id} and m.contact_id = any(${texts(contactIds)}::uuid[])`
  return { list, contacts, members: new Set(rows.map((row) => ContactId.make(row.contact_id))) }
})

export const layer = storeLayer(ListStore, ({ sql, write, quick, long, writer }) => ({
  get: (workspace, id) =>
    quick
      .read(
        workspace,
        (client) => client<ListRow>`
          select ${client.literal(listColumns)} from list l
          where l.workspace_id = ${workspace} and l.list_id = ${id}`,
      )
      .pipe(Effect.flatMap(found)),
  list: (workspace, query) => quick.read(workspace, (client) => pageOf(client, workspace, query)),
  listsOf: (workspace, contact, limit) =>
    quick.read(workspace, (client) => joinedLists(client, workspace, contact, limit)),
  dynamicLists: (workspace, query) => quick.read(workspace, (client) => dynamicLists(client, workspace, query)),
  uses: (workspace, id) => quick.read(workspace, (client) => listUses(client, workspace, id)),
  members: (workspace, audience, query) => memberPage({ quick, long }, workspace, audience, query),
  memberIds: (workspace, id) =>
    quick
      .read(
        workspace,
        (client) => client<{ readonly contact_id: string }>`
          select m.contact_id from list_member m where m.workspace_id = ${workspace} and m.list_id = ${id}`,
      )
      .pipe(Effect.map((rows) => rows.map((row) => ContactId.make(row.contact_id)))),
  countMembers: (workspace, audience) => long.read(workspace, (client) => countMembers(client, workspace, audience)),
  lockForCreation: (workspace, wanted) => write(workspace, creationFacts(sql, workspace, wanted)),
  lockForUpdate: (workspace, id, wanted) => write(workspace, editFacts(sql, workspace, id, wanted)),
  lockForDelete: (workspace, id) => write(workspace, deletionFacts(sql, workspace, id)),
  lockForMembers: (workspace, id, contactIds) => write(workspace, memberFacts(sql, workspace, id, contactIds)),
  apply: (workspace, change) =>
    write(workspace, Effect.andThen(applyList(sql, workspace, change), writer.writeEffects(workspace, [change]))),
}))
