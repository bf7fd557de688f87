-- Flows, their memberships and timelines, and the counters of memberships.

create table flow (
  workspace_id uuid not null constraint flow_workspace_fkey references workspace on delete cascade,
  flow_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  description text,
  status text not null constraint flow_status_known check (status in ('draft', 'active', 'paused', 'archived')),
  structure jsonb not null constraint flow_structure_is_object check (jsonb_typeof(structure) = 'object'),
  revision int not null constraint flow_revision_positive check (revision >= 1),
  activated_after bigint,
  activated_at timestamptz,
  paused_at timestamptz,
  archived_at timestamptz,
  restored boolean not null default false,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint flow_pkey primary key (workspace_id, flow_id),
  -- The states, as in core/src/flows/definition/Flow.ts.
  constraint flow_active_has_activated_at check ((status = 'active') = (activated_at is not null)),
  constraint flow_paused_has_paused_at check ((status = 'paused') = (paused_at is not null)),
  constraint flow_archived_has_archived_at check ((status = 'archived') = (archived_at is not null))
);
create index flow_created on flow (workspace_id, created_at, flow_id);
create index flow_updated on flow (workspace_id, updated_at, flow_id);
-- Lists, emails and templates check here whether they are in use.
create index flow_active on flow (workspace_id, flow_id) where status = 'active';
comment on table flow is 'Automations: triggers that enroll contacts, and steps.';
comment on column flow.restored is
  'As of `blast`: the rows of its steps, also those that are created later, wait for the release of the flow.';
comment on column flow.structure is 'Triggers, steps, rules and settings, in the format of the API.';
comment on column flow.revision is 'Grows with every change of the structure.';
comment on column flow.activated_after is
  'The outbox position at the last activation. Events up to it enroll no contact.';

create table flow_email (
  workspace_id uuid not null,
  email_id uuid not null,
  flow_id uuid not null,
  step_id text not null,
  constraint flow_email_pkey primary key (workspace_id, email_id),
  constraint flow_email_email_fkey foreign key (workspace_id, email_id) references email on delete cascade,
  constraint flow_email_flow_fkey foreign key (workspace_id, flow_id) references flow on delete cascade
);
create index flow_email_of on flow_email (workspace_id, flow_id, email_id);
comment on table flow_email is 'Emails that steps have created, each for one membership.';

create table flow_clock (
  workspace_id uuid not null constraint flow_clock_workspace_fkey references workspace on delete cascade,
  dates_until timestamptz not null,
  constraint flow_clock_pkey primary key (workspace_id)
);
comment on table flow_clock is 'The time up to which dates of contacts were checked for date triggers.';

create table flow_date_fired (
  workspace_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  day date not null,
  constraint flow_date_fired_pkey primary key (workspace_id, flow_id, contact_id, day),
  constraint flow_date_fired_flow_fkey foreign key (workspace_id, flow_id) references flow on delete cascade
);
comment on table flow_date_fired is 'The contacts for which date triggers have fired.';

create table flow_membership (
  workspace_id uuid not null,
  membership_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  entry_source text not null,
  tokens jsonb not null,
  created_emails jsonb not null default '[]',
  state jsonb not null,
  status text not null
    constraint flow_membership_status_known check (status in ('active', 'waiting', 'completed', 'dropped', 'failed')),
  step_id text,
  awaited_visit int,
  due_at timestamptz,
  sole boolean not null,
  entered_at timestamptz not null,
  updated_at timestamptz not null,
  constraint flow_membership_pkey primary key (workspace_id, membership_id),
  constraint flow_membership_flow_fkey foreign key (workspace_id, flow_id) references flow on delete cascade,
  constraint flow_membership_status_of_state check (status = state ->> 'status'),
  constraint flow_membership_awaits_while_active check (awaited_visit is null or status in ('active', 'dropped'))
) with (fillfactor = 90);
-- One live membership for each contact and flow, and only one ever where the flow allows no re-entry.
create unique index flow_membership_live on flow_membership (workspace_id, flow_id, contact_id)
  where status in ('active', 'waiting');
