// Traffic by days: sums of workspaces beside those of tents, visits counted as they arrive, and views and visitors in daily
// partitions, which are dropped as a whole.
import { migration, service_role, tenant } from "./Migration.ts"

/** Only today's visitors, and yesterday's around midnight, must be distinguished. After that their number is enough. */
const visitor_days_kept = 2
/** Analytics shows single views of seven days. */
const view_days_kept = 8
const sum_days_kept = 400

const dimensions = "dimension in ('all', 'visits', 'country', 'device', 'browser', 'os', 'referrer')"

export const trafficDays = migration(
  // The monthly partitions of views become daily ones. Existing rows move to the default partition and are deleted when old.
  `do $$
   declare
     month regclass;
   begin
     for month in
       select i.inhrelid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'page_view'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
     loop
       execute format('alter table page_view detach partition %s', month);
       execute format('insert into page_view (workspace_id, tent_id, at, view_id, visitor, country, device, browser, os, referrer)
         select workspace_id, tent_id, at, view_id, visitor, country, device, browser, os, referrer from %s', month);
       execute format('drop table %s', month);
     end loop;
   end $$`,

  `create temporary table visitor_before on commit drop as select workspace_id, tent_id, day, visitor from page_visitor_day`,
  `drop table page_visitor_day`,
  `create table page_visitor_day (
     workspace_id uuid not null references workspace on delete cascade,
     tent_id uuid not null,
     day date not null,
     visitor bytea not null,
     primary key (workspace_id, tent_id, day, visitor)
   ) partition by range (day)`,
  tenant("page_visitor_day"),
  `create table page_visitor_day_rest partition of page_visitor_day default`,
  `insert into page_visitor_day (workspace_id, tent_id, day, visitor)
     select workspace_id, tent_id, day, visitor from visitor_before`,

  // A visitor of two tents is one visit of the workspace.
  `create table workspace_visitor_day (
     workspace_id uuid not null references workspace on delete cascade,
     day date not null,
     visitor bytea not null,
     primary key (workspace_id, day, visitor)
   ) partition by range (day)`,
  tenant("workspace_visitor_day"),
  `create table workspace_visitor_day_rest partition of workspace_visitor_day default`,
  `insert into workspace_visitor_day (workspace_id, day, visitor)
     select distinct workspace_id, day, visitor from visitor_before`,

  `alter table page_view_day drop constraint page_view_day_dimension_check,
     add constraint page_view_day_dimension_check check (${dimensions})`,
  // Sums are updated often: free space beside them keeps the updates out of all indexes.
  `alter table page_view_day set (fillfactor = 70)`,
  // The busiest tents of a range of days, without reading other dimensions.
  `create index page_view_day_tents on page_view_day (workspace_id, day, tent_id) where dimension in ('all', 'visits')`,
  `create index page_view_day_age on page_view_day using brin (day)`,
  `insert into page_view_day (workspace_id, tent_id, day, dimension, value, views)
     select workspace_id, tent_id, day, 'visits', '', count(*)::int from visitor_before group by workspace_id, tent_id, day`,

  `create table workspace_view_day (
     workspace_id uuid not null references workspace on delete cascade,
     day date not null,
     dimension text not null check (${dimensions}),
     value text collate "C" not null,
     views int not null,
     primary key (workspace_id, day, dimension, value)
   ) with (fillfactor = 70)`,
  `create index workspace_view_day_age on workspace_view_day using brin (day)`,
  tenant("workspace_view_day"),
  `insert into workspace_view_day (workspace_id, day, dimension, value, views)
     select workspace_id, day, dimension, value, sum(views)::int from page_view_day where dimension <> 'visits'
     group by workspace_id, day, dimension, value
     union all
     select workspace_id, day, 'visits', '', count(*)::int from workspace_visitor_day group by workspace_id, day`,

  // Monthly partitions for timelines, from last month to three ahead; daily ones for traffic, from yesterday to a week ahead.
  `create or replace function tentpole_partitions(parent text) returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     step interval := case when parent = 'activity' then interval '1 month' else interval '1 day' end;
     pattern text := case when parent = 'activity' then 'YYYY_MM' else 'YYYY_MM_DD' end;
     today timestamp := date_trunc(case when parent = 'activity' then 'month' else 'day' end, now() at time zone 'UTC');
     first timestamp;
     made int := 0;
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
           made := made + 1;
         exception when check_violation then
           null; -- the rest already holds rows of that time: they stay where they are
         end;
       end if;
     end loop;
     return made;
   end $$`,
  `select tentpole_partitions('page_view'), tentpole_partitions('page_visitor_day'),
     tentpole_partitions('workspace_visitor_day')`,

  // Gives up when a long read blocks the table; housekeeping tries again in an hour.
  `create function tentpole_forget_traffic() returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
   declare
     today date := (now() at time zone 'UTC')::date;
     part record;
     gone int := 0;
   begin
     for part in
       select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent in ('public.page_view'::regclass, 'public.page_visitor_day'::regclass,
           'public.workspace_visitor_day'::regclass)
         and c.relname ~ '_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
         and to_date(right(c.relname, 10), 'YYYY_MM_DD')
           <= today - case when i.inhparent = 'public.page_view'::regclass then ${view_days_kept} else ${visitor_days_kept} end
     loop
       begin
         execute format('drop table %s', part.name);
         gone := gone + 1;
       exception when lock_not_available then
         null;
       end;
     end loop;
     delete from public.page_view_rest where at < (today - ${view_days_kept - 1})::timestamp at time zone 'UTC';
     delete from public.page_visitor_day_rest where day <= today - ${visitor_days_kept};
     delete from public.workspace_visitor_day_rest where day <= today - ${visitor_days_kept};
     delete from public.page_view_day where day < today - ${sum_days_kept};
     delete from public.workspace_view_day where day < today - ${sum_days_kept};
     return gone;
   end $$`,
  `revoke execute on function tentpole_forget_traffic from public`,
  `grant execute on function tentpole_forget_traffic to ${service_role}`,
)
