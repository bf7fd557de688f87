-- Imports: the session with its preview, the run that executes it, and the result of each row.

create table import_session (
  workspace_id uuid not null constraint import_session_workspace_fkey references workspace on delete cascade,
  import_session_id uuid not null,
  source text not null constraint import_session_source_known check (source in ('upload', 'rows')),
  file_name text,
  content_type text not null,
  blob_key text not null,
  suggestions jsonb constraint import_session_suggestions_complete check (suggestions ?& array['key', 'matches']),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  executed_at timestamptz,
  constraint import_session_pkey primary key (workspace_id, import_session_id)
);
comment on table import_session is 'Files to be imported, in the blob store.';
comment on column import_session.suggestions is
  'Fields that the AI suggests for the columns (`matches`), so that previews of one file agree, and the digest of the request '
  '(`key`). Null until a request was answered.';

create table import_run (
  workspace_id uuid not null constraint import_run_workspace_fkey references workspace on delete cascade,
  import_run_id uuid not null,
  import_session_id uuid not null,
  status text not null
    constraint import_run_status_known check (status in ('queued', 'running', 'completed', 'failed')),
  headers text[],
  rows_as text not null default 'contacts'
    constraint import_run_rows_as_known check (rows_as in ('contacts', 'suppressions')),
  suppression_reason text constraint import_run_suppression_reason_known
    check (suppression_reason in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  mappings jsonb not null,
  duplicate_strategy text not null
    constraint import_run_duplicate_strategy_known check (duplicate_strategy in ('update', 'skip')),
  overwrite_blank_only boolean not null,
  on_invalid_cell text not null default 'skip_row'
    constraint import_run_on_invalid_cell_known check (on_invalid_cell in ('skip_row', 'skip_cell')),
  list_ids uuid[] not null,
  consent jsonb,
  total_rows int,
  processed_rows int not null default 0,
  created_count int not null default 0, updated_count int not null default 0,
  skipped_count int not null default 0, error_count int not null default 0,
  warning_count int not null default 0,
  error text,
  created_at timestamptz not null, started_at timestamptz, completed_at timestamptz,
  constraint import_run_pkey primary key (workspace_id, import_run_id),
  constraint import_run_session_unique unique (workspace_id, import_session_id),
  constraint import_run_counts_agree
    check (processed_rows = created_count + updated_count + skipped_count + error_count)
);
create index import_run_newest on import_run (workspace_id, created_at desc, import_run_id);
comment on table import_run is 'Executions of imports.';
comment on column import_run.rows_as is 'What the rows become.';
comment on column import_run.suppression_reason is 'Of suppressions: the reason of rows whose columns say none.';
comment on column import_run.headers is 'The columns of the file.';
comment on column import_run.consent is
  'What the people of the file agreed to. The evidence in their consent records is made of it. Null: only columns name topics, if any.';
comment on column import_run.warning_count is 'Created and updated rows of which an invalid cell, or a topic, was left out.';
comment on column import_run.processed_rows is
  'Rows whose chunk is committed. A run continues after these, whatever happened to its worker.';

create table import_row (
  workspace_id uuid not null constraint import_row_workspace_fkey references workspace on delete cascade,
  import_run_id uuid not null,
  row_number int not null,
  line int constraint import_row_line_positive check (line > 0),
  status text not null
    constraint import_row_status_known check (status in ('created', 'updated', 'skipped', 'failed')),
  contact_id uuid,
  field_issues jsonb not null default '[]',
  record jsonb,
  constraint import_row_pkey primary key (workspace_id, import_run_id, row_number)
) partition by range (import_run_id);
create index import_row_status on import_row (workspace_id, import_run_id, status, row_number);
create index import_row_record on import_row (workspace_id, import_run_id, row_number) where record is not null;
create table import_row_rest partition of import_row default;
insert into table_retention (relation, step, age_column, days_min) values ('import_row', 'month', 'import_run_id', 30);
select tentpole_partitions('import_row');
comment on table import_row is
  'The result of each row, in a partition for each month (UTC) in which runs were started: their ids begin with the time. No '
  'foreign key to the run: rows are written only together with its counters.';
comment on column import_row.line is 'The line in the file. Null: unknown, or the row was part of the request.';
comment on column import_row.record is 'A row with issues as it was read, so that it can be exported and imported again.';

create table import_confirmation (
  workspace_id uuid not null,
  import_run_id uuid not null,
  contact_id uuid not null,
  topic_ids uuid[] not null,
  due_at timestamptz not null,
  constraint import_confirmation_pkey primary key (workspace_id, import_run_id, contact_id),
  constraint import_confirmation_run_fkey
    foreign key (workspace_id, import_run_id) references import_run on delete cascade,
  constraint import_confirmation_contact_fkey
    foreign key (workspace_id, contact_id) references contact on delete cascade
);
create index import_confirmation_due on import_confirmation (workspace_id, due_at, contact_id);
create index import_confirmation_contact on import_confirmation (workspace_id, contact_id);
comment on table import_confirmation is
  'Contacts of imports with double opt-in, until their confirmation mail is accepted: it is written in the same transaction in which the '
  'row is deleted.';
comment on column import_confirmation.topic_ids is 'The topics that the import made pending.';
