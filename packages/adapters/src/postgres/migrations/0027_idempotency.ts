// Idempotency keys: which requests run or have run under one, and what they answered.
import { migration, tenant } from "./Migration.ts"

export const idempotency = migration(
  // Neither key nor path nor body is kept, but hashes of them; answers are sealed.
  `create table idempotency_key (
     workspace_id uuid not null references workspace on delete cascade,
     scope_hash bytea not null check (octet_length(scope_hash) = 32),
     -- null while the body of the first request is still coming in
     body_hash bytea check (octet_length(body_hash) = 32),
     holder uuid not null,
     leased_until timestamptz not null,
     expires_at timestamptz not null,
     answer_status int check (answer_status between 200 and 499),
     answer_headers jsonb,
     answer_sealed bytea,
     primary key (workspace_id, scope_hash),
     check ((answer_status is null) = (answer_headers is null)),
     check (answer_status is not null or answer_sealed is null),
     check (answer_status is null or body_hash is not null)
   )`,
  // What housekeeping looks for.
  `create index idempotency_key_expiry on idempotency_key (workspace_id, expires_at)`,
  // Ciphertext does not shrink.
  `alter table idempotency_key alter column answer_sealed set storage external`,
  tenant("idempotency_key"),
)
