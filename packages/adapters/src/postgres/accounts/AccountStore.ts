// `AccountStore` on PostgreSQL. Its tables are global: they are read before the workspace is known.
import { PgClient } from "@effect/sql-pg"
import { EmailTaken } from "@tentpole/core/accounts/AccountErrors"
import { AccountStore, type MemberRow } from "@tentpole/core/accounts/AccountStore"
import type { Session } from "@tentpole/core/accounts/Session"
import type { Invitation, SignInLink } from "@tentpole/core/accounts/SignInLink"
import type { Membership, User } from "@tentpole/core/accounts/User"
import { uuidId } from "@tentpole/core/kernel/Page"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { Role } from "@tentpole/core/workspaces/Role"
import { Effect, Layer, Record, Result } from "effect"
import type { SqlError } from "effect/sql"
import { fromRow, iso, requireRow, type RowOf, toColumns } from "../kernel/Instants.ts"
import { catchUnique, orDefect } from "../kernel/Postgres.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { toWorkspace, workspaceColumns, type WorkspaceRow } from "../workspaces/WorkspaceStore.ts"

/** The columns of a user `u`. A prefix distinguishes them in a join. */
export const userColumns = (
  prefix = "",
) => `u.user_id as "${prefix}id", u.name as "${prefix}name", u.email as "${prefix}email",
  u.email_normalized as "${prefix}emailNormalized", u.password_hash as "${prefix}passwordHash",
  u.oidc_issuer as "${prefix}oidcIssuer", u.oidc_subject as "${prefix}oidcSubject",
  u.operator as "${prefix}operator", u.created_at as "${prefix}createdAt"`

const sessionColumns = `s.session_id as id, s.user_id as "userId", s.hash, s.agent, s.created_at as "createdAt",
  s.proved_at as "provedAt", s.seen_at as "seenAt", s.expires_at as "expiresAt"`

const linkColumns = `link_id as id, purpose, hash, email, email_normalized as "emailNormalized", workspace_id as "workspaceId", role, user_id as "userId",
  created_at as "createdAt", expires_at as "expiresAt"`

const memberColumns = `m.user_id as id, u.name, u.email, m.role, m.created_at as "createdAt",
  (select max(s.seen_at) from user_session s where s.user_id = m.user_id) as "seenAt"`

/** The two values of a join with users, whose columns begin with `user.`. */
export const withUser = <A>(row: Readonly<Record<string, unknown>>): { readonly other: A; readonly user: User } => {
  const [user, other] = Record.partition(row, (value, name) =>
    name.startsWith("user.") ? Result.succeed(value) : Result.fail(value),
  )
  return {
    other: fromRow<A>(other as RowOf<A>),
    user: fromRow<User>(Record.mapKeys(user, (name) => name.slice("user.".length)) as RowOf<User>),
  }
}

