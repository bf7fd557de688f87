// Stored counters for tests that write rows with statements of their own, without a store.

/** Sets the number of contacts and of members of static lists to what the rows say. `$1` is the workspace. */
export const recount = `
  with members as (
    update list l set member_count = (select count(*) from list_member m
      where m.workspace_id = l.workspace_id and m.list_id = l.list_id)
    where l.workspace_id = $1::uuid and l.kind = 'static')
  insert into contact_tally as t (workspace_id, shard, contacts)
  select $1::uuid, 0, (select count(*) from contact where workspace_id = $1::uuid)
    - coalesce((select sum(contacts) from contact_tally where workspace_id = $1::uuid), 0)
  on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts`
