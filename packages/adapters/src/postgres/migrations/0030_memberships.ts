// Memberships of flows: their states, their timelines, and the messages of their steps, which are deliveries like those of
// blasts.
import { migration, tenant } from "./Migration.ts"

/** The part of a delta that one counter contributes: how many more rows have a status. */
const moved = (status: string): string => `sum(sign * (status = '${status}')::int)::int as ${status}`

const statuses = ["active", "waiting", "completed", "dropped", "failed"]

const members: ReadonlyArray<string> = [
  `create table flow_membership (
     workspace_id uuid not null,
     membership_id uuid not null,
     flow_id uuid not null,
     -- stays when the contact is deleted
     contact_id uuid not null,
     entry_source text not null,
     tokens jsonb not null,
     created_emails jsonb not null default '[]',
     -- as in core/src/flows/Membership.ts; queried parts have their own columns
     state jsonb not null,
     status text not null check (status in ('active', 'waiting', 'completed', 'dropped', 'failed')),
     step_id text,
     -- the step visit whose message is on its way
     awaited_visit int,
     -- the time of the next check; null: an event has to happen first
     due_at timestamptz,
     -- entered a flow that allows no re-entry
     sole boolean not null,
     entered_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, membership_id),
     foreign key (workspace_id, flow_id) references flow on delete cascade,
     check (status = state ->> 'status'),
     check (awaited_visit is null or status in ('active', 'dropped'))
   ) with (fillfactor = 90)`,
  // One live membership for each contact and flow, and only one ever where the flow says so.
  `create unique index flow_membership_live on flow_membership (workspace_id, flow_id, contact_id)
     where status in ('active', 'waiting')`,
  `create unique index flow_membership_sole on flow_membership (workspace_id, flow_id, contact_id) where sole`,
  // By flow, so that an index scan skips a paused one with a million due memberships.
  `create index flow_membership_due on flow_membership (workspace_id, flow_id, due_at, membership_id)
     where due_at is not null`,
  `create index flow_membership_contact on flow_membership (workspace_id, contact_id, flow_id)`,
  `create index flow_membership_entered on flow_membership (workspace_id, flow_id, entered_at, membership_id)`,
  ...tenant("flow_membership"),

  `create table flow_event (
     workspace_id uuid not null,
     membership_id uuid not null,
     position bigint generated always as identity,
     type text not null,
     at timestamptz not null,
     step_id text,
     metadata jsonb not null,
     primary key (workspace_id, membership_id, position)
   )`,
  // No reference: the lookup of the membership was half the cost of writing a timeline entry.
  `create function flow_membership_gone() returns trigger language plpgsql as $$
   begin
     delete from flow_event e using removed r
     where e.workspace_id = r.workspace_id and e.membership_id = r.membership_id;
     return null;
   end $$`,
  `create trigger flow_membership_gone after delete on flow_membership referencing old table as removed
     for each statement execute function flow_membership_gone()`,
  ...tenant("flow_event"),

  // The ids of what step visits have created, so that nothing is created twice.
  `create table flow_made (
     workspace_id uuid not null,
     membership_id uuid not null,
     visit int not null,
     attempt int not null,
     made_id uuid not null,
     primary key (workspace_id, membership_id, visit, attempt),
     foreign key (workspace_id, membership_id) references flow_membership on delete cascade
   )`,
  ...tenant("flow_made"),

  // The contacts for which date triggers have fired, and the time up to which dates were checked.
  `create table flow_date_fired (
     workspace_id uuid not null,
     flow_id uuid not null,
     contact_id uuid not null,
     day date not null,
     primary key (workspace_id, flow_id, contact_id, day),
     foreign key (workspace_id, flow_id) references flow on delete cascade
   )`,
  ...tenant("flow_date_fired"),
  `create table flow_clock (
     workspace_id uuid primary key references workspace on delete cascade,
     dates_until timestamptz not null
   )`,
  ...tenant("flow_clock"),

  // Counters, written by the statement that changes the rows, like delivery_tally.
  `create function flow_tally_add() returns trigger language plpgsql as $$
   begin
     insert into flow_tally as t (workspace_id, flow_id, shard, ${statuses.join(", ")}, last_entry_at)
     select workspace_id, flow_id, pg_backend_pid() % 16,
       ${statuses.map((status) => `count(*) filter (where status = '${status}')`).join(", ")}, max(entered_at)
     from added group by workspace_id, flow_id
     on conflict (workspace_id, flow_id, shard) do update set
       ${statuses.map((status) => `${status} = t.${status} + excluded.${status}`).join(", ")},
       last_entry_at = greatest(t.last_entry_at, excluded.last_entry_at);
     insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
     select workspace_id, flow_id, step_id, pg_backend_pid() % 16, count(*)::int
     from added where status in ('active', 'waiting') and step_id is not null
     group by workspace_id, flow_id, step_id
     on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members;
     return null;
   end $$`,
  `create function flow_tally_move() returns trigger language plpgsql as $$
   begin
     insert into flow_tally as t (workspace_id, flow_id, shard, ${statuses.join(", ")})
     select * from (
       select workspace_id, flow_id, (pg_backend_pid() % 16)::smallint as shard, ${statuses.map(moved).join(", ")}
       from (select 1 as sign, workspace_id, flow_id, status from added
         union all select -1, workspace_id, flow_id, status from removed) as change
       group by workspace_id, flow_id
     ) as delta
     where (${statuses.join(", ")}) <> (${statuses.map(() => "0").join(", ")})
     on conflict (workspace_id, flow_id, shard) do update set
       ${statuses.map((status) => `${status} = t.${status} + excluded.${status}`).join(", ")};
     insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
     select * from (
       select workspace_id, flow_id, step_id, (pg_backend_pid() % 16)::smallint as shard, sum(sign)::int as members
       from (select 1 as sign, workspace_id, flow_id, status, step_id from added
         union all select -1, workspace_id, flow_id, status, step_id from removed) as change
       where status in ('active', 'waiting') and step_id is not null
       group by workspace_id, flow_id, step_id
     ) as delta
     where members <> 0
     on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members;
     return null;
   end $$`,
  `create trigger flow_tally_insert after insert on flow_membership referencing new table as added
     for each statement execute function flow_tally_add()`,
  `create trigger flow_tally_update after update on flow_membership referencing old table as removed new table as added
     for each statement execute function flow_tally_move()`,

  // The check of statistics now covers memberships too.
  `create or replace function tentpole_statistics() returns int language plpgsql security definer
     set search_path = pg_catalog, public, pg_temp as $$
   declare
     contacts boolean := tentpole_misjudged('contact', 'contact_tally', 'contacts');
     deliveries boolean := tentpole_misjudged('delivery', 'delivery_tally', 'queued + sent + failed + blocked');
     members boolean := tentpole_misjudged('flow_membership', 'flow_tally', '${statuses.join(" + ")}');
     grown record;
     analyzed int := 0;
   begin
     -- Tables that are four times what they were when they were last looked at, and none that somebody else is looking at.
     for grown in
       select c.oid::regclass as name from pg_class c
       where c.oid in (to_regclass('public.contact'), to_regclass('public.list'), to_regclass('public.list_member'),
         to_regclass('public.delivery'), to_regclass('public.flow_membership'), to_regclass('public.flow_event'))
         and (pg_relation_size(c.oid) / current_setting('block_size')::int > 10 + 4 * c.relpages
           or contacts and c.oid in (to_regclass('public.contact'), to_regclass('public.list_member'))
           or deliveries and c.oid = to_regclass('public.delivery')
           or members and c.oid in (to_regclass('public.flow_membership'), to_regclass('public.flow_event')))
     loop
       execute format('analyze (skip_locked) %s', grown.name);
       analyzed := analyzed + 1;
     end loop;
     return analyzed;
   end $$`,

  // The number of checks of a workspace that found nothing: the next one comes later.
  `alter table due_work add column looks int not null default 0`,
  // Hints that there may be work, without waiting for concurrent hints or checks. A hint that is lost this way is found by one of
  // the next checks, which soon follow a hint and then become rare. The delay is about as long as the transaction.
  `create function hint_due(hinted text, workspace uuid) returns void language sql volatile as $$
     update due_work w set due_at = least(w.due_at, clock_timestamp()), looks = 0
     from (select kind, workspace_id from due_work
       where kind = hinted and workspace_id = workspace and (due_at > clock_timestamp() or looks > 0)
       for update skip locked) as quiet
     where w.kind = quiet.kind and w.workspace_id = quiet.workspace_id
   $$`,
  `create function outbox_hint() returns trigger language plpgsql as $$
   declare
     told uuid;
   begin
     for told in select distinct workspace_id from added loop
       perform hint_due('flow_events', told);
     end loop;
     return null;
   end $$`,
  `create trigger outbox_hint after insert on outbox_event referencing new table as added
     for each statement execute function outbox_hint()`,
]

