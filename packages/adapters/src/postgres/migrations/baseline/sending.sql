-- Sending: deliveries and their queue, the intents before their transmission, rate buckets, suppressions and test messages.

-- Fencing tokens of claims. They are never reused, so that an expired claim is recognised.
create sequence delivery_token;

-- An id (UUID version 8, RFC 9562) that begins with a time, in milliseconds, and is otherwise 70 bits of what identifies the row:
-- of its hash, and of its last byte. The same row gets the same id again, and its primary key refuses it. The planner replaces a
-- call by the expression, which would not be so with a sub-select, or with a function of timestamps. One hash, because it is
-- computed for each recipient.
create function timed_id(at_ms bigint, identity bytea) returns uuid language sql immutable parallel safe
  return encode(
    set_byte(
      set_byte(substring(int8send(at_ms) from 3) || substring(sha256(identity) from 7 for 10), 6, 128),
      8, 128 | (get_byte(identity, length(identity) - 1) & 63)),
    'hex')::uuid;

-- No foreign keys: an audience pass writes a million rows. It also writes the counters of the blast (`delivery_tally`), which
-- refer to it. A transaction that deletes a blast waits for them, and then deletes the deliveries. A message
-- changes its row once, when it ends, and no index contains a column that this changes: the fill factor leaves space on each
-- page for the next version of a row, and no index is written.
create table delivery (
  workspace_id uuid not null,
  delivery_id uuid not null,
  blast_id uuid not null,
  contact_id uuid,
  approval_id uuid not null,
  topic_id uuid,
  -- the message of a step of a flow; all null within a blast
  membership_id uuid, flow_id uuid, step_id text, visit int, tokens jsonb,
  -- tags and metadata of a single message; null otherwise
  message jsonb,
  -- the recipient
  email text, email_normalized text collate "C",
  display_name text, display_name_folded text collate "C",
  operational boolean not null,
  contact_deleted boolean not null default false,
  holds_address boolean not null default true,
  -- the state, as in core/src/sending/Delivery.ts
  state text not null constraint delivery_state_known
    check (state in ('queued', 'sent', 'failed', 'blocked', 'unconfirmed')),
  reason text,
  token bigint,
  attempts int not null default 0,
  smtp_reply text,
  handed_over_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  blocked_at timestamptz,
  -- what happened to the message afterwards
  delivered_at timestamptz, opened_at timestamptz,
  clicked_at timestamptz, clicked_url text,
  machine_opened_at timestamptz, machine_clicked_at timestamptz,
  bounced_at timestamptz,
  bounce_kind text constraint delivery_bounce_kind_known check (bounce_kind in ('hard', 'soft')),
  unsubscribed_at timestamptz, complained_at timestamptz,
  created_at timestamptz not null,
  constraint delivery_pkey primary key (workspace_id, delivery_id),
  constraint delivery_flow_columns_together check (num_nonnulls(membership_id, flow_id, step_id, visit, tokens) in (0, 5)),
  constraint delivery_has_contact_or_message check (contact_id is not null or message is not null),
  constraint delivery_queued_has_no_token check (state <> 'queued' or token is null),
  constraint delivery_sent_has_sent_at check (state <> 'sent' or sent_at is not null),
  constraint delivery_failed_has_failed_at check ((failed_at is not null) = (state in ('failed', 'unconfirmed'))),
  constraint delivery_reason_of_failure check ((reason is not null) = (state in ('failed', 'blocked', 'unconfirmed')))
) partition by range (delivery_id);
create index delivery_of_blast on delivery (workspace_id, blast_id, contact_id);
create index delivery_of_visit on delivery (workspace_id, membership_id, visit) where membership_id is not null;
create index delivery_of_contact on delivery (workspace_id, contact_id);
create index delivery_of_message_address on delivery (workspace_id, email_normalized, delivery_id) where message is not null;
-- One message for each contact of a blast: the primary key, because the id is made of both and of the time of the launch. One for
-- each address of a blast: an index of each partition, because all deliveries of a blast are in one. One for each step visit of a
-- membership: an index within a month, and always the lock of the membership, whose visit advances with the insert.
create table delivery_rest partition of delivery default with (fillfactor = 80);
create unique index delivery_rest_email_normalized on delivery_rest (workspace_id, blast_id, email_normalized)
  where holds_address and membership_id is null;
