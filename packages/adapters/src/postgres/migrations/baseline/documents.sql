-- Generations of documents: emails, email templates and tent templates; and revisions of tents.

create table generation (
  workspace_id uuid not null constraint generation_workspace_fkey references workspace on delete cascade,
  generation_id uuid not null,
  document_id uuid not null,
  status text not null constraint generation_status_known check (status in ('generating', 'completed', 'failed')),
  prompt text not null,
  version int constraint generation_version_positive check (version >= 1),
  error text,
  created_by_name text not null, created_by text not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  constraint generation_pkey primary key (workspace_id, generation_id),
  constraint generation_ended_has_completed_at check ((status = 'generating') = (completed_at is null)),
  constraint generation_completed_has_version check ((status = 'completed') = (version is not null)),
  constraint generation_failed_has_error check ((status = 'failed') = (error is not null))
);
create index generation_document on generation (workspace_id, document_id, created_at, generation_id);
-- The last guard against a second generation, if the lock of a document is bypassed.
create unique index generation_going_on on generation (workspace_id, document_id) where status = 'generating';
comment on table generation is 'Requests to the AI to write a version of a document.';
comment on column generation.document_id is
  'The email, template or tent. No foreign key, because these are several tables: the store of the document deletes its generations.';
