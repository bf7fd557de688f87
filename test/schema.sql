-- The schema as the migrations leave it, and the queue's library. Written by `npm run schema`; never by hand.
-- The partitions of a month or a day are left out: which there are depends on the day.

role tentpole_service nologin nosuperuser nobypassrls nocreatedb nocreaterole

grant usage on new sequences in jobs to tentpole_service;
grant delete, insert, select, update on new tables in jobs to tentpole_service;
grant create, usage on schema jobs to tentpole_service;
grant usage on schema public to public;
grant usage on schema public to tentpole_service;

create table jobs.job_queue (
  sequence bigint not null default nextval('jobs.job_queue_sequence_seq'::regclass),
  id character varying(255) not null,
  queue_name character varying(255) not null,
  element text not null,
  attempts integer not null default 0,
  last_failure text,
  acquired_at timestamp without time zone,
  acquired_by uuid,
  created_at timestamp without time zone not null,
  updated_at timestamp without time zone not null,
  state character varying(10) not null,
  visible_at timestamp without time zone not null,
  constraint job_queue_pkey PRIMARY KEY (sequence)
);
CREATE UNIQUE INDEX idx_job_queue_id ON jobs.job_queue USING btree (id, queue_name);
CREATE INDEX idx_job_queue_take ON jobs.job_queue USING btree (queue_name, visible_at) WHERE ((state)::text = 'pending'::text);
CREATE INDEX idx_job_queue_update ON jobs.job_queue USING btree (sequence, acquired_by);
CREATE INDEX job_queue_dead ON jobs.job_queue USING btree (updated_at) WHERE ((state)::text = 'failed'::text);
grant delete, insert, select, update on jobs.job_queue to tentpole_service;

create table jobs.job_queue_migrations (
  migration_id integer not null,
  created_at timestamp with time zone not null default now(),
  name text not null,
  constraint job_queue_migrations_pkey PRIMARY KEY (migration_id)
);
grant delete, insert, select, update on jobs.job_queue_migrations to tentpole_service;

create table public.activity (
  workspace_id uuid not null,
  contact_id uuid not null,
  at timestamp with time zone not null,
  activity_id uuid not null default uuidv7_or_v4(),
  type text not null,
  metadata jsonb not null,
  constraint activity_pkey PRIMARY KEY (workspace_id, contact_id, at, activity_id)
) partition by RANGE (at);
CREATE INDEX activity_type ON ONLY public.activity USING btree (workspace_id, type, contact_id, at);
alter table public.activity enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.activity;
grant delete, insert, select, update on public.activity to tentpole_service;

create table public.activity_rest partition of activity DEFAULT (
  workspace_id uuid not null,
  contact_id uuid not null,
  at timestamp with time zone not null,
  activity_id uuid not null default uuidv7_or_v4(),
  type text not null,
  metadata jsonb not null,
  constraint activity_rest_pkey PRIMARY KEY (workspace_id, contact_id, at, activity_id)
);
CREATE INDEX activity_rest_workspace_id_type_contact_id_at_idx ON public.activity_rest USING btree (workspace_id, type, contact_id, at);

create table public.api_key (
  workspace_id uuid not null,
  key_id uuid not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint api_key_pkey PRIMARY KEY (workspace_id, key_id),
  constraint api_key_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_key_hash ON public.api_key USING btree (hash);
grant delete, insert, select, update on public.api_key to tentpole_service;

create table public.audit_entry (
  entry_id uuid not null,
  at timestamp with time zone not null,
  actor text not null,
  workspace_id uuid not null,
  action text not null,
  target text not null,
  details jsonb not null,
  constraint audit_entry_pkey PRIMARY KEY (entry_id)
);
CREATE INDEX audit_entry_newest ON public.audit_entry USING btree (at DESC, entry_id);
CREATE INDEX audit_entry_workspace ON public.audit_entry USING btree (workspace_id, at DESC, entry_id);
grant insert, select on public.audit_entry to tentpole_service;

create table public.blast (
  workspace_id uuid not null,
  blast_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  description text,
  status text not null,
  paused boolean not null default false,
  audience_list_id uuid,
  audience_source text,
  email_id uuid,
  email_source text,
  operational boolean not null default false,
  scheduled_at timestamp with time zone,
  send_mode text,
  approved_at timestamp with time zone,
  approved_email_version integer,
  approval_id uuid,
  schedule_missed boolean not null default false,
  launched_at timestamp with time zone,
  allotted_count integer not null default 0,
  audience_fixed_at timestamp with time zone,
  recipient_count integer not null default 0,
  qualified_count integer not null default 0,
  audience_truncated boolean not null default false,
  failure text,
  sent_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  cancelled_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  retrying_since timestamp with time zone,
  purpose text not null default 'blast'::text,
  flow_id uuid,
  step_id text,
  audience_through uuid,
  constraint blast_pkey PRIMARY KEY (workspace_id, blast_id),
  constraint blast_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint blast_audience_source_check CHECK ((audience_source = ANY (ARRAY['existing'::text, 'inline'::text]))),
  constraint blast_cancelled_reason_check CHECK ((cancelled_reason = ANY (ARRAY['daily_email_limit'::text, 'contact_allowance'::text]))),
  constraint blast_check CHECK (((audience_list_id IS NULL) = (audience_source IS NULL))),
  constraint blast_check1 CHECK (((email_id IS NULL) = (email_source IS NULL))),
  constraint blast_check10 CHECK (((status = 'archived'::text) OR ((status = 'sent'::text) = (sent_at IS NOT NULL)))),
  constraint blast_check11 CHECK (((status = 'archived'::text) OR ((status = 'failed'::text) = (failure IS NOT NULL)))),
  constraint blast_check12 CHECK (((status = 'archived'::text) OR ((status = 'cancelled'::text) = (cancelled_at IS NOT NULL)))),
  constraint blast_check13 CHECK (((cancelled_reason IS NULL) OR (cancelled_at IS NOT NULL))),
  constraint blast_check14 CHECK (((NOT paused) OR (status = 'sending'::text))),
  constraint blast_check15 CHECK (((NOT schedule_missed) OR (status = 'draft'::text))),
  constraint blast_check2 CHECK (((approval_id IS NULL) = (approved_email_version IS NULL))),
  constraint blast_check3 CHECK (((approval_id IS NULL) = (approved_at IS NULL))),
  constraint blast_check4 CHECK (((NOT (send_mode IS DISTINCT FROM 'scheduled'::text)) = (scheduled_at IS NOT NULL))),
  constraint blast_check5 CHECK (((status <> 'draft'::text) OR ((approval_id IS NULL) AND (send_mode IS NULL) AND (launched_at IS NULL)))),
  constraint blast_check7 CHECK (((status <> 'scheduled'::text) OR ((send_mode = 'scheduled'::text) AND (launched_at IS NULL)))),
  constraint blast_check8 CHECK (((status <> ALL (ARRAY['sending'::text, 'sent'::text, 'failed'::text])) OR (launched_at IS NOT NULL))),
  constraint blast_check9 CHECK (((audience_fixed_at IS NULL) OR (launched_at IS NOT NULL))),
  constraint blast_complete CHECK (((purpose = 'flow_step'::text) OR (status = ANY (ARRAY['draft'::text, 'archived'::text])) OR ((approval_id IS NOT NULL) AND (send_mode IS NOT NULL) AND (audience_list_id IS NOT NULL) AND (email_id IS NOT NULL)))),
  constraint blast_email_source_check CHECK ((email_source = ANY (ARRAY['existing'::text, 'inline'::text]))),
  constraint blast_of_step CHECK (((purpose = 'flow_step'::text) = (flow_id IS NOT NULL))),
  constraint blast_pass CHECK (((audience_through IS NULL) OR ((launched_at IS NOT NULL) AND (audience_fixed_at IS NULL)))),
  constraint blast_purpose_check CHECK ((purpose = ANY (ARRAY['blast'::text, 'flow_step'::text]))),
  constraint blast_retrying CHECK (((retrying_since IS NULL) OR ((status = 'sending'::text) AND (audience_fixed_at IS NOT NULL)))),
  constraint blast_send_mode_check CHECK ((send_mode = ANY (ARRAY['scheduled'::text, 'send_now'::text]))),
  constraint blast_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'cancelled'::text, 'archived'::text]))),
  constraint blast_step CHECK (((flow_id IS NULL) = (step_id IS NULL)))
);
CREATE INDEX blast_created ON public.blast USING btree (workspace_id, created_at, blast_id);
CREATE UNIQUE INDEX blast_flow_step ON public.blast USING btree (workspace_id, flow_id, step_id) WHERE (purpose = 'flow_step'::text);
CREATE INDEX blast_launched ON public.blast USING btree (workspace_id, launched_at) WHERE (launched_at IS NOT NULL);
CREATE INDEX blast_scheduled ON public.blast USING btree (workspace_id, scheduled_at, blast_id) WHERE (status = 'scheduled'::text);
CREATE INDEX blast_sending ON public.blast USING btree (workspace_id, blast_id) WHERE (status = 'sending'::text);
CREATE INDEX blast_updated ON public.blast USING btree (workspace_id, updated_at, blast_id);
CREATE TRIGGER blast_gone AFTER DELETE ON public.blast REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION blast_gone();
alter table public.blast enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.blast;
grant delete, insert, select, update on public.blast to tentpole_service;

create table public.bulk_item (
  workspace_id uuid not null,
  bulk_job_id uuid not null,
  item_index integer not null,
  client_item_id text,
  tent_name text,
  custom_page_alias text,
  tent_id uuid,
  error_code text,
  message text,
  constraint bulk_item_pkey PRIMARY KEY (workspace_id, bulk_job_id, item_index),
  constraint bulk_item_workspace_id_bulk_job_id_fkey FOREIGN KEY (workspace_id, bulk_job_id) REFERENCES bulk_job(workspace_id, bulk_job_id) ON DELETE CASCADE,
  constraint bulk_item_check CHECK (((tent_id IS NULL) = (error_code IS NOT NULL))),
  constraint bulk_item_check1 CHECK (((error_code IS NULL) = (message IS NULL))),
  constraint bulk_item_error_code_check CHECK ((error_code = ANY (ARRAY['INVALID_ITEM'::text, 'INSUFFICIENT_CREDITS'::text]))),
  constraint bulk_item_item_index_check CHECK ((item_index >= 0))
);
alter table public.bulk_item enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.bulk_item;
grant delete, insert, select, update on public.bulk_item to tentpole_service;

