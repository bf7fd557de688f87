-- Emails, their versions and their approvals.

create table email (
  workspace_id uuid not null constraint email_workspace_fkey references workspace on delete cascade,
  email_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  status text not null constraint email_status_known check (status in ('draft', 'approved')),
  subject text,
  preview_text text,
  from_name text,
  from_address text,
  reply_to_email text,
  current_version int not null constraint email_current_version_not_negative check (current_version >= 0),
  basis text,
  plain_text text, plain_text_overridden_at timestamptz, plain_text_overridden_version int,
  approved_version int, approval_id uuid, approved_by text,
  generated_by text,
  created_by_name text not null, edited_by text not null,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint email_pkey primary key (workspace_id, email_id),
  constraint email_basis_before_first_version check (basis is null or current_version = 0),
  constraint email_approved_has_version check ((status = 'approved') = (approved_version is not null)),
  constraint email_approved_version_has_approval check ((approved_version is null) = (approval_id is null)),
  constraint email_approval_has_approver check ((approval_id is null) = (approved_by is null)),
  constraint email_plain_text_has_time check ((plain_text is null) = (plain_text_overridden_at is null)),
  constraint email_plain_text_has_version check ((plain_text is null) = (plain_text_overridden_version is null))
);
create index email_created on email (workspace_id, created_at, email_id);
comment on table email is 'Emails that blasts and flows send.';
comment on column email.current_version is '0: no version was written yet.';
comment on column email.basis is
  'HTML of the template that the first generation starts from. The first version replaces it.';
comment on column email.plain_text is
  'Plain text by the user, with the time and version at which it was written. Null: derived from the HTML.';
comment on column email.edited_by is 'The actor who wrote the current content, as in the audit log.';
comment on column email.generated_by is
  'The AI provider that wrote the current version, `sample` for the fake AI. Null: a person wrote or copied it.';

create table email_version (
  workspace_id uuid not null,
  email_id uuid not null,
  version int not null constraint email_version_positive check (version >= 1),
  html text not null,
  design text,
  made_by text not null
    constraint email_version_made_by_known check (made_by in ('upload', 'generation', 'template')),
  by_name text not null,
  created_at timestamptz not null,
  constraint email_version_pkey primary key (workspace_id, email_id, version),
  constraint email_version_email_fkey foreign key (workspace_id, email_id) references email on delete cascade
);
comment on table email_version is 'The HTML of each version of an email.';
comment on column email_version.design is
  'What the block editor needs to go on, as JSON. Null: the HTML was not written with blocks.';
comment on column email_version.by_name is 'The API key that stored or requested the version.';

create table email_approval (
  workspace_id uuid not null constraint email_approval_workspace_fkey references workspace on delete cascade,
  approval_id uuid not null,
  email_id uuid not null,
  version int not null,
  subject text not null,
  preview_text text,
  from_name text not null,
  from_address text not null,
  reply_to_email text not null,
  html text not null,
  plain_text text not null,
  approved_at timestamptz not null,
  constraint email_approval_pkey primary key (workspace_id, approval_id)
);
comment on table email_approval is
  'Everything that an approved email sends. It stays when the email is deleted: its links in sent messages are still clicked.';
