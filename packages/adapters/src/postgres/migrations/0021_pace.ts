// Send rate limits: the lanes of deliveries, and rate buckets.
import { migration, tenant } from "./Migration.ts"

export const pace = migration(
  // '': the common lane. Otherwise the recipient's domain, so that an index scan skips the rows of a domain that has to wait.
  `alter table delivery add column lane text collate "C" not null default ''`,
  `drop index delivery_due`,
  `create index delivery_due on delivery (workspace_id, blast_id, lane, due_at, delivery_id) where state = 'queued'`,

  // The common lane's row is the bucket of the whole workspace. There are rows only where limits are set.
  `create table delivery_lane (
     workspace_id uuid not null references workspace on delete cascade,
     lane text collate "C" not null,
     permits double precision not null check (permits >= 0),
     filled_at timestamptz not null,
     waited boolean not null,
     -- The time at which a domain's lane is to be checked, 'infinity' when it is believed empty. In the common lane: the time of
     -- the next search for lanes of domains.
     ready_at timestamptz not null,
     primary key (workspace_id, lane)
   )`,
  `create index delivery_lane_ready on delivery_lane (workspace_id, ready_at) where lane <> ''`,
  tenant("delivery_lane"),

  // The planner estimates an unknown workspace as small: each claim and settlement then reads all of its deliveries to find a
  // hundred by id. The check of contact statistics now covers deliveries too.
  `create function tentpole_misjudged(relation text, tally text, counted text) returns boolean language plpgsql stable
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     misjudged boolean;
   begin
     -- A workspace of some size that is taken for a quarter of it, and half of which has come since it was looked at.
     execute format($query$
       with common as (
         select m.workspace_id, m.share
         from pg_stats s, unnest(s.most_common_vals::text::uuid[], s.most_common_freqs) as m (workspace_id, share)
         where s.schemaname = 'public' and s.tablename = %L and s.attname = 'workspace_id'
       ), expected as (
         select c.reltuples as rows, coalesce(t.n_mod_since_analyze, 0) as moved,
           greatest(0, 1 - coalesce((select sum(share) from common), 0)) / greatest(1,
             coalesce((
               select case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end from pg_stats s
               where s.schemaname = 'public' and s.tablename = %L and s.attname = 'workspace_id'
             ), 0) - (select count(*) from common)) as others_share
         from pg_class c left join pg_stat_all_tables t on t.relid = c.oid
         where c.oid = to_regclass('public.' || %L)
       )
       select exists (
         select from (select workspace_id, sum(%s) as held from %I group by workspace_id) as kept
         cross join expected left join common using (workspace_id)
         where kept.held >= 1000 and expected.moved * 2 >= kept.held
           and kept.held > 4 * expected.rows * coalesce(common.share, expected.others_share)
       )$query$, relation, relation, relation, counted, tally) into misjudged;
     return misjudged;
   end $$`,
  `revoke execute on function tentpole_misjudged from public`,
  `create or replace function tentpole_statistics() returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     contacts boolean := tentpole_misjudged('contact', 'contact_tally', 'contacts');
     deliveries boolean := tentpole_misjudged('delivery', 'delivery_tally', 'queued + sent + failed + blocked');
     grown record;
     analyzed int := 0;
   begin
     -- Tables that are four times what they were when they were last looked at, and none that somebody else is looking at.
     for grown in
       select c.oid::regclass as name from pg_class c
       where c.oid in (to_regclass('public.contact'), to_regclass('public.list'), to_regclass('public.list_member'),
         to_regclass('public.delivery'))
         and (pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
           or contacts and c.oid in (to_regclass('public.contact'), to_regclass('public.list_member'))
           or deliveries and c.oid = to_regclass('public.delivery'))
     loop
       execute format('analyze (skip_locked) %s', grown.name);
       analyzed := analyzed + 1;
     end loop;
     return analyzed;
   end $$`,
)
