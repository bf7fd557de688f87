-- Functions that differ on Citus. `tentpole migrate --distribute` replaces those of the baseline by these.

-- When a transaction has written on one node only, Citus commits it there in one phase, and reports success also if that commit failed.
-- A statement on a table of the coordinator, which changes no row, makes Citus commit in two phases: nothing is lost that was reported.
create table if not exists two_phase (one boolean primary key constraint two_phase_is_single check (one));
comment on table two_phase is 'Has no rows. A write to it makes Citus commit in two phases.';
grant select, delete on two_phase to tentpole_service;
do $$ begin
  if not exists (select from pg_dist_partition where logicalrelid = 'two_phase'::regclass) then
    perform citus_add_local_table_to_metadata('two_phase');
  end if;
end $$;

-- A setting reaches the nodes only as the statement SET LOCAL.
create or replace function fence_to(workspace text) returns text language plpgsql volatile
  set citus.propagate_set_commands = 'local' as $$
begin
  execute format('set local tentpole.workspace_id = %L', workspace);
  if current_setting('transaction_read_only') = 'off' then
    delete from public.two_phase where one = true;
  end if;
  return workspace;
end $$;

-- Distributes a new table beside the others. Its foreign keys can follow in the same transaction.
create or replace function distribute_by_workspace(relation regclass) returns void language plpgsql volatile as $$
begin
  perform create_distributed_table(relation, 'workspace_id', colocate_with => 'contact');
end $$;

-- The nodes commit an intent as safely as the coordinator.
create or replace function commit_safely() returns void language plpgsql volatile
  set citus.propagate_set_commands = 'local' as $$
declare
  asked text := current_setting('synchronous_commit');
begin
  execute format('set local synchronous_commit = %L', case when asked in ('off', 'local') then 'on' else asked end);
end $$;

-- As in the baseline, in two statements, each of one node. A function that is called within a statement is executed on the node,
-- where it may not read other tables: the standings of topics are joined.
create or replace function grant_intents(workspace uuid, asked uuid[], holders bigint[], blasts uuid[], lease interval,
  out ids uuid[], out answers text[]) language plpgsql volatile as $$
declare
  involved uuid;
  locked uuid;
  moment timestamptz;
  leased_until timestamptz;
  leases timestamptz[];
