-- Figures: sums of deliveries and clicks, so that no report reads deliveries. They stay when deliveries are deleted by age. Rows are
-- sharded like `delivery_tally`: the transaction that changes deliveries has locked that shard, so figures add no wait.

create table delivery_hour (
  workspace_id uuid not null,
  blast_id uuid not null,
  hour timestamptz not null,
  shard smallint not null,
  sent int not null default 0, failed int not null default 0, delivered int not null default 0, opened int not null default 0,
  clicked int not null default 0, bounced int not null default 0, complained int not null default 0,
  unsubscribed int not null default 0, machine_opened int not null default 0, machine_clicked int not null default 0,
  constraint delivery_hour_pkey primary key (workspace_id, blast_id, hour, shard),
  constraint delivery_hour_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) with (fillfactor = 70);
create index delivery_hour_time on delivery_hour (workspace_id, hour);
comment on table delivery_hour is
  'Recipients of a blast or of a step of a flow by the hour (UTC) of each first event: `failed` of those that have failed now.';

create table delivery_domain (
  workspace_id uuid not null,
  blast_id uuid not null,
  domain text collate "C" not null,
  day date not null,
  shard smallint not null,
  recipients int not null default 0, queued int not null default 0,
  sent int not null default 0, failed int not null default 0, delivered int not null default 0, opened int not null default 0,
  clicked int not null default 0, bounced int not null default 0, complained int not null default 0,
  unsubscribed int not null default 0,
  constraint delivery_domain_pkey primary key (workspace_id, blast_id, domain, day, shard),
  constraint delivery_domain_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) with (fillfactor = 70);
create index delivery_domain_time on delivery_domain (workspace_id, day);
comment on table delivery_domain is
  'The same by recipient domain and day (UTC). A blast has 50 domains, the most frequent of those that come first; the rest is `other`.';
comment on column delivery_domain.domain is 'unknown: the recipient has no address, or it was erased.';
comment on column delivery_domain.recipients is 'By the day on which the delivery was created, like `queued`.';

create table delivery_reason (
  workspace_id uuid not null,
  blast_id uuid not null,
  state text not null constraint delivery_reason_state_known check (state in ('failed', 'blocked')),
  reason text not null,
  shard smallint not null,
  recipients int not null,
  sample_id uuid,
  constraint delivery_reason_pkey primary key (workspace_id, blast_id, state, reason, shard),
  constraint delivery_reason_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) with (fillfactor = 70);
comment on table delivery_reason is 'Recipients that have failed or are blocked now, by reason. An unconfirmed delivery has failed.';
comment on column delivery_reason.sample_id is
  'A delivery whose reply is an example. The reply itself is not repeated: it may contain the address.';

create table delivery_pace (
  workspace_id uuid not null,
  blast_id uuid not null,
  at timestamptz not null,
  shard smallint not null,
  sent int not null,
  constraint delivery_pace_pkey primary key (workspace_id, blast_id, at, shard),
  constraint delivery_pace_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) with (fillfactor = 70);
create index delivery_pace_age on delivery_pace using brin (at);
insert into table_retention (relation, age_column, days_min) values ('delivery_pace', 'at', 1);
comment on table delivery_pace is 'Messages of blasts that were sent within ten seconds, for the progress of the last twenty minutes.';

-- A delivery is inserted queued or blocked, without events.
create function delivery_figures_insert() returns trigger language plpgsql as $$
begin
  -- The domains that are new to their blasts. Once a blast has `other`, it gets no more domains. Two concurrent statements may
  -- each add some: there are then a few more than 50.
  insert into delivery_domain as f (workspace_id, blast_id, domain, day, shard, recipients, queued)
  with given as materialized (
    select workspace_id, blast_id, coalesce(split_part(email_normalized, '@', -1), 'unknown') as domain,
      (created_at at time zone 'UTC')::date as day, count(*)::int as recipients,
      count(*) filter (where state = 'queued')::int as queued
    from added group by 1, 2, 3, 4
  ),
  unseen as materialized (
    select workspace_id, blast_id, domain,
      row_number() over (partition by workspace_id, blast_id order by sum(recipients) desc, domain) as turn
    from given g
    left join lateral (
      select true as known from delivery_domain k
      where k.workspace_id = g.workspace_id and k.blast_id = g.blast_id and k.domain = g.domain limit 1) as k on true
    where k.known is null and domain <> 'unknown'
    group by workspace_id, blast_id, domain
  ),
  room as materialized (
    select b.workspace_id, b.blast_id, case
        when exists (select from delivery_domain k
          where k.workspace_id = b.workspace_id and k.blast_id = b.blast_id and k.domain = 'other') then 0
        else 50 - (select count(distinct k.domain) from delivery_domain k
          where k.workspace_id = b.workspace_id and k.blast_id = b.blast_id and k.domain <> 'unknown')
      end as domains
    from (select distinct workspace_id, blast_id from unseen) as b
  ),
  excess as materialized (
    select u.workspace_id, u.blast_id, u.domain from unseen u join room r using (workspace_id, blast_id) where u.turn > r.domains
  )
  select g.workspace_id, g.blast_id, case when e.domain is null then g.domain else 'other' end, g.day,
    pg_backend_pid() % 16, sum(g.recipients), sum(g.queued)
  from given g left join excess e using (workspace_id, blast_id, domain)
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (workspace_id, blast_id, domain, day, shard) do update set
    recipients = f.recipients + excluded.recipients, queued = f.queued + excluded.queued;
  insert into delivery_reason as f (workspace_id, blast_id, state, reason, shard, recipients)
  select workspace_id, blast_id, 'blocked', reason, pg_backend_pid() % 16, count(*)
  from added where state = 'blocked' group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (workspace_id, blast_id, state, reason, shard) do update set recipients = f.recipients + excluded.recipients;
  return null;
