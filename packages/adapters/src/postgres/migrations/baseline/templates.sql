-- Email templates and tent templates, with their versions and approvals.

create table email_template (
  workspace_id uuid not null constraint email_template_workspace_fkey references workspace on delete cascade,
  template_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  status text not null constraint email_template_status_known check (status in ('draft', 'approved')),
  default_subject text, default_preview_text text,
  default_from_name text, default_from_address text, default_reply_to_email text,
  current_version int not null constraint email_template_current_version_not_negative check (current_version >= 0),
  plain_text text, plain_text_overridden_at timestamptz, plain_text_overridden_version int,
  approved_version int, approval_id uuid, approved_by text,
  source_email_id uuid,
  generated_by text,
  created_by_name text not null, edited_by text not null,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint email_template_pkey primary key (workspace_id, template_id),
  constraint email_template_approved_has_version check ((status = 'approved') = (approved_version is not null)),
  constraint email_template_approved_version_has_approval check ((approved_version is null) = (approval_id is null)),
  constraint email_template_approval_has_approver check ((approval_id is null) = (approved_by is null)),
  constraint email_template_approved_version_exists check (approved_version between 1 and current_version),
  constraint email_template_plain_text_has_time check ((plain_text is null) = (plain_text_overridden_at is null)),
  constraint email_template_plain_text_has_version check ((plain_text is null) = (plain_text_overridden_version is null))
);
create index email_template_created on email_template (workspace_id, created_at, template_id);
comment on table email_template is 'Sources of emails. The defaults are initial values of an email.';
comment on column email_template.plain_text is
  'Plain text by the user, with the time and version at which it was written. Null: derived from the HTML.';
comment on column email_template.edited_by is 'The actor who wrote the current content, as in the audit log.';
comment on column email_template.generated_by is
  'The AI provider that wrote the current version, `sample` for the fake AI. Null: a person wrote or copied it.';
comment on column email_template.source_email_id is 'The email from which the template was created; it may be deleted.';

create table email_template_version (
  workspace_id uuid not null,
  template_id uuid not null,
  version int not null constraint email_template_version_positive check (version >= 1),
  html text not null,
  design text,
  made_by text not null
    constraint email_template_version_made_by_known check (made_by in ('upload', 'generation', 'template')),
  by_name text not null,
  created_at timestamptz not null,
  constraint email_template_version_pkey primary key (workspace_id, template_id, version),
  constraint email_template_version_template_fkey
    foreign key (workspace_id, template_id) references email_template on delete cascade
);
comment on table email_template_version is 'The HTML of each version of an email template.';
comment on column email_template_version.design is
  'What the block editor needs to go on, as JSON. Null: the HTML was not written with blocks.';
comment on column email_template_version.by_name is 'The API key that stored or requested the version.';

create table email_template_approval (
  workspace_id uuid not null constraint email_template_approval_workspace_fkey references workspace on delete cascade,
  approval_id uuid not null,
  template_id uuid not null,
  version int not null constraint email_template_approval_version_positive check (version >= 1),
  default_subject text, default_preview_text text,
  default_from_name text, default_from_address text, default_reply_to_email text,
  html text not null,
  plain_text text, plain_text_overridden_at timestamptz, plain_text_overridden_version int,
  approved_at timestamptz not null,
  constraint email_template_approval_pkey primary key (workspace_id, approval_id),
  constraint email_template_approval_plain_text_has_time
    check ((plain_text is null) = (plain_text_overridden_at is null)),
  constraint email_template_approval_plain_text_has_version
    check ((plain_text is null) = (plain_text_overridden_version is null))
);
comment on table email_template_approval is
  'The approved content of an email template. It stays when the template is deleted.';

create table tent_template (
  workspace_id uuid not null constraint tent_template_workspace_fkey references workspace on delete cascade,
  template_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  status text not null constraint tent_template_status_known check (status in ('draft', 'approved')),
  current_version int not null constraint tent_template_current_version_not_negative check (current_version >= 0),
  approved_version int, approval_id uuid, approved_by text,
  source_tent_id uuid,
  generated_by text,
  created_by_name text not null, edited_by text not null,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint tent_template_pkey primary key (workspace_id, template_id),
  constraint tent_template_approved_has_version check ((status = 'approved') = (approved_version is not null)),
  constraint tent_template_approved_version_has_approval check ((approved_version is null) = (approval_id is null)),
  constraint tent_template_approval_has_approver check ((approval_id is null) = (approved_by is null)),
  constraint tent_template_approved_version_exists check (approved_version between 1 and current_version)
);
create index tent_template_created on tent_template (workspace_id, created_at, template_id);
comment on table tent_template is 'Sources of tents.';
comment on column tent_template.edited_by is 'The actor who wrote the current content, as in the audit log.';
comment on column tent_template.generated_by is
  'The AI provider that wrote the current version, `sample` for the fake AI. Null: a person wrote or copied it.';
comment on column tent_template.source_tent_id is 'The tent from which the template was created; it may be deleted.';

create table tent_template_version (
  workspace_id uuid not null,
  template_id uuid not null,
  version int not null constraint tent_template_version_positive check (version >= 1),
  html text not null,
  design text,
  made_by text not null
    constraint tent_template_version_made_by_known check (made_by in ('upload', 'generation', 'template')),
  by_name text not null,
  created_at timestamptz not null,
  constraint tent_template_version_pkey primary key (workspace_id, template_id, version),
  constraint tent_template_version_template_fkey
    foreign key (workspace_id, template_id) references tent_template on delete cascade
);
comment on table tent_template_version is 'The HTML of each version of a tent template.';
comment on column tent_template_version.design is
  'What the block editor needs to go on, as JSON. Null: the HTML was not written with blocks.';
comment on column tent_template_version.by_name is 'The API key that stored or requested the version.';

create table tent_template_approval (
  workspace_id uuid not null constraint tent_template_approval_workspace_fkey references workspace on delete cascade,
  approval_id uuid not null,
  template_id uuid not null,
  version int not null constraint tent_template_approval_version_positive check (version >= 1),
  html text not null,
  approved_at timestamptz not null,
  constraint tent_template_approval_pkey primary key (workspace_id, approval_id)
);
comment on table tent_template_approval is
  'The approved HTML of a tent template. It stays when the template is deleted: accepted tents are still created from it.';
