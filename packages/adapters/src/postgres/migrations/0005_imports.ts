// Imports: the session with its preview, the run that executes it, and the result of each row.
import { migration, service_role, tenant } from "./Migration.ts"

export const imports = migration(
  `create table import_session (
     workspace_id uuid not null references workspace on delete cascade,
     import_session_id uuid not null,
     source text not null check (source in ('upload', 'rows')),
     file_name text,
     content_type text not null,
     blob_key text not null,
     created_at timestamptz not null,
     expires_at timestamptz not null,
     executed_at timestamptz,
     primary key (workspace_id, import_session_id)
   )`,
  tenant("import_session"),

  `create table import_run (
     workspace_id uuid not null references workspace on delete cascade,
     import_run_id uuid not null,
     import_session_id uuid not null,
     status text not null check (status in ('queued', 'running', 'completed', 'failed')),
     mappings jsonb not null,
     duplicate_strategy text not null check (duplicate_strategy in ('update', 'skip')),
     overwrite_blank_only boolean not null,
     list_ids uuid[] not null,
     -- rows whose chunk is committed; a run goes on after these, whatever happened to its worker
     processed_rows int not null default 0,
     total_rows int,
     created_count int not null default 0,
     updated_count int not null default 0,
     skipped_count int not null default 0,
     error_count int not null default 0,
     error text,
     created_at timestamptz not null,
     started_at timestamptz,
     completed_at timestamptz,
     primary key (workspace_id, import_run_id),
     unique (workspace_id, import_session_id),
     check (processed_rows = created_count + updated_count + skipped_count + error_count)
   )`,
  tenant("import_run"),

  // Rows are written only together with their run's counters, so no row needs a lookup of its run.
  `create table import_row (
     workspace_id uuid not null references workspace on delete cascade,
     import_run_id uuid not null,
     row_number int not null,
     status text not null check (status in ('created', 'updated', 'skipped', 'failed')),
     contact_id uuid,
     field_issues jsonb not null default '[]',
     -- the record as read, kept for rows that did not go in, so that they can be exported and imported again
     record jsonb,
     primary key (workspace_id, import_run_id, row_number)
   )`,
  `create index import_row_status on import_row (workspace_id, import_run_id, status, row_number)`,
  tenant("import_row"),

  // Before a table's first statistics every index looks the same, and a session keeps the plan of a foreign key check. An import
  // into a new database then read half the contacts for each list member (measured: 4 s a chunk instead of 0.1 s). Autovacuum
  // comes after a minute; an import analyses at once. It analyses only tables that have grown fourfold since the last time and
  // that no other session analyses.
  `create function tentpole_statistics() returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     grown record;
     analyzed int := 0;
   begin
     for grown in
       select c.oid::regclass as name from pg_class c
       where c.oid in (to_regclass('public.contact'), to_regclass('public.list'), to_regclass('public.list_member'),
         to_regclass('public.delivery'))
         and pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
     loop
       execute format('analyze (skip_locked) %s', grown.name);
       analyzed := analyzed + 1;
     end loop;
     return analyzed;
   end $$`,
  `revoke all on function tentpole_statistics() from public`,
  `grant execute on function tentpole_statistics() to ${service_role}`,
)
