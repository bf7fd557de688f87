-- Tents: web pages, their aliases and assets, and bulk jobs that create many of them.

create table tent (
  workspace_id uuid not null constraint tent_workspace_fkey references workspace on delete cascade,
  tent_id uuid not null,
  name text not null, name_folded text collate "C" not null,
  created_by_name text,
  user_id text,
  status text not null
    constraint tent_status_known check (status in ('pending', 'queued', 'generating', 'completed', 'failed')),
  prompt text,
  include_brand boolean not null default false,
  template_id uuid,
  template_approval_id uuid,
  asset_ids uuid[] not null default '{}',
  reasoning text constraint tent_reasoning_known check (reasoning in ('min', 'medium', 'high', 'max')),
  auto_publish boolean not null default false,
  variables jsonb not null default '{}',
  alias_turn int not null default 1 constraint tent_alias_turn_positive check (alias_turn >= 1),
  credits_held int not null default 0 constraint tent_credits_held_not_negative check (credits_held >= 0),
  current_version int not null default 0 constraint tent_current_version_not_negative check (current_version >= 0),
  generated_by text,
  error text,
  branding boolean not null default true,
  publication_status text
    constraint tent_publication_status_known check (publication_status in ('pending', 'published', 'failed', 'unpublished')),
  requested_alias text,
  published_html text,
  published_version int,
  published_etag text,
  published_at timestamptz,
  publication_warnings jsonb,
  publication_error jsonb,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint tent_pkey primary key (workspace_id, tent_id),
  constraint tent_pending_has_no_prompt check (status <> 'pending' or prompt is null),
  constraint tent_generated_has_prompt check (status in ('pending', 'completed') or prompt is not null),
  constraint tent_completed_has_version check ((status = 'completed') = (current_version > 0)),
  constraint tent_failed_has_error check ((status = 'failed') = (error is not null)),
  constraint tent_template_has_approval check ((template_id is null) = (template_approval_id is null)),
  constraint tent_credits_held_while_generating check (credits_held = 0 or status in ('queued', 'generating')),
  constraint tent_published_has_html
    check ((publication_status is not distinct from 'published') = (published_html is not null)),
  constraint tent_published_has_version
    check ((publication_status is not distinct from 'published') = (published_version is not null)),
  constraint tent_published_has_etag
    check ((publication_status is not distinct from 'published') = (published_etag is not null)),
  constraint tent_published_has_published_at
    check ((publication_status is not distinct from 'published') = (published_at is not null)),
  constraint tent_published_has_warnings
    check ((publication_status is not distinct from 'published') = (publication_warnings is not null)),
  constraint tent_failed_publication_has_error
    check ((publication_status is not distinct from 'failed') = (publication_error is not null))
);
create index tent_newest on tent (workspace_id, created_at desc, tent_id);
-- The limit of the plan counts these.
create index tent_published on tent (workspace_id) where publication_status = 'published';
comment on table tent is 'Web pages that the AI creates from a prompt, or that were uploaded.';
comment on column tent.user_id is 'The name by which the caller knows the user who requested the tent.';
comment on column tent.status is 'pending: idle, nothing was requested yet.';
comment on column tent.current_version is '0: there is no page yet.';
comment on column tent.published_version is 'The version that was current when the page was published.';
comment on column tent.template_approval_id is 'The approval of the template at the time when the tent was accepted.';
comment on column tent.asset_ids is 'Assets for the AI. No foreign key: one that is deleted before the generation is left out.';
comment on column tent.variables is 'Texts for `{{api.…}}` variables of the template and the prompt, by name.';
comment on column tent.generated_by is 'The AI provider that wrote the current version, `sample` for the fake AI.';
comment on column tent.alias_turn is 'The number of this tent among those that were accepted together and want the same alias.';
comment on column tent.credits_held is 'Credits taken when the generation was accepted. They are returned once if it fails.';
comment on column tent.branding is 'Whether the page has the line "Made with Tentpole".';

create table tent_version (
  workspace_id uuid not null,
  tent_id uuid not null,
  version int not null constraint tent_version_positive check (version >= 1),
  html text not null,
  made_by text not null constraint tent_version_made_by_known check (made_by in ('upload', 'generation')),
  by_name text not null,
  created_at timestamptz not null,
  constraint tent_version_pkey primary key (workspace_id, tent_id, version),
  constraint tent_version_tent_fkey foreign key (workspace_id, tent_id) references tent on delete cascade
);
comment on table tent_version is 'The HTML of each version of a page.';
comment on column tent_version.by_name is 'The API key that stored or requested the version.';

create table tent_alias (
  workspace_id uuid not null,
  alias text collate "C" not null,
  tent_id uuid not null,
  constraint tent_alias_pkey primary key (workspace_id, alias),
  constraint tent_alias_tent_unique unique (workspace_id, tent_id),
  constraint tent_alias_tent_fkey foreign key (workspace_id, tent_id) references tent on delete cascade
);
comment on table tent_alias is 'Addresses of tents. The keys allow one tent for each alias, also under concurrency.';
comment on column tent_alias.alias is '/ is the root of the host.';

create table tent_asset (
  workspace_id uuid not null,
  tent_id uuid not null,
  asset_id uuid not null,
  file_name text not null,
  content_type text not null,
  size_bytes bigint not null constraint tent_asset_size_positive check (size_bytes > 0),
  created_at timestamptz not null,
  constraint tent_asset_pkey primary key (workspace_id, tent_id, asset_id),
  constraint tent_asset_tent_fkey foreign key (workspace_id, tent_id) references tent on delete cascade
);
comment on table tent_asset is 'Files of tents. A row exists only when the blob store has all bytes.';

create table bulk_job (
  workspace_id uuid not null constraint bulk_job_workspace_fkey references workspace on delete cascade,
  bulk_job_id uuid not null,
  template_id uuid not null,
  auto_publish boolean not null,
  metadata json,
  created_at timestamptz not null,
  constraint bulk_job_pkey primary key (workspace_id, bulk_job_id)
);
create index bulk_job_newest on bulk_job (workspace_id, created_at desc, bulk_job_id);
comment on table bulk_job is 'Requests to create many tents from a template. Their progress is derived from their tents.';
comment on column bulk_job.metadata is 'json, not jsonb: it is returned as it was sent.';

create table bulk_item (
  workspace_id uuid not null,
  bulk_job_id uuid not null,
  item_index int not null constraint bulk_item_index_not_negative check (item_index >= 0),
  client_item_id text,
  tent_name text,
  custom_page_alias text,
  tent_id uuid,
  error_code text
    constraint bulk_item_error_code_known check (error_code in ('INVALID_ITEM', 'INSUFFICIENT_CREDITS')),
  message text,
  constraint bulk_item_pkey primary key (workspace_id, bulk_job_id, item_index),
  constraint bulk_item_job_fkey foreign key (workspace_id, bulk_job_id) references bulk_job on delete cascade,
  constraint bulk_item_has_tent_or_error check ((tent_id is null) = (error_code is not null)),
  constraint bulk_item_error_has_message check ((error_code is null) = (message is null))
);
comment on table bulk_item is 'The items of a bulk job, each with its tent or the reason why it was rejected.';
comment on column bulk_item.tent_id is 'No foreign key: the item stays when the tent is deleted.';
