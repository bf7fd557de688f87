-- Operations: request limits, idempotency keys, the audit log, the backlog of all workspaces, and statistics of the planner.

-- Unlogged: after a crash of the server every bucket is full again.
create unlogged table token_bucket (
  limit_name text not null,
  key_mac bytea not null constraint token_bucket_key_mac_length check (octet_length(key_mac) = 32),
  tokens double precision not null constraint token_bucket_tokens_not_negative check (tokens >= 0),
  taken double precision not null,
  refilled_at timestamptz not null,
  full_at timestamptz not null,
  constraint token_bucket_pkey primary key (limit_name, key_mac)
) with (fillfactor = 50);
insert into table_retention (relation, age_column, days_min) values ('token_bucket', 'full_at', 0);
comment on table token_bucket is
  'The token buckets of request limits, shared by all processes: of API keys, workspaces and network addresses.';
comment on column token_bucket.key_mac is 'HMAC of the key with APP_SECRET: no addresses are stored.';
comment on column token_bucket.taken is 'Tokens that the last statement took.';
comment on column token_bucket.full_at is 'From then on the row says nothing. No index: updates stay in their page.';

create table idempotency_key (
  workspace_id uuid not null constraint idempotency_key_workspace_fkey references workspace on delete cascade,
  scope_hash bytea not null constraint idempotency_key_scope_hash_length check (octet_length(scope_hash) = 32),
  body_hash bytea constraint idempotency_key_body_hash_length check (octet_length(body_hash) = 32),
  holder uuid not null,
  leased_until timestamptz not null,
  expires_at timestamptz not null,
  answer_status int constraint idempotency_key_answer_status_in_range check (answer_status between 200 and 499),
  answer_headers jsonb,
  answer_sealed bytea,
  constraint idempotency_key_pkey primary key (workspace_id, scope_hash),
  constraint idempotency_key_answer_has_headers check ((answer_status is null) = (answer_headers is null)),
  constraint idempotency_key_body_has_status check (answer_status is not null or answer_sealed is null),
  constraint idempotency_key_answer_has_body_hash check (answer_status is null or body_hash is not null)
);
-- Ciphertext does not compress. (PostgreSQL 15 knows no STORAGE in CREATE TABLE.)
alter table idempotency_key alter column answer_sealed set storage external;
-- For housekeeping, over all workspaces.
create index idempotency_key_expiry on idempotency_key (expires_at);
insert into table_retention (relation, age_column, days_min) values ('idempotency_key', 'expires_at', 0);
comment on table idempotency_key is 'Requests that run or have run under an idempotency key, and their answers.';
comment on column idempotency_key.scope_hash is 'Hash of the key and the path, which are stored nowhere.';
comment on column idempotency_key.body_hash is 'Null while the body of the first request is being received.';
comment on column idempotency_key.answer_sealed is 'The body of the answer, encrypted with APP_SECRET.';

create table audit_entry (
  entry_id uuid not null,
  at timestamptz not null,
  actor text not null,
  workspace_id uuid,
  action text not null,
  target text not null,
  details jsonb not null,
  constraint audit_entry_pkey primary key (entry_id)
);
create index audit_entry_newest on audit_entry (at desc, entry_id);
create index audit_entry_workspace on audit_entry (workspace_id, at desc, entry_id);
create index audit_entry_actor on audit_entry (workspace_id, actor, at desc, entry_id);
create index audit_entry_action on audit_entry (workspace_id, action, at desc, entry_id);
-- The service may not delete entries of the audit log in any other way.
insert into table_retention (relation, age_column, days_min) values ('audit_entry', 'at', 365);
comment on column audit_entry.workspace_id is 'Null: of the installation, such as sign-ins.';
comment on table audit_entry is
  'The audit log, read across workspaces. No foreign key: entries stay when the workspace is deleted.';

create table process (
  process_id uuid not null,
  kind text not null constraint process_kind_known check (kind in ('http', 'worker')),
  started_at timestamptz not null,
  seen_at timestamptz not null,
  rss_bytes bigint not null,
  event_loop_p99_ms double precision not null,
  constraint process_pkey primary key (process_id)
);
insert into table_retention (relation, age_column, days_min) values ('process', 'seen_at', 1);
comment on table process is
  'The processes of the service. Each renews its row every ten seconds, and deletes it when it stops.';
