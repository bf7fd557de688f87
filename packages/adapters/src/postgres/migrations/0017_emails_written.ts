// Columns for AI-generated emails and test messages: the template's HTML that the first generation builds on, and test messages
// that wait to be sent.
import { migration, tenant } from "./Migration.ts"

export const emailsWritten = migration(
  // deleted with the first version, which replaces it
  `alter table email add column basis text,
     add constraint email_basis check (basis is null or current_version = 0)`,

  // exists from the request to the end of the message; handed over once at most
  `create table test_mail (
     workspace_id uuid not null,
     test_mail_id uuid not null,
     email_id uuid not null,
     version int not null check (version >= 1),
     -- null: a sample contact
     contact_id uuid,
     address text not null,
     address_normalized text not null,
     handed_over boolean not null default false,
     primary key (workspace_id, test_mail_id),
     foreign key (workspace_id, email_id) references email on delete cascade
   )`,
  `create index test_mail_email on test_mail (workspace_id, email_id)`,
  tenant("test_mail"),
)
