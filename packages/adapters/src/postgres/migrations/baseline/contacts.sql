-- Contacts, their custom fields, the number of contacts, and timelines.

create table contact_field (
  workspace_id uuid not null constraint contact_field_workspace_fkey references workspace on delete cascade,
  field_definition_id uuid not null,
  api_name text not null constraint contact_field_api_name_is_identifier check (api_name ~ '^[a-z][a-z0-9_]*$'),
  display_name text not null,
  value_type text not null
    constraint contact_field_value_type_known check (value_type in ('string', 'number', 'boolean', 'date', 'tags')),
  number_column smallint constraint contact_field_number_column_exists check (number_column between 1 and 12),
  is_editable boolean not null,
  description text,
  status text not null constraint contact_field_status_known check (status in ('active', 'archived')),
  management_mode text not null,
  provenance_kind text not null, provenance_provider text, provenance_reference text,
  created_by_user_id text,
  created_from_import_session_id uuid,
  show_in_people_list_default boolean not null,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint contact_field_pkey primary key (workspace_id, field_definition_id),
  constraint contact_field_api_name_unique unique (workspace_id, api_name)
);
create unique index contact_field_number on contact_field (workspace_id, number_column);
comment on table contact_field is 'Definitions of custom fields.';
comment on column contact_field.number_column is
  'The column `number_<n>` of `contact` that has the values of this number or date field. Null: compared in the JSON.';

-- Texts that rules, search and sorting compare have a folded twin. `collate "C"` is code point order.
-- The fill factor leaves space on each page for the next version of a row. Activities change `last_activity_at`, which is in no
-- index, so they write to no index.
create table contact (
  workspace_id uuid not null constraint contact_workspace_fkey references workspace on delete cascade,
  contact_id uuid not null,
  display_name text, display_name_folded text collate "C",
  first_name text, first_name_folded text collate "C",
  last_name text, last_name_folded text collate "C",
  email text, email_folded text collate "C", email_normalized text collate "C",
  phone text collate "C",
  company text, company_folded text collate "C",
  job_title text, job_title_folded text collate "C",
  address text, address_folded text collate "C",
  address2 text, address2_folded text collate "C",
  city text, city_folded text collate "C",
  state text, state_folded text collate "C",
  zip_code text, zip_code_folded text collate "C",
  country text, country_folded text collate "C",
  lead_status text, lead_status_folded text collate "C",
  lifecycle_stage text, lifecycle_stage_folded text collate "C",
  service_score double precision,
  original_source text, original_source_folded text collate "C",
  original_source_detail text, original_source_detail_folded text collate "C",
  unsubscribed boolean not null,
  marketing_email_subscribed boolean,
  marketing_sms_subscribed boolean,
  marketing_email_invalid boolean not null,
  custom_fields jsonb not null default '{}',
  custom_fields_folded jsonb not null default '{}',
  number_1 double precision, number_2 double precision, number_3 double precision, number_4 double precision,
  number_5 double precision, number_6 double precision, number_7 double precision, number_8 double precision,
  number_9 double precision, number_10 double precision, number_11 double precision, number_12 double precision,
  created_at timestamptz not null, updated_at timestamptz not null,
  last_activity_at timestamptz,
  constraint contact_pkey primary key (workspace_id, contact_id),
  constraint contact_email_is_normalized check ((email is null) = (email_normalized is null)),
  constraint contact_has_email_or_phone check (email is not null or phone is not null)
) with (fillfactor = 90);
create unique index contact_email on contact (workspace_id, email_normalized);
create unique index contact_phone on contact (workspace_id, phone);
-- Sort orders of listings.
create index contact_created on contact (workspace_id, created_at, contact_id);
create index contact_updated on contact (workspace_id, updated_at, contact_id);
create index contact_display_name on contact (workspace_id, display_name_folded, contact_id);
create index contact_first_name on contact (workspace_id, first_name_folded, contact_id);
create index contact_last_name on contact (workspace_id, last_name_folded, contact_id);
-- Search of listings, and equality of custom fields. Every query scans the pending entries of a GIN index; the limit is in kB.
create index contact_searched on contact using gin (workspace_id,
  display_name_folded gin_trgm_ops, first_name_folded gin_trgm_ops, last_name_folded gin_trgm_ops,
  email_folded gin_trgm_ops, phone gin_trgm_ops, company_folded gin_trgm_ops) with (gin_pending_list_limit = 1024);
create index contact_custom on contact using gin (workspace_id, custom_fields_folded jsonb_path_ops)
  with (gin_pending_list_limit = 1024);
