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
-- months ahead; daily ones for others, from yesterday to a week ahead. Rows of other times are in the default partition.
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
  zone text := case when parent in ('activity', 'outbox_event', 'page_view') then '+00' else '' end;
begin
  if parent not in ('activity', 'outbox_event', 'page_view', 'page_visitor_day', 'workspace_visitor_day') then
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

-- The outbox. Just before its commit, a transaction that has events locks the stream of the workspace, moves its position by their
-- number, and inserts them with the positions in between. Therefore positions have no gaps, transactions commit in the order of
-- their positions, and a consumer reads what is greater than its own position. The lock is the last one that a transaction
-- waits for, and lasts until its commit: transactions cannot deadlock on it, and a long one blocks no other.

create table outbox_stream (
  workspace_id uuid not null,
  position bigint not null,
  constraint outbox_stream_pkey primary key (workspace_id)
) with (fillfactor = 50);
comment on table outbox_stream is 'The position of the last event of each workspace that has ever had a consumer.';

create table outbox_consumer (
  workspace_id uuid not null,
  consumer text not null,
  position bigint not null,
  constraint outbox_consumer_pkey primary key (workspace_id, consumer)
);
comment on table outbox_consumer is
  'The position of the last event that each consumer has read. Events are written only for workspaces with a consumer.';

-- It has no foreign key: erasure empties every table. Its rows are inserted under the lock of the stream, which makes positions
-- unique across partitions.
create table outbox_event (
  workspace_id uuid not null,
  position bigint not null,
  recorded_at timestamptz not null default statement_timestamp(),
  type text not null,
  contact_id uuid,
  at timestamptz not null,
  data jsonb not null,
  constraint outbox_event_pkey primary key (workspace_id, position, recorded_at)
) partition by range (recorded_at);
create table outbox_event_rest partition of outbox_event default;
select tentpole_partitions('outbox_event');
comment on table outbox_event is
  'Events in the order in which consumers read them, in a partition for each day (UTC) of their recording.';
comment on column outbox_event.at is 'When it happened. `recorded_at` is when it was written.';

-- Returns whether the workspace has a consumer. Until the transaction ends, it does not get its first one (`outbox_subscribe`).
-- Two statements: the second one sees what was committed while the first one waited.
create function outbox_has_consumer(workspace uuid) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('outbox ' || workspace, 0));
  return exists (select from outbox_consumer where workspace_id = workspace);
end $$;

-- Adds a consumer and returns the position of the last event. It waits for transactions that have checked for a consumer, which
-- are about to commit. Every later transaction writes its events, with greater positions.
create function outbox_subscribe(workspace uuid, name text) returns bigint language plpgsql as $$
declare
  last bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('outbox ' || workspace, 0));
  insert into outbox_stream (workspace_id, position) values (workspace, 0) on conflict do nothing;
  select position into last from outbox_stream where workspace_id = workspace;
  insert into outbox_consumer (workspace_id, consumer, position) values (workspace, name, last) on conflict do nothing;
  return last;
end $$;

-- Drops days that ended before the retention, for all workspaces at once, and returns their number. It gives up on a day when a
-- long read blocks it; housekeeping calls it again in an hour.
create function tentpole_forget_events(days int) returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  before date := (now() at time zone 'UTC')::date - days;
  part record;
  dropped int := 0;
begin
  if days < 1 then
    raise exception 'events are kept for a day at least, got %', days;
  end if;
  for part in
    select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.outbox_event'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
      and to_date(right(c.relname, 10), 'YYYY_MM_DD') < before
  loop
    begin
      execute format('drop table %s', part.name);
      dropped := dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  delete from public.outbox_event_rest where recorded_at < before::timestamp at time zone 'UTC';
  return dropped;
end $$;