comment on column process.process_id is 'Of one start of the process.';
comment on column process.event_loop_p99_ms is 'Of the last ten seconds before seen_at.';

create table due_lag (
  at timestamptz not null,
  kind text not null,
  lag_s double precision not null constraint due_lag_lag_s_not_negative check (lag_s >= 0),
  constraint due_lag_pkey primary key (at, kind)
);
insert into table_retention (relation, age_column, days_min) values ('due_lag', 'at', 1);
comment on table due_lag is
  'For each quarter of an hour and kind of due work: how long the workspace that waited longest had been due, at most.';

create table service_epoch (
  single boolean not null default true constraint service_epoch_is_single check (single),
  counter bigint not null default 0,
  written_at timestamptz not null default clock_timestamp(),
  unjournaled_at timestamptz,
  restored_at timestamptz, backup_at timestamptz, flows_repeat_until timestamptz,
  backup_counter bigint, lost_counter bigint, backup_journaled boolean,
  outbox_position bigint not null default 0,
  constraint service_epoch_pkey primary key (single),
  constraint service_epoch_restore_is_complete check (num_nonnulls(restored_at, backup_at, flows_repeat_until,
    backup_counter, lost_counter, backup_journaled) in (0, 6))
);
insert into service_epoch default values;
comment on table service_epoch is
  'One row. The blob store has a copy of the counter: when the copy is ahead, the database was restored from a backup.';
comment on column service_epoch.counter is 'Workers increment it when they start, once a minute, and when they stop.';
comment on column service_epoch.unjournaled_at is 'When a worker without a send journal last incremented it. Null: never.';
comment on column service_epoch.backup_counter is 'The last value of the counter that the backup contains.';
comment on column service_epoch.lost_counter is 'The last value of the counter before the restore was recognised.';
comment on column service_epoch.backup_journaled is
  'No worker without a send journal incremented the counter in the last ten minutes that the backup contains.';
comment on column service_epoch.outbox_position is
  'Events have greater positions. Each restore raises it above all positions that the lost time has seen.';
comment on column service_epoch.restored_at is 'When a restore was recognised. Null: none waits for its release.';
comment on column service_epoch.backup_at is 'The last increment that the backup contains.';
comment on column service_epoch.flows_repeat_until is
  'Until then members of flows repeat steps of the time after the backup. It moves while no worker runs.';

-- Marks everything that a restore has brought back, in all workspaces. Two workers may call it: the second changes nothing.
-- Events of the lost time may be known outside, so that no later event may have their positions. The counter grows every minute,
-- and no workspace has 2^28 events in a minute.
create function tentpole_restored(known bigint) returns boolean language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
begin
  update public.service_epoch set counter = known, backup_at = coalesce(backup_at, written_at),
    backup_counter = coalesce(backup_counter, counter), lost_counter = known,
    backup_journaled = coalesce(backup_journaled,
      unjournaled_at is null or unjournaled_at < written_at - interval '10 minutes'),
    restored_at = clock_timestamp(),
    flows_repeat_until = clock_timestamp() + (clock_timestamp() - coalesce(backup_at, written_at)),
    written_at = clock_timestamp()
  where counter < known;
  if not found then
    return false;
  end if;
  update public.service_epoch set outbox_position = known << 28;
  update public.outbox_stream set position = greatest(position, known << 28);
  update public.blast set restored = true where status in ('draft', 'scheduled', 'sending', 'sent', 'failed');
  update public.flow set restored = true where status in ('active', 'paused');
  -- They may have been sent.
  delete from public.test_mail;
  return true;
end $$;