create index contact_number_1 on contact (workspace_id, number_1) where number_1 is not null;
create index contact_number_2 on contact (workspace_id, number_2) where number_2 is not null;
create index contact_number_3 on contact (workspace_id, number_3) where number_3 is not null;
create index contact_number_4 on contact (workspace_id, number_4) where number_4 is not null;
create index contact_number_5 on contact (workspace_id, number_5) where number_5 is not null;
create index contact_number_6 on contact (workspace_id, number_6) where number_6 is not null;
create index contact_number_7 on contact (workspace_id, number_7) where number_7 is not null;
create index contact_number_8 on contact (workspace_id, number_8) where number_8 is not null;
create index contact_number_9 on contact (workspace_id, number_9) where number_9 is not null;
create index contact_number_10 on contact (workspace_id, number_10) where number_10 is not null;
create index contact_number_11 on contact (workspace_id, number_11) where number_11 is not null;
create index contact_number_12 on contact (workspace_id, number_12) where number_12 is not null;
comment on table contact is 'People with an email address or a phone number.';
comment on column contact.email_normalized is 'The address by which contacts, suppressions and deliveries are compared.';
comment on column contact.phone is 'E.164, which needs no folded twin.';
comment on column contact.custom_fields is 'Values by `api_name`; `custom_fields_folded` has texts and the words of tags folded.';
comment on column contact.number_1 is
  'Number columns are assigned to the first number and date fields of a workspace (`contact_field.number_column`), so that '
  'comparisons need no JSON and can use an index. Dates are milliseconds since 1970.';

-- The value of a number column.
create function contact_number(fields jsonb, field text, type text) returns double precision
  language sql stable parallel safe
  return case
    when type = 'number' then (fields ->> field)::double precision
    when type = 'date' then extract(epoch from (fields ->> field)::timestamptz)::double precision * 1000
  end;

-- The fence of row-level security as a view. Under row-level security a condition may use an index only if it is leak-proof,
-- which LIKE and the JSON operators are not, so a segment would read every row. A view without a security barrier returns the
-- same rows and leaves the planner free. Only the service writes conditions, so a leak has no receiver.
create view fenced_contact as
select workspace_id, contact_id,
  display_name, display_name_folded, first_name, first_name_folded, last_name, last_name_folded,
  email, email_folded, email_normalized, phone,
  company, company_folded, job_title, job_title_folded,
  address, address_folded, address2, address2_folded, city, city_folded, state, state_folded,
  zip_code, zip_code_folded, country, country_folded,
  lead_status, lead_status_folded, lifecycle_stage, lifecycle_stage_folded, service_score,
  original_source, original_source_folded, original_source_detail, original_source_detail_folded,
  unsubscribed, marketing_email_subscribed, marketing_sms_subscribed, marketing_email_invalid,
  custom_fields, custom_fields_folded,
  number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, number_9, number_10, number_11, number_12,
  created_at, updated_at, last_activity_at
from contact
where workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid;
comment on view fenced_contact is 'The contacts of the workspace of this transaction, for queries of rules and search.';

create table contact_tally (
  workspace_id uuid not null constraint contact_tally_workspace_fkey references workspace on delete cascade,
  shard smallint not null,
  contacts int not null,
  unsubscribed int not null default 0,
  constraint contact_tally_pkey primary key (workspace_id, shard)
);
comment on table contact_tally is
  'The number of contacts of a workspace, and of those that are unsubscribed altogether: the sums of its shards. The statement that changes contacts writes it too.';
comment on column contact_tally.shard is
  'Drawn by each transaction, so that two rarely wait for each other. One shard may be negative.';

-- An id has one row, whose contact changes when that one is merged, too.
create table contact_former_id (
  workspace_id uuid not null,
  former_id uuid not null,
  contact_id uuid not null,
  merged_at timestamptz not null,
  constraint contact_former_id_pkey primary key (workspace_id, former_id),
  constraint contact_former_id_contact_fkey foreign key (workspace_id, contact_id) references contact on delete cascade
);
create index contact_former_id_contact on contact_former_id (workspace_id, contact_id);
-- An audience pass checks for merges since the launch.
create index contact_former_id_merged on contact_former_id (workspace_id, merged_at);
comment on table contact_former_id is 'The ids of contacts that were merged into another one.';
comment on column contact_former_id.contact_id is 'The contact that has taken over the id.';

create table activity (
  workspace_id uuid not null,
  contact_id uuid not null,
  at timestamptz not null,
  activity_id uuid not null default uuid_v7(),
  type text not null constraint activity_type_is_stored check (type not in ('email_sent', 'email_delivered')),
  metadata jsonb not null,
  constraint activity_pkey primary key (workspace_id, contact_id, at, activity_id)
) partition by range (at);
create index activity_type on activity (workspace_id, type, contact_id, at);
create table activity_rest partition of activity default;
insert into table_retention (relation, step, age_column, days_min) values ('activity', 'month', 'at', 30);
select tentpole_partitions('activity');
comment on table activity is 'Timelines of contacts, in a partition for each month (UTC), without what `delivery` contains: '
  '`email_sent` is its `sent_at`, and `email_delivered` its `delivered_at`.';
