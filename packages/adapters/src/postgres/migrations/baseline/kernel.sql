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

-- An id (UUID version 7): entries of a timeline with the same time are in the order of their ids. Before PostgreSQL 18 it has
-- the same form: milliseconds, and their fraction in the next 12 bits. The version is checked here and not in the function: a
-- function of one expression is inlined, any other is called for each row.
do $$ begin
  if current_setting('server_version_num')::int >= 180000 then
    create function uuid_v7() returns uuid language sql volatile as 'select uuidv7()';
  else
    create function uuid_v7() returns uuid language sql volatile as $id$
      select (overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint * 512 / 125), 15, '0') placing '7' from 13 for 0)
        || substr(gen_random_uuid()::text, 20))::uuid
    $id$;
  end if;
end $$;

-- Names the workspace whose rows the rest of the transaction reads and writes. A distributed database has another function in its
-- place (`citus/functions.sql`). Inlined.
create function fence_to(workspace text) returns text language sql volatile
  as $$ select set_config('tentpole.workspace_id', workspace, true) $$;

-- Gives a new table of workspaces its place. A migration calls it before it adds a foreign key from the table, or rows. Nothing is to
-- be done here; a distributed database has another function in its place.
create function distribute_by_workspace(relation regclass) returns void language sql volatile as $$ $$;

-- Advisory locks, until the transaction ends. Like `AdvisoryLocks.ts`, which lists the classes and what each protects, these
-- functions are the only place that takes them. They are inlined.
create function advisory_lock(class text, name text) returns void language sql volatile
  as $$ select pg_advisory_xact_lock(hashtextextended(class || ' ' || name, 0)) $$;
create function advisory_lock_shared(class text, name text) returns void language sql volatile
  as $$ select pg_advisory_xact_lock_shared(hashtextextended(class || ' ' || name, 0)) $$;
create function advisory_lock_try(class text, name text) returns boolean language sql volatile
  as $$ select pg_try_advisory_xact_lock(hashtextextended(class || ' ' || name, 0)) $$;
create function advisory_lock_shared_try(class text, name text) returns boolean language sql volatile
  as $$ select pg_try_advisory_xact_lock_shared(hashtextextended(class || ' ' || name, 0)) $$;

create table table_retention (
  relation text not null,
  step text constraint table_retention_step_known check (step in ('day', 'month')),
  age_column text not null,
  days_min int not null constraint table_retention_days_min_not_negative check (days_min >= 0),
  needed_by text,
  held_while text,
  held_days_max int,
  index_statements text[] not null default '{}',
  constraint table_retention_pkey primary key (relation),
  constraint table_retention_held_has_days check ((held_while is null) = (held_days_max is null))
);
comment on table table_retention is
  'Tables whose rows are deleted by age: partitions are dropped, other rows are deleted in batches. The file that creates a table '
  'inserts its row.';
comment on column table_retention.step is 'The time that a partition covers (UTC). Null: the table has no partitions.';
comment on column table_retention.age_column is
  'The age of a row: an instant, a date, or an id that begins with its time (UUID v7 or v8). It is the key of the partitions.';
comment on column table_retention.days_min is 'The service cannot delete rows that are younger.';
comment on column table_retention.needed_by is
  'A table with the same age column. A partition is not dropped while that table has a row of its time.';
comment on column table_retention.held_while is
  'A query that returns whether rows of a partition, whose name takes the place of %s, are still needed. They then stay for up to '
  '`held_days_max` days.';
comment on column table_retention.index_statements is
  'Run for each new partition, with its name in place of %s: indexes that the parent cannot have, such as unique indexes without '
  'its key.';

