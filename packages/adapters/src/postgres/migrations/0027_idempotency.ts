// Idempotency keys: the requests that run or have run under one, and their answers.
import { migration, tenant } from "./Migration.ts"

export const idempotency = migration(
  // Key, path and body are stored as hashes only; answers are encrypted.
  `create table idempotency_key (
     workspace_id uuid not null references workspace on delete cascade,
     scope_hash bytea not null check (octet_length(scope_hash) = 32),
     -- null while the body of the first request is being received
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
  // Housekeeping searches by this.
  `create index idempotency_key_expiry on idempotency_key (workspace_id, expires_at)`,
  // Ciphertext does not compress.
  `alter table idempotency_key alter column answer_sealed set storage external`,
  tenant("idempotency_key"),
)