create unique index delivery_rest_visit on delivery_rest (workspace_id, membership_id, visit) where membership_id is not null;
insert into table_retention (relation, step, age_column, days_min, needed_by, index_statements)
values ('delivery', 'month', 'delivery_id', 90, 'delivery_queue', array[
  'alter table %s set (fillfactor = 80)',
  'create unique index on %s (workspace_id, blast_id, email_normalized) where holds_address and membership_id is null',
  'create unique index on %s (workspace_id, membership_id, visit) where membership_id is not null'
]);
select tentpole_partitions('delivery');
comment on table delivery is
  'One message to one recipient: of a blast, of a step of a flow, or a single one. Partitions are months: of the launch of the blast, or of the message.';
comment on column delivery.delivery_id is 'Begins with the time of the launch, or of the message of a flow (`timed_id`).';
comment on column delivery.blast_id is
  'The blast, or the row in `blast` that represents the step of a flow or the line of single messages.';
comment on column delivery.contact_id is 'Null: a single message to an address that no contact had, or that was not looked up.';
comment on column delivery.topic_id is 'Null: all marketing, and always of operational messages.';
comment on column delivery.message is 'Tags and metadata of a single message. `email_message` has the rest of it.';
comment on column delivery.blocked_at is 'When it was blocked at its intent, or cancelled. Null: when it was written.';
comment on column delivery.visit is 'The number of the step visit that sends the message.';
comment on column delivery.tokens is 'Values of merge tokens of the flow.';
comment on column delivery.operational is 'An operational message is also sent to contacts that unsubscribed from marketing.';
comment on column delivery.holds_address is
  'Whether no other delivery of the blast may have the address. Not set if the delivery was blocked when it was written.';
comment on column delivery.state is 'queued until the message ends. Meanwhile `delivery_queue` has the exact state.';
comment on column delivery.reason is 'Why the message failed, was blocked or is unconfirmed.';
comment on column delivery.token is 'The fencing token of the claim that ended the message: it recognises a repeated or late outcome.';
comment on column delivery.attempts is 'Failed attempts.';
comment on column delivery.sent_at is
  'When the mail server accepted it. Timelines of contacts show it as `email_sent`, until the row is deleted by age.';
comment on column delivery.delivered_at is 'Timelines show it as `email_delivered`. A later bounce sets it to null.';
comment on column delivery.handed_over_at is 'When the intent was committed.';
comment on column delivery.machine_opened_at is
  'The first open by a bot. Stored once, like `machine_clicked_at`, so that repeated scans write nothing more.';
comment on column delivery.bounce_kind is 'soft without `bounced_at`: refused during sending, which counts as failed.';