create table public.bulk_job (
  workspace_id uuid not null,
  bulk_job_id uuid not null,
  template_id uuid not null,
  auto_publish boolean not null,
  metadata json,
  created_at timestamp with time zone not null,
  constraint bulk_job_pkey PRIMARY KEY (workspace_id, bulk_job_id),
  constraint bulk_job_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
alter table public.bulk_job enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.bulk_job;
grant delete, insert, select, update on public.bulk_job to tentpole_service;

create table public.contact (
  workspace_id uuid not null,
  contact_id uuid not null,
  display_name text,
  display_name_folded text collate "C",
  first_name text,
  first_name_folded text collate "C",
  last_name text,
  last_name_folded text collate "C",
  company text,
  company_folded text collate "C",
  job_title text,
  job_title_folded text collate "C",
  email text,
  email_folded text collate "C",
  email_normalized text collate "C",
  phone text collate "C",
  address text,
  address_folded text collate "C",
  address2 text,
  address2_folded text collate "C",
  city text,
  city_folded text collate "C",
  state text,
  state_folded text collate "C",
  zip_code text,
  zip_code_folded text collate "C",
  country text,
  country_folded text collate "C",
  lead_status text,
  lead_status_folded text collate "C",
  lifecycle_stage text,
  lifecycle_stage_folded text collate "C",
  service_score double precision,
  unsubscribed boolean not null,
  marketing_email_subscribed boolean,
  marketing_sms_subscribed boolean,
  marketing_email_invalid boolean not null,
  original_source text,
  original_source_folded text collate "C",
  original_source_detail text,
  original_source_detail_folded text collate "C",
  custom_fields jsonb not null default '{}'::jsonb,
  custom_fields_folded jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_activity_at timestamp with time zone,
  number_1 double precision,
  number_2 double precision,
  number_3 double precision,
  number_4 double precision,
  number_5 double precision,
  number_6 double precision,
  number_7 double precision,
  number_8 double precision,
  number_9 double precision,
  number_10 double precision,
  number_11 double precision,
  number_12 double precision,
  constraint contact_pkey PRIMARY KEY (workspace_id, contact_id),
  constraint contact_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint contact_check CHECK (((email IS NULL) = (email_normalized IS NULL))),
  constraint contact_check1 CHECK (((email IS NOT NULL) OR (phone IS NOT NULL)))
);
CREATE INDEX contact_created ON public.contact USING btree (workspace_id, created_at, contact_id);
CREATE INDEX contact_custom ON public.contact USING gin (workspace_id, custom_fields_folded jsonb_path_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX contact_display_name ON public.contact USING btree (workspace_id, display_name_folded, contact_id);
CREATE UNIQUE INDEX contact_email ON public.contact USING btree (workspace_id, email_normalized);
CREATE INDEX contact_first_name ON public.contact USING btree (workspace_id, first_name_folded, contact_id);
CREATE INDEX contact_last_name ON public.contact USING btree (workspace_id, last_name_folded, contact_id);
CREATE INDEX contact_number_1 ON public.contact USING btree (workspace_id, number_1) WHERE (number_1 IS NOT NULL);
CREATE INDEX contact_number_10 ON public.contact USING btree (workspace_id, number_10) WHERE (number_10 IS NOT NULL);
CREATE INDEX contact_number_11 ON public.contact USING btree (workspace_id, number_11) WHERE (number_11 IS NOT NULL);
CREATE INDEX contact_number_12 ON public.contact USING btree (workspace_id, number_12) WHERE (number_12 IS NOT NULL);
CREATE INDEX contact_number_2 ON public.contact USING btree (workspace_id, number_2) WHERE (number_2 IS NOT NULL);
CREATE INDEX contact_number_3 ON public.contact USING btree (workspace_id, number_3) WHERE (number_3 IS NOT NULL);
CREATE INDEX contact_number_4 ON public.contact USING btree (workspace_id, number_4) WHERE (number_4 IS NOT NULL);
CREATE INDEX contact_number_5 ON public.contact USING btree (workspace_id, number_5) WHERE (number_5 IS NOT NULL);
CREATE INDEX contact_number_6 ON public.contact USING btree (workspace_id, number_6) WHERE (number_6 IS NOT NULL);
CREATE INDEX contact_number_7 ON public.contact USING btree (workspace_id, number_7) WHERE (number_7 IS NOT NULL);
CREATE INDEX contact_number_8 ON public.contact USING btree (workspace_id, number_8) WHERE (number_8 IS NOT NULL);
CREATE INDEX contact_number_9 ON public.contact USING btree (workspace_id, number_9) WHERE (number_9 IS NOT NULL);
CREATE UNIQUE INDEX contact_phone ON public.contact USING btree (workspace_id, phone);
CREATE INDEX contact_searched ON public.contact USING gin (workspace_id, display_name_folded gin_trgm_ops, first_name_folded gin_trgm_ops, last_name_folded gin_trgm_ops, email_folded gin_trgm_ops, phone gin_trgm_ops, company_folded gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX contact_updated ON public.contact USING btree (workspace_id, updated_at, contact_id);
CREATE TRIGGER contact_tally_delete AFTER DELETE ON public.contact REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION contact_tally_add();
CREATE TRIGGER contact_tally_insert AFTER INSERT ON public.contact REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION contact_tally_add();
alter table public.contact enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.contact;
grant delete, insert, select, update on public.contact to tentpole_service;

create table public.contact_field (
  workspace_id uuid not null,
  field_definition_id uuid not null,
  api_name text not null,
  display_name text not null,
  value_type text not null,
  is_editable boolean not null,
  description text,
  status text not null,
  management_mode text not null,
  provenance_kind text not null,
  provenance_provider text,
  provenance_reference text,
  created_by_user_id text,
  created_from_import_session_id uuid,
  show_in_people_list_default boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  number_column smallint,
  constraint contact_field_pkey PRIMARY KEY (workspace_id, field_definition_id),
  constraint contact_field_workspace_id_api_name_key UNIQUE (workspace_id, api_name),
  constraint contact_field_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint contact_field_api_name_check CHECK ((api_name ~ '^[a-z][a-z0-9_]*$'::text)),
  constraint contact_field_number_column_check CHECK (((number_column >= 1) AND (number_column <= 12))),
  constraint contact_field_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text]))),
  constraint contact_field_value_type_check CHECK ((value_type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text, 'date'::text])))
);
CREATE UNIQUE INDEX contact_field_number ON public.contact_field USING btree (workspace_id, number_column);
alter table public.contact_field enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.contact_field;
grant delete, insert, select, update on public.contact_field to tentpole_service;

create table public.contact_tally (
  workspace_id uuid not null,
  shard smallint not null,
  contacts integer not null,
  constraint contact_tally_pkey PRIMARY KEY (workspace_id, shard)
);
alter table public.contact_tally enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.contact_tally;
grant delete, insert, select, update on public.contact_tally to tentpole_service;

create table public.delivery (
  workspace_id uuid not null,
  delivery_id uuid not null,
  blast_id uuid not null,
  contact_id uuid not null,
  approval_id uuid not null,
  email text,
  email_normalized text collate "C",
  email_domain text collate "C",
  display_name text,
  display_name_folded text collate "C",
  operational boolean not null,
  state text not null,
  reason text,
  contact_deleted boolean not null default false,
  token bigint,
  lease_until timestamp with time zone,
  due_at timestamp with time zone not null,
  attempts integer not null default 0,
  smtp_reply text,
  handed_over_at timestamp with time zone,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  opened_at timestamp with time zone,
  clicked_at timestamp with time zone,
  clicked_url text,
  bounced_at timestamp with time zone,
  unsubscribed_at timestamp with time zone,
  complained_at timestamp with time zone,
  created_at timestamp with time zone not null,
  bounce_kind text,
  machine_opened_at timestamp with time zone,
  machine_clicked_at timestamp with time zone,
  lane text collate "C" not null default ''::text,
  membership_id uuid,
  flow_id uuid,
  step_id text,
  visit integer,
  tokens jsonb,
  phase text collate "C" not null generated always as (
CASE state
    WHEN 'queued'::text THEN 'queued'::text
    WHEN 'claimed'::text THEN 'leased'::text
    WHEN 'handed_over'::text THEN 'leased'::text
    WHEN 'blocked'::text THEN 'blocked'::text
    ELSE 'over'::text
END) stored,
  constraint delivery_pkey PRIMARY KEY (workspace_id, delivery_id),
  constraint delivery_bounce_kind_check CHECK ((bounce_kind = ANY (ARRAY['hard'::text, 'soft'::text]))),
  constraint delivery_check CHECK (((token IS NULL) = (lease_until IS NULL))),
  constraint delivery_check1 CHECK (((state <> ALL (ARRAY['claimed'::text, 'handed_over'::text])) OR (token IS NOT NULL))),
  constraint delivery_check2 CHECK (((state <> 'sent'::text) OR (sent_at IS NOT NULL))),
  constraint delivery_check3 CHECK (((reason IS NOT NULL) = (state = ANY (ARRAY['failed'::text, 'blocked'::text, 'unconfirmed'::text])))),
  constraint delivery_of_flow CHECK ((num_nonnulls(membership_id, flow_id, step_id, visit, tokens) = ANY (ARRAY[0, 5]))),
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'handed_over'::text, 'sent'::text, 'failed'::text, 'blocked'::text, 'unconfirmed'::text])))
);
CREATE UNIQUE INDEX delivery_address ON public.delivery USING btree (workspace_id, blast_id, email_normalized) WHERE ((phase <> 'blocked'::text) AND (membership_id IS NULL));
CREATE UNIQUE INDEX delivery_contact ON public.delivery USING btree (workspace_id, blast_id, contact_id, membership_id, visit) NULLS NOT DISTINCT;
CREATE INDEX delivery_due ON public.delivery USING btree (workspace_id, blast_id, lane, due_at, delivery_id) WHERE (phase = 'queued'::text);
CREATE INDEX delivery_leased ON public.delivery USING btree (workspace_id, blast_id, delivery_id) WHERE (phase = 'leased'::text);
CREATE INDEX delivery_of_contact ON public.delivery USING btree (workspace_id, contact_id);
CREATE UNIQUE INDEX delivery_visit ON public.delivery USING btree (workspace_id, membership_id, visit) WHERE (membership_id IS NOT NULL);
CREATE TRIGGER delivery_tally_insert AFTER INSERT ON public.delivery REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION delivery_tally_add();
CREATE TRIGGER delivery_tally_update AFTER UPDATE ON public.delivery REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION delivery_tally_add();
CREATE TRIGGER flow_message_ended AFTER UPDATE ON public.delivery REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION flow_message_ended();
alter table public.delivery enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.delivery;
grant delete, insert, select, update on public.delivery to tentpole_service;

create table public.delivery_lane (
  workspace_id uuid not null,
  lane text collate "C" not null,
  permits double precision not null,
  filled_at timestamp with time zone not null,
  waited boolean not null,
  ready_at timestamp with time zone not null,
  constraint delivery_lane_pkey PRIMARY KEY (workspace_id, lane),
  constraint delivery_lane_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint delivery_lane_permits_check CHECK ((permits >= (0)::double precision))
);
CREATE INDEX delivery_lane_ready ON public.delivery_lane USING btree (workspace_id, ready_at) WHERE (lane <> ''::text);
alter table public.delivery_lane enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.delivery_lane;
grant delete, insert, select, update on public.delivery_lane to tentpole_service;

