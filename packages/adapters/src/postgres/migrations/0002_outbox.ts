// The outbox: what happened, in the order in which it may be read.
import { migration, service_role, tenant } from "./Migration.ts"

export const outbox = migration(
  // `position` alone would skip an event whose transaction commits after a later one's: a reader stops before the oldest
  // transaction still open, and orders by (transaction, position).
  `create table outbox_event (
     workspace_id uuid not null references workspace on delete cascade,
     transaction_id xid8 not null default pg_current_xact_id(),
     position bigint generated always as identity,
     type text not null,
     contact_id uuid,
     at timestamptz not null,
     data jsonb not null,
     recorded_at timestamptz not null default now(),
     primary key (workspace_id, transaction_id, position)
   )`,
  `create index outbox_event_age on outbox_event (workspace_id, recorded_at)`,
  tenant("outbox_event"),
  `create table outbox_consumer (
     workspace_id uuid not null references workspace on delete cascade,
     consumer text not null,
     transaction_id xid8 not null,
     position bigint not null,
     primary key (workspace_id, consumer)
   )`,
  tenant("outbox_consumer"),
  `create schema jobs`,
  // The queue's library looks after its own table at every start, with statements that do nothing once it is there.
  `grant usage, create on schema jobs to ${service_role}`,
  `alter default privileges in schema jobs grant select, insert, update, delete on tables to ${service_role}`,
  `alter default privileges in schema jobs grant usage on sequences to ${service_role}`,
)
