// What operators look at: how much waits, of all workspaces together, and whether the schema is this version's.
import { global, migration, service_role } from "./Migration.ts"

export const operating = migration(
  // For readiness: a process that is newer than its database is not ready.
  global("schema_migration", "select"),

  // The service sees one workspace at a time: sums of all of them are asked of a function with its owner's rights. It reads
  // kept counts and indexes of what is open, never what has been done; the planner is not to think better of it.
  `create function tentpole_backlog() returns table (queue text, kind text, state text, items bigint, oldest_s double precision)
   language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
   declare
     utc timestamp := now() at time zone 'UTC';
   begin
     return query
       select 'due', d.kind, 'due', count(*) filter (where d.due_at <= now()),
         extract(epoch from now() - min(d.due_at) filter (where d.due_at <= now()))::double precision
       from public.due_work d group by d.kind;
     return query
       select 'deliveries', '', case when b.paused then 'paused' else 'open' end, sum(t.queued)::bigint, null::double precision
       from public.blast b join public.delivery_tally t on t.workspace_id = b.workspace_id and t.blast_id = b.blast_id
       where b.status = 'sending' group by b.paused;
     return query
       select 'deliveries', '', d.state, count(*), extract(epoch from now() - min(d.handed_over_at))::double precision
       from public.delivery d where d.state in ('claimed', 'handed_over') group by d.state;
     return query
       select 'jobs', j.type, j.state, count(*), extract(epoch from utc - min(j.since))::double precision
       from (
         select substring(q.element from '"type":"([a-z_]+)"') as type,
           case when q.acquired_at is not null then 'running' when q.visible_at <= utc then 'ready' else 'later' end as state,
           case when q.acquired_at is not null then q.acquired_at when q.visible_at <= utc then q.visible_at end as since
         from jobs.job_queue q where q.queue_name = 'jobs' and q.state = 'pending'
       ) j group by j.type, j.state;
     return query
       select 'jobs', substring(q.element from '"type":"([a-z_]+)"'), 'dead', count(*),
         extract(epoch from utc - min(q.updated_at))::double precision
       from jobs.job_queue q where q.state = 'failed' group by 2;
     return query
       select 'connections', substring(a.application_name from 10), coalesce(a.state, 'unknown'), count(*),
         extract(epoch from now() - min(a.state_change))::double precision
       from pg_stat_activity a
       where a.datname = current_database() and a.application_name in ('tentpole http', 'tentpole worker', 'tentpole command line')
       group by 2, 3;
   end $$`,
  `revoke execute on function tentpole_backlog() from public`,
  `grant execute on function tentpole_backlog() to ${service_role}`,
)
