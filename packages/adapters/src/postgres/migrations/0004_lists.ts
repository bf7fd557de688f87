// Contact lists and the members of static lists.
import { migration, tenant } from "./Migration.ts"

export const lists = migration(
  `create table list (
     workspace_id uuid not null references workspace on delete cascade,
     list_id uuid not null,
     kind text not null check (kind in ('static', 'dynamic', 'system')),
     -- which contacts a system list holds
     system_list text check (system_list in ('all_contacts', 'unsubscribed')),
     name text not null,
     name_folded text collate "C" not null,
     slug text collate "C" not null,
     description text,
     rules jsonb,
     member_count int check (member_count >= 0),
     -- set on a blast's inline audience: such a list is never listed
     owner_blast_id uuid,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, list_id),
     constraint list_name unique (workspace_id, name_folded),
     constraint list_slug unique (workspace_id, slug),
     check ((kind = 'static') = (member_count is not null)),
     check ((kind = 'system') = (system_list is not null)),
     check (rules is null or kind = 'dynamic')
   )`,
  `create index list_created on list (workspace_id, created_at, list_id)`,
  tenant("list"),

  `create table list_member (
     workspace_id uuid not null,
     list_id uuid not null,
     contact_id uuid not null,
     added_at timestamptz not null,
     primary key (workspace_id, list_id, contact_id),
     foreign key (workspace_id, list_id) references list on delete cascade,
     foreign key (workspace_id, contact_id) references contact on delete cascade
   )`,
  `create index list_member_contact on list_member (workspace_id, contact_id, list_id)`,
  tenant("list_member"),

  // The statement that changes members also keeps the count, including the cascade of a deleted contact, so that the two agree.
  // Locks are taken on contacts first, then on lists.
  `create function list_member_tally() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       update list l set member_count = l.member_count + m.moved
       from (select workspace_id, list_id, count(*)::int as moved from moved group by workspace_id, list_id) as m
       where l.workspace_id = m.workspace_id and l.list_id = m.list_id;
     else
       update list l set member_count = l.member_count - m.moved
       from (select workspace_id, list_id, count(*)::int as moved from moved group by workspace_id, list_id) as m
       where l.workspace_id = m.workspace_id and l.list_id = m.list_id;
     end if;
     return null;
   end $$`,
  `create trigger list_member_insert after insert on list_member referencing new table as moved
     for each statement execute function list_member_tally()`,
  `create trigger list_member_delete after delete on list_member referencing old table as moved
     for each statement execute function list_member_tally()`,
)
