-- Kernel: the role of the service, extensions, functions for all rooms, due work, and the outbox of events.

-- Roles belong to the whole server: the migration of another database may create this one at the same time.
do $$ begin
  if not exists (select from pg_roles where rolname = 'tentpole_service') then
    create role tentpole_service nologin nosuperuser nobypassrls;
  end if;
exception when duplicate_object or unique_violation then null;
end $$;

-- Since PostgreSQL 16 the creator of a role may not act as it by default. The grant fails when an administrator created and
-- granted the role, and when the migration of another database grants it at the same time. Both are fine.
do $$ begin
  execute format('grant tentpole_service to %I', current_user);
exception when insufficient_privilege or internal_error then null;
end $$;

-- Both are trusted extensions: the owner of a database may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The queue library creates its tables here when a migration ends.
create schema jobs;

-- PostgreSQL 18 creates v7 ids, older versions v4. Nothing depends on the order of these ids. The version is checked here and not
-- in the function: a function of one SELECT is inlined, any other is called for each row.
do $$ begin
  if current_setting('server_version_num')::int >= 180000 then
    create function uuidv7_or_v4() returns uuid language sql volatile as 'select uuidv7()';
  else
    create function uuidv7_or_v4() returns uuid language sql volatile as 'select gen_random_uuid()';
  end if;
end $$;

-- Creates the missing partitions of a table and returns their number: monthly ones for timelines, from last month to three
-- months ahead; daily ones for traffic, from yesterday to a week ahead. Rows of other times are in the default partition.
-- Workers call it. It runs with the rights of its owner, because the service may not create tables.
create function tentpole_partitions(parent text) returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  step interval := case when parent = 'activity' then interval '1 month' else interval '1 day' end;
  pattern text := case when parent = 'activity' then 'YYYY_MM' else 'YYYY_MM_DD' end;
  today timestamp := date_trunc(case when parent = 'activity' then 'month' else 'day' end, now() at time zone 'UTC');
  first timestamp;
  created int := 0;
  name text;
  zone text := case when parent in ('activity', 'page_view') then '+00' else '' end;
begin
  if parent not in ('activity', 'page_view', 'page_visitor_day', 'workspace_visitor_day') then
    raise exception 'no partitioned table %', parent;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tentpole_partitions', 0));
  for ahead in -1..(case when parent = 'activity' then 3 else 7 end) loop
    first := today + ahead * step;
    name := parent || '_' || to_char(first, pattern);
    if to_regclass('public.' || name) is null then
      begin
        execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', name, parent,
          first || zone, (first + step) || zone);
        created := created + 1;
      exception when check_violation then
        null; -- the default partition already has rows of that time: they stay there
      end;
    end if;
  end loop;
  return created;
end $$;

create table due_work (
  kind text not null,
  workspace_id uuid not null,
  due_at timestamptz not null,
  looks int not null default 0,
  constraint due_work_pkey primary key (kind, workspace_id)
);
create index due_work_next on due_work (kind, due_at);
comment on table due_work is
  'Workspaces that a worker has to check for a kind of work. A row means that there may be work; otherwise it is deleted.';
comment on column due_work.looks is 'Checks in a row that found no work. The delay until the next check grows with it.';

-- Reports that a workspace may have work, without waiting for concurrent hints or checks. A hint that is lost this way is found
-- by one of the next checks, which are frequent after a hint and then become rare. The delay is about as long as the
-- transaction.
create function hint_due(hinted text, workspace uuid) returns void language sql volatile as $$
  update due_work w set due_at = least(w.due_at, clock_timestamp()), looks = 0
  from (select kind, workspace_id from due_work
    where kind = hinted and workspace_id = workspace and (due_at > clock_timestamp() or looks > 0)
    for update skip locked) as quiet
  where w.kind = quiet.kind and w.workspace_id = quiet.workspace_id
$$;

-- It has no foreign key: a transaction that writes an event locks other rows of its workspace, and erasure empties every table.
create table outbox_event (
  workspace_id uuid not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  type text not null,
  contact_id uuid,
  at timestamptz not null,
  data jsonb not null,
  recorded_at timestamptz not null default now(),
  constraint outbox_event_pkey primary key (workspace_id, transaction_id, position)
);
create index outbox_event_age on outbox_event (workspace_id, recorded_at);
comment on table outbox_event is 'Events in the order in which consumers read them.';
comment on column outbox_event.transaction_id is
  'First part of the order. A consumer stops before the oldest open transaction: `position` alone would skip an event whose '
  'transaction commits after that of a later event.';
comment on column outbox_event.at is 'When it happened. `recorded_at` is when it was written.';

create table outbox_consumer (
  workspace_id uuid not null,
  consumer text not null,
  transaction_id xid8 not null,
  position bigint not null,
  constraint outbox_consumer_pkey primary key (workspace_id, consumer)
);
comment on table outbox_consumer is 'The last event that each consumer has read.';

-- Flows are the only consumer.
create function outbox_hint() returns trigger language plpgsql as $$
declare
  workspace uuid;
begin
  for workspace in select distinct workspace_id from added loop
    perform hint_due('flow_events', workspace);
  end loop;
  return null;
end $$;
create trigger outbox_hint after insert on outbox_event referencing new table as added
  for each statement execute function outbox_hint();