create table public.delivery_tally (
  workspace_id uuid not null,
  blast_id uuid not null,
  shard smallint not null,
  queued integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  blocked integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  bounced integer not null default 0,
  complained integer not null default 0,
  unsubscribed integer not null default 0,
  constraint delivery_tally_pkey PRIMARY KEY (workspace_id, blast_id, shard),
  constraint delivery_tally_workspace_id_blast_id_fkey FOREIGN KEY (workspace_id, blast_id) REFERENCES blast(workspace_id, blast_id) ON DELETE CASCADE
);
alter table public.delivery_tally enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.delivery_tally;
grant delete, insert, select, update on public.delivery_tally to tentpole_service;

create table public.due_work (
  kind text not null,
  workspace_id uuid not null,
  due_at timestamp with time zone not null,
  looks integer not null default 0,
  constraint due_work_pkey PRIMARY KEY (kind, workspace_id),
  constraint due_work_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
CREATE INDEX due_work_next ON public.due_work USING btree (kind, due_at);
grant delete, insert, select, update on public.due_work to tentpole_service;

create table public.email (
  workspace_id uuid not null,
  email_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  status text not null,
  current_version integer not null,
  subject text,
  preview_text text,
  from_name text,
  from_address text,
  reply_to_email text,
  plain_text text,
  plain_text_overridden_at timestamp with time zone,
  plain_text_overridden_version integer,
  approved_version integer,
  approval_id uuid,
  created_by_name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  basis text,
  constraint email_pkey PRIMARY KEY (workspace_id, email_id),
  constraint email_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint email_basis CHECK (((basis IS NULL) OR (current_version = 0))),
  constraint email_check CHECK (((status = 'approved'::text) = (approved_version IS NOT NULL))),
  constraint email_check1 CHECK (((approved_version IS NULL) = (approval_id IS NULL))),
  constraint email_check2 CHECK (((plain_text IS NULL) = (plain_text_overridden_at IS NULL))),
  constraint email_check3 CHECK (((plain_text IS NULL) = (plain_text_overridden_version IS NULL))),
  constraint email_current_version_check CHECK ((current_version >= 0)),
  constraint email_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])))
);
CREATE INDEX email_created ON public.email USING btree (workspace_id, created_at, email_id);
alter table public.email enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email;
grant delete, insert, select, update on public.email to tentpole_service;

create table public.email_approval (
  workspace_id uuid not null,
  approval_id uuid not null,
  email_id uuid not null,
  version integer not null,
  subject text not null,
  preview_text text,
  from_name text not null,
  from_address text not null,
  reply_to_email text not null,
  html text not null,
  plain_text text not null,
  approved_at timestamp with time zone not null,
  constraint email_approval_pkey PRIMARY KEY (workspace_id, approval_id),
  constraint email_approval_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
alter table public.email_approval enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email_approval;
grant delete, insert, select, update on public.email_approval to tentpole_service;

create table public.email_template (
  workspace_id uuid not null,
  template_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  status text not null,
  current_version integer not null,
  approved_version integer,
  approval_id uuid,
  created_by_name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  source_email_id uuid,
  default_subject text,
  default_preview_text text,
  default_from_name text,
  default_from_address text,
  default_reply_to_email text,
  plain_text text,
  plain_text_overridden_at timestamp with time zone,
  plain_text_overridden_version integer,
  constraint email_template_pkey PRIMARY KEY (workspace_id, template_id),
  constraint email_template_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint email_template_check CHECK (((status = 'approved'::text) = (approved_version IS NOT NULL))),
  constraint email_template_check1 CHECK (((approved_version IS NULL) = (approval_id IS NULL))),
  constraint email_template_check2 CHECK (((approved_version >= 1) AND (approved_version <= current_version))),
  constraint email_template_check3 CHECK (((plain_text IS NULL) = (plain_text_overridden_at IS NULL))),
  constraint email_template_check4 CHECK (((plain_text IS NULL) = (plain_text_overridden_version IS NULL))),
  constraint email_template_current_version_check CHECK ((current_version >= 0)),
  constraint email_template_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])))
);
CREATE INDEX email_template_created ON public.email_template USING btree (workspace_id, created_at, template_id);
alter table public.email_template enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email_template;
grant delete, insert, select, update on public.email_template to tentpole_service;

create table public.email_template_approval (
  workspace_id uuid not null,
  approval_id uuid not null,
  template_id uuid not null,
  version integer not null,
  html text not null,
  approved_at timestamp with time zone not null,
  default_subject text,
  default_preview_text text,
  default_from_name text,
  default_from_address text,
  default_reply_to_email text,
  plain_text text,
  plain_text_overridden_at timestamp with time zone,
  plain_text_overridden_version integer,
  constraint email_template_approval_pkey PRIMARY KEY (workspace_id, approval_id),
  constraint email_template_approval_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint email_template_approval_check CHECK (((plain_text IS NULL) = (plain_text_overridden_at IS NULL))),
  constraint email_template_approval_check1 CHECK (((plain_text IS NULL) = (plain_text_overridden_version IS NULL))),
  constraint email_template_approval_version_check CHECK ((version >= 1))
);
alter table public.email_template_approval enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email_template_approval;
grant delete, insert, select, update on public.email_template_approval to tentpole_service;

create table public.email_template_version (
  workspace_id uuid not null,
  template_id uuid not null,
  version integer not null,
  html text not null,
  created_at timestamp with time zone not null,
  constraint email_template_version_pkey PRIMARY KEY (workspace_id, template_id, version),
  constraint email_template_version_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES email_template(workspace_id, template_id) ON DELETE CASCADE,
  constraint email_template_version_version_check CHECK ((version >= 1))
);
alter table public.email_template_version enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email_template_version;
grant delete, insert, select, update on public.email_template_version to tentpole_service;

create table public.email_version (
  workspace_id uuid not null,
  email_id uuid not null,
  version integer not null,
  html text not null,
  created_at timestamp with time zone not null,
  constraint email_version_pkey PRIMARY KEY (workspace_id, email_id, version),
  constraint email_version_workspace_id_email_id_fkey FOREIGN KEY (workspace_id, email_id) REFERENCES email(workspace_id, email_id) ON DELETE CASCADE,
  constraint email_version_version_check CHECK ((version >= 1))
);
alter table public.email_version enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.email_version;
grant delete, insert, select, update on public.email_version to tentpole_service;

create table public.export (
  workspace_id uuid not null,
  export_id uuid not null,
  list_id uuid,
  exclude_unsubscribed boolean,
  status text not null,
  file_name text,
  row_count integer,
  error text,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  blast_id uuid,
  category text,
  constraint export_pkey PRIMARY KEY (workspace_id, export_id),
  constraint export_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint export_category_check CHECK ((category = ANY (ARRAY['recipients'::text, 'sent'::text, 'delivered'::text, 'opened'::text, 'clicked'::text, 'bounced'::text, 'unsubscribed'::text, 'spam'::text]))),
  constraint export_check CHECK (((status = 'completed'::text) = (file_name IS NOT NULL))),
  constraint export_check1 CHECK (((status = 'completed'::text) = (row_count IS NOT NULL))),
  constraint export_check2 CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
  constraint export_check3 CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text])) = (completed_at IS NOT NULL))),
  constraint export_of_blast CHECK (((blast_id IS NULL) = (category IS NULL))),
  constraint export_of_list CHECK (((list_id IS NULL) = (exclude_unsubscribed IS NULL))),
  constraint export_of_one CHECK ((num_nonnulls(list_id, blast_id) = 1)),
  constraint export_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
alter table public.export enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.export;
grant delete, insert, select, update on public.export to tentpole_service;

create view public.fenced_contact as
 SELECT workspace_id,
    contact_id,
    display_name,
    display_name_folded,
    first_name,
    first_name_folded,
    last_name,
    last_name_folded,
    company,
    company_folded,
    job_title,
    job_title_folded,
    email,
    email_folded,
    address,
    address_folded,
    address2,
    address2_folded,
    city,
    city_folded,
    state,
    state_folded,
    zip_code,
    zip_code_folded,
    country,
    country_folded,
    lead_status,
    lead_status_folded,
    lifecycle_stage,
    lifecycle_stage_folded,
    original_source,
    original_source_folded,
    original_source_detail,
    original_source_detail_folded,
    email_normalized,
    phone,
    service_score,
    unsubscribed,
    marketing_email_subscribed,
    marketing_sms_subscribed,
    marketing_email_invalid,
    custom_fields,
    custom_fields_folded,
    created_at,
    updated_at,
    last_activity_at,
    number_1,
    number_2,
    number_3,
    number_4,
    number_5,
    number_6,
    number_7,
    number_8,
    number_9,
    number_10,
    number_11,
    number_12
   FROM contact
  WHERE (workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid);
grant select on public.fenced_contact to tentpole_service;

create table public.flow (
  workspace_id uuid not null,
  flow_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  description text,
  status text not null,
  structure jsonb not null,
  revision integer not null,
  activated_at timestamp with time zone,
  paused_at timestamp with time zone,
  archived_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  activated_in xid8,
  constraint flow_pkey PRIMARY KEY (workspace_id, flow_id),
  constraint flow_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint flow_check CHECK (((status = 'active'::text) = (activated_at IS NOT NULL))),
  constraint flow_check1 CHECK (((status = 'paused'::text) = (paused_at IS NOT NULL))),
  constraint flow_check2 CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
  constraint flow_revision_check CHECK ((revision >= 1)),
  constraint flow_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'archived'::text]))),
  constraint flow_structure_check CHECK ((jsonb_typeof(structure) = 'object'::text))
);
CREATE INDEX flow_active ON public.flow USING btree (workspace_id, flow_id) WHERE (status = 'active'::text);
CREATE INDEX flow_created ON public.flow USING btree (workspace_id, created_at, flow_id);
CREATE INDEX flow_updated ON public.flow USING btree (workspace_id, updated_at, flow_id);
CREATE TRIGGER flow_activated BEFORE UPDATE ON public.flow FOR EACH ROW WHEN (((new.status = 'active'::text) AND (old.status <> 'active'::text))) EXECUTE FUNCTION flow_activated();
CREATE TRIGGER flow_moved AFTER UPDATE ON public.flow FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION flow_moved();
CREATE TRIGGER flow_removed AFTER DELETE ON public.flow FOR EACH ROW WHEN ((old.status <> 'draft'::text)) EXECUTE FUNCTION flow_moved();
alter table public.flow enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow;
grant delete, insert, select, update on public.flow to tentpole_service;

