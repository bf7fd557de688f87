-- Submissions of the forms of published pages.

create table form_submission (
  workspace_id uuid not null,
  tent_id uuid not null,
  submission_id uuid not null,
  form_id text not null,
  fields json not null,
  contact_id uuid,
  created_at timestamptz not null,
  constraint form_submission_pkey primary key (workspace_id, submission_id),
  constraint form_submission_tent_fkey foreign key (workspace_id, tent_id) references tent on delete cascade,
  constraint form_submission_contact_fkey
    foreign key (workspace_id, contact_id) references contact on delete set null (contact_id)
);
create index form_submission_newest on form_submission (workspace_id, tent_id, created_at desc, submission_id);
create index form_submission_contact on form_submission (workspace_id, contact_id) where contact_id is not null;
comment on table form_submission is 'Submissions of forms. Those of a deleted contact stay without it.';
comment on column form_submission.fields is 'Not jsonb, which would lose the order of the fields.';