-- Open work of all workspaces together. The service sees one workspace at a time, so the function has the rights of its owner. It
-- reads counters and indexes of open work, never finished work; its planner setting enforces that.
create function tentpole_backlog() returns table (queue text, kind text, state text, items bigint, oldest_s double precision)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
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
    select 'deliveries', '', q.state, count(*), extract(epoch from now() - min(q.handed_over_at))::double precision
    from public.delivery_queue q where q.token > 0 group by q.state;
  return query
    select 'jobs', j.type, j.state, count(*), extract(epoch from now() - min(j.since))::double precision
    from (
      select q.type, 'ready' as state, q.due_at as since from jobs.job_queue q where q.state = 'ready'
      union all select q.type, 'running', q.updated_at from jobs.job_queue q where q.state = 'running'
      union all select q.type, 'dead', q.updated_at from jobs.job_queue q where q.state = 'dead'
      union all select q.type, case when q.due_at > now() then 'later' else 'ready' end, case when q.due_at <= now() then q.due_at end
        from jobs.job_queue q where q.state = 'later'
    ) j group by j.type, j.state;
  -- At most a hundred thousand deliveries are counted.
  return query
    select 'webhooks', '', case when d.next_attempt_at <= now() then 'due' else 'later' end, count(*),
      extract(epoch from now() - min(d.next_attempt_at) filter (where d.next_attempt_at <= now()))::double precision
    from (select w.next_attempt_at from public.webhook_delivery w where w.status = 'pending' limit 100000) as d group by 3;
  return query
    select 'webhooks', '', 'behind', count(*), extract(epoch from now() - min(o.recorded_at))::double precision
    from public.webhook_endpoint e
    join public.webhook_reader r on r.workspace_id = e.workspace_id and r.endpoint_id = e.endpoint_id
    join public.outbox_stream s on s.workspace_id = e.workspace_id and s.position > r.position
    cross join lateral (
      select v.recorded_at from public.outbox_event v
      where v.workspace_id = e.workspace_id and v.position > r.position order by v.position limit 1) as o
    where e.status = 'enabled';
  return query
    select 'webhooks', '', 'disabled', count(*), extract(epoch from now() - min(e.disabled_at))::double precision
    from public.webhook_endpoint e where e.status = 'disabled' and e.disabled_reason <> 'requested';
  return query
    select 'connections', substring(a.application_name from 10), coalesce(a.state, 'unknown'), count(*),
      extract(epoch from now() - min(a.state_change))::double precision
    from pg_stat_activity a
    where a.datname = current_database() and a.application_name in ('tentpole http', 'tentpole worker', 'tentpole command line')
    group by 2, 3;
end $$;

-- Workspaces whose operational messages, of the newest single messages, have the sender address of a marketing blast of the last 90
-- days.
create function tentpole_shared_senders() returns bigint language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  select count(*) from public.blast line
  where line.purpose = 'messages' and exists (
    select from (
      select m.delivery_id, lower(m.from_address) as address from public.email_message m
      where m.workspace_id = line.workspace_id order by m.delivery_id desc limit 1000) as sent
    join public.delivery d on d.workspace_id = line.workspace_id and d.delivery_id = sent.delivery_id and d.operational
    join public.blast b on b.workspace_id = line.workspace_id and b.launched_at > now() - interval '90 days'
      and not b.operational and b.purpose <> 'messages'
    join public.email_approval a on a.workspace_id = b.workspace_id and a.approval_id = b.approval_id
    where lower(a.from_address) = sent.address)
$$;

-- Workspaces whose consent lacks something, of those that have active topics: `unnamed` lack a postal address or a privacy page,
-- `untopical` have sent marketing blasts of the last 90 days without a topic. `held` have as many unconfirmed requests of the last hour
-- as they may: further people get no confirmation mail until then.
create function tentpole_consent_gaps() returns table (kind text, items bigint) language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  select 'unnamed', count(distinct t.workspace_id) from public.topic t join public.workspace w on w.workspace_id = t.workspace_id
  where t.status = 'active' and (coalesce(w.postal_address, '') = '' or w.consent ->> 'privacyUrl' is null)
  union all
  select 'untopical', count(distinct b.workspace_id) from public.blast b
  join (
    select t.workspace_id, min(t.created_at) as since from public.topic t where t.status = 'active' group by t.workspace_id) as u
    on u.workspace_id = b.workspace_id
  where b.launched_at > greatest(u.since, now() - interval '90 days') and not b.operational and b.purpose = 'blast'
    and b.topic_id is null
  union all
  select 'held', count(*) from (
    select r.workspace_id from public.subscription_request r join public.workspace w on w.workspace_id = r.workspace_id
    where r.status <> 'confirmed' and r.created_at > now() - interval '1 hour'
    group by r.workspace_id, w.consent ->> 'confirmationsPerHour'
    having count(*) >= coalesce((w.consent ->> 'confirmationsPerHour')::int, 1000)) as h
