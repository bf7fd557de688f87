-- Figures: sums of deliveries, clicks, contacts, topics and credits, so that no report reads single rows. They stay when the rows are deleted.
-- Those of deliveries are sharded like `delivery_tally`, which the same statement writes first: figures add no wait.

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

-- Clicks by link. The caller has locked the deliveries. No foreign key: a new partition would lock `blast`. The statement that writes
-- a click also writes `delivery_link`, which refers to the blast.
create table delivery_click (
  workspace_id uuid not null,
  delivery_id uuid not null,
  link_index int not null,
  blast_id uuid not null,
  contact_id uuid,
  clicks int not null,
  machine_clicks int not null,
  constraint delivery_click_pkey primary key (workspace_id, delivery_id, link_index)
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

create table figure_day (
  workspace_id uuid not null constraint figure_day_workspace_fkey references workspace on delete cascade,
  day date not null,
  figure text collate "C" not null constraint figure_day_figure_known check (figure in
    ('contacts_created', 'contacts_deleted', 'contacts_unsubscribed', 'credits_spent', 'credits_returned',
      'topic_subscribed', 'topic_unsubscribed')),
  detail text collate "C" not null,
  shard smallint not null,
  count int not null constraint figure_day_count_positive check (count > 0),
  constraint figure_day_pkey primary key (workspace_id, day, figure, detail, shard)
) with (fillfactor = 70);
-- For the days of one topic: the key has the topics of each day.
create index figure_day_detail on figure_day (workspace_id, detail, day);
comment on table figure_day is
  'Contacts, topics and credits by the day (UTC) on which it happened. The statement or transaction that changes them writes it too.';
comment on column figure_day.detail is
  'Of created contacts their source: api, import, form, flow or other. Of credits what they were for: email, email_template, tent or '
  'tent_template. Of topics their id. Otherwise empty.';
comment on column figure_day.shard is 'Drawn by each transaction, so that two rarely wait for each other.';
