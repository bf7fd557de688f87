// Tents: pages, their aliases, and the notification when a served page changes.
import { migration, tenant } from "./Migration.ts"

/** The NOTIFY channel of changed pages. The payload is a workspace id, or empty when the address of a site changed. */
export const pages_channel = "tentpole_pages"

export const tents = migration(
  `create table tent (
     workspace_id uuid not null references workspace on delete cascade,
     tent_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     -- the name of the requester, as the caller sent it
     user_id text,
     -- pending: idle, nothing was requested yet
     status text not null check (status in ('pending', 'queued', 'generating', 'completed', 'failed')),
     prompt text,
     include_brand boolean not null default false,
     template_id uuid,
     auto_publish boolean not null default false,
     html text,
     error text,
     -- the credit taken when the work was accepted; returned once if it fails
     credits_held int not null default 0 check (credits_held >= 0),
     branding boolean not null default true,
     publication_status text check (publication_status in ('pending', 'published', 'failed', 'unpublished')),
     requested_alias text,
     published_html text,
     published_etag text,
     published_at timestamptz,
     publication_warnings jsonb,
     publication_error jsonb,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, tent_id),
     check ((status = 'pending') = (prompt is null)),
     check ((status = 'completed') = (html is not null)),
     check ((status = 'failed') = (error is not null)),
     check (credits_held = 0 or status in ('queued', 'generating')),
     check ((publication_status is not distinct from 'published') = (published_html is not null)),
     check ((publication_status is not distinct from 'published') = (published_etag is not null)),
     check ((publication_status is not distinct from 'published') = (published_at is not null)),
     check ((publication_status is not distinct from 'published') = (publication_warnings is not null)),
     check ((publication_status is not distinct from 'failed') = (publication_error is not null))
   )`,
  `create index tent_newest on tent (workspace_id, created_at desc, tent_id)`,
  // The plan's limit counts these.
  `create index tent_published on tent (workspace_id) where publication_status = 'published'`,
  tenant("tent"),

  // One tent for each alias, also under concurrency. '/' is the root of the page domain.
  `create table tent_alias (
     workspace_id uuid not null,
     alias text collate "C" not null,
     tent_id uuid not null,
     primary key (workspace_id, alias),
     unique (workspace_id, tent_id),
     foreign key (workspace_id, tent_id) references tent on delete cascade
   )`,
  tenant("tent_alias"),

  // Sites are served from memory: every change, from any source, notifies all processes.
  `create function tentpole_site_changed() returns trigger language plpgsql as $$
   begin
     perform pg_notify('${pages_channel}', '');
     return null;
   end $$`,
  `create trigger site_changed after insert or delete or update of slug, brand on workspace
     for each statement execute function tentpole_site_changed()`,
  `create trigger site_changed after insert or delete or update on page_host
     for each statement execute function tentpole_site_changed()`,
)
