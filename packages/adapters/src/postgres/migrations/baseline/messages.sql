-- Single messages: what they have besides their deliveries, their content, and the keys of the requests that sent them.

-- No foreign keys, as in `delivery`: the row of a message has the id of its delivery, and is deleted by the same age.
create table email_message (
  workspace_id uuid not null,
  delivery_id uuid not null,
  contact_id uuid,
  to_name text,
  email_id uuid, approved_email_version int,
  template_id uuid,
  subject text not null,
  preview_text text,
  from_name text,
  from_address text not null,
  reply_to_email text,
  track_opens boolean not null, track_clicks boolean not null,
  retain_content boolean not null,
  headers jsonb not null,
  attachments jsonb not null,
  unresolved_tokens text[] not null,
  client_item_id text,
  scheduled_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  actor text not null,
  constraint email_message_pkey primary key (workspace_id, delivery_id),
  constraint email_message_email_has_version check ((email_id is null) = (approved_email_version is null)),
  constraint email_message_has_one_source check (num_nonnulls(email_id, template_id) <= 1)
) partition by range (delivery_id);
create index email_message_of_email on email_message (workspace_id, email_id, delivery_id) where email_id is not null;
create table email_message_rest partition of email_message default;
insert into table_retention (relation, step, age_column, days_min, needed_by)
values ('email_message', 'month', 'delivery_id', 90, 'delivery_queue');
select tentpole_partitions('email_message');
comment on table email_message is
  'Single messages: their header as it was accepted, and how they are sent. `delivery` has the recipient and the state.';
comment on column email_message.contact_id is 'As in `delivery`.';
comment on column email_message.headers is 'Custom headers, in their order.';
comment on column email_message.attachments is 'Names, types and sizes of the files that `email_message_file` has.';
comment on column email_message.unresolved_tokens is 'Names of tokens that were sent as nothing.';
comment on column email_message.actor is 'Who sent it, as in the audit log.';

create table email_message_content (
  workspace_id uuid not null,
  delivery_id uuid not null,
  contact_id uuid,
  retained boolean not null,
  data jsonb not null,
  html text, plain_text text,
  constraint email_message_content_pkey primary key (workspace_id, delivery_id)
) partition by range (delivery_id);
create table email_message_content_rest partition of email_message_content default;
insert into table_retention (relation, step, age_column, days_min, needed_by)
values ('email_message_content', 'day', 'delivery_id', 1, 'delivery_queue');
select tentpole_partitions('email_message_content');
comment on table email_message_content is 'The values of the tokens of single messages, and their own bodies, in a partition for each day (UTC).';
comment on column email_message_content.retained is 'Whether it stays after the message has ended, for `MESSAGE_DAYS`.';
comment on column email_message_content.html is 'Null, with `plain_text`: the message has the parts of its approval.';

create table email_message_file (
  workspace_id uuid not null,
  delivery_id uuid not null,
  place int not null,
  contact_id uuid,
  bytes bytea not null,
  constraint email_message_file_pkey primary key (workspace_id, delivery_id, place)
) partition by range (delivery_id);
create table email_message_file_rest partition of email_message_file default;
insert into table_retention (relation, step, age_column, days_min, needed_by)
values ('email_message_file', 'day', 'delivery_id', 1, 'delivery_queue');
select tentpole_partitions('email_message_file');
comment on table email_message_file is 'The attachments of single messages. They are deleted with the content.';
comment on column email_message_file.place is 'Their order, from 0.';

-- Row-level security allows an index only for comparisons that tell nothing of other rows: equality of texts is one.
create table email_message_tag (
  workspace_id uuid not null,
  tag text collate "C" not null,
  delivery_id uuid not null,
  constraint email_message_tag_pkey primary key (workspace_id, tag, delivery_id)
) partition by range (delivery_id);
create table email_message_tag_rest partition of email_message_tag default;
insert into table_retention (relation, step, age_column, days_min, needed_by)
values ('email_message_tag', 'month', 'delivery_id', 90, 'delivery_queue');
select tentpole_partitions('email_message_tag');
comment on table email_message_tag is 'The tags of single messages, for listings: `delivery.message` has them too.';
comment on column email_message_tag.tag is 'Name and value, with a colon between them.';

create table email_message_key (
  workspace_id uuid not null constraint email_message_key_workspace_fkey references workspace on delete cascade,
  key_hash bytea not null,
  body_hash bytea not null,
  items jsonb not null,
  created_at timestamptz not null,
  constraint email_message_key_pkey primary key (workspace_id, key_hash)
);
-- For housekeeping, over all workspaces.
create index email_message_key_age on email_message_key (created_at);
insert into table_retention (relation, age_column, days_min) values ('email_message_key', 'created_at', 7);
comment on table email_message_key is
  'Keys of requests that sent messages, written with the messages: a repeated request gets the first ones again, after any crash.';
comment on column email_message_key.items is 'The id of each accepted message, and the refusal of each rejected item, in their order.';
