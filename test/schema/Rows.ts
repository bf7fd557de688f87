// A row of each workspace in every table. Checks and references are dropped first: the tests check the visibility of rows,
// not their contents.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** A value of each type; a different one each time if it can be part of a key. */
const values: Readonly<Record<string, string>> = {
  uuid: "gen_random_uuid()",
  text: "md5(random()::text)",
  "timestamp with time zone": "now()",
  date: "current_date",
  xid8: "pg_current_xact_id()",
  smallint: "1",
  integer: "1",
  bigint: "1",
  "double precision": "1",
  boolean: "true",
  json: "'{}'::json",
  jsonb: "'{}'::jsonb",
  bytea: String.raw`'\x00'::bytea`,
  "uuid[]": "'{}'::uuid[]",
  "text[]": "'{}'::text[]",
  "timestamp with time zone[]": "'{}'::timestamptz[]",
  "bigint[]": "'{}'::bigint[]",
}

/** Drops checks and references, and creates `attempts`, which runs statements and returns the result of each. */
export const loosen = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* sql.unsafe(`do $$ declare
      each record;
    begin
      for each in select conrelid::regclass as relation, conname from pg_constraint
        where contype in ('c', 'f') and coninhcount = 0 and connamespace = 'public'::regnamespace
      loop
        execute format('alter table %s drop constraint if exists %I', each.relation, each.conname);
      end loop;
    end $$`)
  yield* sql.unsafe(`create function attempts(statements text[]) returns table (statement text, outcome text) language plpgsql as $$
    begin
      foreach statement in array statements loop
        begin
          execute statement;
          outcome := 'done';
        exception when others then
          outcome := sqlstate;
        end;
        return next;
      end loop;
    end $$`)
})

/** For each table, the statement that inserts rows of the workspace: one, or one for each row of `from`. */
export const insertions = Effect.fnUntraced(function* (sql: PgClient.PgClient, tables: ReadonlyArray<string>) {
  const columns = yield* sql<{ readonly table: string; readonly name: string; readonly type: string }>`
    select attrelid::regclass::text as table, attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = any(${tables}::regclass[]) and attnum > 0 and not attisdropped and attnotnull
      and not atthasdef and attidentity = ''
    order by attnum`
  return (table: string, workspace: string, given: Readonly<Record<string, string>> = {}, from = ""): string => {
    const needed = columns.filter((column) => column.table === table)
    const expressions = needed.map(({ name, type }): readonly [string, string] => {
      const value = name === "workspace_id" ? `'${workspace}'::uuid` : values[type]
      if (value === undefined) throw new Error(`${table}.${name} is ${type}: add a value of it to test/schema/Rows.ts`)
      return [name, value]
    })
    const all = Object.entries({ ...Object.fromEntries(expressions), ...given })
    return `insert into ${table} (${all.map(([name]) => name).join(", ")}) select ${all.map(([, value]) => value).join(", ")} ${from}`
  }
})
