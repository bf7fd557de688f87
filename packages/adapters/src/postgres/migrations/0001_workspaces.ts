// Workspaces with their plan, API keys, sending domains, page hosts and suppressions; the service's role; and `due_work`, the
// small global table of workspaces with due work.
import { global, migration, service_role, tenant } from "./Migration.ts"

export const workspaces = migration(
  // Roles belong to the whole server: another database's migration may create it at the same time.
  `do $$ begin
     if not exists (select from pg_roles where rolname = '${service_role}') then
       create role ${service_role} nologin nosuperuser nobypassrls;
     end if;
   exception when duplicate_object or unique_violation then null;
   end $$`,
  // Since PostgreSQL 16 the creator of a role may not act as it by default. The grant fails when an administrator created and
  // granted the role, and when another database's migration grants it concurrently. Both are fine.
  `do $$ begin
     execute format('grant ${service_role} to %I', current_user);
   exception when insufficient_privilege or internal_error then null;
   end $$`,
  `grant usage on schema public to ${service_role}`,

  `create table plan (
     plan text primary key,
     published_tents_max int,
     emails_per_day_max int,
     contacts_max int,
     recipients_per_blast_max int,
     flows boolean not null,
     branding_removable boolean not null
   )`,
  `insert into plan values
     ('free', 1, 100, 1000, null, false, false),
     ('pro', 100, null, null, null, true, true),
     ('max', null, null, null, null, true, true)`,
  global("plan", "select"),

  `create table workspace (
     workspace_id uuid primary key,
     name text not null check (char_length(name) between 1 and 200),
     slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
     plan text not null references plan,
     credits int not null check (credits >= 0),
     time_zone text not null default 'UTC',
     default_country text not null default 'US' check (default_country ~ '^[A-Z]{2}$'),
     postal_address text,
     sender_from_name text,
     sender_from_address text,
     sender_reply_to text,
     brand jsonb not null default '{}',
     sending_per_second int check (sending_per_second > 0),
     sending_per_domain_per_second int check (sending_per_domain_per_second > 0),
     created_at timestamptz not null,
     updated_at timestamptz not null
   )`,
  global("workspace"),

  // Read by hash before the workspace is known.
  `create table api_key (
     workspace_id uuid not null references workspace on delete cascade,
     key_id uuid not null,
     name text not null,
     prefix text not null,
     hash bytea not null,
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     created_at timestamptz not null,
     primary key (workspace_id, key_id)
   )`,
  `create unique index api_key_hash on api_key (hash)`,
  global("api_key"),

  `create table sending_domain (
     workspace_id uuid not null references workspace on delete cascade,
     domain_id uuid not null,
     domain text not null,
     status text not null check (status in ('pending', 'verified', 'failed')),
     dkim_selector text not null,
     dkim_public_key text not null,
     dkim_private_key_sealed bytea not null,
     verified_at timestamptz check ((verified_at is not null) or status <> 'verified'),
     created_at timestamptz not null,
     primary key (workspace_id, domain_id),
     unique (workspace_id, domain)
   )`,
  tenant("sending_domain"),

  `create table suppression (
     workspace_id uuid not null references workspace on delete cascade,
     email_normalized text not null,
     reason text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'manual')),
     created_at timestamptz not null,
     primary key (workspace_id, email_normalized)
   )`,
  tenant("suppression"),

  // A workspace's own domains for its pages. <slug>.<PAGES_HOST> needs no row.
  `create table page_host (
     host text primary key,
     workspace_id uuid not null references workspace on delete cascade,
     page_domain_id uuid not null,
     created_at timestamptz not null
   )`,
  `create index page_host_workspace on page_host (workspace_id)`,
  global("page_host"),

  // Workspaces that a worker has to check. A row means that there may be work. It is deleted when there is none.
  `create table due_work (
     kind text not null,
     workspace_id uuid not null references workspace on delete cascade,
     due_at timestamptz not null,
     primary key (kind, workspace_id)
   )`,
  `create index due_work_next on due_work (kind, due_at)`,
  global("due_work"),
)
