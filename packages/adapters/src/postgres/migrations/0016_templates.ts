// Email templates and tent templates with their versions and approvals, and the approval that a tent was built from.
import { migration, tenant } from "./Migration.ts"

/** Columns of both kinds. */
const shared = `
     workspace_id uuid not null references workspace on delete cascade,
     template_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     status text not null check (status in ('draft', 'approved')),
     current_version int not null check (current_version >= 0),
     approved_version int,
     approval_id uuid,
     created_by_name text not null,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, template_id),
     check ((status = 'approved') = (approved_version is not null)),
     check ((approved_version is null) = (approval_id is null)),
     check (approved_version between 1 and current_version)`

/** Initial values of emails created from a template. The template and its approvals have the same columns. */
const mail = `
     default_subject text,
     default_preview_text text,
     default_from_name text,
     default_from_address text,
     default_reply_to_email text,
     -- the user's own plain text; null: derived from the HTML
     plain_text text,
     plain_text_overridden_at timestamptz,
     plain_text_overridden_version int,
     check ((plain_text is null) = (plain_text_overridden_at is null)),
     check ((plain_text is null) = (plain_text_overridden_version is null))`

const versions = (table: string) => [
  `create table ${table}_version (
     workspace_id uuid not null,
     template_id uuid not null,
     version int not null check (version >= 1),
     html text not null,
     created_at timestamptz not null,
     primary key (workspace_id, template_id, version),
     foreign key (workspace_id, template_id) references ${table} on delete cascade
   )`,
  ...tenant(`${table}_version`),
]

const frozen = `
     workspace_id uuid not null references workspace on delete cascade,
     approval_id uuid not null,
     template_id uuid not null,
     version int not null check (version >= 1),
     html text not null,
     approved_at timestamptz not null,
     primary key (workspace_id, approval_id)`

export const templates = migration(
  `create table email_template (${shared},
     -- the email from which it was created; it may be deleted
     source_email_id uuid,${mail}
   )`,
  `create index email_template_created on email_template (workspace_id, created_at, template_id)`,
  tenant("email_template"),
  versions("email_template"),
  // Retained when the template is deleted: tents that were accepted with it are still created from it.
  `create table email_template_approval (${frozen},${mail}
   )`,
  tenant("email_template_approval"),

  `create table tent_template (${shared},
     -- the tent from which it was created; it may be deleted
     source_tent_id uuid
   )`,
  `create index tent_template_created on tent_template (workspace_id, created_at, template_id)`,
  tenant("tent_template"),
  versions("tent_template"),
  `create table tent_template_approval (${frozen}
   )`,
  tenant("tent_template_approval"),

  // The approval of the tent's template at the time when the tent was accepted.
  `alter table tent add column template_approval_id uuid`,
  `alter table tent add constraint tent_template_pinned check ((template_id is null) = (template_approval_id is null))`,
)
