// Rules for every table, which isolate workspaces and let their rows be distributed over several servers: keys and references
// begin with `workspace_id`, and the table has row-level security.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Exemption, Violation } from "../tidy/Exemptions.ts"

/** Tables that belong to no workspace, or are read before the workspace is known. */
export const globals: ReadonlyArray<Exemption> = [
  { at: "api_key", reason: "found by its hash, before the workspace is known" },
  { at: "app_user", reason: "may be a member of several workspaces" },
  { at: "audit_entry", reason: "read across workspaces, and retained after their deletion" },
  { at: "due_hint", reason: "workers find due workspaces in it" },
  { at: "due_lag", reason: "of all workspaces together" },
  { at: "due_work", reason: "workers find due workspaces in it" },
  { at: "member", reason: "found by user, before the workspace is known" },
  { at: "page_host", reason: "found by host, before the workspace is known" },
  { at: "passkey", reason: "found by its credential id, before the workspace is known" },
  { at: "passkey_challenge", reason: "found by itself, before the user is known" },
  { at: "plan", reason: "the same for all workspaces" },
  { at: "process", reason: "the processes of the installation" },
  { at: "schema_migration", reason: "which migrations have run" },
  { at: "service_epoch", reason: "one row, of the whole database" },
  { at: "sign_in_link", reason: "found by its hash, before the workspace is known" },
  { at: "table_retention", reason: "after how many days rows are deleted, the same for all workspaces" },
  { at: "token_bucket", reason: "also limits addresses, before the workspace is known" },
  { at: "user_session", reason: "found by its hash, before the workspace is known" },
  { at: "visitor_salt", reason: "one a day for all workspaces" },
  { at: "workspace", reason: "is the workspace, found by its slug" },
]

export interface Table {
  readonly name: string
  readonly has_workspace: boolean
  readonly fenced: boolean
  /** A primary key, unique constraint, unique index or foreign key. */
  readonly keys: ReadonlyArray<{ readonly name: string; readonly kind: string; readonly first: string | null }>
}

const fence = "(workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)"

/** All tables except partitions, which follow their parents. */
export const tables = (sql: PgClient.PgClient) =>
  sql<Table>`
    select c.relname as name,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') as has_workspace,
      c.relrowsecurity and coalesce((
        select bool_and(p.polcmd = '*' and p.polroles = '{0}' and pg_get_expr(p.polqual, p.polrelid) = ${fence}
          and p.polwithcheck is null)
        from pg_policy p where p.polrelid = c.oid), false) as fenced,
      (select coalesce(json_agg(k order by k.name), '[]') from (
        select i.indexrelid::regclass::text as name, case when i.indisprimary then 'primary key' else 'unique key' end as kind,
          (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[0]) as first
        from pg_index i where i.indrelid = c.oid and i.indisunique
        union all
        select f.conname, 'foreign key',
          (select a.attname from pg_attribute a join pg_attribute o on o.attrelid = f.confrelid and o.attnum = f.confkey[1]
            where a.attrelid = c.oid and a.attnum = f.conkey[1] and o.attname = a.attname)
        from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'
      ) k) as keys
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`

/** The tables of workspaces, with row-level security. */
export const tenants = (sql: PgClient.PgClient) =>
  Effect.map(tables(sql), (all) => all.map(({ name }) => name).filter((name) => !globals.some(({ at }) => at === name)))

const faultsOf = ({ name, has_workspace, fenced, keys }: Table): ReadonlyArray<Omit<Violation, "path" | "line">> => {
  const say = (what: string, remedy: string) => ({ subject: name, what: `${name}: ${what}`, remedy })
  if (!has_workspace) {
    return [say("has no workspace_id", "add the column, or list the table in test/schema/Tenancy.ts with the reason")]
  }
  return [
    ...(keys.some(({ kind }) => kind === "primary key")
      ? []
      : [say("has no primary key", "add one that begins with workspace_id")]),
    ...keys
      .filter(({ first }) => first !== "workspace_id")
      .map((key) =>
        say(
          `the ${key.kind} ${key.name} does not begin with workspace_id`,
          key.kind === "foreign key"
            ? "reference the same workspace's row: foreign key (workspace_id, …) references …"
            : "add workspace_id as first column: values are unique within a workspace",
        ),
      ),
    ...(fenced ? [] : [say("is not fenced", "enable row-level security as in migrations/baseline/access.sql")]),
  ]
}

export const tenancy = (all: ReadonlyArray<Table>): ReadonlyArray<Violation> =>
  all.flatMap(faultsOf).map((fault) => ({ path: "packages/adapters/src/postgres/migrations", line: 1, ...fault }))