/** The messages that flows send, and their states when the flow's state changes. */
const messages: ReadonlyArray<string> = [
  // A row for each sending step, which listings of blasts leave out. Its deliveries are claimed, granted and settled like those of
  // other blasts.
  `alter table blast add column purpose text not null default 'blast' check (purpose in ('blast', 'flow_step')),
     add column flow_id uuid,
     add column step_id text,
     add constraint blast_of_step check ((purpose = 'flow_step') = (flow_id is not null)),
     add constraint blast_step check ((flow_id is null) = (step_id is null)),
     drop constraint blast_check6,
     add constraint blast_complete check (purpose = 'flow_step' or status in ('draft', 'archived')
       or (approval_id is not null and send_mode is not null and audience_list_id is not null and email_id is not null))`,
  `create unique index blast_flow_step on blast (workspace_id, flow_id, step_id) where purpose = 'flow_step'`,

  `alter table delivery add column membership_id uuid,
     add column flow_id uuid,
     add column step_id text,
     add column visit int,
     add column tokens jsonb,
     add constraint delivery_of_flow check (num_nonnulls(membership_id, flow_id, step_id, visit, tokens) in (0, 5))`,
  // One message for each step visit. Within a blast these are null, and a contact has one delivery, as before.
  `create unique index delivery_visit on delivery (workspace_id, membership_id, visit) where membership_id is not null`,
  `drop index delivery_contact`,
  `create unique index delivery_contact on delivery (workspace_id, blast_id, contact_id, membership_id, visit)
     nulls not distinct`,
  `drop index delivery_address`,
  `create unique index delivery_address on delivery (workspace_id, blast_id, email_normalized)
     where state <> 'blocked' and membership_id is null`,

  // A settlement, sweep or end of a membership's message makes the membership due. In the order of their ids, like every
  // transaction that locks several.
  `create function flow_message_ended() returns trigger language plpgsql as $$
   declare
     woken uuid;
   begin
     if not exists (select from added where membership_id is not null
       and state in ('sent', 'failed', 'blocked', 'unconfirmed')) then
       return null;
     end if;
     with ended as (
       select a.workspace_id, a.membership_id, a.visit
       from added a join removed r on r.workspace_id = a.workspace_id and r.delivery_id = a.delivery_id
       where a.membership_id is not null and a.state in ('sent', 'failed', 'blocked', 'unconfirmed')
         and r.state not in ('sent', 'failed', 'blocked', 'unconfirmed')
     ),
     waiting as materialized (
       select m.workspace_id, m.membership_id
       from ended e
       join flow_membership m on m.workspace_id = e.workspace_id and m.membership_id = e.membership_id
         and m.awaited_visit = e.visit
       order by m.membership_id
       for no key update of m
     )
     update flow_membership m set due_at = clock_timestamp()
     from waiting w where m.workspace_id = w.workspace_id and m.membership_id = w.membership_id;
     for woken in select distinct workspace_id from added loop
       perform hint_due('flows', woken);
     end loop;
     return null;
   end $$`,
  `create trigger flow_message_ended after update on delivery referencing old table as removed new table as added
     for each statement execute function flow_message_ended()`,

  // As before, and besides: no intent is granted for a membership that no longer waits for the message, because it has left
  // the flow. One round trip that commits by itself. A volatile function takes a new snapshot for each statement, so the last
  // one sees a pause or cancellation that committed while the first one waited. A transaction that changes whether a blast may
  // send takes these locks exclusively. Returns, for each delivery whose token is still valid: granted, paused (queued again),
  // or its block reason.
  `create or replace function grant_intents(workspace uuid, asked uuid[], holders bigint[], blasts uuid[], lease interval)
     returns table (granted_id uuid, answer text) language plpgsql volatile as $$
   declare
     involved uuid;
   begin
     -- A handful of rows by their ids: no plan may read through a workspace's deliveries for them, statistics or not.
     perform set_config('tentpole.workspace_id', workspace::text, true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true);
     -- An intent that the server could forget would let the message go twice. Stronger settings stay as they are.
     if current_setting('synchronous_commit') in ('off', 'local') then
       perform set_config('synchronous_commit', 'on', true);
     end if;
     for involved in select distinct blast from unnest(blasts) as named (blast) order by blast loop
       perform pg_advisory_xact_lock_shared(hashtextextended(involved::text, 0));
     end loop;
     return query
       -- By id first, whatever its state: the index of leases is full of what was leased a moment ago.
       with held as materialized (
         select d.delivery_id as id, d.state, d.lease_until,
           case
             when b.status = 'cancelled' then 'cancelled'
             when d.membership_id is not null and (m.status is distinct from 'active'
               or m.awaited_visit is distinct from d.visit) then 'cancelled'
             when b.status <> 'sending' or b.paused then 'paused'
             when c.contact_id is null then 'contact_deleted'
             when not d.operational and (c.unsubscribed or s.reason = 'unsubscribe') then 'unsubscribed'
             when not d.operational and c.marketing_email_subscribed is false then 'opt_out'
             when c.marketing_email_invalid then 'invalid_email'
             when s.reason <> 'unsubscribe' then 'suppressed'
             else 'granted'
           end as verdict
         from unnest(asked, holders, blasts) as ask (id, holder, blast)
         join delivery d on d.workspace_id = workspace and d.delivery_id = ask.id and d.token = ask.holder
           -- the blast that was locked, and no other
           and d.blast_id = ask.blast
         join blast b on b.workspace_id = workspace and b.blast_id = d.blast_id
         left join contact c on c.workspace_id = workspace and c.contact_id = d.contact_id
         left join suppression s on s.workspace_id = workspace and s.email_normalized = d.email_normalized
         left join flow_membership m on m.workspace_id = workspace and m.membership_id = d.membership_id
         order by d.delivery_id
         for update of d
       )
       update delivery d set
         state = case held.verdict when 'granted' then 'handed_over' when 'paused' then 'queued' else 'blocked' end,
         reason = case when held.verdict in ('granted', 'paused') then null else held.verdict end,
         token = case when held.verdict = 'granted' then d.token end,
         lease_until = case when held.verdict = 'granted' then clock_timestamp() + lease end,
         handed_over_at = case when held.verdict = 'granted' then clock_timestamp() else d.handed_over_at end
       from held
       where d.workspace_id = workspace and d.delivery_id = held.id
         and held.state = 'claimed' and held.lease_until > clock_timestamp()
       returning d.delivery_id, held.verdict;
   end $$`,

  // A flow's messages follow its state: they wait while it is paused, and unsent ones are cancelled when it ends. Intents are
  // stopped as when a blast is paused.
  `create function flow_moved() returns trigger language plpgsql as $$
   declare
     held uuid;
     moved record;
   begin
     moved := case when tg_op = 'DELETE' then old else new end;
     for held in select blast_id from blast
       where workspace_id = moved.workspace_id and purpose = 'flow_step' and flow_id = moved.flow_id order by blast_id
     loop
       perform pg_advisory_xact_lock(hashtextextended(held::text, 0));
     end loop;
     if tg_op = 'DELETE' or new.status = 'archived' then
       update blast set status = 'cancelled', paused = false, cancelled_at = now(), updated_at = now()
       where workspace_id = moved.workspace_id and purpose = 'flow_step' and flow_id = moved.flow_id and status = 'sending';
     else
       update blast set paused = new.status <> 'active', updated_at = now()
       where workspace_id = new.workspace_id and purpose = 'flow_step' and flow_id = new.flow_id and status = 'sending';
     end if;
     -- Whose flow begins to run is looked at from now on; who has none any more is looked at in vain, more and more seldom.
     insert into due_work as w (kind, workspace_id, due_at)
     select kind, moved.workspace_id, clock_timestamp()
     from (values ('flows'), ('flow_events'), ('flow_dates'), ('deliveries')) as work (kind)
     where exists (select from workspace where workspace_id = moved.workspace_id)
     on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at), looks = 0;
     return null;
   end $$`,
  `create trigger flow_moved after update on flow for each row when (old.status is distinct from new.status)
     execute function flow_moved()`,
  `create trigger flow_removed after delete on flow for each row when (old.status <> 'draft')
     execute function flow_moved()`,

  // Events before this transaction enroll no contact.
  `alter table flow add column activated_in xid8`,
  `create function flow_activated() returns trigger language plpgsql as $$
   begin
     new.activated_in := pg_current_xact_id();
     insert into outbox_consumer (workspace_id, consumer, transaction_id, position)
     values (new.workspace_id, 'flows', pg_current_xact_id(), 0) on conflict do nothing;
     insert into flow_clock (workspace_id, dates_until) values (new.workspace_id, clock_timestamp()) on conflict do nothing;
     return new;
   end $$`,
  `create trigger flow_activated before update on flow for each row
     when (new.status = 'active' and old.status <> 'active') execute function flow_activated()`,
]

export const memberships = migration(members, messages)