create table public.flow_clock (
  workspace_id uuid not null,
  dates_until timestamp with time zone not null,
  constraint flow_clock_pkey PRIMARY KEY (workspace_id),
  constraint flow_clock_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
alter table public.flow_clock enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_clock;
grant delete, insert, select, update on public.flow_clock to tentpole_service;

create table public.flow_date_fired (
  workspace_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  day date not null,
  constraint flow_date_fired_pkey PRIMARY KEY (workspace_id, flow_id, contact_id, day),
  constraint flow_date_fired_workspace_id_flow_id_fkey FOREIGN KEY (workspace_id, flow_id) REFERENCES flow(workspace_id, flow_id) ON DELETE CASCADE
);
alter table public.flow_date_fired enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_date_fired;
grant delete, insert, select, update on public.flow_date_fired to tentpole_service;

create table public.flow_email (
  workspace_id uuid not null,
  email_id uuid not null,
  flow_id uuid not null,
  step_id text not null,
  constraint flow_email_pkey PRIMARY KEY (workspace_id, email_id),
  constraint flow_email_workspace_id_email_id_fkey FOREIGN KEY (workspace_id, email_id) REFERENCES email(workspace_id, email_id) ON DELETE CASCADE,
  constraint flow_email_workspace_id_flow_id_fkey FOREIGN KEY (workspace_id, flow_id) REFERENCES flow(workspace_id, flow_id) ON DELETE CASCADE
);
CREATE INDEX flow_email_of ON public.flow_email USING btree (workspace_id, flow_id, email_id);
alter table public.flow_email enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_email;
grant delete, insert, select, update on public.flow_email to tentpole_service;

create table public.flow_event (
  workspace_id uuid not null,
  membership_id uuid not null,
  position bigint not null generated always as identity,
  type text not null,
  at timestamp with time zone not null,
  step_id text,
  metadata jsonb not null,
  constraint flow_event_pkey PRIMARY KEY (workspace_id, membership_id, "position")
);
alter table public.flow_event enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_event;
grant delete, insert, select, update on public.flow_event to tentpole_service;

create table public.flow_made (
  workspace_id uuid not null,
  membership_id uuid not null,
  visit integer not null,
  attempt integer not null,
  made_id uuid not null,
  constraint flow_made_pkey PRIMARY KEY (workspace_id, membership_id, visit, attempt),
  constraint flow_made_workspace_id_membership_id_fkey FOREIGN KEY (workspace_id, membership_id) REFERENCES flow_membership(workspace_id, membership_id) ON DELETE CASCADE
);
alter table public.flow_made enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_made;
grant delete, insert, select, update on public.flow_made to tentpole_service;

create table public.flow_membership (
  workspace_id uuid not null,
  membership_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  entry_source text not null,
  tokens jsonb not null,
  created_emails jsonb not null default '[]'::jsonb,
  state jsonb not null,
  status text not null,
  step_id text,
  awaited_visit integer,
  due_at timestamp with time zone,
  sole boolean not null,
  entered_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint flow_membership_pkey PRIMARY KEY (workspace_id, membership_id),
  constraint flow_membership_workspace_id_flow_id_fkey FOREIGN KEY (workspace_id, flow_id) REFERENCES flow(workspace_id, flow_id) ON DELETE CASCADE,
  constraint flow_membership_check CHECK ((status = (state ->> 'status'::text))),
  constraint flow_membership_check1 CHECK (((awaited_visit IS NULL) OR (status = ANY (ARRAY['active'::text, 'dropped'::text])))),
  constraint flow_membership_status_check CHECK ((status = ANY (ARRAY['active'::text, 'waiting'::text, 'completed'::text, 'dropped'::text, 'failed'::text])))
);
CREATE INDEX flow_membership_contact ON public.flow_membership USING btree (workspace_id, contact_id, flow_id);
CREATE INDEX flow_membership_due ON public.flow_membership USING btree (workspace_id, flow_id, due_at, membership_id) WHERE (due_at IS NOT NULL);
CREATE INDEX flow_membership_entered ON public.flow_membership USING btree (workspace_id, flow_id, entered_at, membership_id);
CREATE UNIQUE INDEX flow_membership_live ON public.flow_membership USING btree (workspace_id, flow_id, contact_id) WHERE (status = ANY (ARRAY['active'::text, 'waiting'::text]));
CREATE UNIQUE INDEX flow_membership_sole ON public.flow_membership USING btree (workspace_id, flow_id, contact_id) WHERE sole;
CREATE TRIGGER flow_membership_gone AFTER DELETE ON public.flow_membership REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION flow_membership_gone();
CREATE TRIGGER flow_tally_insert AFTER INSERT ON public.flow_membership REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION flow_tally_add();
CREATE TRIGGER flow_tally_update AFTER UPDATE ON public.flow_membership REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION flow_tally_move();
alter table public.flow_membership enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_membership;
grant delete, insert, select, update on public.flow_membership to tentpole_service;

create table public.flow_step_tally (
  workspace_id uuid not null,
  flow_id uuid not null,
  step_id text not null,
  shard smallint not null,
  members integer not null default 0,
  constraint flow_step_tally_pkey PRIMARY KEY (workspace_id, flow_id, step_id, shard),
  constraint flow_step_tally_workspace_id_flow_id_fkey FOREIGN KEY (workspace_id, flow_id) REFERENCES flow(workspace_id, flow_id) ON DELETE CASCADE
);
alter table public.flow_step_tally enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_step_tally;
grant delete, insert, select, update on public.flow_step_tally to tentpole_service;

create table public.flow_tally (
  workspace_id uuid not null,
  flow_id uuid not null,
  shard smallint not null,
  active integer not null default 0,
  waiting integer not null default 0,
  completed integer not null default 0,
  dropped integer not null default 0,
  failed integer not null default 0,
  last_entry_at timestamp with time zone,
  constraint flow_tally_pkey PRIMARY KEY (workspace_id, flow_id, shard),
  constraint flow_tally_workspace_id_flow_id_fkey FOREIGN KEY (workspace_id, flow_id) REFERENCES flow(workspace_id, flow_id) ON DELETE CASCADE
);
alter table public.flow_tally enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.flow_tally;
grant delete, insert, select, update on public.flow_tally to tentpole_service;

create table public.form_submission (
  workspace_id uuid not null,
  tent_id uuid not null,
  submission_id uuid not null,
  form_id text not null,
  fields json not null,
  contact_id uuid,
  created_at timestamp with time zone not null,
  constraint form_submission_pkey PRIMARY KEY (workspace_id, submission_id),
  constraint form_submission_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, contact_id) ON DELETE SET NULL (contact_id),
  constraint form_submission_workspace_id_tent_id_fkey FOREIGN KEY (workspace_id, tent_id) REFERENCES tent(workspace_id, tent_id) ON DELETE CASCADE
);
CREATE INDEX form_submission_contact ON public.form_submission USING btree (workspace_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX form_submission_newest ON public.form_submission USING btree (workspace_id, tent_id, created_at DESC, submission_id);
alter table public.form_submission enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.form_submission;
grant delete, insert, select, update on public.form_submission to tentpole_service;

create table public.generation (
  workspace_id uuid not null,
  generation_id uuid not null,
  document_id uuid not null,
  status text not null,
  prompt text not null,
  version integer,
  error text,
  created_by_name text not null,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  constraint generation_pkey PRIMARY KEY (workspace_id, generation_id),
  constraint generation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint generation_check CHECK (((status = 'generating'::text) = (completed_at IS NULL))),
  constraint generation_check1 CHECK (((status = 'completed'::text) = (version IS NOT NULL))),
  constraint generation_check2 CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
  constraint generation_status_check CHECK ((status = ANY (ARRAY['generating'::text, 'completed'::text, 'failed'::text]))),
  constraint generation_version_check CHECK ((version >= 1))
);
CREATE INDEX generation_document ON public.generation USING btree (workspace_id, document_id, created_at, generation_id);
CREATE UNIQUE INDEX generation_going_on ON public.generation USING btree (workspace_id, document_id) WHERE (status = 'generating'::text);
alter table public.generation enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.generation;
grant delete, insert, select, update on public.generation to tentpole_service;

create table public.hook_token (
  workspace_id uuid not null,
  provider text not null,
  token_hash bytea not null,
  body_hash bytea not null,
  used_at timestamp with time zone not null,
  constraint hook_token_pkey PRIMARY KEY (workspace_id, provider, token_hash),
  constraint hook_token_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
CREATE INDEX hook_token_used ON public.hook_token USING btree (workspace_id, used_at);
alter table public.hook_token enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.hook_token;
grant delete, insert, select, update on public.hook_token to tentpole_service;

create table public.idempotency_key (
  workspace_id uuid not null,
  scope_hash bytea not null,
  body_hash bytea,
  holder uuid not null,
  leased_until timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  answer_status integer,
  answer_headers jsonb,
  answer_sealed bytea,
  constraint idempotency_key_pkey PRIMARY KEY (workspace_id, scope_hash),
  constraint idempotency_key_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint idempotency_key_answer_status_check CHECK (((answer_status >= 200) AND (answer_status <= 499))),
  constraint idempotency_key_body_hash_check CHECK ((octet_length(body_hash) = 32)),
  constraint idempotency_key_check CHECK (((answer_status IS NULL) = (answer_headers IS NULL))),
  constraint idempotency_key_check1 CHECK (((answer_status IS NOT NULL) OR (answer_sealed IS NULL))),
  constraint idempotency_key_check2 CHECK (((answer_status IS NULL) OR (body_hash IS NOT NULL))),
  constraint idempotency_key_scope_hash_check CHECK ((octet_length(scope_hash) = 32))
);
CREATE INDEX idempotency_key_expiry ON public.idempotency_key USING btree (workspace_id, expires_at);
alter table public.idempotency_key enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.idempotency_key;
grant delete, insert, select, update on public.idempotency_key to tentpole_service;

create table public.import_row (
  workspace_id uuid not null,
  import_run_id uuid not null,
  row_number integer not null,
  status text not null,
  contact_id uuid,
  field_issues jsonb not null default '[]'::jsonb,
  record jsonb,
  line integer,
  constraint import_row_pkey PRIMARY KEY (workspace_id, import_run_id, row_number),
  constraint import_row_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint import_row_line_check CHECK ((line > 0)),
  constraint import_row_status_check CHECK ((status = ANY (ARRAY['created'::text, 'updated'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX import_row_status ON public.import_row USING btree (workspace_id, import_run_id, status, row_number);
alter table public.import_row enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.import_row;
grant delete, insert, select, update on public.import_row to tentpole_service;

create table public.import_run (
  workspace_id uuid not null,
  import_run_id uuid not null,
  import_session_id uuid not null,
  status text not null,
  mappings jsonb not null,
  duplicate_strategy text not null,
  overwrite_blank_only boolean not null,
  list_ids uuid[] not null,
  processed_rows integer not null default 0,
  total_rows integer,
  created_count integer not null default 0,
  updated_count integer not null default 0,
  skipped_count integer not null default 0,
  error_count integer not null default 0,
  error text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  headers text[],
  constraint import_run_pkey PRIMARY KEY (workspace_id, import_run_id),
  constraint import_run_workspace_id_import_session_id_key UNIQUE (workspace_id, import_session_id),
  constraint import_run_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint import_run_check CHECK ((processed_rows = (((created_count + updated_count) + skipped_count) + error_count))),
  constraint import_run_duplicate_strategy_check CHECK ((duplicate_strategy = ANY (ARRAY['update'::text, 'skip'::text]))),
  constraint import_run_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
alter table public.import_run enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.import_run;
grant delete, insert, select, update on public.import_run to tentpole_service;

create table public.import_session (
  workspace_id uuid not null,
  import_session_id uuid not null,
  source text not null,
  file_name text,
  content_type text not null,
  blob_key text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  executed_at timestamp with time zone,
  suggestions jsonb,
  constraint import_session_pkey PRIMARY KEY (workspace_id, import_session_id),
  constraint import_session_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint import_session_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'rows'::text]))),
  constraint import_session_suggestions_check CHECK ((suggestions ?& ARRAY['key'::text, 'matches'::text]))
);
alter table public.import_session enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.import_session;
grant delete, insert, select, update on public.import_session to tentpole_service;

create table public.list (
  workspace_id uuid not null,
  list_id uuid not null,
  kind text not null,
  system_list text,
  name text not null,
  name_folded text collate "C" not null,
  slug text collate "C" not null,
  description text,
  rules jsonb,
  member_count integer,
  owner_blast_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint list_pkey PRIMARY KEY (workspace_id, list_id),
  constraint list_name UNIQUE (workspace_id, name_folded),
  constraint list_slug UNIQUE (workspace_id, slug),
  constraint list_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint list_check CHECK (((kind = 'static'::text) = (member_count IS NOT NULL))),
  constraint list_check1 CHECK (((kind = 'system'::text) = (system_list IS NOT NULL))),
  constraint list_check2 CHECK (((rules IS NULL) OR (kind = 'dynamic'::text))),
  constraint list_kind_check CHECK ((kind = ANY (ARRAY['static'::text, 'dynamic'::text, 'system'::text]))),
  constraint list_member_count_check CHECK ((member_count >= 0)),
  constraint list_system_list_check CHECK ((system_list = ANY (ARRAY['all_contacts'::text, 'unsubscribed'::text])))
);
CREATE INDEX list_created ON public.list USING btree (workspace_id, created_at, list_id);
alter table public.list enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.list;
grant delete, insert, select, update on public.list to tentpole_service;

create table public.list_member (
  workspace_id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  added_at timestamp with time zone not null,
  constraint list_member_pkey PRIMARY KEY (workspace_id, list_id, contact_id),
  constraint list_member_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, contact_id) ON DELETE CASCADE,
  constraint list_member_workspace_id_list_id_fkey FOREIGN KEY (workspace_id, list_id) REFERENCES list(workspace_id, list_id) ON DELETE CASCADE
);
CREATE INDEX list_member_contact ON public.list_member USING btree (workspace_id, contact_id, list_id);
CREATE TRIGGER list_member_delete AFTER DELETE ON public.list_member REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION list_member_tally();
CREATE TRIGGER list_member_insert AFTER INSERT ON public.list_member REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION list_member_tally();
alter table public.list_member enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.list_member;
grant delete, insert, select, update on public.list_member to tentpole_service;

create table public.outbox_consumer (
  workspace_id uuid not null,
  consumer text not null,
  transaction_id xid8 not null,
  position bigint not null,
  constraint outbox_consumer_pkey PRIMARY KEY (workspace_id, consumer),
  constraint outbox_consumer_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
alter table public.outbox_consumer enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.outbox_consumer;
grant delete, insert, select, update on public.outbox_consumer to tentpole_service;

create table public.outbox_event (
  workspace_id uuid not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint not null generated always as identity,
  type text not null,
  contact_id uuid,
  at timestamp with time zone not null,
  data jsonb not null,
  recorded_at timestamp with time zone not null default now(),
  constraint outbox_event_pkey PRIMARY KEY (workspace_id, transaction_id, "position")
);
CREATE INDEX outbox_event_age ON public.outbox_event USING btree (workspace_id, recorded_at);
CREATE TRIGGER outbox_hint AFTER INSERT ON public.outbox_event REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION outbox_hint();
alter table public.outbox_event enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.outbox_event;
grant delete, insert, select, update on public.outbox_event to tentpole_service;

create table public.page_host (
  host text not null,
  workspace_id uuid not null,
  page_domain_id uuid not null,
  created_at timestamp with time zone not null,
  constraint page_host_pkey PRIMARY KEY (host),
  constraint page_host_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
CREATE INDEX page_host_workspace ON public.page_host USING btree (workspace_id);
CREATE TRIGGER site_changed AFTER INSERT OR DELETE OR UPDATE ON public.page_host FOR EACH STATEMENT EXECUTE FUNCTION tentpole_site_changed();
grant delete, insert, select, update on public.page_host to tentpole_service;

create table public.page_view (
  workspace_id uuid not null,
  tent_id uuid not null,
  at timestamp with time zone not null,
  view_id uuid not null default uuidv7_or_v4(),
  visitor bytea,
  country text not null,
  device text not null,
  browser text not null,
  os text not null,
  referrer text not null,
  constraint page_view_pkey PRIMARY KEY (workspace_id, tent_id, at, view_id)
) partition by RANGE (at);
CREATE INDEX page_view_newest ON ONLY public.page_view USING btree (workspace_id, at DESC);
alter table public.page_view enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.page_view;
grant delete, insert, select, update on public.page_view to tentpole_service;

create table public.page_view_day (
  workspace_id uuid not null,
  tent_id uuid not null,
  day date not null,
  dimension text not null,
  value text collate "C" not null,
  views integer not null,
  constraint page_view_day_pkey PRIMARY KEY (workspace_id, tent_id, day, dimension, value),
  constraint page_view_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint page_view_day_dimension_check CHECK ((dimension = ANY (ARRAY['all'::text, 'visits'::text, 'country'::text, 'device'::text, 'browser'::text, 'os'::text, 'referrer'::text])))
);
CREATE INDEX page_view_day_age ON public.page_view_day USING brin (day);
CREATE INDEX page_view_day_tents ON public.page_view_day USING btree (workspace_id, day, tent_id) WHERE (dimension = ANY (ARRAY['all'::text, 'visits'::text]));
alter table public.page_view_day enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.page_view_day;
grant delete, insert, select, update on public.page_view_day to tentpole_service;

create table public.page_view_rest partition of page_view DEFAULT (
  workspace_id uuid not null,
  tent_id uuid not null,
  at timestamp with time zone not null,
  view_id uuid not null default uuidv7_or_v4(),
  visitor bytea,
  country text not null,
  device text not null,
  browser text not null,
  os text not null,
  referrer text not null,
  constraint page_view_rest_pkey PRIMARY KEY (workspace_id, tent_id, at, view_id)
);
CREATE INDEX page_view_rest_workspace_id_at_idx ON public.page_view_rest USING btree (workspace_id, at DESC);

create table public.page_visitor_day (
  workspace_id uuid not null,
  tent_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint page_visitor_day_pkey PRIMARY KEY (workspace_id, tent_id, day, visitor),
  constraint page_visitor_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
) partition by RANGE (day);
alter table public.page_visitor_day enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.page_visitor_day;
grant delete, insert, select, update on public.page_visitor_day to tentpole_service;

create table public.page_visitor_day_rest partition of page_visitor_day DEFAULT (
  workspace_id uuid not null,
  tent_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint page_visitor_day_rest_pkey PRIMARY KEY (workspace_id, tent_id, day, visitor),
  constraint page_visitor_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);

create table public.plan (
  plan text not null,
  published_tents_max integer,
  emails_per_day_max integer,
  contacts_max integer,
  recipients_per_blast_max integer,
  flows boolean not null,
  branding_removable boolean not null,
  constraint plan_pkey PRIMARY KEY (plan)
);
grant select on public.plan to tentpole_service;

create table public.schema_migration (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migration_pkey PRIMARY KEY (name)
);
grant select on public.schema_migration to tentpole_service;

create table public.sending_domain (
  workspace_id uuid not null,
  domain_id uuid not null,
  domain text not null,
  status text not null,
  dkim_selector text not null,
  dkim_public_key text not null,
  dkim_private_key_sealed bytea not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint sending_domain_pkey PRIMARY KEY (workspace_id, domain_id),
  constraint sending_domain_workspace_id_domain_key UNIQUE (workspace_id, domain),
  constraint sending_domain_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint sending_domain_check CHECK (((verified_at IS NOT NULL) OR (status <> 'verified'::text))),
  constraint sending_domain_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'failed'::text])))
);
alter table public.sending_domain enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.sending_domain;
grant delete, insert, select, update on public.sending_domain to tentpole_service;

create table public.suppression (
  workspace_id uuid not null,
  email_normalized text not null,
  reason text not null,
  created_at timestamp with time zone not null,
  constraint suppression_pkey PRIMARY KEY (workspace_id, email_normalized),
  constraint suppression_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint suppression_reason_check CHECK ((reason = ANY (ARRAY['bounce'::text, 'complaint'::text, 'unsubscribe'::text, 'manual'::text])))
);
CREATE INDEX suppression_newest ON public.suppression USING btree (workspace_id, created_at DESC, email_normalized COLLATE "C");
alter table public.suppression enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.suppression;
grant delete, insert, select, update on public.suppression to tentpole_service;

create table public.tent (
  workspace_id uuid not null,
  tent_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  user_id text,
  status text not null,
  prompt text,
  include_brand boolean not null default false,
  template_id uuid,
  auto_publish boolean not null default false,
  html text,
  error text,
  credits_held integer not null default 0,
  branding boolean not null default true,
  publication_status text,
  requested_alias text,
  published_html text,
  published_etag text,
  published_at timestamp with time zone,
  publication_warnings jsonb,
  publication_error jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  template_approval_id uuid,
  asset_ids uuid[] not null default '{}'::uuid[],
  reasoning text,
  alias_turn integer not null default 1,
  constraint tent_pkey PRIMARY KEY (workspace_id, tent_id),
  constraint tent_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint tent_alias_turn_check CHECK ((alias_turn >= 1)),
  constraint tent_check CHECK (((status = 'pending'::text) = (prompt IS NULL))),
  constraint tent_check1 CHECK (((status = 'completed'::text) = (html IS NOT NULL))),
  constraint tent_check2 CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
  constraint tent_check3 CHECK (((credits_held = 0) OR (status = ANY (ARRAY['queued'::text, 'generating'::text])))),
  constraint tent_check4 CHECK (((NOT (publication_status IS DISTINCT FROM 'published'::text)) = (published_html IS NOT NULL))),
  constraint tent_check5 CHECK (((NOT (publication_status IS DISTINCT FROM 'published'::text)) = (published_etag IS NOT NULL))),
  constraint tent_check6 CHECK (((NOT (publication_status IS DISTINCT FROM 'published'::text)) = (published_at IS NOT NULL))),
  constraint tent_check7 CHECK (((NOT (publication_status IS DISTINCT FROM 'published'::text)) = (publication_warnings IS NOT NULL))),
  constraint tent_check8 CHECK (((NOT (publication_status IS DISTINCT FROM 'failed'::text)) = (publication_error IS NOT NULL))),
  constraint tent_credits_held_check CHECK ((credits_held >= 0)),
  constraint tent_publication_status_check CHECK ((publication_status = ANY (ARRAY['pending'::text, 'published'::text, 'failed'::text, 'unpublished'::text]))),
  constraint tent_reasoning_check CHECK ((reasoning = ANY (ARRAY['min'::text, 'medium'::text, 'high'::text, 'max'::text]))),
  constraint tent_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'queued'::text, 'generating'::text, 'completed'::text, 'failed'::text]))),
  constraint tent_template_pinned CHECK (((template_id IS NULL) = (template_approval_id IS NULL)))
);
CREATE INDEX tent_newest ON public.tent USING btree (workspace_id, created_at DESC, tent_id);
CREATE INDEX tent_published ON public.tent USING btree (workspace_id) WHERE (publication_status = 'published'::text);
alter table public.tent enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent;
grant delete, insert, select, update on public.tent to tentpole_service;

