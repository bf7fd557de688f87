// What a next release may bring to the schema, all of it additive: the release before it goes on over it. Of the kinds that
// the rule for migrations allows, one each (CONTRIBUTING.md).

export const next_migration = "9999_next"

export const next_statements: ReadonlyArray<string> = [
  // A table of its own.
  "create table next_thing (workspace_id uuid not null, next_thing_id uuid not null, primary key (workspace_id, next_thing_id))",
  // Columns that may be null, or have a default: who does not know them writes rows all the same.
  "alter table contact add column next_text text",
  "alter table blast add column next_count integer not null default 0",
  "alter table delivery add column next_settled boolean",
  // An index, and a function that does what it did.
  "create index on contact (workspace_id, next_text)",
  "create function tentpole_next() returns int language sql as 'select 1'",
]

/** For a database that the next release has migrated while this one runs, or before it starts: one statement, and a whole. */
export const next_applied = `do $do$ begin
  ${[...next_statements, `insert into schema_migration (name) values ('${next_migration}')`].join(";\n  ")};
end $do$`
