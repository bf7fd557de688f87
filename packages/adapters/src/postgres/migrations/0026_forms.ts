// Submissions of the forms of published pages.
import { migration, tenant } from "./Migration.ts"

export const forms = migration(
  `create table form_submission (
     workspace_id uuid not null,
     tent_id uuid not null,
     submission_id uuid not null,
     form_id text not null,
     -- not jsonb, which would lose the order of the form's fields
     fields json not null,
     contact_id uuid,
     created_at timestamptz not null,
     primary key (workspace_id, submission_id),
     foreign key (workspace_id, tent_id) references tent on delete cascade,
     foreign key (workspace_id, contact_id) references contact on delete set null (contact_id)
   )`,
  `create index form_submission_newest on form_submission (workspace_id, tent_id, created_at desc, submission_id)`,
  // A deleted contact is removed from its submissions.
  `create index form_submission_contact on form_submission (workspace_id, contact_id) where contact_id is not null`,
  tenant("form_submission"),
)
