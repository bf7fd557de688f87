// Bounce reports: how a message bounced, and tokens of webhooks, each of which is valid for one body only.
import { migration, tenant } from "./Migration.ts"

export const reports = migration(
  // `soft` without a time: refused at sending, which counts as failed
  `alter table delivery add column bounce_kind text check (bounce_kind in ('hard', 'soft'))`,
  `update delivery set bounce_kind = 'hard' where bounced_at is not null`,

  `create table hook_token (
     workspace_id uuid not null references workspace on delete cascade,
     provider text not null,
     token_hash bytea not null,
     body_hash bytea not null,
     used_at timestamptz not null,
     primary key (workspace_id, provider, token_hash)
   )`,
  `create index hook_token_used on hook_token (workspace_id, used_at)`,
  tenant("hook_token"),
)
