// Contacts, definitions of their custom fields, and their timelines.
import { migration, service_role, tenant } from "./Migration.ts"

/** Text that rules, search and sorting compare has a folded twin; `collate "C"` is code point order. */
const folded = (...columns: ReadonlyArray<string>): string =>
  columns.map((column) => `${column} text, ${column}_folded text collate "C",`).join("\n     ")

export const contacts = migration(
  // PostgreSQL 18 creates v7 ids; older versions create v4. Nothing depends on the order of these ids.
  `create function uuidv7_or_v4() returns uuid language plpgsql volatile as $$
   begin
     if current_setting('server_version_num')::int >= 180000 then
       return uuidv7();
     end if;
     return gen_random_uuid();
   end $$`,
  // Creates the monthly partitions of a table from last month to three months ahead. The worker calls it daily. The function
  // runs with its owner's rights, since the service may not create tables. Rows of other months go into the default partition.
  `create function tentpole_partitions(parent text) returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     first date := date_trunc('month', now() at time zone 'UTC')::date - interval '1 month';
     month date;
     made int := 0;
     name text;
   begin
     if parent not in ('activity', 'page_view') then
       raise exception 'no partitioned table %', parent;
     end if;
     perform pg_advisory_xact_lock(hashtextextended('tentpole_partitions', 0));
     for ahead in 0..4 loop
       month := (first + make_interval(months => ahead))::date;
       name := parent || '_' || to_char(month, 'YYYY_MM');
       if to_regclass('public.' || name) is null then
         begin
           execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', name, parent,
             month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
           made := made + 1;
         exception when check_violation then
           null; -- the rest already holds rows of that month: they stay where they are
         end;
       end if;
     end loop;
     return made;
   end $$`,
  `revoke all on function tentpole_partitions(text) from public`,
  `grant execute on function tentpole_partitions(text) to ${service_role}`,

  `create table contact_field (
     workspace_id uuid not null references workspace on delete cascade,
     field_definition_id uuid not null,
     api_name text not null check (api_name ~ '^[a-z][a-z0-9_]*$'),
     display_name text not null,
     value_type text not null check (value_type in ('string', 'number', 'boolean', 'date')),
     is_editable boolean not null,
     description text,
     status text not null check (status in ('active', 'archived')),
     management_mode text not null,
     provenance_kind text not null,
     provenance_provider text,
     provenance_reference text,
     created_by_user_id text,
     created_from_import_session_id uuid,
     show_in_people_list_default boolean not null,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, field_definition_id),
     unique (workspace_id, api_name)
   )`,
  tenant("contact_field"),

  `create table contact (
     workspace_id uuid not null references workspace on delete cascade,
     contact_id uuid not null,
     ${folded("display_name", "first_name", "last_name", "company", "job_title")}
     ${folded("email")}
     email_normalized text collate "C",
     -- E.164: its own folded form
     phone text collate "C",
     ${folded("address", "address2", "city", "state", "zip_code", "country", "lead_status", "lifecycle_stage")}
     service_score double precision,
     unsubscribed boolean not null,
     marketing_email_subscribed boolean,
     marketing_sms_subscribed boolean,
     marketing_email_invalid boolean not null,
     ${folded("original_source", "original_source_detail")}
     custom_fields jsonb not null default '{}',
     custom_fields_folded jsonb not null default '{}',
     created_at timestamptz not null,
     updated_at timestamptz not null,
     last_activity_at timestamptz,
     primary key (workspace_id, contact_id),
     check ((email is null) = (email_normalized is null)),
     check (email is not null or phone is not null)
   )`,
  `create unique index contact_email on contact (workspace_id, email_normalized)`,
  `create unique index contact_phone on contact (workspace_id, phone)`,
  `create index contact_created on contact (workspace_id, created_at, contact_id)`,
  `create index contact_updated on contact (workspace_id, updated_at, contact_id)`,
  tenant("contact"),

  `create table activity (
     workspace_id uuid not null,
     contact_id uuid not null,
     at timestamptz not null,
     activity_id uuid not null default uuidv7_or_v4(),
     type text not null,
     metadata jsonb not null,
     primary key (workspace_id, contact_id, at, activity_id)
   ) partition by range (at)`,
  `create index activity_type on activity (workspace_id, type, contact_id, at)`,
  tenant("activity"),
  `create table activity_rest partition of activity default`,
  `select tentpole_partitions('activity')`,
)
