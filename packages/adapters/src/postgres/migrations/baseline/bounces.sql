-- Reports of providers.

create table hook_token (
  workspace_id uuid not null constraint hook_token_workspace_fkey references workspace on delete cascade,
  provider text not null,
  token_hash bytea not null,
  body_hash bytea not null,
  used_at timestamptz not null,
  constraint hook_token_pkey primary key (workspace_id, provider, token_hash)
);
create index hook_token_used on hook_token (workspace_id, used_at);
comment on table hook_token is 'Tokens of webhooks that were used. Each is valid for one body only.';
