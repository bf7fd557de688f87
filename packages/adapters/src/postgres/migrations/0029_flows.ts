// Flows: their structures, the emails that their steps create, and the counters of their memberships.
import { migration, tenant } from "./Migration.ts"

export const flows = migration(
  `create table flow (
     workspace_id uuid not null references workspace on delete cascade,
     flow_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     description text,
     status text not null check (status in ('draft', 'active', 'paused', 'archived')),
     -- triggers, steps, rules and settings, in the words of the API
     structure jsonb not null check (jsonb_typeof(structure) = 'object'),
     -- grows with every change of the structure
     revision int not null check (revision >= 1),
     activated_at timestamptz,
     paused_at timestamptz,
     archived_at timestamptz,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, flow_id),
     -- the states, as in core/src/flows/Flow.ts
     check ((status = 'active') = (activated_at is not null)),
     check ((status = 'paused') = (paused_at is not null)),
     check ((status = 'archived') = (archived_at is not null))
   )`,
  `create index flow_created on flow (workspace_id, created_at, flow_id)`,
  `create index flow_updated on flow (workspace_id, updated_at, flow_id)`,
  // Active flows. Lists, emails and templates check here whether they are in use.
  `create index flow_active on flow (workspace_id, flow_id) where status = 'active'`,
  tenant("flow"),

  // Emails that steps have created, each for one membership. The links are deleted with the flow.
  `create table flow_email (
     workspace_id uuid not null,
     email_id uuid not null,
     flow_id uuid not null,
     step_id text not null,
     primary key (workspace_id, email_id),
     foreign key (workspace_id, email_id) references email on delete cascade,
     foreign key (workspace_id, flow_id) references flow on delete cascade
   )`,
  `create index flow_email_of on flow_email (workspace_id, flow_id, email_id)`,
  tenant("flow_email"),

  // Counters of memberships, written by the statements that change them. Spread over shards, like delivery_tally.
  `create table flow_tally (
     workspace_id uuid not null,
     flow_id uuid not null,
     shard smallint not null,
     active int not null default 0,
     waiting int not null default 0,
     completed int not null default 0,
     dropped int not null default 0,
     failed int not null default 0,
     last_entry_at timestamptz,
     primary key (workspace_id, flow_id, shard),
     foreign key (workspace_id, flow_id) references flow on delete cascade
   )`,
  tenant("flow_tally"),
  // Live memberships by current step.
  `create table flow_step_tally (
     workspace_id uuid not null,
     flow_id uuid not null,
     step_id text not null,
     shard smallint not null,
     members int not null default 0,
     primary key (workspace_id, flow_id, step_id, shard),
     foreign key (workspace_id, flow_id) references flow on delete cascade
   )`,
  tenant("flow_step_tally"),
)
