// Exports of lists. Their files are in the blob store.
import { migration, tenant } from "./Migration.ts"

export const listExports = migration(
  `create table list_export (
     workspace_id uuid not null references workspace on delete cascade,
     list_export_id uuid not null,
     -- no reference: the list may be deleted before; the export expires by itself, with its file
     list_id uuid not null,
     exclude_unsubscribed boolean not null,
     status text not null check (status in ('queued', 'running', 'completed', 'failed')),
     file_name text,
     row_count int,
     error text,
     created_at timestamptz not null,
     completed_at timestamptz,
     primary key (workspace_id, list_export_id),
     check ((status = 'completed') = (file_name is not null)),
     check ((status = 'completed') = (row_count is not null)),
     check ((status = 'failed') = (error is not null)),
     check ((status in ('completed', 'failed')) = (completed_at is not null))
   )`,
  tenant("list_export"),
)
