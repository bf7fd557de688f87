// Statistics that cover every workspace. The planner estimates an unknown workspace at one contact and then reads all of its
// contacts instead of using the key: a change of ten contacts took 800 ms among twenty thousand.
import { migration } from "./Migration.ts"

export const statistics = migration(
  `create or replace function tentpole_statistics() returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     misjudged boolean;
     grown record;
     analyzed int := 0;
   begin
     -- A workspace of some size that is taken for a quarter of it, and half of which has come since it was looked at.
     with common as (
       select m.workspace_id, m.share
       from pg_stats s, unnest(s.most_common_vals::text::uuid[], s.most_common_freqs) as m (workspace_id, share)
       where s.schemaname = 'public' and s.tablename = 'contact' and s.attname = 'workspace_id'
     ), expected as (
       select c.reltuples as rows, coalesce(t.n_mod_since_analyze, 0) as moved,
         greatest(0, 1 - coalesce((select sum(share) from common), 0)) / greatest(1,
           coalesce((
             select case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end from pg_stats s
             where s.schemaname = 'public' and s.tablename = 'contact' and s.attname = 'workspace_id'
           ), 0) - (select count(*) from common)) as others_share
       from pg_class c left join pg_stat_all_tables t on t.relid = c.oid
       where c.oid = to_regclass('public.contact')
     )
     select exists (
       select from (select workspace_id, sum(contacts) as contacts from contact_tally group by workspace_id) as held
       cross join expected left join common using (workspace_id)
       where held.contacts >= 1000 and expected.moved * 2 >= held.contacts
         and held.contacts > 4 * expected.rows * coalesce(common.share, expected.others_share)
     ) into misjudged;
     -- Tables that are four times what they were when they were last looked at, and none that somebody else is looking at.
     for grown in
       select c.oid::regclass as name from pg_class c
       where c.oid in (to_regclass('public.contact'), to_regclass('public.list'), to_regclass('public.list_member'),
         to_regclass('public.delivery'))
         and (pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
           or misjudged and c.oid in (to_regclass('public.contact'), to_regclass('public.list_member')))
     loop
       execute format('analyze (skip_locked) %s', grown.name);
       analyzed := analyzed + 1;
     end loop;
     return analyzed;
   end $$`,
)