create table public.tent_alias (
  workspace_id uuid not null,
  alias text collate "C" not null,
  tent_id uuid not null,
  constraint tent_alias_pkey PRIMARY KEY (workspace_id, alias),
  constraint tent_alias_workspace_id_tent_id_key UNIQUE (workspace_id, tent_id),
  constraint tent_alias_workspace_id_tent_id_fkey FOREIGN KEY (workspace_id, tent_id) REFERENCES tent(workspace_id, tent_id) ON DELETE CASCADE
);
alter table public.tent_alias enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent_alias;
grant delete, insert, select, update on public.tent_alias to tentpole_service;

create table public.tent_asset (
  workspace_id uuid not null,
  tent_id uuid not null,
  asset_id uuid not null,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null,
  created_at timestamp with time zone not null,
  constraint tent_asset_pkey PRIMARY KEY (workspace_id, tent_id, asset_id),
  constraint tent_asset_workspace_id_tent_id_fkey FOREIGN KEY (workspace_id, tent_id) REFERENCES tent(workspace_id, tent_id) ON DELETE CASCADE,
  constraint tent_asset_size_bytes_check CHECK ((size_bytes > 0))
);
alter table public.tent_asset enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent_asset;
grant delete, insert, select, update on public.tent_asset to tentpole_service;

