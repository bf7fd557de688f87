-- Traffic of published pages: single views, visitors of a day, and daily sums, so that analytics read no single views.

create table page_view (
  workspace_id uuid not null,
  tent_id uuid not null,
  at timestamptz not null,
  view_id uuid not null default uuidv7_or_v4(),
  visitor bytea,
  country text not null, device text not null, browser text not null, os text not null, referrer text not null,
  constraint page_view_pkey primary key (workspace_id, tent_id, at, view_id)
) partition by range (at);
-- The newest views of a workspace. Those of one tent follow the primary key.
create index page_view_newest on page_view (workspace_id, at desc);
create table page_view_rest partition of page_view default;
select tentpole_partitions('page_view');
comment on table page_view is 'Views of pages, in a partition for each day (UTC).';
comment on column page_view.visitor is 'Unused: `page_visitor_day` distinguishes visitors.';

create table page_visitor_day (
  workspace_id uuid not null constraint page_visitor_day_workspace_fkey references workspace on delete cascade,
  tent_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint page_visitor_day_pkey primary key (workspace_id, tent_id, day, visitor)
) partition by range (day);
create table page_visitor_day_rest partition of page_visitor_day default;
select tentpole_partitions('page_visitor_day');
comment on table page_visitor_day is 'Visitors of a tent on a day, in a partition for each day (UTC).';
comment on column page_visitor_day.visitor is 'A hash whose salt is deleted after the day.';

create table workspace_visitor_day (
  workspace_id uuid not null constraint workspace_visitor_day_workspace_fkey references workspace on delete cascade,
  day date not null,
  visitor bytea not null,
  constraint workspace_visitor_day_pkey primary key (workspace_id, day, visitor)
) partition by range (day);
create table workspace_visitor_day_rest partition of workspace_visitor_day default;
select tentpole_partitions('workspace_visitor_day');
comment on table workspace_visitor_day is
  'Visitors of a workspace on a day, in a partition for each day (UTC). A visitor of two tents is one visit of the workspace.';

-- Sums are updated often: free space on each page keeps the updates out of the indexes.
create table page_view_day (
  workspace_id uuid not null constraint page_view_day_workspace_fkey references workspace on delete cascade,
  tent_id uuid not null,
  day date not null,
  dimension text not null
    constraint page_view_day_dimension_known
      check (dimension in ('all', 'visits', 'country', 'device', 'browser', 'os', 'referrer')),
  value text collate "C" not null,
  views int not null,
  constraint page_view_day_pkey primary key (workspace_id, tent_id, day, dimension, value)
) with (fillfactor = 70);
-- The tents with the most views in a range of days, without reading other dimensions.
create index page_view_day_tents on page_view_day (workspace_id, day, tent_id) where dimension in ('all', 'visits');
create index page_view_day_age on page_view_day using brin (day);
comment on table page_view_day is 'Views of a tent on a day.';
comment on column page_view_day.dimension is
  'all: all views; visits: different visitors; otherwise views by their value, such as a country.';

create table workspace_view_day (
  workspace_id uuid not null constraint workspace_view_day_workspace_fkey references workspace on delete cascade,
  day date not null,
  dimension text not null
    constraint workspace_view_day_dimension_known
      check (dimension in ('all', 'visits', 'country', 'device', 'browser', 'os', 'referrer')),
  value text collate "C" not null,
  views int not null,
  constraint workspace_view_day_pkey primary key (workspace_id, day, dimension, value)
) with (fillfactor = 70);
create index workspace_view_day_age on workspace_view_day using brin (day);
comment on table workspace_view_day is 'Views of all tents of a workspace on a day, with the dimensions of `page_view_day`.';

create table visitor_salt (
  day date not null,
  salt bytea not null,
  constraint visitor_salt_pkey primary key (day)
);
comment on table visitor_salt is
  'The salt of the hashes of visitors, one a day for all workspaces (their ids are part of the hash), deleted after its day.';

create table traffic_batch (
  workspace_id uuid not null constraint traffic_batch_workspace_fkey references workspace on delete cascade,
  batch_id uuid not null,
  at timestamptz not null,
  constraint traffic_batch_pkey primary key (workspace_id, batch_id)
);
-- For housekeeping: batches are in the order of arrival.
create index traffic_batch_age on traffic_batch using brin (at);
comment on table traffic_batch is 'Batches of views that were written, so that a repeated batch is not counted twice.';

-- Drops partitions that are older than their retention, deletes old rows of other tables, and returns the number of partitions.
-- Retention in days: views 8 (analytics shows seven days of single views), visitors 2 (today, and yesterday around midnight;
-- later their number is enough), sums 400, batches 1 (a batch is tried again for seconds only). It gives up on a partition when
-- a long read blocks it; housekeeping calls it again in an hour.
create function tentpole_forget_traffic() returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  part record;
  dropped int := 0;
begin
  for part in
    select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('public.page_view'::regclass, 'public.page_visitor_day'::regclass,
        'public.workspace_visitor_day'::regclass)
      and c.relname ~ '_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
      and to_date(right(c.relname, 10), 'YYYY_MM_DD')
        <= today - case when i.inhparent = 'public.page_view'::regclass then 8 else 2 end
  loop
    begin
      execute format('drop table %s', part.name);
      dropped := dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  delete from public.page_view_rest where at < (today - 7)::timestamp at time zone 'UTC';
  delete from public.page_visitor_day_rest where day <= today - 2;
  delete from public.workspace_visitor_day_rest where day <= today - 2;
  delete from public.page_view_day where day < today - 400;
  delete from public.workspace_view_day where day < today - 400;
  delete from public.traffic_batch where at < now() - interval '1 day';
  return dropped;
end $$;