-- A transaction that locks rows here and deliveries locks these first. A claim and an intent change these narrow rows only.
-- `token` is in no index, only in the conditions of two: an intent leaves it as it is, so it writes to no index.
create table delivery_queue (
  workspace_id uuid not null,
  delivery_id uuid not null,
  blast_id uuid not null,
  contact_id uuid,
  membership_id uuid, visit int,
  email_normalized text collate "C",
  operational boolean not null,
  topic_id uuid,
  state text not null default 'queued'
    constraint delivery_queue_state_known check (state in ('queued', 'claimed', 'handed_over')),
  token bigint,
  lease_until timestamptz,
  lane text collate "C" not null default '',
  due_at timestamptz not null,
  expires_at timestamptz,
  handed_over_at timestamptz,
  constraint delivery_queue_pkey primary key (workspace_id, delivery_id),
  constraint delivery_queue_leased_has_token check ((state = 'queued') = (token is null)),
  constraint delivery_queue_token_has_lease check ((token is null) = (lease_until is null))
) with (fillfactor = 70);
-- By blast and recipient domain queue, so that an index scan skips those that have to wait, even with a million rows.
create index delivery_queue_due on delivery_queue (workspace_id, blast_id, lane, due_at, delivery_id) where token is null;
-- Without times: there are never more leases than senders have in flight. `token = …` implies `token is not null`, but not this
-- condition: the planner then finds a claim by its id, and never reads all leases for it.
create index delivery_queue_leased on delivery_queue (workspace_id, blast_id) where token > 0;
-- Only single messages expire.
create index delivery_queue_expiring on delivery_queue (workspace_id, expires_at) where expires_at is not null;
comment on table delivery_queue is
  'Deliveries that have not ended, with copies of what a claim and an intent need. The end of a message deletes its row.';
comment on column delivery_queue.token is 'The fencing token of the claim. Null while the delivery waits.';
comment on column delivery_queue.expires_at is 'A single message that waits until then has failed.';
comment on column delivery_queue.lane is 'The recipient domain queue. Empty: the common queue.';
comment on column delivery_queue.handed_over_at is 'When the intent was committed.';

-- What an intent asks of consent. Functions that are called when they are needed: in the statement itself their tables would cost each
-- message, also those without a topic. A topic that was deleted has no subscribers.
create function topic_standing(workspace uuid, asked uuid, contact uuid) returns text language plpgsql stable as $$
begin
  return coalesce(
    (select h.status from topic_choice h
      where h.workspace_id = workspace and h.topic_id = asked and h.contact_id = contact),
    (select p.default_subscription from topic p where p.workspace_id = workspace and p.topic_id = asked) || '_by_default',
    'unsubscribed_by_default');
end $$;
create function consent_required(workspace uuid) returns boolean language plpgsql stable as $$
begin
  return (select w.consent ->> 'marketingConsent' = 'required' from workspace w where w.workspace_id = workspace);
end $$;

-- Grants intents, the fence between "can be cancelled" and "may be on its way", in one round trip that commits by itself. A
-- volatile function takes a new snapshot for each statement, so the one below sees a pause or cancellation that committed while
-- the function waited for its locks. A transaction that changes whether a blast may send takes these locks exclusively. No
-- intent is granted for a membership that no longer waits for the message. `blasts` is in ascending order. Returns, for each
-- delivery whose token is still valid: granted, paused (queued again), or its block reason, with which the caller ends the message.
-- Contract tests compare the answers with `intentAnswer` of core. The tables of blasts and flows are created by later
-- files. Assignments of plain expressions cost a tenth of statements, and a message waits for this function.
create function grant_intents(workspace uuid, asked uuid[], holders bigint[], blasts uuid[], lease interval,
  out ids uuid[], out answers text[]) language plpgsql volatile as $$
declare
  involved uuid;
  locked uuid;
  moment timestamptz;
  leased_until timestamptz;
  done text;
