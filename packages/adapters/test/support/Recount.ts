// Stored counters for tests that write rows with statements of their own, without a store.
import { tallyCounters } from "@tentpole/core/sending/Delivery"

const counters = tallyCounters.join(", ")

/**
 * Sets the number of contacts, of members of static lists, of choices for topics and of deliveries of blasts to what the rows say. Figures stay as they
 * are. `$1` is the workspace.
 */
export const recount = `
  with differences as (
    select blast_id, ${tallyCounters.map((name) => `sum(${name}) as ${name}`).join(", ")} from (
      select blast_id, (state = 'queued')::int as queued, (state = 'queued' and attempts > 0)::int as deferred,
        (state = 'sent')::int as sent, (state in ('failed', 'unconfirmed'))::int as failed, (state = 'blocked')::int as blocked,
        num_nonnulls(delivered_at) as delivered, num_nonnulls(opened_at) as opened, num_nonnulls(clicked_at) as clicked,
        num_nonnulls(bounced_at) as bounced, num_nonnulls(complained_at) as complained,
        num_nonnulls(unsubscribed_at) as unsubscribed
      from delivery where workspace_id = $1::uuid
      union all
      select blast_id, ${tallyCounters.map((name) => `-${name}`).join(", ")} from delivery_tally where workspace_id = $1::uuid) as each
    group by blast_id),
  deliveries as (
    insert into delivery_tally as t (workspace_id, blast_id, shard, ${counters})
    select $1::uuid, blast_id, 0, ${counters} from differences
    on conflict (workspace_id, blast_id, shard) do update set
      ${tallyCounters.map((name) => `${name} = t.${name} + excluded.${name}`).join(", ")}),
  members as (
    update list l set member_count = (select count(*) from list_member m
      where m.workspace_id = l.workspace_id and m.list_id = l.list_id)
    where l.workspace_id = $1::uuid and l.kind = 'static'),
  choices as (
    insert into topic_tally as t (workspace_id, topic_id, shard, subscribed, not_subscribed)
    select $1::uuid, topic_id, 0, sum(subscribed), sum(not_subscribed) from (
      select h.topic_id, (h.status = 'subscribed')::int as subscribed, (h.status <> 'subscribed')::int as not_subscribed
      from topic_choice h join contact c using (workspace_id, contact_id)
      where h.workspace_id = $1::uuid and not c.unsubscribed
      union all
      select topic_id, -subscribed, -not_subscribed from topic_tally where workspace_id = $1::uuid) as each
    group by topic_id
    on conflict (workspace_id, topic_id, shard) do update set
      subscribed = t.subscribed + excluded.subscribed, not_subscribed = t.not_subscribed + excluded.not_subscribed)
  insert into contact_tally as t (workspace_id, shard, contacts, unsubscribed)
  select $1::uuid, 0, count(*) - coalesce((select sum(contacts) from contact_tally where workspace_id = $1::uuid), 0),
    count(*) filter (where unsubscribed)
      - coalesce((select sum(unsubscribed) from contact_tally where workspace_id = $1::uuid), 0)
  from contact where workspace_id = $1::uuid
  on conflict (workspace_id, shard) do update set
    contacts = t.contacts + excluded.contacts, unsubscribed = t.unsubscribed + excluded.unsubscribed`
