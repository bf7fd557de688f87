// Generations of emails, email templates and tent templates.
import { migration, tenant } from "./Migration.ts"

export const generations = migration(
  `create table generation (
     workspace_id uuid not null references workspace on delete cascade,
     generation_id uuid not null,
     -- the email or template; its store deletes its generations with it
     document_id uuid not null,
     status text not null check (status in ('generating', 'completed', 'failed')),
     prompt text not null,
     version int check (version >= 1),
     error text,
     created_by_name text not null,
     created_at timestamptz not null,
     completed_at timestamptz,
     primary key (workspace_id, generation_id),
     check ((status = 'generating') = (completed_at is null)),
     check ((status = 'completed') = (version is not null)),
     check ((status = 'failed') = (error is not null))
   )`,
  `create index generation_document on generation (workspace_id, document_id, created_at, generation_id)`,
  // the last guard against a second generation, if a document's lock is bypassed
  `create unique index generation_going_on on generation (workspace_id, document_id) where status = 'generating'`,
  tenant("generation"),
)