-- The first value of a day in a column that has the age of rows.
create function tentpole_day_start(type regtype, day date) returns text language sql immutable
  return case type
    when 'uuid'::regtype then rpad(lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0'), 32, '0')::uuid::text
    when 'date'::regtype then to_char(day, 'YYYY-MM-DD')
    else to_char(day, 'YYYY-MM-DD') || ' 00:00+00'
  end;

-- The type of the column that has the age of rows.
create function tentpole_age_type(rule table_retention) returns regtype language sql stable
  return (select atttypid::regtype from pg_attribute
    where attrelid = to_regclass('public.' || quote_ident(rule.relation)) and attname = rule.age_column);

-- Creates the missing partitions of a table and returns their number: months from the last one to three ahead, or days from
-- yesterday to a week ahead. Rows of other times are in the default partition, if there is one. Workers call it. It runs with the
-- rights of its owner, because the service may not create tables. It fails when a long read blocks it, and is called every hour.
create function tentpole_partitions(parent text) returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  rule table_retention;
  type regtype;
  step interval;
  first date;
  created int := 0;
  name text;
  statement text;
begin
  select * into rule from table_retention where relation = parent;
  if rule.step is null then
    raise exception 'no partitioned table %', parent;
  end if;
  type := tentpole_age_type(rule);
  step := ('1 ' || rule.step)::interval;
  perform advisory_lock('partitions', '');
  for ahead in -1..(case rule.step when 'month' then 3 else 7 end) loop
    first := date_trunc(rule.step, now() at time zone 'UTC') + ahead * step;
    name := parent || '_' || to_char(first, case rule.step when 'month' then 'YYYY_MM' else 'YYYY_MM_DD' end);
    if to_regclass('public.' || quote_ident(name)) is null then
      begin
        execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', name, parent,
          tentpole_day_start(type, first), tentpole_day_start(type, (first + step)::date));
        foreach statement in array rule.index_statements loop
          execute format(statement, 'public.' || quote_ident(name));
        end loop;
        created := created + 1;
      exception when check_violation then
        null; -- the default partition already has rows of that time: they stay there
      end;
    end if;
  end loop;
  return created;
end $$;

-- Deletes a batch of the rows of a table that meet a condition, and returns its size.
create function tentpole_delete_rows(relation text, condition text) returns int language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted int;
begin
  execute format('delete from public.%1$I where ctid = any(array(
    select ctid from public.%1$I where %2$s limit 5000 for update skip locked))', relation, condition);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Deletes one part of the rows of all workspaces that are older than a number of days, and returns its size; 0: nothing is left.
-- The part is the oldest partition, or else a batch of rows: of the table, or of its default partition. A partition is as old as
-- its youngest row. What is still needed stays longer (`needed_by`, `held_while`). Rows whose id has no time stay. It fails when a
-- long read blocks a partition, and is called every hour.
create function tentpole_delete_old(target text, days int) returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' set enable_seqscan = off as $$
declare
  rule table_retention;
  before date := (now() at time zone 'UTC')::date - days;
  part record;
  needed boolean := false;
  source text := target;
  kept int := days;
  old text;
begin
  select * into rule from table_retention where relation = target;
  if rule.relation is null then
    raise exception 'no rows of % are deleted by age', target;
  elsif days < rule.days_min then
    raise exception '% is stored for % days at least, got %', target, rule.days_min, days;
  end if;
  -- Otherwise another worker is at it.
  if not advisory_lock_try('delete_old', target) then
    return 0;
  end if;
  if rule.step is not null then
    for part in
      select c.oid::regclass as name, dated.start, (dated.start + ('1 ' || rule.step)::interval)::date as stop from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      cross join lateral (
        select to_date(substring(c.relname from '_([0-9]{4}_[0-9]{2}(_[0-9]{2})?)$'), 'YYYY_MM_DD') as start) as dated
      where i.inhparent = to_regclass('public.' || quote_ident(target))
        and dated.start + ('1 ' || rule.step)::interval <= before
      order by dated.start
    loop
      -- Dropping takes this lock too. Before the check, so that no row changes between the two.
      execute format('lock table only public.%I in access exclusive mode', target);
      if rule.needed_by is not null then
        execute format('select exists (select 1 from public.%1$I where %2$I >= %3$L and %2$I < %4$L)', rule.needed_by,
          rule.age_column, tentpole_day_start(tentpole_age_type(rule), part.start),
          tentpole_day_start(tentpole_age_type(rule), part.stop)) into needed;
      elsif part.stop > before + days - rule.held_days_max then
        execute format(rule.held_while, part.name) into needed;
      else
        needed := false;
      end if;
      if not needed then
        execute format('drop table %s', part.name);
        return 1;
      end if;
    end loop;
    source := target || '_rest';
    if to_regclass('public.' || quote_ident(source)) is null then
      return 0;
    end if;
    if rule.held_while is not null then
      execute format(rule.held_while, 'public.' || quote_ident(source)) into needed;
      kept := case when needed then greatest(days, rule.held_days_max) else days end;
      before := before + days - kept;
    end if;
  end if;
  old := case tentpole_age_type(rule)
    when 'timestamptz'::regtype then format('%I < now() - make_interval(days => %s)', rule.age_column, kept)
    when 'date'::regtype then format('%I < %L', rule.age_column, before)
    else format('%1$I < %2$L and get_byte(uuid_send(%1$I), 6) >> 4 in (7, 8)', rule.age_column,
      tentpole_day_start('uuid', before))
  end;
  return tentpole_delete_rows(source, old);
