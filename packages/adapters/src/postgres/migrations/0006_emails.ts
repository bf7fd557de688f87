// Emails, their versions and their approvals.
import { migration, tenant } from "./Migration.ts"

export const emails = migration(
  `create table email (
     workspace_id uuid not null references workspace on delete cascade,
     email_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     status text not null check (status in ('draft', 'approved')),
     current_version int not null check (current_version >= 0),
     subject text,
     preview_text text,
     from_name text,
     from_address text,
     reply_to_email text,
     -- the user's own plain text; null: made from the HTML
     plain_text text,
     plain_text_overridden_at timestamptz,
     plain_text_overridden_version int,
     approved_version int,
     approval_id uuid,
     created_by_name text not null,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, email_id),
     check ((status = 'approved') = (approved_version is not null)),
     check ((approved_version is null) = (approval_id is null)),
     check ((plain_text is null) = (plain_text_overridden_at is null)),
     check ((plain_text is null) = (plain_text_overridden_version is null))
   )`,
  `create index email_created on email (workspace_id, created_at, email_id)`,
  tenant("email"),

  `create table email_version (
     workspace_id uuid not null,
     email_id uuid not null,
     version int not null check (version >= 1),
     html text not null,
     created_at timestamptz not null,
     primary key (workspace_id, email_id, version),
     foreign key (workspace_id, email_id) references email on delete cascade
   )`,
  tenant("email_version"),

  // Retained when the email is deleted: blasts were sent with it, and its links are still clicked.
  `create table email_approval (
     workspace_id uuid not null references workspace on delete cascade,
     approval_id uuid not null,
     email_id uuid not null,
     version int not null,
     subject text not null,
     preview_text text,
     from_name text not null,
     from_address text not null,
     reply_to_email text not null,
     html text not null,
     plain_text text not null,
     approved_at timestamptz not null,
     primary key (workspace_id, approval_id)
   )`,
  tenant("email_approval"),
)