begin
  -- A few rows by their ids: no plan may read all deliveries of a workspace for them, whatever the statistics say.
  done := set_config('tentpole.workspace_id', workspace::text, true) || set_config('enable_hashjoin', 'off', true)
    || set_config('enable_mergejoin', 'off', true) || set_config('enable_bitmapscan', 'off', true);
  -- If the server could lose an intent, the message could be sent twice. Stronger settings stay.
  if current_setting('synchronous_commit') in ('off', 'local') then
    done := set_config('synchronous_commit', 'on', true);
  end if;
  foreach involved in array blasts loop
    continue when involved = locked;
    done := advisory_lock_shared('blast', involved::text);
    locked := involved;
  end loop;
  moment := clock_timestamp();
  leased_until := moment + lease;
  -- By id first, whatever the state: the index of leases is full of rows that were leased a moment ago.
  with held as materialized (
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
            and (select consent_required(workspace)) is true)
          or (c.marketing_email_subscribed is null and t.standing = 'subscribed_by_default'
            and (select consent_required(workspace)) is true)))
          then 'no_consent'
        when c.marketing_email_invalid is true then 'invalid_email'
        when (s.reason = 'bounce' or s.reason = 'complaint' or s.reason = 'manual') then 'suppressed'
        else 'granted'
      end as verdict
    from unnest(asked, holders, blasts) as ask (id, holder, blast)
    join delivery_queue q on q.workspace_id = workspace and q.delivery_id = ask.id and q.token = ask.holder
      -- only of the blast that was locked
      and q.blast_id = ask.blast
    join blast b on b.workspace_id = workspace and b.blast_id = q.blast_id
    left join contact c on c.workspace_id = workspace and c.contact_id = q.contact_id
    left join suppression s on s.workspace_id = workspace and s.email_normalized = q.email_normalized
    left join flow_membership m on m.workspace_id = workspace and m.membership_id = q.membership_id
    -- the offset makes one expression of it; else each branch that names it would call the function
    cross join lateral (
      select case when q.topic_id is not null then topic_standing(workspace, q.topic_id, q.contact_id) end as standing
      offset 0) as t
    order by q.delivery_id
    for update of q
  ),
  valid as materialized (
    select id, verdict from held where state = 'claimed' and lease_until > clock_timestamp()
  ),
  moved as (
    update delivery_queue q set
      state = case when valid.verdict = 'granted' then 'handed_over' else 'queued' end,
      token = case when valid.verdict = 'granted' then q.token end,
      lease_until = case when valid.verdict = 'granted' then leased_until end,
      handed_over_at = case when valid.verdict = 'granted' then moment else q.handed_over_at end
    from valid
    where q.workspace_id = workspace and q.delivery_id = valid.id and valid.verdict in ('granted', 'paused')
  )
  select array_agg(id), array_agg(verdict) into ids, answers from valid;
end $$;

create table delivery_lane (
  workspace_id uuid not null constraint delivery_lane_workspace_fkey references workspace on delete cascade,
  lane text collate "C" not null,
  permits double precision not null constraint delivery_lane_permits_not_negative check (permits >= 0),
  filled_at timestamptz not null,
  waited boolean not null,
  ready_at timestamptz not null,
  constraint delivery_lane_pkey primary key (workspace_id, lane)
);
create index delivery_lane_ready on delivery_lane (workspace_id, ready_at) where lane <> '';
comment on table delivery_lane is
  'Rate buckets of recipient domain queues, where limits are set. The row of the common queue is the bucket of the workspace.';
comment on column delivery_lane.ready_at is
  'When the queue of a domain is to be checked; infinity: believed empty. In the common queue: the next search for such queues.';

create table suppression (
  workspace_id uuid not null constraint suppression_workspace_fkey references workspace on delete cascade,
  email_normalized text not null,
  reason text not null
    constraint suppression_reason_known check (reason in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  created_at timestamptz not null,
  constraint suppression_pkey primary key (workspace_id, email_normalized)
);
create index suppression_newest on suppression (workspace_id, created_at desc, email_normalized collate "C");
comment on table suppression is 'Addresses that receive no mail.';

create table test_mail (
  workspace_id uuid not null,
  test_mail_id uuid not null,
  email_id uuid not null,
  version int not null constraint test_mail_version_positive check (version >= 1),
  contact_id uuid,
  address text not null,
  address_normalized text not null,
  handed_over boolean not null default false,
  constraint test_mail_pkey primary key (workspace_id, test_mail_id),
  constraint test_mail_email_fkey foreign key (workspace_id, email_id) references email on delete cascade
);
create index test_mail_email on test_mail (workspace_id, email_id);
comment on table test_mail is 'Test messages, from the request to the end of the message. Each is handed over at most once.';
comment on column test_mail.contact_id is 'Whose values the message shows. Null: a sample contact.';
