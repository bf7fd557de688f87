// Exports of lists become exports of list members or of a blast's recipients. Existing ones stay.
import { migration } from "./Migration.ts"

export const exports = migration(
  "alter table list_export rename to export",
  "alter table export rename column list_export_id to export_id",
  ...["pkey", "workspace_id_fkey", "status_check", "check", "check1", "check2", "check3"].map(
    (name) => `alter table export rename constraint list_export_${name} to export_${name}`,
  ),
  // no reference to the blast either: an export expires by itself, with its file
  `alter table export
     alter column list_id drop not null,
     alter column exclude_unsubscribed drop not null,
     add column blast_id uuid,
     add column category text check (category in
       ('recipients', 'sent', 'delivered', 'opened', 'clicked', 'bounced', 'unsubscribed', 'spam')),
     add constraint export_of_one check (num_nonnulls(list_id, blast_id) = 1),
     add constraint export_of_list check ((list_id is null) = (exclude_unsubscribed is null)),
     add constraint export_of_blast check ((blast_id is null) = (category is null))`,
)