begin
  perform fence_to(workspace::text);
  perform commit_safely();
  foreach involved in array blasts loop
    continue when involved = locked;
    perform advisory_lock_shared('blast', involved::text);
    locked := involved;
  end loop;
  select array_agg(held.id), array_agg(held.verdict), array_agg(held.lease_until) into ids, answers, leases
  from (
    select q.delivery_id as id, q.state, q.lease_until,
      case
        when b.status = 'cancelled' then 'cancelled'
        when q.membership_id is not null and (m.status is distinct from 'active'
          or m.awaited_visit is distinct from q.visit) then 'cancelled'
        when b.status <> 'sending' or b.paused or b.restored then 'paused'
        when c.contact_id is null and q.contact_id is not null then 'contact_deleted'
        -- as `blockBranches` of BlockReason.ts writes them; a test compares
        when q.email_normalized is null then 'no_email'
        when (not q.operational and (c.unsubscribed is true or s.reason = 'unsubscribe')) then 'unsubscribed'
        when (not q.operational and c.marketing_email_subscribed is false) then 'opt_out'
        when (not q.operational and t.standing = 'unsubscribed') then 'topic_unsubscribed'
        when (not q.operational and (t.standing = 'pending' or t.standing = 'unsubscribed_by_default'
          or (c.marketing_email_subscribed is null and t.standing is null
            and (w.consent ->> 'marketingConsent' = 'required') is true)
          or (c.marketing_email_subscribed is null and t.standing = 'subscribed_by_default'
            and (w.consent ->> 'marketingConsent' = 'required') is true)))
          then 'no_consent'
        when c.marketing_email_invalid is true then 'invalid_email'
        when (s.reason = 'bounce' or s.reason = 'complaint' or s.reason = 'manual') then 'suppressed'
        else 'granted'
      end as verdict
    from unnest(asked, holders, blasts) as ask (id, holder, blast)
    join delivery_queue q on q.workspace_id = workspace and q.delivery_id = ask.id and q.token = ask.holder
      and q.blast_id = ask.blast
    join blast b on b.workspace_id = workspace and b.blast_id = q.blast_id
    join workspace w on w.workspace_id = workspace
    left join contact c on c.workspace_id = workspace and c.contact_id = q.contact_id
    left join suppression s on s.workspace_id = workspace and s.email_normalized = q.email_normalized
    left join flow_membership m on m.workspace_id = workspace and m.membership_id = q.membership_id
    left join topic_choice h on h.workspace_id = workspace and h.topic_id = q.topic_id and h.contact_id = q.contact_id
    left join topic p on p.workspace_id = workspace and p.topic_id = q.topic_id
    cross join lateral (
      select case when q.topic_id is not null
        then coalesce(h.status, p.default_subscription || '_by_default', 'unsubscribed_by_default') end as standing) as t
    order by q.delivery_id
    for update of q
  ) as held
  where held.state = 'claimed';
  moment := clock_timestamp();
  leased_until := moment + lease;
  select array_agg(v.id), array_agg(v.answer) into ids, answers
  from unnest(ids, answers, leases) as v (id, answer, lease_until) where v.lease_until > moment;
  update delivery_queue q set
    state = case when v.answer = 'granted' then 'handed_over' else 'queued' end,
    token = case when v.answer = 'granted' then q.token end,
    lease_until = case when v.answer = 'granted' then leased_until end,
    handed_over_at = case when v.answer = 'granted' then moment else q.handed_over_at end
  from unnest(ids, answers) as v (id, answer)
  where q.workspace_id = workspace and q.delivery_id = v.id and v.answer in ('granted', 'paused');
end $$;

-- A batch of each shard. Each commits by itself; those of a node that does not answer wait for the next call.
create or replace function tentpole_delete_rows(relation text, condition text) returns int language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted int;
begin
  if exists (select from pg_dist_partition
    where logicalrelid = to_regclass('public.' || quote_ident(relation)) and partmethod = 'h') then
    select coalesce(sum(result::int) filter (where success), 0) into deleted
    from run_command_on_shards(to_regclass('public.' || quote_ident(relation)), format($command$
      with deleted as (
        delete from %%1$s where ctid = any(array(select ctid from %%1$s where %s limit 5000 for update skip locked)) returning 1)
      select count(*) from deleted$command$, replace(condition, '%', '%%')));
  else
    execute format('delete from public.%1$I where ctid = any(array(
      select ctid from public.%1$I where %2$s limit 5000 for update skip locked))', relation, condition);
    get diagnostics deleted = row_count;
  end if;
  return deleted;
end $$;

-- Analyses the shards of this node that have grown fourfold since the last time, and returns their number. Citus copies it to all nodes.
create or replace function tentpole_analyze_grown() returns int language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  grown regclass;
  analyzed int := 0;
begin
  for grown in
    select c.oid from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname ~ '_\d+$'
      and pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
  loop
    execute format('analyze (skip_locked) %s', grown);
    analyzed := analyzed + 1;
  end loop;
  return analyzed;
end $$;

-- The same on all nodes. One that does not answer is left out: its statistics are renewed by autovacuum.
create or replace function tentpole_statistics() returns int language sql security definer
  set search_path = pg_catalog, public, pg_temp
  set citus.node_connection_timeout = '1s' as $$
  select coalesce(sum(result::int) filter (where success), 0)::int
  from run_command_on_all_nodes('select public.tentpole_analyze_grown()', parallel => true, give_warning_for_connection_errors => true)
$$;
