// Administration: the audit log, the deletion of workspaces, and the listing of suppressions.
import { global, migration } from "./Migration.ts"

export const administration = migration(
  // Read across workspaces and retained when they are deleted: no reference. The service may add entries and change none.
  `create table audit_entry (
     entry_id uuid primary key,
     at timestamptz not null,
     actor text not null,
     workspace_id uuid not null,
     action text not null,
     target text not null,
     details jsonb not null
   )`,
  `create index audit_entry_newest on audit_entry (at desc, entry_id)`,
  `create index audit_entry_workspace on audit_entry (workspace_id, at desc, entry_id)`,
  global("audit_entry", "select, insert"),

  // A deleted workspace is no longer found; its rows are erased gradually.
  `alter table workspace add column deleted_at timestamptz`,
  `create index suppression_newest on suppression (workspace_id, created_at desc, email_normalized collate "C")`,
)
