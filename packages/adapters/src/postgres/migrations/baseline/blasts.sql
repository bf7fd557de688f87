-- Blasts, and the counters of their deliveries.

-- Steps of flows that send also have a row (`purpose` flow_step), and so has the line of a workspace's single messages (`purpose`
-- messages), which listings of blasts leave out. Their deliveries are claimed, granted and settled like those of blasts.
create table blast (
  workspace_id uuid not null constraint blast_workspace_fkey references workspace on delete cascade,
  blast_id uuid not null,
  purpose text not null default 'blast' constraint blast_purpose_known check (purpose in ('blast', 'flow_step', 'messages')),
  flow_id uuid, step_id text,
  name text not null, name_folded text collate "C" not null,
  description text,
  status text not null
    constraint blast_status_known
      check (status in ('draft', 'scheduled', 'sending', 'sent', 'failed', 'cancelled', 'archived')),
  paused boolean not null default false,
  restored boolean not null default false,
  audience_list_id uuid,
  audience_source text constraint blast_audience_source_known check (audience_source in ('existing', 'inline')),
  email_id uuid,
  email_source text constraint blast_email_source_known check (email_source in ('existing', 'inline')),
  topic_id uuid,
  operational boolean not null default false,
  send_mode text constraint blast_send_mode_known check (send_mode in ('scheduled', 'send_now')),
  scheduled_at timestamptz,
  schedule_missed boolean not null default false,
  approval_id uuid, approved_at timestamptz, approved_email_version int,
  launched_at timestamptz,
  allotted_count int not null default 0,
  audience_through uuid,
  audience_fixed_at timestamptz,
  audience_truncated boolean not null default false,
  recipient_count int not null default 0,
  qualified_count int not null default 0,
  retrying_since timestamptz,
  sent_at timestamptz,
  failure text,
  cancelled_at timestamptz,
  cancelled_reason text
    constraint blast_cancelled_reason_known check (cancelled_reason in ('daily_email_limit', 'contact_allowance')),
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint blast_pkey primary key (workspace_id, blast_id),
  constraint blast_step_has_flow check ((purpose = 'flow_step') = (flow_id is not null)),
  constraint blast_flow_has_step check ((flow_id is null) = (step_id is null)),
  constraint blast_audience_has_source check ((audience_list_id is null) = (audience_source is null)),
  constraint blast_email_has_source check ((email_id is null) = (email_source is null)),
  constraint blast_approval_has_version check ((approval_id is null) = (approved_email_version is null)),
  constraint blast_approval_has_time check ((approval_id is null) = (approved_at is null)),
  constraint blast_scheduled_mode_has_time check ((send_mode is not distinct from 'scheduled') = (scheduled_at is not null)),
  -- The states, as in core/src/blasts/Blast.ts.
  constraint blast_draft_is_not_launched
    check (status <> 'draft' or (approval_id is null and send_mode is null and launched_at is null)),
  constraint blast_launched_is_complete check (purpose <> 'blast' or status in ('draft', 'archived')
    or (approval_id is not null and send_mode is not null and audience_list_id is not null and email_id is not null)),
  constraint blast_scheduled_is_not_launched
    check (status <> 'scheduled' or (send_mode = 'scheduled' and launched_at is null)),
  constraint blast_launched_has_launched_at
    check (status not in ('sending', 'sent', 'failed') or launched_at is not null),
  constraint blast_fixed_audience_is_launched check (audience_fixed_at is null or launched_at is not null),
  constraint blast_pass_until_audience_is_fixed
    check (audience_through is null or (launched_at is not null and audience_fixed_at is null)),
  constraint blast_retrying_while_sending
    check (retrying_since is null or (status = 'sending' and audience_fixed_at is not null)),
  constraint blast_sent_has_sent_at check (status = 'archived' or (status = 'sent') = (sent_at is not null)),
  constraint blast_failed_has_failure check (status = 'archived' or (status = 'failed') = (failure is not null)),
  constraint blast_cancelled_has_cancelled_at
    check (status = 'archived' or (status = 'cancelled') = (cancelled_at is not null)),
  constraint blast_cancelled_reason_has_time check (cancelled_reason is null or cancelled_at is not null),
  constraint blast_paused_while_sending check (not paused or status = 'sending'),
  constraint blast_missed_schedule_is_draft check (not schedule_missed or status = 'draft')
);
create index blast_created on blast (workspace_id, created_at, blast_id);
create index blast_updated on blast (workspace_id, updated_at, blast_id);
-- Only blasts in these states: drafts add no cost to the check for due blasts.
create index blast_scheduled on blast (workspace_id, scheduled_at, blast_id) where status = 'scheduled';
create index blast_sending on blast (workspace_id, blast_id) where status = 'sending';
create index blast_launched on blast (workspace_id, launched_at) where launched_at is not null;
create unique index blast_message_line on blast (workspace_id) where purpose = 'messages';
create unique index blast_flow_step on blast (workspace_id, flow_id, step_id) where purpose = 'flow_step';
comment on table blast is 'Emails to an audience.';
comment on column blast.topic_id is 'Null: all marketing. Topics that blasts name are not deleted.';
comment on column blast.restored is
  'The database was restored from a backup that contains the blast: nothing of it is sent until `tentpole restore release`.';
comment on column blast.schedule_missed is 'The service was down at the scheduled time.';
comment on column blast.allotted_count is
  'Emails that it uses of the daily limit of the plan, until the audience pass has counted them.';
comment on column blast.audience_through is
  'The last contact of the audience pass so far. Null before its first slice and after its last.';
comment on column blast.audience_fixed_at is 'When the audience pass ended. The audience is fixed once.';
comment on column blast.retrying_since is
  'Set while failed recipients are requeued. It identifies the retry, so that the work of an earlier one ends.';

create table delivery_tally (
  workspace_id uuid not null,
  blast_id uuid not null,
  shard smallint not null,
  queued int not null default 0, deferred int not null default 0, sent int not null default 0, failed int not null default 0,
  blocked int not null default 0,
  delivered int not null default 0, opened int not null default 0, clicked int not null default 0,
  bounced int not null default 0, complained int not null default 0, unsubscribed int not null default 0,
  constraint delivery_tally_pkey primary key (workspace_id, blast_id, shard),
  constraint delivery_tally_blast_fkey foreign key (workspace_id, blast_id) references blast on delete cascade
);
comment on table delivery_tally is
  'Counters of the deliveries of a blast, the sums of its shards. The statement that changes deliveries writes them too.';
comment on column delivery_tally.deferred is 'Queued, after an attempt that failed for a temporary reason.';
comment on column delivery_tally.shard is
  'Drawn by each transaction, so that sending processes rarely wait for each other. One may be negative.';