create table public.tent_template (
  workspace_id uuid not null,
  template_id uuid not null,
  name text not null,
  name_folded text collate "C" not null,
  status text not null,
  current_version integer not null,
  approved_version integer,
  approval_id uuid,
  created_by_name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  source_tent_id uuid,
  constraint tent_template_pkey PRIMARY KEY (workspace_id, template_id),
  constraint tent_template_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint tent_template_check CHECK (((status = 'approved'::text) = (approved_version IS NOT NULL))),
  constraint tent_template_check1 CHECK (((approved_version IS NULL) = (approval_id IS NULL))),
  constraint tent_template_check2 CHECK (((approved_version >= 1) AND (approved_version <= current_version))),
  constraint tent_template_current_version_check CHECK ((current_version >= 0)),
  constraint tent_template_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'approved'::text])))
);
CREATE INDEX tent_template_created ON public.tent_template USING btree (workspace_id, created_at, template_id);
alter table public.tent_template enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent_template;
grant delete, insert, select, update on public.tent_template to tentpole_service;

create table public.tent_template_approval (
  workspace_id uuid not null,
  approval_id uuid not null,
  template_id uuid not null,
  version integer not null,
  html text not null,
  approved_at timestamp with time zone not null,
  constraint tent_template_approval_pkey PRIMARY KEY (workspace_id, approval_id),
  constraint tent_template_approval_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint tent_template_approval_version_check CHECK ((version >= 1))
);
alter table public.tent_template_approval enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent_template_approval;
grant delete, insert, select, update on public.tent_template_approval to tentpole_service;

create table public.tent_template_version (
  workspace_id uuid not null,
  template_id uuid not null,
  version integer not null,
  html text not null,
  created_at timestamp with time zone not null,
  constraint tent_template_version_pkey PRIMARY KEY (workspace_id, template_id, version),
  constraint tent_template_version_workspace_id_template_id_fkey FOREIGN KEY (workspace_id, template_id) REFERENCES tent_template(workspace_id, template_id) ON DELETE CASCADE,
  constraint tent_template_version_version_check CHECK ((version >= 1))
);
alter table public.tent_template_version enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.tent_template_version;
grant delete, insert, select, update on public.tent_template_version to tentpole_service;

create table public.test_mail (
  workspace_id uuid not null,
  test_mail_id uuid not null,
  email_id uuid not null,
  version integer not null,
  contact_id uuid,
  address text not null,
  address_normalized text not null,
  handed_over boolean not null default false,
  constraint test_mail_pkey PRIMARY KEY (workspace_id, test_mail_id),
  constraint test_mail_workspace_id_email_id_fkey FOREIGN KEY (workspace_id, email_id) REFERENCES email(workspace_id, email_id) ON DELETE CASCADE,
  constraint test_mail_version_check CHECK ((version >= 1))
);
CREATE INDEX test_mail_email ON public.test_mail USING btree (workspace_id, email_id);
alter table public.test_mail enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.test_mail;
grant delete, insert, select, update on public.test_mail to tentpole_service;

create table public.traffic_batch (
  workspace_id uuid not null,
  batch_id uuid not null,
  at timestamp with time zone not null,
  constraint traffic_batch_pkey PRIMARY KEY (workspace_id, batch_id),
  constraint traffic_batch_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);
CREATE INDEX traffic_batch_age ON public.traffic_batch USING brin (at);
alter table public.traffic_batch enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.traffic_batch;
grant delete, insert, select, update on public.traffic_batch to tentpole_service;

create table public.visitor_salt (
  day date not null,
  salt bytea not null,
  constraint visitor_salt_pkey PRIMARY KEY (day)
);
grant delete, insert, select, update on public.visitor_salt to tentpole_service;

create table public.workspace (
  workspace_id uuid not null,
  name text not null,
  slug text not null,
  plan text not null,
  credits integer not null,
  time_zone text not null default 'UTC'::text,
  default_country text not null default 'US'::text,
  postal_address text,
  sender_from_name text,
  sender_from_address text,
  sender_reply_to text,
  brand jsonb not null default '{}'::jsonb,
  sending_per_second integer,
  sending_per_domain_per_second integer,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint workspace_pkey PRIMARY KEY (workspace_id),
  constraint workspace_slug_key UNIQUE (slug),
  constraint workspace_plan_fkey FOREIGN KEY (plan) REFERENCES plan(plan),
  constraint workspace_credits_check CHECK ((credits >= 0)),
  constraint workspace_default_country_check CHECK ((default_country ~ '^[A-Z]{2}$'::text)),
  constraint workspace_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint workspace_sending_per_domain_per_second_check CHECK ((sending_per_domain_per_second > 0)),
  constraint workspace_sending_per_second_check CHECK ((sending_per_second > 0)),
  constraint workspace_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text))
);
CREATE TRIGGER site_changed AFTER INSERT OR DELETE OR UPDATE OF slug, brand ON public.workspace FOR EACH STATEMENT EXECUTE FUNCTION tentpole_site_changed();
grant delete, insert, select, update on public.workspace to tentpole_service;

create table public.workspace_view_day (
  workspace_id uuid not null,
  day date not null,
  dimension text not null,
  value text collate "C" not null,
  views integer not null,
  constraint workspace_view_day_pkey PRIMARY KEY (workspace_id, day, dimension, value),
  constraint workspace_view_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE,
  constraint workspace_view_day_dimension_check CHECK ((dimension = ANY (ARRAY['all'::text, 'visits'::text, 'country'::text, 'device'::text, 'browser'::text, 'os'::text, 'referrer'::text])))
);
CREATE INDEX workspace_view_day_age ON public.workspace_view_day USING brin (day);
alter table public.workspace_view_day enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.workspace_view_day;
grant delete, insert, select, update on public.workspace_view_day to tentpole_service;

create table public.workspace_visitor_day (
  workspace_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint workspace_visitor_day_pkey PRIMARY KEY (workspace_id, day, visitor),
  constraint workspace_visitor_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
) partition by RANGE (day);
alter table public.workspace_visitor_day enable row level security;
create policy tenant for all to public using ((workspace_id = (NULLIF(current_setting('tentpole.workspace_id'::text, true), ''::text))::uuid)) on public.workspace_visitor_day;
grant delete, insert, select, update on public.workspace_visitor_day to tentpole_service;

create table public.workspace_visitor_day_rest partition of workspace_visitor_day DEFAULT (
  workspace_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint workspace_visitor_day_rest_pkey PRIMARY KEY (workspace_id, day, visitor),
  constraint workspace_visitor_day_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
);

create sequence jobs.job_queue_sequence_seq;
grant usage on jobs.job_queue_sequence_seq to tentpole_service;

create sequence public.delivery_token;
grant usage on public.delivery_token to tentpole_service;

create sequence public.flow_event_position_seq;

create sequence public.outbox_event_position_seq;

CREATE OR REPLACE FUNCTION public.blast_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     delete from delivery d using removed r where d.workspace_id = r.workspace_id and d.blast_id = r.blast_id;
     return null;
   end $function$;
grant execute on blast_gone() to public;

CREATE OR REPLACE FUNCTION public.contact_number(fields jsonb, field text, type text)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE type WHEN 'number'::text THEN ((fields ->> field))::double precision WHEN 'date'::text THEN ((EXTRACT(epoch FROM ((fields ->> field))::timestamp with time zone))::double precision * (1000)::double precision) ELSE NULL::double precision END;
grant execute on contact_number(jsonb,text,text) to public;

CREATE OR REPLACE FUNCTION public.contact_tally_add()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     if tg_op = 'INSERT' then
       insert into contact_tally as t (workspace_id, shard, contacts)
       select workspace_id, pg_backend_pid() % 64, count(*)::int from moved group by workspace_id
       on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts;
     else
       -- A workspace that goes takes its contacts along: what is left of its tally goes too.
       delete from contact_tally t using moved m
       where t.workspace_id = m.workspace_id and not exists (select from workspace w where w.workspace_id = m.workspace_id);
       insert into contact_tally as t (workspace_id, shard, contacts)
       select m.workspace_id, pg_backend_pid() % 64, -count(*)::int from moved m
       join workspace w on w.workspace_id = m.workspace_id
       group by m.workspace_id
       on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts;
     end if;
     return null;
   end $function$;
grant execute on contact_tally_add() to public;

