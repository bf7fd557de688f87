// Batches of page views: a repeated batch is recognised by its id, and single views are stored without their visitor.
import { migration, tenant } from "./Migration.ts"

/** Only today's visitors, and yesterday's around midnight, must be distinguished. After that their number is enough. */
const visitor_days_kept = 2
/** Analytics shows single views of seven days. */
const view_days_kept = 8
const sum_days_kept = 400
/** A batch is tried again for seconds. */
const batch_days_kept = 1

export const trafficBatches = migration(
  `create table traffic_batch (
     workspace_id uuid not null references workspace on delete cascade,
     batch_id uuid not null,
     at timestamptz not null,
     primary key (workspace_id, batch_id)
   )`,
  // Housekeeping searches by this: batches are in the order of arrival.
  `create index traffic_batch_age on traffic_batch using brin (at)`,
  tenant("traffic_batch"),

  // Nothing reads it: page_visitor_day distinguishes visitors and is deleted with its day.
  `alter table page_view alter column visitor drop not null`,

  // As before, and batches.
  `create or replace function tentpole_forget_traffic() returns int language plpgsql security definer
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
     delete from public.traffic_batch where at < now() - interval '${batch_days_kept} day';
     return gone;
   end $$`,
)