create unique index flow_membership_sole on flow_membership (workspace_id, flow_id, contact_id) where sole;
-- By flow, so that an index scan skips a paused flow with a million due memberships.
create index flow_membership_due on flow_membership (workspace_id, flow_id, due_at, membership_id) where due_at is not null;
create index flow_membership_contact on flow_membership (workspace_id, contact_id, flow_id);
create index flow_membership_entered on flow_membership (workspace_id, flow_id, entered_at, membership_id);
comment on table flow_membership is 'Contacts in flows.';
comment on column flow_membership.contact_id is 'No foreign key: it stays when the contact is deleted.';
comment on column flow_membership.state is
  'The state, as in core/src/flows/members/Membership.ts. The parts that queries use also have columns.';
comment on column flow_membership.awaited_visit is 'The step visit whose message is on its way.';
comment on column flow_membership.due_at is 'The time of the next check. Null: an event has to happen first.';
comment on column flow_membership.sole is 'Whether the contact entered a flow that allows no re-entry.';

-- Orders the entries of a membership. (PostgreSQL 15 and 16 know no identity columns in partitioned tables.)
create sequence flow_event_position;

-- It has no foreign key: the lookup of the membership was half the cost of writing an entry. The statement that deletes
-- memberships deletes their entries.
create table flow_event (
  workspace_id uuid not null,
  membership_id uuid not null,
  position bigint not null default nextval('flow_event_position'),
  type text not null,
  at timestamptz not null,
  step_id text,
  metadata jsonb not null,
  constraint flow_event_pkey primary key (workspace_id, membership_id, position, at)
) partition by range (at);
create table flow_event_rest partition of flow_event default;
insert into table_retention (relation, step, age_column, days_min) values ('flow_event', 'month', 'at', 30);
select tentpole_partitions('flow_event');
comment on table flow_event is 'Timelines of memberships, in a partition for each month (UTC).';

create table flow_made (
  workspace_id uuid not null,
  membership_id uuid not null,
  visit int not null,
  attempt int not null,
  made_id uuid not null,
  constraint flow_made_pkey primary key (workspace_id, membership_id, visit, attempt),
  constraint flow_made_membership_fkey
    foreign key (workspace_id, membership_id) references flow_membership on delete cascade
);
comment on table flow_made is 'The ids of emails and tents that step visits have created, so that none is created twice.';

create table flow_tally (
  workspace_id uuid not null,
  flow_id uuid not null,
  shard smallint not null,
  active int not null default 0, waiting int not null default 0,
  completed int not null default 0, dropped int not null default 0, failed int not null default 0,
  last_entry_at timestamptz,
  constraint flow_tally_pkey primary key (workspace_id, flow_id, shard),
  constraint flow_tally_flow_fkey foreign key (workspace_id, flow_id) references flow on delete cascade
);
comment on table flow_tally is
  'Counters of memberships by status, the sums of its shards. The transaction that changes memberships writes them too.';

create table flow_step_tally (
  workspace_id uuid not null,
  flow_id uuid not null,
  step_id text not null,
  shard smallint not null,
  members int not null default 0,
  constraint flow_step_tally_pkey primary key (workspace_id, flow_id, step_id, shard),
  constraint flow_step_tally_flow_fkey foreign key (workspace_id, flow_id) references flow on delete cascade
);
comment on table flow_step_tally is 'Live memberships by current step, the sums of its shards.';

-- Makes memberships due whose messages have ended, if they still wait for these visits. In the order of their ids, like every
-- transaction that locks several.
create function make_members_due(workspace uuid, members uuid[], visits int[]) returns void language plpgsql volatile as $$
declare
  ended_at timestamptz := clock_timestamp();
begin
  with waiting as materialized (
    select m.membership_id
    from unnest(members, visits) as ended (membership_id, visit)
    join flow_membership m on m.workspace_id = workspace and m.membership_id = ended.membership_id
      and m.awaited_visit = ended.visit
    order by m.membership_id
    for no key update of m
  )
  update flow_membership m set due_at = ended_at
  where m.workspace_id = workspace and m.membership_id = any(array(select membership_id from waiting));
  perform hint_due('flows', workspace, ended_at);
end $$;