end $$;

-- What an update adds to each sum and takes from it. A settlement of many messages writes a row for the hour, one for the ten
-- seconds, and one for each of its domains.
create function delivery_figures_update() returns trigger language plpgsql as $$
declare
  own constant smallint := pg_backend_pid() % 16;
begin
  -- Rows with the same times first: a settlement has few groups.
  with change as materialized (
    select workspace_id, blast_id, membership_id is null as of_blast,
      coalesce(split_part(email_normalized, '@', -1), 'unknown') as domain, sum(sign) as recipients,
      date_bin('10 s', case when state = 'queued' then created_at end, 'epoch') as queued,
      date_bin('10 s', case when state = 'sent' then sent_at end, 'epoch') as sent,
      date_bin('10 s', failed_at, 'epoch') as failed, date_bin('10 s', delivered_at, 'epoch') as delivered,
      date_bin('10 s', opened_at, 'epoch') as opened, date_bin('10 s', clicked_at, 'epoch') as clicked,
      date_bin('10 s', bounced_at, 'epoch') as bounced, date_bin('10 s', complained_at, 'epoch') as complained,
      date_bin('10 s', unsubscribed_at, 'epoch') as unsubscribed,
      date_bin('10 s', machine_opened_at, 'epoch') as machine_opened,
      date_bin('10 s', machine_clicked_at, 'epoch') as machine_clicked
    from (select 1 as sign, a.* from added a union all select -1, r.* from removed r) as row_change
    group by 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    having sum(sign) <> 0
  ),
  delta as materialized (
    select c.workspace_id, c.blast_id, c.domain, e.slot, c.of_blast,
      sum(c.recipients) filter (where e.kind = 0) as queued,
      sum(c.recipients) filter (where e.kind = 1) as sent,
      sum(c.recipients) filter (where e.kind = 2) as failed,
      sum(c.recipients) filter (where e.kind = 3) as delivered,
      sum(c.recipients) filter (where e.kind = 4) as opened,
      sum(c.recipients) filter (where e.kind = 5) as clicked,
      sum(c.recipients) filter (where e.kind = 6) as bounced,
      sum(c.recipients) filter (where e.kind = 7) as complained,
      sum(c.recipients) filter (where e.kind = 8) as unsubscribed,
      sum(c.recipients) filter (where e.kind = 9) as machine_opened,
      sum(c.recipients) filter (where e.kind = 10) as machine_clicked
    from change c
    cross join lateral (values
      (0, c.queued), (1, c.sent), (2, c.failed), (3, c.delivered), (4, c.opened), (5, c.clicked), (6, c.bounced),
      (7, c.complained), (8, c.unsubscribed), (9, c.machine_opened), (10, c.machine_clicked)) as e (kind, slot)
    where e.slot is not null
    group by 1, 2, 3, 4, 5
  ),
  hours as (
    insert into delivery_hour as f (workspace_id, blast_id, hour, shard, sent, failed, delivered, opened, clicked, bounced,
      complained, unsubscribed, machine_opened, machine_clicked)
    select * from (
      select workspace_id, blast_id, date_trunc('hour', slot, 'UTC'), own, coalesce(sum(sent), 0) as sent,
        coalesce(sum(failed), 0) as failed, coalesce(sum(delivered), 0) as delivered, coalesce(sum(opened), 0) as opened,
        coalesce(sum(clicked), 0) as clicked, coalesce(sum(bounced), 0) as bounced, coalesce(sum(complained), 0) as complained,
        coalesce(sum(unsubscribed), 0) as unsubscribed, coalesce(sum(machine_opened), 0) as machine_opened,
        coalesce(sum(machine_clicked), 0) as machine_clicked
      from delta group by 1, 2, 3 order by 1, 2, 3) as d
    where (sent, failed, delivered, opened, clicked, bounced, complained, unsubscribed, machine_opened, machine_clicked)
      <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    on conflict (workspace_id, blast_id, hour, shard) do update set
      sent = f.sent + excluded.sent, failed = f.failed + excluded.failed, delivered = f.delivered + excluded.delivered,
      opened = f.opened + excluded.opened, clicked = f.clicked + excluded.clicked, bounced = f.bounced + excluded.bounced,
      complained = f.complained + excluded.complained, unsubscribed = f.unsubscribed + excluded.unsubscribed,
      machine_opened = f.machine_opened + excluded.machine_opened,
      machine_clicked = f.machine_clicked + excluded.machine_clicked
  ),
  pace as (
    insert into delivery_pace as f (workspace_id, blast_id, at, shard, sent)
    select workspace_id, blast_id, slot, own, sum(sent) from delta where of_blast
    group by 1, 2, 3 having sum(sent) <> 0 order by 1, 2, 3
    on conflict (workspace_id, blast_id, at, shard) do update set sent = f.sent + excluded.sent
  ),
  reasons as (
    insert into delivery_reason as f (workspace_id, blast_id, state, reason, shard, recipients, sample_id)
    select workspace_id, blast_id, case when state = 'blocked' then state else 'failed' end, reason, own, sum(sign),
      (array_agg(delivery_id) filter (where sign = 1 and smtp_reply is not null))[1]
    from (
      select 1 as sign, a.* from added a where a.state in ('failed', 'unconfirmed', 'blocked')
      union all
      select -1, r.* from removed r where r.state in ('failed', 'unconfirmed', 'blocked')
    ) as ended
    group by 1, 2, 3, 4 having sum(sign) <> 0 order by 1, 2, 3, 4
    on conflict (workspace_id, blast_id, state, reason, shard) do update set
      recipients = f.recipients + excluded.recipients, sample_id = coalesce(excluded.sample_id, f.sample_id)
  )
  insert into delivery_domain as f (workspace_id, blast_id, domain, day, shard, queued, sent, failed, delivered, opened, clicked,
    bounced, complained, unsubscribed)
  select * from (
    select d.workspace_id, d.blast_id, case when d.domain = 'unknown' then d.domain else coalesce(k.domain, 'other') end,
      (d.slot at time zone 'UTC')::date, own, coalesce(sum(queued), 0) as queued, coalesce(sum(sent), 0) as sent,
      coalesce(sum(failed), 0) as failed, coalesce(sum(delivered), 0) as delivered, coalesce(sum(opened), 0) as opened,
      coalesce(sum(clicked), 0) as clicked, coalesce(sum(bounced), 0) as bounced, coalesce(sum(complained), 0) as complained,
      coalesce(sum(unsubscribed), 0) as unsubscribed
    from delta d
    left join lateral (
      select k.domain from delivery_domain k
      where k.workspace_id = d.workspace_id and k.blast_id = d.blast_id and k.domain = d.domain limit 1) as k on true
    group by 1, 2, 3, 4 order by 1, 2, 3, 4) as d
  where (queued, sent, failed, delivered, opened, clicked, bounced, complained, unsubscribed) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
  on conflict (workspace_id, blast_id, domain, day, shard) do update set
    queued = f.queued + excluded.queued, sent = f.sent + excluded.sent, failed = f.failed + excluded.failed,
    delivered = f.delivered + excluded.delivered, opened = f.opened + excluded.opened, clicked = f.clicked + excluded.clicked,
    bounced = f.bounced + excluded.bounced, complained = f.complained + excluded.complained,
    unsubscribed = f.unsubscribed + excluded.unsubscribed;
  return null;
