-- Submissions of the forms of published pages, and what their visitors agree to.

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
    foreign key (workspace_id, contact_id) references contact
);
create index form_submission_newest on form_submission (workspace_id, tent_id, created_at desc, submission_id);
create index form_submission_contact on form_submission (workspace_id, contact_id) where contact_id is not null;
comment on table form_submission is 'Submissions of forms. Those of a deleted contact stay without it.';
comment on column form_submission.fields is 'Not jsonb, which would lose the order of the fields.';

create table form_consent (
  workspace_id uuid not null,
  tent_id uuid not null,
  form_id text not null,
  topic_ids uuid[] not null,
  consent_field text,
  double_opt_in boolean,
  constraint form_consent_pkey primary key (workspace_id, tent_id, form_id),
  constraint form_consent_tent_fkey foreign key (workspace_id, tent_id) references tent on delete cascade
);
comment on table form_consent is 'What the visitors of a form subscribe to, as the API has set it. Without a row, the HTML of the page says it.';
comment on column form_consent.consent_field is 'The name of a check box. Null: sending the form is consent.';
comment on column form_consent.double_opt_in is 'Null: as each topic says.';
