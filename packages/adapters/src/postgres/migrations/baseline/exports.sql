-- Exports of lists, of recipients of blasts, and of consent records.

create table export (
  workspace_id uuid not null constraint export_workspace_fkey references workspace on delete cascade,
  export_id uuid not null,
  list_id uuid,
  exclude_unsubscribed boolean,
  blast_id uuid,
  category text constraint export_category_known check (category in
      ('recipients', 'queued', 'deferred', 'sent', 'failed', 'unconfirmed', 'blocked', 'delivered', 'opened', 'clicked', 'bounced',
        'unsubscribed', 'spam')),
  of_consent boolean not null default false,
  topic_id uuid,
  since timestamptz, until timestamptz,
  status text not null constraint export_status_known check (status in ('queued', 'running', 'completed', 'failed')),
  file_name text,
  row_count int,
  error text,
  created_at timestamptz not null,
  completed_at timestamptz,
  constraint export_pkey primary key (workspace_id, export_id),
  constraint export_of_one check (num_nonnulls(list_id, blast_id) + of_consent::int = 1),
  constraint export_consent_has_filter check (of_consent or num_nonnulls(topic_id, since, until) = 0),
  constraint export_list_has_option check ((list_id is null) = (exclude_unsubscribed is null)),
  constraint export_blast_has_category check ((blast_id is null) = (category is null)),
  constraint export_completed_has_file_name check ((status = 'completed') = (file_name is not null)),
  constraint export_completed_has_row_count check ((status = 'completed') = (row_count is not null)),
  constraint export_failed_has_error check ((status = 'failed') = (error is not null)),
  constraint export_ended_has_completed_at check ((status in ('completed', 'failed')) = (completed_at is not null))
);
comment on table export is
  'Exports, with their files in the blob store. An export expires by itself, and its list or blast may be deleted before.';
comment on column export.of_consent is
  'It is of consent records: those of a topic (null: of all) from `since` until before `until` (null: open).';
