// Views of published pages, one row each, and their daily sums, so that reads do not scan views.
import { global, migration, tenant } from "./Migration.ts"

export const traffic = migration(
  `create table page_view (
     workspace_id uuid not null,
     tent_id uuid not null,
     at timestamptz not null,
     view_id uuid not null default uuidv7_or_v4(),
     -- the visitor of that day: a hash whose salt is deleted after the day
     visitor bytea not null,
     country text not null,
     device text not null,
     browser text not null,
     os text not null,
     referrer text not null,
     primary key (workspace_id, tent_id, at, view_id)
   ) partition by range (at)`,
  // The newest views of a workspace. Those of one tent follow the primary key.
  `create index page_view_newest on page_view (workspace_id, at desc)`,
  tenant("page_view"),
  `create table page_view_rest partition of page_view default`,
  `select tentpole_partitions('page_view')`,

  // dimension 'all' counts views; the others count views by value
  `create table page_view_day (
     workspace_id uuid not null references workspace on delete cascade,
     tent_id uuid not null,
     day date not null,
     dimension text not null check (dimension in ('all', 'country', 'device', 'browser', 'os', 'referrer')),
     value text collate "C" not null,
     views int not null,
     primary key (workspace_id, tent_id, day, dimension, value)
   )`,
  tenant("page_view_day"),

  `create table page_visitor_day (
     workspace_id uuid not null references workspace on delete cascade,
     tent_id uuid not null,
     day date not null,
     visitor bytea not null,
     primary key (workspace_id, tent_id, day, visitor)
   )`,
  tenant("page_visitor_day"),

  // One salt a day for all processes and workspaces, whose ids are part of the hash. It is deleted after its day.
  `create table visitor_salt (
     day date primary key,
     salt bytea not null
   )`,
  global("visitor_salt"),
)
