-- Contact lists, and the members of static lists.

create table list (
  workspace_id uuid not null constraint list_workspace_fkey references workspace on delete cascade,
  list_id uuid not null,
  kind text not null constraint list_kind_known check (kind in ('static', 'dynamic', 'system')),
  system_list text constraint list_system_list_known check (system_list in ('all_contacts', 'unsubscribed')),
  name text not null, name_folded text collate "C" not null,
  slug text collate "C" not null,
  description text,
  rules jsonb,
  member_count int constraint list_member_count_not_negative check (member_count >= 0),
  owner_blast_id uuid,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint list_pkey primary key (workspace_id, list_id),
  constraint list_name unique (workspace_id, name_folded),
  constraint list_slug unique (workspace_id, slug),
  constraint list_static_has_member_count check ((kind = 'static') = (member_count is not null)),
  constraint list_system_has_system_list check ((kind = 'system') = (system_list is not null)),
  constraint list_only_dynamic_has_rules check (rules is null or kind = 'dynamic')
);
create index list_created on list (workspace_id, created_at, list_id);
comment on table list is 'Static lists have members, dynamic lists have rules, system lists have a fixed meaning.';
comment on column list.system_list is 'Which contacts a system list contains.';
comment on column list.member_count is 'Members of a static list, written by the statements that change them.';
comment on column list.owner_blast_id is 'The blast whose inline audience this is. Such a list is not in listings.';

create table list_member (
  workspace_id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  added_at timestamptz not null,
  constraint list_member_pkey primary key (workspace_id, list_id, contact_id),
  constraint list_member_list_fkey foreign key (workspace_id, list_id) references list on delete cascade,
  constraint list_member_contact_fkey foreign key (workspace_id, contact_id) references contact on delete cascade
);
create index list_member_contact on list_member (workspace_id, contact_id, list_id);
comment on table list_member is 'The members of static lists.';
