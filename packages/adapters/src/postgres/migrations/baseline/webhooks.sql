-- Outgoing webhooks: endpoints, the deliveries of events to them, and the attempts.

create table webhook_endpoint (
  workspace_id uuid not null constraint webhook_endpoint_workspace_fkey references workspace on delete cascade,
  endpoint_id uuid not null,
  url text not null,
  description text,
  event_types text[] not null,
  filter jsonb,
  payload text not null constraint webhook_endpoint_payload_known check (payload in ('full', 'thin')),
  mode text not null constraint webhook_endpoint_mode_known check (mode in ('parallel', 'ordered')),
  batch jsonb,
  in_flight_max int not null constraint webhook_endpoint_in_flight_positive check (in_flight_max >= 1),
  status text not null constraint webhook_endpoint_status_known check (status in ('enabled', 'disabled')),
  disabled_reason text,
  disabled_at timestamptz,
  headers_sealed bytea,
  header_names text[] not null,
  secret_sealed bytea not null,
  secret_prefix text not null,
  previous_secret_sealed bytea,
  previous_secret_expires_at timestamptz,
  replay_id uuid,
  replay_after uuid,
  replay_position bigint,
  skips_through bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_endpoint_pkey primary key (workspace_id, endpoint_id),
  constraint webhook_endpoint_disabled_has_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhook_endpoint_disabled_has_time check ((status = 'disabled') = (disabled_at is not null)),
  constraint webhook_endpoint_previous_secret_expires
    check ((previous_secret_sealed is null) = (previous_secret_expires_at is null)),
  constraint webhook_endpoint_replay_has_id check (replay_id is not null or (replay_after is null and replay_position is null))
);
comment on table webhook_endpoint is 'Where events of a workspace are sent, which ones, and how. `webhook_reader` has how far each is.';
comment on column webhook_endpoint.batch is 'Several events in one request: how many, and how long they wait. Null: each event alone.';
comment on column webhook_endpoint.in_flight_max is 'Requests that may be open at the same time, as its user has set it.';
comment on column webhook_endpoint.headers_sealed is
  'The headers of its user, as JSON, encrypted with APP_SECRET. `header_names` has their names.';
comment on column webhook_endpoint.secret_sealed is 'The key that signs requests, encrypted with APP_SECRET.';
comment on column webhook_endpoint.replay_after is 'The last delivery that the replay in progress has looked at.';
comment on column webhook_endpoint.replay_position is
  'The last event without a delivery that the replay in progress has looked at. Null: it looks at deliveries.';
comment on column webhook_endpoint.skips_through is
  'Pending deliveries up to this event are being skipped. Until that is done only tests are sent. Null: none are.';
comment on column webhook_endpoint.previous_secret_sealed is 'The key before, which signs too until it expires.';

-- Apart from the settings: a worker writes it several times a second.
create table webhook_reader (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  position bigint not null default 0,
  failures_in_row int not null constraint webhook_reader_failures_not_negative check (failures_in_row >= 0),
  healthy_at timestamptz not null,
  failed_at timestamptz,
  in_flight_max int not null constraint webhook_reader_in_flight_positive check (in_flight_max >= 1),
  last_success_at timestamptz,
  last_error text,
  constraint webhook_reader_pkey primary key (workspace_id, endpoint_id),
  constraint webhook_reader_endpoint_fkey
    foreign key (workspace_id, endpoint_id) references webhook_endpoint on delete cascade
) with (fillfactor = 50);
comment on table webhook_reader is 'How far each webhook endpoint has taken over the events of the outbox, and how well it works.';
comment on column webhook_reader.position is 'Of the last event whose delivery is written, or that the endpoint does not want.';
comment on column webhook_reader.healthy_at is 'The last success, or when the endpoint was enabled.';
comment on column webhook_reader.in_flight_max is 'Requests that may be open now: fewer than the setting while the receiver is overloaded.';

create table webhook_lease (
  workspace_id uuid not null constraint webhook_lease_workspace_fkey references workspace on delete cascade,
  token bigint not null,
  until timestamptz not null,
  constraint webhook_lease_pkey primary key (workspace_id)
) with (fillfactor = 50);
comment on table webhook_lease is
  'The right to serve the webhooks of a workspace: one worker at a time has it. It stays when the last endpoint is deleted.';
comment on column webhook_lease.token is 'The fencing token of the last worker. What a worker writes has its token as a condition.';