CREATE OR REPLACE FUNCTION public.delivery_tally_add()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     if tg_op = 'INSERT' then
       insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened, clicked, bounced, complained, unsubscribed)
  
         select workspace_id, blast_id, pg_backend_pid() % 16,
           count(*) filter (where phase in ('queued', 'leased')), count(*) filter (where state = 'sent'), count(*) filter (where state in ('failed', 'unconfirmed')), count(*) filter (where phase = 'blocked'), count(*) filter (where delivered_at is not null), count(*) filter (where opened_at is not null), count(*) filter (where clicked_at is not null), count(*) filter (where bounced_at is not null), count(*) filter (where complained_at is not null), count(*) filter (where unsubscribed_at is not null)
         from added group by workspace_id, blast_id
  on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + excluded.queued, sent = t.sent + excluded.sent, failed = t.failed + excluded.failed, blocked = t.blocked + excluded.blocked, delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened, clicked = t.clicked + excluded.clicked, bounced = t.bounced + excluded.bounced, complained = t.complained + excluded.complained, unsubscribed = t.unsubscribed + excluded.unsubscribed;
       return null;
     end if;
     if not exists (select from added where phase in ('over', 'blocked')
  or num_nonnulls(delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at) > 0) and not exists (select from removed where phase in ('over', 'blocked')
  or num_nonnulls(delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at) > 0) then
       return null;
     end if;
     insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened, clicked, bounced, complained, unsubscribed)
  
       select * from (
         select workspace_id, blast_id, (pg_backend_pid() % 16)::smallint as shard,
           sum(sign * (phase in ('queued', 'leased'))::int)::int as queued, sum(sign * (state = 'sent')::int)::int as sent, sum(sign * (state in ('failed', 'unconfirmed'))::int)::int as failed, sum(sign * (phase = 'blocked')::int)::int as blocked, sum(sign * (delivered_at is not null)::int)::int as delivered, sum(sign * (opened_at is not null)::int)::int as opened, sum(sign * (clicked_at is not null)::int)::int as clicked, sum(sign * (bounced_at is not null)::int)::int as bounced, sum(sign * (complained_at is not null)::int)::int as complained, sum(sign * (unsubscribed_at is not null)::int)::int as unsubscribed
         from (select 1 as sign, * from added union all select -1, * from removed) as change
         group by workspace_id, blast_id
       ) as delta
       where (queued, sent, failed, blocked, delivered, opened, clicked, bounced, complained, unsubscribed) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + excluded.queued, sent = t.sent + excluded.sent, failed = t.failed + excluded.failed, blocked = t.blocked + excluded.blocked, delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened, clicked = t.clicked + excluded.clicked, bounced = t.bounced + excluded.bounced, complained = t.complained + excluded.complained, unsubscribed = t.unsubscribed + excluded.unsubscribed;
     return null;
   end $function$;
grant execute on delivery_tally_add() to public;

CREATE OR REPLACE FUNCTION public.flow_activated()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     new.activated_in := pg_current_xact_id();
     insert into outbox_consumer (workspace_id, consumer, transaction_id, position)
     values (new.workspace_id, 'flows', pg_current_xact_id(), 0) on conflict do nothing;
     insert into flow_clock (workspace_id, dates_until) values (new.workspace_id, clock_timestamp()) on conflict do nothing;
     return new;
   end $function$;
grant execute on flow_activated() to public;

CREATE OR REPLACE FUNCTION public.flow_membership_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     delete from flow_event e using removed r
     where e.workspace_id = r.workspace_id and e.membership_id = r.membership_id;
     return null;
   end $function$;
grant execute on flow_membership_gone() to public;

CREATE OR REPLACE FUNCTION public.flow_message_ended()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   declare
     woken uuid;
   begin
     if not exists (select from added where membership_id is not null
       and state in ('sent', 'failed', 'blocked', 'unconfirmed')) then
       return null;
     end if;
     with ended as (
       select a.workspace_id, a.membership_id, a.visit
       from added a join removed r on r.workspace_id = a.workspace_id and r.delivery_id = a.delivery_id
       where a.membership_id is not null and a.state in ('sent', 'failed', 'blocked', 'unconfirmed')
         and r.state not in ('sent', 'failed', 'blocked', 'unconfirmed')
     ),
     waiting as materialized (
       select m.workspace_id, m.membership_id
       from ended e
       join flow_membership m on m.workspace_id = e.workspace_id and m.membership_id = e.membership_id
         and m.awaited_visit = e.visit
       order by m.membership_id
       for no key update of m
     )
     update flow_membership m set due_at = clock_timestamp()
     from waiting w where m.workspace_id = w.workspace_id and m.membership_id = w.membership_id;
     for woken in select distinct workspace_id from added loop
       perform hint_due('flows', woken);
     end loop;
     return null;
   end $function$;
grant execute on flow_message_ended() to public;

CREATE OR REPLACE FUNCTION public.flow_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   declare
     held uuid;
     moved record;
   begin
     moved := case when tg_op = 'DELETE' then old else new end;
     for held in select blast_id from blast
       where workspace_id = moved.workspace_id and purpose = 'flow_step' and flow_id = moved.flow_id order by blast_id
     loop
       perform pg_advisory_xact_lock(hashtextextended(held::text, 0));
     end loop;
     if tg_op = 'DELETE' or new.status = 'archived' then
       update blast set status = 'cancelled', paused = false, cancelled_at = now(), updated_at = now()
       where workspace_id = moved.workspace_id and purpose = 'flow_step' and flow_id = moved.flow_id and status = 'sending';
     else
       update blast set paused = new.status <> 'active', updated_at = now()
       where workspace_id = new.workspace_id and purpose = 'flow_step' and flow_id = new.flow_id and status = 'sending';
     end if;
     -- Whose flow begins to run is looked at from now on; who has none any more is looked at in vain, more and more seldom.
     insert into due_work as w (kind, workspace_id, due_at)
     select kind, moved.workspace_id, clock_timestamp()
     from (values ('flows'), ('flow_events'), ('flow_dates'), ('deliveries')) as work (kind)
     where exists (select from workspace where workspace_id = moved.workspace_id)
     on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at), looks = 0;
     return null;
   end $function$;
grant execute on flow_moved() to public;

CREATE OR REPLACE FUNCTION public.flow_tally_add()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     insert into flow_tally as t (workspace_id, flow_id, shard, active, waiting, completed, dropped, failed, last_entry_at)
     select workspace_id, flow_id, pg_backend_pid() % 16,
       count(*) filter (where status = 'active'), count(*) filter (where status = 'waiting'), count(*) filter (where status = 'completed'), count(*) filter (where status = 'dropped'), count(*) filter (where status = 'failed'), max(entered_at)
     from added group by workspace_id, flow_id
     on conflict (workspace_id, flow_id, shard) do update set
       active = t.active + excluded.active, waiting = t.waiting + excluded.waiting, completed = t.completed + excluded.completed, dropped = t.dropped + excluded.dropped, failed = t.failed + excluded.failed,
       last_entry_at = greatest(t.last_entry_at, excluded.last_entry_at);
     insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
     select workspace_id, flow_id, step_id, pg_backend_pid() % 16, count(*)::int
     from added where status in ('active', 'waiting') and step_id is not null
     group by workspace_id, flow_id, step_id
     on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members;
     return null;
   end $function$;
grant execute on flow_tally_add() to public;

CREATE OR REPLACE FUNCTION public.flow_tally_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     insert into flow_tally as t (workspace_id, flow_id, shard, active, waiting, completed, dropped, failed)
     select * from (
       select workspace_id, flow_id, (pg_backend_pid() % 16)::smallint as shard, sum(sign * (status = 'active')::int)::int as active, sum(sign * (status = 'waiting')::int)::int as waiting, sum(sign * (status = 'completed')::int)::int as completed, sum(sign * (status = 'dropped')::int)::int as dropped, sum(sign * (status = 'failed')::int)::int as failed
       from (select 1 as sign, workspace_id, flow_id, status from added
         union all select -1, workspace_id, flow_id, status from removed) as change
       group by workspace_id, flow_id
     ) as delta
     where (active, waiting, completed, dropped, failed) <> (0, 0, 0, 0, 0)
     on conflict (workspace_id, flow_id, shard) do update set
       active = t.active + excluded.active, waiting = t.waiting + excluded.waiting, completed = t.completed + excluded.completed, dropped = t.dropped + excluded.dropped, failed = t.failed + excluded.failed;
     insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
     select * from (
       select workspace_id, flow_id, step_id, (pg_backend_pid() % 16)::smallint as shard, sum(sign)::int as members
       from (select 1 as sign, workspace_id, flow_id, status, step_id from added
         union all select -1, workspace_id, flow_id, status, step_id from removed) as change
       where status in ('active', 'waiting') and step_id is not null
       group by workspace_id, flow_id, step_id
     ) as delta
     where members <> 0
     on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members;
     return null;
   end $function$;
grant execute on flow_tally_move() to public;

CREATE OR REPLACE FUNCTION public.grant_intents(workspace uuid, asked uuid[], holders bigint[], blasts uuid[], lease interval)
 RETURNS TABLE(granted_id uuid, answer text)
 LANGUAGE plpgsql
AS $function$
   declare
     involved uuid;
   begin
     -- A handful of rows by their ids: no plan may read through a workspace's deliveries for them, statistics or not.
     perform set_config('tentpole.workspace_id', workspace::text, true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true);
     -- An intent that the server could forget would let the message go twice. Stronger settings stay as they are.
     if current_setting('synchronous_commit') in ('off', 'local') then
       perform set_config('synchronous_commit', 'on', true);
     end if;
     for involved in select distinct blast from unnest(blasts) as named (blast) order by blast loop
       perform pg_advisory_xact_lock_shared(hashtextextended(involved::text, 0));
     end loop;
     return query
       -- By id first, whatever its state: the index of leases is full of what was leased a moment ago.
       with held as materialized (
         select d.delivery_id as id, d.state, d.lease_until,
           case
             when b.status = 'cancelled' then 'cancelled'
             when d.membership_id is not null and (m.status is distinct from 'active'
               or m.awaited_visit is distinct from d.visit) then 'cancelled'
             when b.status <> 'sending' or b.paused then 'paused'
             when c.contact_id is null then 'contact_deleted'
             when not d.operational and (c.unsubscribed or s.reason = 'unsubscribe') then 'unsubscribed'
             when not d.operational and c.marketing_email_subscribed is false then 'opt_out'
             when c.marketing_email_invalid then 'invalid_email'
             when s.reason <> 'unsubscribe' then 'suppressed'
             else 'granted'
           end as verdict
         from unnest(asked, holders, blasts) as ask (id, holder, blast)
         join delivery d on d.workspace_id = workspace and d.delivery_id = ask.id and d.token = ask.holder
           -- the blast that was locked, and no other
           and d.blast_id = ask.blast
         join blast b on b.workspace_id = workspace and b.blast_id = d.blast_id
         left join contact c on c.workspace_id = workspace and c.contact_id = d.contact_id
         left join suppression s on s.workspace_id = workspace and s.email_normalized = d.email_normalized
         left join flow_membership m on m.workspace_id = workspace and m.membership_id = d.membership_id
         order by d.delivery_id
         for update of d
       )
       update delivery d set
         state = case held.verdict when 'granted' then 'handed_over' when 'paused' then 'queued' else 'blocked' end,
         reason = case when held.verdict in ('granted', 'paused') then null else held.verdict end,
         token = case when held.verdict = 'granted' then d.token end,
         lease_until = case when held.verdict = 'granted' then clock_timestamp() + lease end,
         handed_over_at = case when held.verdict = 'granted' then clock_timestamp() else d.handed_over_at end
       from held
       where d.workspace_id = workspace and d.delivery_id = held.id
         and held.state = 'claimed' and held.lease_until > clock_timestamp()
       returning d.delivery_id, held.verdict;
   end $function$;