$$;

-- The table, or its partitions.
create function tentpole_parts(relation text) returns setof oid language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select root.oid from pg_class root where root.oid = to_regclass('public.' || relation) and root.relkind = 'r'
  union all select i.inhrelid from pg_inherits i where i.inhparent = to_regclass('public.' || relation)
$$;

-- Whether the planner takes a large workspace for less than a quarter of its rows, while half of its rows are newer than the
-- statistics. It then reads all rows of the workspace instead of using the key: a change of ten contacts took 800 ms among twenty
-- thousand. `tally` is the table of counters of the relation, `counted` the expression that counts its rows. The relation is a
-- table, or one with partitions. Most calls end at the first query: reading statistics takes some milliseconds.
create function tentpole_misjudged(relation text, tally text, counted text) returns boolean language plpgsql stable
  set search_path = pg_catalog, public, pg_temp as $$
declare
  parts oid[];
  moved bigint;
  misjudged boolean;
begin
  select array_agg(part), sum(pg_stat_get_mod_since_analyze(part)) into parts, moved from tentpole_parts(relation) as part;
  if moved < 500 then
    return false;
  end if;
  execute format($query$
    with stored as materialized (
      select c.oid, greatest(0, c.reltuples) as rows, s.n_distinct, s.most_common_vals::text::uuid[] as workspaces,
        s.most_common_freqs as shares
      from pg_class c
      left join pg_stats s on s.schemaname = 'public' and s.tablename = c.relname and s.attname = 'workspace_id'
      where c.oid = any($1)
    ), common as (
      select stored.oid, m.workspace_id, m.share * stored.rows as rows
      from stored cross join unnest(stored.workspaces, stored.shares) as m (workspace_id, share)
    ), other as (
      select oid, stored.rows * greatest(0, 1 - coalesce((select sum(share) from unnest(shares) as share), 0))
        / greatest(1, coalesce(case when n_distinct < 0 then -n_distinct * stored.rows else n_distinct end, 0)
          - coalesce(cardinality(workspaces), 0)) as rows
      from stored
    )
    select exists (
      select from (select workspace_id, sum(%s) as held from %I group by workspace_id) as kept
      where kept.held between 1000 and $2 * 2 and kept.held > 4 * (
        select sum(coalesce(common.rows, other.rows)) from other
        left join common on common.oid = other.oid and common.workspace_id = kept.workspace_id)
    )$query$, counted, tally) into misjudged using parts, moved;
  return misjudged;
end $$;

-- Renews statistics after large writes, and returns the number of tables. Before the first statistics of a table every index
-- looks the same, and a session keeps the plan of a foreign key check: an import into a new database then read half of the
-- contacts for each list member (4 s a chunk instead of 0.1 s). Autovacuum comes after a minute. It analyses tables that have
-- grown fourfold since the last time or that are misjudged, and skips tables that another session analyses.
create function tentpole_statistics() returns int language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  contacts boolean := tentpole_misjudged('contact', 'contact_tally', 'contacts');
  deliveries boolean := tentpole_misjudged('delivery', 'delivery_tally', 'queued + sent + failed + blocked');
  queued boolean := tentpole_misjudged('delivery_queue', 'delivery_tally', 'queued');
  members boolean := tentpole_misjudged('flow_membership', 'flow_tally', 'active + waiting + completed + dropped + failed');
  grown record;
  analyzed int := 0;
begin
  for grown in
    select c.oid::regclass as name
    from (values ('contact', contacts), ('list', false), ('list_member', contacts), ('delivery', deliveries),
      ('email_message', deliveries), ('email_message_tag', deliveries),
      ('delivery_queue', queued), ('flow_membership', members), ('flow_event', members)) as watched (name, misjudged)
    cross join lateral tentpole_parts(watched.name) as part
    join pg_class c on c.oid = part
    where watched.misjudged and pg_stat_get_mod_since_analyze(c.oid) > 0
      or pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
  loop
    execute format('analyze (skip_locked) %s', grown.name);
    analyzed := analyzed + 1;
  end loop;
  return analyzed;
end $$;