end $$;

create table due_work (
  kind text not null,
  workspace_id uuid not null,
  due_at timestamptz not null,
  token bigint not null default 0,
  constraint due_work_pkey primary key (kind, workspace_id)
);
create index due_work_next on due_work (kind, due_at);
comment on table due_work is
  'When a worker has to check a workspace for a kind of work. Without a row there is no work; `infinity`: none until a hint.';
comment on column due_work.token is
  'The fencing token of turns of flows and webhooks. It grows with each turn and each hint, and the end of an earlier turn changes '
  'nothing.';

create table due_hint (
  position bigint not null generated always as identity,
  kind text not null,
  workspace_id uuid not null,
  due_at timestamptz not null,
  constraint due_hint_pkey primary key (position, workspace_id)
);
comment on table due_hint is
  'Work of flows and webhooks that a transaction has created, until a worker moves it to `due_work`. Rows are only inserted and '
  'deleted, so that transactions do not wait for each other, and a worker finds each after its commit.';

-- Reports that a workspace has work from a time on. Without effect when no flow of the workspace was ever active, or it has no
-- webhook endpoint.
create function hint_due(hinted text, workspace uuid, at timestamptz) returns void language plpgsql volatile as $$
begin
  insert into due_hint (kind, workspace_id, due_at)
  select w.kind, w.workspace_id, at from due_work w where w.kind = hinted and w.workspace_id = workspace;
end $$;

-- The outbox. Just before its commit, a transaction that has events locks the stream of the workspace, moves its position by their
-- number, and inserts them with the positions in between. Therefore transactions commit in the order of their positions, and a
-- consumer reads what is greater than its own position. Positions have no gaps, except after a restore (`tentpole_restored`). The
-- lock is the last one that a transaction waits for, and lasts until its commit: transactions cannot deadlock on it, and a long one
-- blocks no other.

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
insert into table_retention (relation, step, age_column, days_min) values ('outbox_event', 'day', 'recorded_at', 7);
select tentpole_partitions('outbox_event');
comment on table outbox_event is
  'Events in the order in which consumers read them, in a partition for each day (UTC) of their recording.';
comment on column outbox_event.at is 'When it happened. `recorded_at` is when it was written.';

-- Returns whether the workspace has a consumer. Until the transaction ends, it does not get its first one (`outbox_subscribe`).
-- Two statements: the second one sees what was committed while the first one waited.
create function outbox_has_consumer(workspace uuid) returns boolean language plpgsql as $$
begin
  perform advisory_lock_shared('outbox', workspace::text);
  return exists (select from outbox_consumer where workspace_id = workspace);
end $$;

-- Adds a consumer and returns the position of the last event. It waits for transactions that have checked for a consumer, which
-- are about to commit. Every later transaction writes its events, with greater positions.
create function outbox_subscribe(workspace uuid, name text) returns bigint language plpgsql as $$
declare
  last bigint;
begin
  perform advisory_lock('outbox', workspace::text);
  insert into outbox_stream (workspace_id, position) select workspace, e.outbox_position from service_epoch e
    on conflict do nothing;
  select position into last from outbox_stream where workspace_id = workspace;
  insert into outbox_consumer (workspace_id, consumer, position) values (workspace, name, last) on conflict do nothing;
  return last;
end $$;