end $$;
create trigger delivery_figures_insert after insert on delivery referencing new table as added
  for each statement execute function delivery_figures_insert();
create trigger delivery_figures_update after update on delivery referencing old table as removed new table as added
  for each statement execute function delivery_figures_update();

-- Clicks by link. The caller has locked the deliveries.
create table delivery_click (
  workspace_id uuid not null,
  delivery_id uuid not null,
  link_index int not null,
  blast_id uuid not null,
  contact_id uuid not null,
  clicks int not null,
  machine_clicks int not null,
  constraint delivery_click_pkey primary key (workspace_id, delivery_id, link_index),
  constraint delivery_click_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) partition by range (delivery_id);
create index delivery_click_of_blast on delivery_click (workspace_id, blast_id, link_index);
create index delivery_click_of_contact on delivery_click (workspace_id, contact_id);
create table delivery_click_rest partition of delivery_click default with (fillfactor = 80);
insert into table_retention (relation, step, age_column, days_min, index_statements)
values ('delivery_click', 'month', 'delivery_id', 90, array['alter table %s set (fillfactor = 80)']);
select tentpole_partitions('delivery_click');
comment on table delivery_click is 'Clicks on the links of a message, in the months of `delivery`. They are deleted with it.';
comment on column delivery_click.link_index is 'The place of the link in the HTML of the approval, from 0.';
comment on column delivery_click.machine_clicks is 'Requests of bots, counted nowhere else.';

create table delivery_link (
  workspace_id uuid not null,
  blast_id uuid not null,
  link_index int not null,
  shard smallint not null,
  recipients int not null,
  clicks int not null,
  machine_clicks int not null,
  constraint delivery_link_pkey primary key (workspace_id, blast_id, link_index, shard),
  constraint delivery_link_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
) with (fillfactor = 70);
comment on table delivery_link is 'The sums of `delivery_click` for each link of a blast or of a step of a flow.';
comment on column delivery_link.recipients is 'Recipients that clicked it, without machines.';
