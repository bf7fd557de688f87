// The schema changes of an imagined next release: one of each kind that CONTRIBUTING.md allows. They are additive, so that the
// release before still works.
import { inOneMessage } from "@tentpole/adapters/postgres/migrations/Migrate"

export const next_migration = "9999_next"

export const next_statements: ReadonlyArray<string> = [
  // A new table of workspaces.
  "create table next_thing (workspace_id uuid not null, contact_id uuid not null, primary key (workspace_id, contact_id))",
  "select distribute_by_workspace('next_thing')",
  "alter table next_thing add constraint next_thing_contact foreign key (workspace_id, contact_id) references contact on delete cascade",
  // Columns that may be null or have a default, so that the release before can insert rows.
  "alter table contact add column next_text text",
  "alter table blast add column next_count integer not null default 0",
  "alter table delivery add column next_settled boolean",
  // An index, and a function with the same result.
  "create index on contact (workspace_id, next_text)",
  "create function tentpole_next() returns int language sql as 'select 1'",
]

/** Migrates a database as the next release would. */
export const next_applied = inOneMessage([
  ...next_statements,
  `insert into schema_migration (name) values ('${next_migration}')`,
])
