// Advisory locks: locks on names, until the transaction ends. All of them are taken here and by the functions `advisory_lock…` of
// `migrations/baseline/kernel.sql`, so that another database replaces them in these two places.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Statement } from "effect/sql"

type Sql = PgClient.PgClient

/** What a lock protects. Classes that only functions of the database use are listed too. */
export type LockClass =
  /** By blast: whether its messages may be sent. `grant_intents` shares it; pausing and cancelling take it exclusively. */
  | "blast"
  /** By workspace: the number of subscription requests that were not confirmed. */
  | "confirmations"
  /** By workspace: its custom fields. A new field has no row to lock. */
  | "contact_fields"
  /** By workspace and bucket: email addresses and phone numbers, most of which have no row yet. */
  | "contact_identities"
  /** By table: the deletion of its old rows, which one worker does. Only in `tentpole_delete_old`. */
  | "delete_old"
  /** By flow: its definition and status. Memberships that move share it; pausing, editing and deleting take it exclusively. */
  | "flow"
  /** By workspace: the names and slugs of its lists. */
  | "list_names"
  /** By workspace: whether it has a consumer of events. Writers of events share it. Only in `outbox_…`. */
  | "outbox"
  /** The creation of partitions. Only in `tentpole_partitions`. */
  | "partitions"
  /** By workspace: its topics. A new topic has no row to lock. */
  | "topics"
  /** By workspace: the number of its webhook endpoints, and whether the outbox has their consumer. */
  | "webhook_endpoints"

const functions = {
  exclusive: "advisory_lock",
  shared: "advisory_lock_shared",
  trying: "advisory_lock_shared_try",
} as const

/** An expression that locks a name. `trying`: shared, true if it did not have to wait. */
export const advisoryLock = (
  sql: Sql,
  kind: LockClass,
  name: Statement.Fragment | string,
  mode: keyof typeof functions = "exclusive",
): Statement.Fragment => sql`${sql.literal(`${functions[mode]}('${kind}', `)}${name})`

/** Locks one name. */
export const lockName = (sql: Sql, kind: LockClass, name: Statement.Fragment | string) =>
  Effect.asVoid(sql`select ${advisoryLock(sql, kind, name)}`)

/** Migrations wait for each other. The schema, and with it the functions, may not exist yet. */
export const lockMigrations = (sql: Sql) =>
  Effect.asVoid(sql`select pg_advisory_xact_lock(hashtextextended('tentpole_migrations', 0))`)