/** Runs statements of the caller's transaction. */
export const write = <A, E, R>(statements: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.andThen(Transaction, orDefect(statements))

type Methods = AccountStore["Service"]

const users = (sql: PgClient.PgClient) => {
  const columns = sql.literal(userColumns())
  return {
    hasUsers: orDefect(sql<{ found: boolean }>`select exists (select from app_user) as found`).pipe(
      Effect.map(([row]) => row?.found === true),
    ),
    users: (limit) =>
      orDefect(
        sql<RowOf<User>>`select ${columns} from app_user u order by u.created_at, u.user_id limit ${limit}`,
      ).pipe(Effect.map((rows) => rows.map(fromRow<User>))),
    findUserByEmail: (normalized) =>
      orDefect(sql<RowOf<User>>`select ${columns} from app_user u where u.email_normalized = ${normalized}`).pipe(
        Effect.map(([row]) => (row === undefined ? null : fromRow<User>(row))),
      ),
    findUserBySubject: (issuer, subject) =>
      orDefect(
        sql<
          RowOf<User>
        >`select ${columns} from app_user u where u.oidc_issuer = ${issuer} and u.oidc_subject = ${subject}`,
      ).pipe(Effect.map(([row]) => (row === undefined ? null : fromRow<User>(row)))),
    lockUser: (id) =>
      write(sql<RowOf<User>>`select ${columns} from app_user u where u.user_id = ${id} for update`).pipe(
        Effect.flatMap(requireRow("user")),
        Effect.map(fromRow<User>),
      ),
    putUser: ({ id, ...user }) => {
      const row: Readonly<Record<string, unknown>> = { user_id: id, ...toColumns(user) }
      return write(
        sql`insert into app_user ${sql.insert(row)}
          on conflict (user_id) do update set ${sql.update(row, ["user_id", "created_at"])}`.pipe(
          catchUnique(new EmailTaken()),
        ),
      ).pipe(Effect.asVoid)
    },
  } satisfies Partial<Methods>
}

const sessions = (sql: PgClient.PgClient) =>
  ({
    findSession: (hash) =>
      orDefect(sql<Readonly<Record<string, unknown>>>`
        select ${sql.literal(sessionColumns)}, ${sql.literal(userColumns("user."))}
        from user_session s join app_user u on u.user_id = s.user_id where s.hash = ${hash}`).pipe(
        Effect.flatMap(requireRow("session")),
        Effect.map((row) => {
          const { other: session, user } = withUser<Session>(row)
          return { session, user }
        }),
      ),
    addSession: ({ id, ...session }) =>
      write(sql`insert into user_session ${sql.insert({ session_id: id, ...toColumns(session) })}`).pipe(Effect.asVoid),
    touchSession: (id, at) =>
      write(sql`update user_session set seen_at = greatest(seen_at, ${iso(at)}) where session_id = ${id}`).pipe(
        Effect.asVoid,
      ),
    sessions: (user) =>
      orDefect(sql<RowOf<Session>>`
        select ${sql.literal(sessionColumns)} from user_session s where s.user_id = ${user}
        order by s.created_at desc, s.session_id`).pipe(Effect.map((rows) => rows.map(fromRow<Session>))),
    endSession: (user, id) =>
      write(sql`delete from user_session where user_id = ${user} and session_id = ${id} returning 1`).pipe(
        Effect.flatMap(requireRow("session")),
        Effect.asVoid,
      ),
    endSessions: (user) => write(sql`delete from user_session where user_id = ${user}`).pipe(Effect.asVoid),
  }) satisfies Partial<Methods>

const links = (sql: PgClient.PgClient) => {
  const columns = sql.literal(linkColumns)
  return {
    findLink: (hash, at) =>
      orDefect(sql<RowOf<SignInLink>>`
        select ${columns} from sign_in_link where hash = ${hash} and expires_at > ${iso(at)}`).pipe(
        Effect.flatMap(requireRow("link")),
        Effect.map(fromRow<SignInLink>),
      ),
    takeLink: (hash, at) =>
      write(sql<RowOf<SignInLink>>`
        delete from sign_in_link where hash = ${hash} and expires_at > ${iso(at)} returning ${columns}`).pipe(
        Effect.flatMap(requireRow("link")),
        Effect.map(fromRow<SignInLink>),
      ),
    addLink: ({ id, ...link }) =>
      write(sql`insert into sign_in_link ${sql.insert({ link_id: id, ...toColumns(link) })}`).pipe(Effect.asVoid),
    removeFirstLinks: write(sql`delete from sign_in_link where purpose = 'first'`).pipe(Effect.asVoid),
    invitations: (workspace, query) =>
      orDefect(
        newestRows<RowOf<Invitation>>(sql, query, {
          columns: linkColumns,
          from: "sign_in_link",
          where: sql`workspace_id = ${workspace} and expires_at > ${iso(query.at)}`,
          at: "created_at",
          id: "link_id",
        }),
      ).pipe(Effect.map((rows) => slicedByAge(rows.map(fromRow<Invitation>), query.limit))),
    takeInvitations: (emailNormalized, at) =>
      write(sql<RowOf<Invitation>>`
        delete from sign_in_link where purpose = 'invitation' and email_normalized = ${emailNormalized}
          and expires_at > ${iso(at)} returning ${columns}`).pipe(Effect.map((rows) => rows.map(fromRow<Invitation>))),
    removeInvitation: (workspace, id) =>
      write(sql<RowOf<Invitation>>`
        delete from sign_in_link where workspace_id = ${workspace} and link_id = ${id} returning ${columns}`).pipe(
        Effect.flatMap(requireRow("invitation")),
        Effect.map(fromRow<Invitation>),
      ),
  } satisfies Partial<Methods>
}

const members = (sql: PgClient.PgClient) =>
  ({
    memberships: (user) =>
      orDefect(sql<Membership>`
        select m.workspace_id as "workspaceId", w.slug, w.name, m.role
        from member m join workspace w on w.workspace_id = m.workspace_id
        where m.user_id = ${user} and w.deleted_at is null order by lower(w.name), m.workspace_id`),
    findMember: (user, workspace) =>
      orDefect(sql<WorkspaceRow & { readonly role: Role }>`
        select ${sql.literal(workspaceColumns)}, m.role
        from member m join workspace w on w.workspace_id = m.workspace_id
        where m.user_id = ${user} and w.deleted_at is null
          and ${uuidId.test(workspace) ? sql`w.workspace_id = ${workspace}` : sql`w.slug = ${workspace}`}`).pipe(
        Effect.flatMap(requireRow("workspace")),
        Effect.map(({ role, ...row }) => ({ workspace: toWorkspace(row), role })),
      ),
    getMember: (workspace, user) =>
      orDefect(sql<RowOf<MemberRow>>`
        select ${sql.literal(memberColumns)} from member m join app_user u on u.user_id = m.user_id
        where m.workspace_id = ${workspace} and m.user_id = ${user}`).pipe(
        Effect.flatMap(requireRow("member")),
        Effect.map(fromRow<MemberRow>),
      ),
    members: (workspace, query) =>
      orDefect(
        newestRows<RowOf<MemberRow>>(sql, query, {
          columns: memberColumns,
          from: "member m join app_user u on u.user_id = m.user_id",
          where: sql`m.workspace_id = ${workspace}`,
          at: "m.created_at",
          id: "m.user_id",
        }),
      ).pipe(Effect.map((rows) => slicedByAge(rows.map(fromRow<MemberRow>), query.limit))),
    lockMembers: (workspace) =>
      write(sql<{ readonly userId: User["id"]; readonly role: Role }>`
        select user_id as "userId", role from member where workspace_id = ${workspace}
        order by user_id for update`),
    putMember: (workspace, user, { at, role }) =>
      write(sql`
        insert into member (workspace_id, user_id, role, created_at) values (${workspace}, ${user}, ${role}, ${iso(at)})
        on conflict (workspace_id, user_id) do update set role = excluded.role`).pipe(Effect.asVoid),
    removeMember: (workspace, user) =>
      write(sql`delete from member where workspace_id = ${workspace} and user_id = ${user} returning 1`).pipe(
        Effect.flatMap(requireRow("member")),
        Effect.asVoid,
      ),
  }) satisfies Partial<Methods>

export const layer = Layer.effect(
  AccountStore,
  Effect.map(PgClient.PgClient, (sql) =>
    AccountStore.of({ ...users(sql), ...sessions(sql), ...links(sql), ...members(sql) }),
  ),
)
