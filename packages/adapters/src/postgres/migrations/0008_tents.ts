// Tents: pages, the addresses they are published under, and the views they get.
import { migration, tenant } from "./Migration.ts"

export const tents = migration(
  `create table tent (
     workspace_id uuid not null references workspace on delete cascade,
     tent_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     -- pending: idle, nothing was asked for yet
     status text not null check (status in ('pending', 'queued', 'generating', 'completed', 'failed')),
     prompt text,
     include_brand boolean not null default false,
     template_id uuid,
     auto_publish boolean not null default false,
     html text,
     error text,
     -- the credit taken when the work was accepted; given back once, when it fails
     credits_held int not null default 0 check (credits_held >= 0),
     publication_status text check (publication_status in ('pending', 'published', 'failed', 'unpublished')),
     requested_alias text,
     applied_alias text,
     published_html text,
     published_etag text,
     branding boolean not null default true,
     publication_warnings jsonb not null default '[]',
     publication_error jsonb,
     published_at timestamptz,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, tent_id),
     check ((status = 'completed') <= (html is not null)),
     check ((status = 'failed') = (error is not null)),
     check ((publication_status = 'published') <= (published_html is not null and published_at is not null))
   )`,
  `create index tent_created on tent (workspace_id, created_at, tent_id)`,
  tenant("tent"),

  // One tent an alias: the promise under concurrency. '/' is the root of the page domain.
  `create table tent_alias (
     workspace_id uuid not null,
     alias text collate "C" not null,
     tent_id uuid not null,
     primary key (workspace_id, alias),
     unique (workspace_id, tent_id),
     foreign key (workspace_id, tent_id) references tent on delete cascade
   )`,
  tenant("tent_alias"),
)
