-- Topics, what people chose, the evidence of their consent, and subscription requests.

create table topic (
  workspace_id uuid not null constraint topic_workspace_fkey references workspace on delete cascade,
  topic_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  slug text collate "C" not null,
  description text,
  default_subscription text not null
    constraint topic_default_subscription_known check (default_subscription in ('subscribed', 'unsubscribed')),
  visibility text not null constraint topic_visibility_known check (visibility in ('public', 'private')),
  double_opt_in boolean not null,
  position int not null,
  status text not null constraint topic_status_known check (status in ('active', 'archived')),
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint topic_pkey primary key (workspace_id, topic_id),
  constraint topic_name unique (workspace_id, name_folded),
  constraint topic_slug unique (workspace_id, slug)
);
comment on table topic is 'What people can subscribe to.';
comment on column topic.default_subscription is 'The status of a contact without a row in `topic_choice`. It never changes.';
comment on column topic.slug is 'It stays when the name changes: it is part of the header List-Id.';

-- The key begins with the topic and includes the status: an audience reads the choices of a topic in the order of the contacts, from the
-- index alone. The rows are in the order in which people chose, so each would be on another page. The index is enough for rows on pages
-- without changes since the last vacuum. With the default, a fifth of the rows, nearly every page would have one.
create table topic_choice (
  workspace_id uuid not null,
  topic_id uuid not null,
  contact_id uuid not null,
  status text not null constraint topic_choice_status_known check (status in ('subscribed', 'unsubscribed', 'pending')),
  source text not null,
  changed_at timestamptz not null,
  constraint topic_choice_pkey primary key (workspace_id, topic_id, contact_id) include (status),
  constraint topic_choice_topic_fkey foreign key (workspace_id, topic_id) references topic on delete cascade,
  constraint topic_choice_contact_fkey foreign key (workspace_id, contact_id) references contact on delete cascade
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01);
create index topic_choice_contact on topic_choice (workspace_id, contact_id);
comment on table topic_choice is 'What is recorded of contacts for topics. Without a row, the default of the topic counts.';

create table topic_tally (
  workspace_id uuid not null,
  topic_id uuid not null,
  shard smallint not null,
  subscribed int not null,
  not_subscribed int not null,
  constraint topic_tally_pkey primary key (workspace_id, topic_id, shard),
  constraint topic_tally_topic_fkey foreign key (workspace_id, topic_id) references topic on delete cascade
);
comment on table topic_tally is
  'The numbers of rows in `topic_choice`, without those of contacts that are unsubscribed altogether: sums of their shards, written by '
  'the statements that change choices or contacts.';
comment on column topic_tally.shard is 'As in `contact_tally`.';
comment on column topic_tally.not_subscribed is 'Of the statuses `unsubscribed` and `pending`.';

-- Append only: the service may not update it.
create table consent_record (
  workspace_id uuid not null,
  consent_record_id uuid not null,
  contact_id uuid not null,
  topic_id uuid,
  action text not null constraint consent_record_action_known check (action in
    ('requested', 'confirmation_sent', 'confirmed', 'granted', 'withdrawn', 'expired', 'imported')),
  at timestamptz not null,
  source text not null constraint consent_record_source_known check (source in
    ('form', 'api', 'import', 'preference_page', 'unsubscribe_page', 'one_click', 'complaint', 'admin')),
  source_detail text,
  text text, text_sha256 bytea,
  ip_prefix text,
  user_agent text,
  tent_id uuid, form_id text, submission_id uuid,
  import_run_id uuid,
  message_id uuid,
  key_prefix text,
  constraint consent_record_pkey primary key (workspace_id, consent_record_id),
  constraint consent_record_contact_fkey foreign key (workspace_id, contact_id) references contact on delete cascade,
  constraint consent_record_text_has_hash check ((text is null) = (text_sha256 is null))
);
create index consent_record_contact on consent_record (workspace_id, contact_id, consent_record_id);
create index consent_record_topic on consent_record (workspace_id, topic_id, at);
comment on table consent_record is
  'The evidence of consent: who was asked what, and how they answered. It is kept as long as its contact.';
comment on column consent_record.topic_id is 'Null: all marketing. The topic itself may be deleted.';
comment on column consent_record.text is 'What the person was shown.';
comment on column consent_record.ip_prefix is '/24 of IPv4, /48 of IPv6. The whole address is stored nowhere.';

create table subscription_request (
  workspace_id uuid not null,
  subscription_request_id uuid not null,
  contact_id uuid,
  status text not null constraint subscription_request_status_known
    check (status in ('pending', 'confirmed', 'expired', 'superseded')),
  topic_ids uuid[] not null, granted_topic_ids uuid[] not null,
  previous jsonb not null,
  email text not null, email_normalized text collate "C" not null,
  evidence jsonb not null,
  made_contact boolean not null,
  superseded_by uuid,
  confirmation_email_id uuid,
  redirect_url text,
  message_id uuid,
  mailed_at timestamptz[] not null,
  expires_at timestamptz not null,
  confirmed_at timestamptz,
  detached_at timestamptz,
  created_at timestamptz not null,
  constraint subscription_request_pkey primary key (workspace_id, subscription_request_id),
  constraint subscription_request_contact_fkey
    foreign key (workspace_id, contact_id) references contact on delete cascade,
  constraint subscription_request_has_contact check (contact_id is not null or status = 'expired'),
  constraint subscription_request_without_contact_ages check ((contact_id is null) = (detached_at is not null)),
  constraint subscription_request_confirmed_has_time check ((status = 'confirmed') = (confirmed_at is not null)),
  constraint subscription_request_superseded_has_next check ((status = 'superseded') = (superseded_by is not null))
);
create index subscription_request_contact on subscription_request (workspace_id, contact_id, created_at);
create index subscription_request_address on subscription_request (workspace_id, email_normalized, created_at);
create index subscription_request_pending on subscription_request (workspace_id, expires_at) where status = 'pending';
create index subscription_request_newest on subscription_request (workspace_id, created_at, subscription_request_id);
create index subscription_request_detached on subscription_request (detached_at) where detached_at is not null;
insert into table_retention (relation, step, age_column, days_min) values ('subscription_request', null, 'detached_at', 30);
comment on table subscription_request is 'Double opt-in: a contact and the topics to confirm, until it confirms or the time is over.';
comment on column subscription_request.contact_id is
  'Null: the request had created the contact, which was deleted when the request expired.';
comment on column subscription_request.detached_at is
  'When the contact was deleted. The request stays some days longer, so that its link can ask for a new mail, and its mails count.';
comment on column subscription_request.topic_ids is 'The topics that are to be confirmed.';
comment on column subscription_request.granted_topic_ids is 'The topics that needed no confirmation.';
comment on column subscription_request.previous is
  'What was recorded for topics before the request made them pending: an expired request leaves them so.';
comment on column subscription_request.evidence is 'The text that the request showed, with its source, as in `consent_record`.';
comment on column subscription_request.made_contact is
  'The request created the contact. If it expires and the contact has no other trace, the contact is deleted.';
comment on column subscription_request.mailed_at is 'When confirmation mails were accepted for sending.';