-- No foreign keys: a partition is dropped with its day. After an endpoint is deleted, a job deletes its rows. Keys begin with
-- the endpoint: its log is read in the order of the ids, which have the time of their creation.
create table webhook_delivery (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  delivery_id uuid not null,
  webhook_id text not null,
  event_type text not null,
  positions bigint[] not null,
  is_test boolean not null,
  status text not null
    constraint webhook_delivery_status_known check (status in ('pending', 'delivered', 'failed', 'skipped')),
  reason text,
  attempt_count int not null,
  failed_count int not null,
  is_replay boolean not null,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  claim bigint,
  created_at timestamptz not null,
  constraint webhook_delivery_pkey primary key (workspace_id, endpoint_id, delivery_id),
  constraint webhook_delivery_pending_has_next check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_delivery_claimed_is_pending check (claim is null or status = 'pending')
) partition by range (delivery_id);
create index webhook_delivery_due on webhook_delivery (workspace_id, endpoint_id, next_attempt_at, delivery_id)
  where status = 'pending';
create index webhook_delivery_order on webhook_delivery (workspace_id, endpoint_id, (positions[1]) nulls first, delivery_id)
  where status = 'pending';
create index webhook_delivery_tests on webhook_delivery (workspace_id, endpoint_id, next_attempt_at)
  where status = 'pending' and is_test;
-- Few of many: listings and replays ask for them.
create index webhook_delivery_failed on webhook_delivery (workspace_id, endpoint_id, delivery_id) where status = 'failed';
-- There are never more claims than workers have requests open and next.
create index webhook_delivery_claimed on webhook_delivery (workspace_id, claim) where claim is not null;
create table webhook_delivery_rest partition of webhook_delivery default;
insert into table_retention (relation, step, age_column, days_min) values ('webhook_delivery', 'day', 'delivery_id', 7);
select tentpole_partitions('webhook_delivery');
comment on table webhook_delivery is
  'One event, or a batch of events, for one webhook endpoint, in a partition for each day (UTC) of its creation.';
comment on column webhook_delivery.positions is 'The events in the outbox, ascending. Empty: a test.';
comment on column webhook_delivery.claim is 'The token of the lease whose worker attempts it. Null: it is free.';
comment on column webhook_delivery.failed_count is 'Failed attempts of the current schedule. A replay begins a new one.';

create table webhook_payload (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  delivery_id uuid not null,
  position bigint not null,
  contact_id uuid,
  json text not null,
  constraint webhook_payload_pkey primary key (workspace_id, endpoint_id, delivery_id, position)
) partition by range (delivery_id);
create table webhook_payload_rest partition of webhook_payload default;
insert into table_retention (relation, step, age_column, days_min) values ('webhook_payload', 'day', 'delivery_id', 7);
select tentpole_partitions('webhook_payload');
comment on table webhook_payload is
  'The events of webhook deliveries as they are sent: a row for each event, so that erasing a contact deletes its events alone.';
comment on column webhook_payload.position is 'Of the event in the outbox. 0: a test.';

create table webhook_attempt (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  delivery_id uuid not null,
  attempt int not null,
  at timestamptz not null,
  duration_ms int,
  status_code int,
  error text,
  snippet text,
  is_replay boolean not null,
  constraint webhook_attempt_pkey primary key (workspace_id, endpoint_id, delivery_id, attempt)
) partition by range (delivery_id);
create table webhook_attempt_rest partition of webhook_attempt default;
insert into table_retention (relation, step, age_column, days_min) values ('webhook_attempt', 'day', 'delivery_id', 7);
select tentpole_partitions('webhook_attempt');
comment on table webhook_attempt is 'Attempts of webhook deliveries whose end is known, in the partition of their delivery.';
comment on column webhook_attempt.snippet is 'The beginning of the answer. Null: there was none, or it named an erased contact.';

create table webhook_hour (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  delivered int not null,
  failed int not null,
  constraint webhook_hour_pkey primary key (workspace_id, endpoint_id, hour)
) with (fillfactor = 50);
-- For housekeeping, over all workspaces.
create index webhook_hour_age on webhook_hour (hour);
insert into table_retention (relation, age_column, days_min) values ('webhook_hour', 'hour', 1);
comment on table webhook_hour is 'How many webhook deliveries of an endpoint ended in an hour, for its statistics of a day.';

-- An endpoint that was down for days goes on where it stopped.
update table_retention set held_days_max = 30, held_while =
  'select exists (select 1 from public.webhook_reader r
    join public.webhook_endpoint e on e.workspace_id = r.workspace_id and e.endpoint_id = r.endpoint_id and e.status = ''enabled''
    cross join lateral (select from %s o where o.workspace_id = r.workspace_id and o.position > r.position limit 1) as behind)'
where relation = 'outbox_event';
