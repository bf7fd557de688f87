// Assets of tents, further fields of a tent's request, and bulk jobs.
import { migration, tenant } from "./Migration.ts"

export const tents = migration(
  // An asset whose bytes are in the blob store; a row exists only when all of them are.
  `create table tent_asset (
     workspace_id uuid not null,
     tent_id uuid not null,
     asset_id uuid not null,
     file_name text not null,
     content_type text not null,
     size_bytes bigint not null check (size_bytes > 0),
     created_at timestamptz not null,
     primary key (workspace_id, tent_id, asset_id),
     foreign key (workspace_id, tent_id) references tent on delete cascade
   )`,
  tenant("tent_asset"),

  // No reference: a file may be deleted before the generation runs, and is then left out.
  `alter table tent
     add column asset_ids uuid[] not null default '{}',
     add column reasoning text check (reasoning in ('min', 'medium', 'high', 'max')),
     add column alias_turn int not null default 1 check (alias_turn >= 1)`,

  `create table bulk_job (
     workspace_id uuid not null references workspace on delete cascade,
     bulk_job_id uuid not null,
     template_id uuid not null,
     auto_publish boolean not null,
     -- json, not jsonb: it is returned as it was sent
     metadata json,
     created_at timestamptz not null,
     primary key (workspace_id, bulk_job_id)
   )`,
  tenant("bulk_job"),
  // The progress of the job is derived from its tents: nothing is counted twice.
  `create table bulk_item (
     workspace_id uuid not null,
     bulk_job_id uuid not null,
     item_index int not null check (item_index >= 0),
     client_item_id text,
     tent_name text,
     custom_page_alias text,
     -- null: rejected. No reference: the tent may be deleted, its admission stays
     tent_id uuid,
     error_code text check (error_code in ('INVALID_ITEM', 'INSUFFICIENT_CREDITS')),
     message text,
     primary key (workspace_id, bulk_job_id, item_index),
     foreign key (workspace_id, bulk_job_id) references bulk_job on delete cascade,
     check ((tent_id is null) = (error_code is not null)),
     check ((error_code is null) = (message is null))
   )`,
  tenant("bulk_item"),
)