grant execute on grant_intents(uuid,uuid[],bigint[],uuid[],interval) to public;

CREATE OR REPLACE FUNCTION public.hint_due(hinted text, workspace uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
     update due_work w set due_at = least(w.due_at, clock_timestamp()), looks = 0
     from (select kind, workspace_id from due_work
       where kind = hinted and workspace_id = workspace and (due_at > clock_timestamp() or looks > 0)
       for update skip locked) as quiet
     where w.kind = quiet.kind and w.workspace_id = quiet.workspace_id
   $function$;
grant execute on hint_due(text,uuid) to public;

CREATE OR REPLACE FUNCTION public.list_member_tally()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     if tg_op = 'INSERT' then
       update list l set member_count = l.member_count + m.moved
       from (select workspace_id, list_id, count(*)::int as moved from moved group by workspace_id, list_id) as m
       where l.workspace_id = m.workspace_id and l.list_id = m.list_id;
     else
       update list l set member_count = l.member_count - m.moved
       from (select workspace_id, list_id, count(*)::int as moved from moved group by workspace_id, list_id) as m
       where l.workspace_id = m.workspace_id and l.list_id = m.list_id;
     end if;
     return null;
   end $function$;
grant execute on list_member_tally() to public;

CREATE OR REPLACE FUNCTION public.outbox_hint()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   declare
     told uuid;
   begin
     for told in select distinct workspace_id from added loop
       perform hint_due('flow_events', told);
     end loop;
     return null;
   end $function$;
grant execute on outbox_hint() to public;

CREATE OR REPLACE FUNCTION public.tentpole_backlog()
 RETURNS TABLE(queue text, kind text, state text, items bigint, oldest_s double precision)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
   declare
     utc timestamp := now() at time zone 'UTC';
   begin
     return query
       select 'due', d.kind, 'due', count(*) filter (where d.due_at <= now()),
         extract(epoch from now() - min(d.due_at) filter (where d.due_at <= now()))::double precision
       from public.due_work d group by d.kind;
     return query
       select 'deliveries', '', case when b.paused then 'paused' else 'open' end, sum(t.queued)::bigint, null::double precision
       from public.blast b join public.delivery_tally t on t.workspace_id = b.workspace_id and t.blast_id = b.blast_id
       where b.status = 'sending' group by b.paused;
     return query
       select 'deliveries', '', d.state, count(*), extract(epoch from now() - min(d.handed_over_at))::double precision
       from public.delivery d where d.state in ('claimed', 'handed_over') group by d.state;
     return query
       select 'jobs', j.type, j.state, count(*), extract(epoch from utc - min(j.since))::double precision
       from (
         select substring(q.element from '"type":"([a-z_]+)"') as type,
           case when q.acquired_at is not null then 'running' when q.visible_at <= utc then 'ready' else 'later' end as state,
           case when q.acquired_at is not null then q.acquired_at when q.visible_at <= utc then q.visible_at end as since
         from jobs.job_queue q where q.queue_name = 'jobs' and q.state = 'pending'
       ) j group by j.type, j.state;
     return query
       select 'jobs', substring(q.element from '"type":"([a-z_]+)"'), 'dead', count(*),
         extract(epoch from utc - min(q.updated_at))::double precision
       from jobs.job_queue q where q.state = 'failed' group by 2;
     return query
       select 'connections', substring(a.application_name from 10), coalesce(a.state, 'unknown'), count(*),
         extract(epoch from now() - min(a.state_change))::double precision
       from pg_stat_activity a
       where a.datname = current_database() and a.application_name in ('tentpole http', 'tentpole worker', 'tentpole command line')
       group by 2, 3;
   end $function$;
grant execute on tentpole_backlog() to tentpole_service;

CREATE OR REPLACE FUNCTION public.tentpole_forget_activity(days integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
   declare
     before date := (now() at time zone 'UTC')::date - days;
     part record;
     gone int := 0;
   begin
     if days < 30 then
       raise exception 'timelines are kept for 30 days at least, got %', days;
     end if;
     for part in
       select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'public.activity'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     loop
       begin
         execute format('drop table %s', part.name);
         gone := gone + 1;
       exception when lock_not_available then
         null;
       end;
     end loop;
     delete from public.activity_rest where at < before::timestamp at time zone 'UTC';
     return gone;
   end $function$;
grant execute on tentpole_forget_activity(integer) to tentpole_service;

CREATE OR REPLACE FUNCTION public.tentpole_forget_audit(days integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
   begin
     if days < 365 then
       raise exception 'the audit log is kept for 365 days at least, got %', days;
     end if;
     delete from public.audit_entry where at < now() - make_interval(days => days);
   end $function$;
grant execute on tentpole_forget_audit(integer) to tentpole_service;

CREATE OR REPLACE FUNCTION public.tentpole_forget_traffic()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
   declare
     today date := (now() at time zone 'UTC')::date;
     part record;
     gone int := 0;
   begin
     for part in
       select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent in ('public.page_view'::regclass, 'public.page_visitor_day'::regclass,
           'public.workspace_visitor_day'::regclass)
         and c.relname ~ '_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
         and to_date(right(c.relname, 10), 'YYYY_MM_DD')
           <= today - case when i.inhparent = 'public.page_view'::regclass then 8 else 2 end
     loop
       begin
         execute format('drop table %s', part.name);
         gone := gone + 1;
       exception when lock_not_available then
         null;
       end;
     end loop;
     delete from public.page_view_rest where at < (today - 7)::timestamp at time zone 'UTC';
     delete from public.page_visitor_day_rest where day <= today - 2;
     delete from public.workspace_visitor_day_rest where day <= today - 2;
     delete from public.page_view_day where day < today - 400;
     delete from public.workspace_view_day where day < today - 400;
     delete from public.traffic_batch where at < now() - interval '1 day';
     return gone;
   end $function$;
grant execute on tentpole_forget_traffic() to tentpole_service;

CREATE OR REPLACE FUNCTION public.tentpole_misjudged(relation text, tally text, counted text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
   declare
     misjudged boolean;
   begin
     -- A workspace of some size that is taken for a quarter of it, and half of which has come since it was looked at.
     execute format($query$
       with common as (
         select m.workspace_id, m.share
         from pg_stats s, unnest(s.most_common_vals::text::uuid[], s.most_common_freqs) as m (workspace_id, share)
         where s.schemaname = 'public' and s.tablename = %L and s.attname = 'workspace_id'
       ), expected as (
         select c.reltuples as rows, coalesce(t.n_mod_since_analyze, 0) as moved,
           greatest(0, 1 - coalesce((select sum(share) from common), 0)) / greatest(1,
             coalesce((
               select case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end from pg_stats s
               where s.schemaname = 'public' and s.tablename = %L and s.attname = 'workspace_id'
             ), 0) - (select count(*) from common)) as others_share
         from pg_class c left join pg_stat_all_tables t on t.relid = c.oid
         where c.oid = to_regclass('public.' || %L)
       )
       select exists (
         select from (select workspace_id, sum(%s) as held from %I group by workspace_id) as kept
         cross join expected left join common using (workspace_id)
         where kept.held >= 1000 and expected.moved * 2 >= kept.held
           and kept.held > 4 * expected.rows * coalesce(common.share, expected.others_share)
       )$query$, relation, relation, relation, counted, tally) into misjudged;
     return misjudged;
   end $function$;

CREATE OR REPLACE FUNCTION public.tentpole_partitions(parent text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
   declare
     step interval := case when parent = 'activity' then interval '1 month' else interval '1 day' end;
     pattern text := case when parent = 'activity' then 'YYYY_MM' else 'YYYY_MM_DD' end;
     today timestamp := date_trunc(case when parent = 'activity' then 'month' else 'day' end, now() at time zone 'UTC');
     first timestamp;
     made int := 0;
     name text;
     zone text := case when parent in ('activity', 'page_view') then '+00' else '' end;
   begin
     if parent not in ('activity', 'page_view', 'page_visitor_day', 'workspace_visitor_day') then
       raise exception 'no partitioned table %', parent;
     end if;
     perform pg_advisory_xact_lock(hashtextextended('tentpole_partitions', 0));
     for ahead in -1..(case when parent = 'activity' then 3 else 7 end) loop
       first := today + ahead * step;
       name := parent || '_' || to_char(first, pattern);
       if to_regclass('public.' || name) is null then
         begin
           execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', name, parent,
             first || zone, (first + step) || zone);
           made := made + 1;
         exception when check_violation then
           null; -- the rest already holds rows of that time: they stay where they are
         end;
       end if;
     end loop;
     return made;
   end $function$;
grant execute on tentpole_partitions(text) to tentpole_service;

CREATE OR REPLACE FUNCTION public.tentpole_site_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   begin
     perform pg_notify('tentpole_pages', '');
     return null;
   end $function$;
grant execute on tentpole_site_changed() to public;

CREATE OR REPLACE FUNCTION public.tentpole_statistics()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
   declare
     contacts boolean := tentpole_misjudged('contact', 'contact_tally', 'contacts');
     deliveries boolean := tentpole_misjudged('delivery', 'delivery_tally', 'queued + sent + failed + blocked');
     members boolean := tentpole_misjudged('flow_membership', 'flow_tally', 'active + waiting + completed + dropped + failed');
     grown record;
     analyzed int := 0;
   begin
     -- Tables that are four times what they were when they were last looked at, and none that somebody else is looking at.
     for grown in
       select c.oid::regclass as name from pg_class c
       where c.oid in (to_regclass('public.contact'), to_regclass('public.list'), to_regclass('public.list_member'),
         to_regclass('public.delivery'), to_regclass('public.flow_membership'), to_regclass('public.flow_event'))
         and (pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
           or contacts and c.oid in (to_regclass('public.contact'), to_regclass('public.list_member'))
           or deliveries and c.oid = to_regclass('public.delivery')
           or members and c.oid in (to_regclass('public.flow_membership'), to_regclass('public.flow_event')))
     loop
       execute format('analyze (skip_locked) %s', grown.name);
       analyzed := analyzed + 1;
     end loop;
     return analyzed;
   end $function$;
grant execute on tentpole_statistics() to tentpole_service;

CREATE OR REPLACE FUNCTION public.uuidv7_or_v4()
 RETURNS uuid
 LANGUAGE sql
AS $function$select uuidv7()$function$;
grant execute on uuidv7_or_v4() to public;
