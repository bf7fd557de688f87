// Functions for operators: the backlog of all workspaces together, and whether the schema is that of this version.
import { global, migration, service_role } from "./Migration.ts"

export const operating = migration(
  // For readiness: a process that is newer than its database is not ready.
  global("schema_migration", "select"),

  // The service sees one workspace at a time. Sums of all come from a function with its owner's rights. It reads counters and
  // indexes of open work, never finished work, and its planner settings enforce that.
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
  // By whole months, since months are partitions. Rules look back over a year, which a shorter retention limits. Rows in the
  // default partition are deleted by day.
  `create function tentpole_forget_activity(days int) returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp set lock_timeout = '2s' as $$
   declare
     before date := (now() at time zone 'UTC')::date - days;
     part record;
     gone int := 0;
   begin
     if days < 30 then
       raise exception 'timelines are kept for 30 days at least, got %', days;
     end if;
     for part in
       select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'public.activity'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     loop
       begin
         execute format('drop table %s', part.name);
         gone := gone + 1;
       exception when lock_not_available then
         null;
       end;
     end loop;
     delete from public.activity_rest where at < before::timestamp at time zone 'UTC';
     return gone;
   end $$`,
  `revoke execute on function tentpole_forget_activity(int) from public`,
  `grant execute on function tentpole_forget_activity(int) to ${service_role}`,

  // The service may not delete entries of the audit log, except through this function, and only those older than a year.
  `create function tentpole_forget_audit(days int) returns void language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   begin
     if days < 365 then
       raise exception 'the audit log is kept for 365 days at least, got %', days;
     end if;
     delete from public.audit_entry where at < now() - make_interval(days => days);
   end $$`,
  `revoke execute on function tentpole_forget_audit(int) from public`,
  `grant execute on function tentpole_forget_audit(int) to ${service_role}`,

  `revoke execute on function tentpole_backlog() from public`,
  `grant execute on function tentpole_backlog() to ${service_role}`,
)
