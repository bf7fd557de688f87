-- Workspaces with their plans, API keys, sending domains and page hosts.

create table plan (
  plan text not null,
  published_tents_max int,
  emails_per_day_max int,
  contacts_max int,
  recipients_per_blast_max int,
  flows boolean not null,
  branding_removable boolean not null,
  constraint plan_pkey primary key (plan)
);
comment on table plan is 'The limits of a workspace, the same for all workspaces of a plan. Null: no limit.';
insert into plan
  (plan, published_tents_max, emails_per_day_max, contacts_max, recipients_per_blast_max, flows, branding_removable)
values
  ('free', 1, 100, 1000, null, false, false),
  ('pro', 100, null, null, null, true, true),
  ('max', null, null, null, null, true, true);

create table workspace (
  workspace_id uuid not null,
  name text not null constraint workspace_name_length check (char_length(name) between 1 and 200),
  slug text not null constraint workspace_slug_is_host_label check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  plan text not null constraint workspace_plan_known check (plan in ('free', 'pro', 'max')),
  credits int not null constraint workspace_credits_not_negative check (credits >= 0),
  time_zone text not null default 'UTC',
  default_country text not null default 'US'
    constraint workspace_default_country_is_code check (default_country ~ '^[A-Z]{2}$'),
  postal_address text,
  sender_from_name text, sender_from_address text, sender_reply_to text,
  brand jsonb not null default '{}',
  consent jsonb not null default '{}',
  sending_per_second int constraint workspace_sending_per_second_positive check (sending_per_second > 0),
  sending_per_domain_per_second int
    constraint workspace_sending_per_domain_per_second_positive check (sending_per_domain_per_second > 0),
  four_eyes boolean not null default false,
  created_at timestamptz not null, updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint workspace_pkey primary key (workspace_id),
  constraint workspace_slug_unique unique (slug)
);
comment on table workspace is 'Tenants. Every row of a tenant table belongs to one of them.';
comment on column workspace.slug is 'The first label of the host of its pages: <slug>.<PAGES_HOST>.';
comment on column workspace.credits is 'Credits left for generations by the AI.';
comment on column workspace.default_country is 'Country of phone numbers without a country code.';
comment on column workspace.postal_address is 'Shown in the footer of each email.';
comment on column workspace.consent is 'How it handles consent; what is absent has its default.';
comment on column workspace.sending_per_second is 'Send rate limit in messages a second. Null: no limit.';
comment on column workspace.sending_per_domain_per_second is 'Send rate limit of each recipient domain. Null: no limit.';
comment on column workspace.four_eyes is 'Who edited an email last cannot approve it, and who approved it cannot send it.';
comment on column workspace.deleted_at is 'A deleted workspace is no longer found. Its rows are erased gradually.';

create table workspace_home (
  workspace_id uuid not null constraint workspace_home_workspace_fkey references workspace on delete cascade,
  constraint workspace_home_pkey primary key (workspace_id)
);
comment on table workspace_home is 'Each workspace has one row, which is where its other rows are.';

alter table due_work add constraint due_work_workspace_fkey
  foreign key (workspace_id) references workspace on delete cascade;
alter table outbox_consumer add constraint outbox_consumer_workspace_fkey
  foreign key (workspace_id) references workspace on delete cascade;

create table api_key (
  workspace_id uuid not null constraint api_key_workspace_fkey references workspace on delete cascade,
  key_id uuid not null,
  name text not null,
  prefix text not null,
  role text not null constraint api_key_role_known check (role in ('viewer', 'editor', 'sender', 'owner')),
  hash bytea not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  constraint api_key_pkey primary key (workspace_id, key_id)
);
create unique index api_key_hash on api_key (hash);
comment on table api_key is 'API keys, found by their hash before the workspace is known.';
comment on column api_key.prefix is 'The first characters of the key, by which users recognise it.';
comment on column api_key.hash is 'SHA-256 of the key, which is stored nowhere.';

create table sending_domain (
  workspace_id uuid not null constraint sending_domain_workspace_fkey references workspace on delete cascade,
  domain_id uuid not null,
  domain text not null,
  status text not null constraint sending_domain_status_known check (status in ('pending', 'verified', 'failed')),
  dkim_selector text not null,
  dkim_public_key text not null,
  dkim_private_key_sealed bytea not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  constraint sending_domain_pkey primary key (workspace_id, domain_id),
  constraint sending_domain_domain_unique unique (workspace_id, domain),
  constraint sending_domain_verified_has_verified_at check (verified_at is not null or status <> 'verified')
);
comment on table sending_domain is 'Domains that a workspace sends from, with their DKIM keys.';
comment on column sending_domain.dkim_private_key_sealed is 'Encrypted with APP_SECRET.';

create table page_host (
  host text not null,
  workspace_id uuid not null constraint page_host_workspace_fkey references workspace on delete cascade,
  page_domain_id uuid not null,
  created_at timestamptz not null,
  constraint page_host_pkey primary key (host)
);
create index page_host_workspace on page_host (workspace_id);
comment on table page_host is 'Own domains of workspaces for their pages. <slug>.<PAGES_HOST> needs no row.';
