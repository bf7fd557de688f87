// The outbox: events in the order in which they may be read.
import { migration, service_role, tenant } from "./Migration.ts"

export const outbox = migration(
  // `position` alone would skip an event whose transaction commits after a later one's. A reader therefore stops before the
  // oldest open transaction, and orders by (transaction, position).
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
  // The queue library maintains its own table at every start, with statements that do nothing when it exists.
  `grant usage, create on schema jobs to ${service_role}`,
  `alter default privileges in schema jobs grant select, insert, update, delete on tables to ${service_role}`,
  `alter default privileges in schema jobs grant usage on sequences to ${service_role}`,
)
