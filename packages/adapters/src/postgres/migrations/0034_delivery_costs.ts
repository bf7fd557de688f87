// What a message costs the database: an intent that touches no index, counters that are left alone where they do not move,
// and less asked of each row that is written.
import { migration } from "./Migration.ts"

export const deliveryCosts = migration(
  // As much of the state as indexes know, so that handing over changes nothing of what they hold: its row's next version
  // then stays on its page, and no index is written to. That is the one write that a message waits for.
  `alter table delivery add column phase text collate "C" not null generated always as (
     case state when 'queued' then 'queued' when 'claimed' then 'leased' when 'handed_over' then 'leased'
       when 'blocked' then 'blocked' else 'over' end) stored`,
  // Room on each page for it.
  `alter table delivery set (fillfactor = 80)`,
  `drop index delivery_due`,
  `create index delivery_due on delivery (workspace_id, blast_id, lane, due_at, delivery_id) where phase = 'queued'`,
  // No times in it: there are never more leases than senders hold at once.
  `drop index delivery_leased`,
  `create index delivery_leased on delivery (workspace_id, blast_id, delivery_id) where phase = 'leased'`,
  `drop index delivery_address`,
  `create unique index delivery_address on delivery (workspace_id, blast_id, email_normalized)
     where phase <> 'blocked' and membership_id is null`,

  `create function delivery_counts(phase text, delivered timestamptz, opened timestamptz, clicked timestamptz,
     bounced timestamptz, complained timestamptz, unsubscribed timestamptz)
     returns boolean language sql immutable as $$
     select phase in ('over', 'blocked')
       or num_nonnulls(delivered, opened, clicked, bounced, complained, unsubscribed) > 0
   $$`,
  // As before, but that what was queued or leased, is so still, and has met with nothing, is not added up: claims and
  // hand-overs move no counter.
  `create or replace function delivery_tally_add() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened,
         clicked, bounced, complained, unsubscribed)
       select workspace_id, blast_id, pg_backend_pid() % 16,
         count(*) filter (where phase in ('queued', 'leased')), count(*) filter (where state = 'sent'),
         count(*) filter (where state in ('failed', 'unconfirmed')), count(*) filter (where phase = 'blocked'),
         count(delivered_at), count(opened_at), count(clicked_at), count(bounced_at), count(complained_at),
         count(unsubscribed_at)
       from added group by workspace_id, blast_id
       on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + excluded.queued,
         sent = t.sent + excluded.sent, failed = t.failed + excluded.failed, blocked = t.blocked + excluded.blocked,
         delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened,
         clicked = t.clicked + excluded.clicked, bounced = t.bounced + excluded.bounced,
         complained = t.complained + excluded.complained, unsubscribed = t.unsubscribed + excluded.unsubscribed;
       return null;
     end if;
     if not exists (select from added where delivery_counts(phase, delivered_at, opened_at, clicked_at, bounced_at,
         complained_at, unsubscribed_at))
       and not exists (select from removed where delivery_counts(phase, delivered_at, opened_at, clicked_at, bounced_at,
         complained_at, unsubscribed_at)) then
       return null;
     end if;
     insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened,
       clicked, bounced, complained, unsubscribed)
     select * from (
       select workspace_id, blast_id, (pg_backend_pid() % 16)::smallint as shard,
         sum(sign * (phase in ('queued', 'leased'))::int)::int as queued,
         sum(sign * (state = 'sent')::int)::int as sent,
         sum(sign * (state in ('failed', 'unconfirmed'))::int)::int as failed,
         sum(sign * (phase = 'blocked')::int)::int as blocked,
         sum(sign * (delivered_at is not null)::int)::int as delivered,
         sum(sign * (opened_at is not null)::int)::int as opened,
         sum(sign * (clicked_at is not null)::int)::int as clicked,
         sum(sign * (bounced_at is not null)::int)::int as bounced,
         sum(sign * (complained_at is not null)::int)::int as complained,
         sum(sign * (unsubscribed_at is not null)::int)::int as unsubscribed
       from (select 1 as sign, * from added union all select -1, * from removed) as change
       group by workspace_id, blast_id
     ) as delta
     where (queued, sent, failed, blocked, delivered, opened, clicked, bounced, complained, unsubscribed)
       <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
     on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + excluded.queued,
       sent = t.sent + excluded.sent, failed = t.failed + excluded.failed, blocked = t.blocked + excluded.blocked,
       delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened,
       clicked = t.clicked + excluded.clicked, bounced = t.bounced + excluded.bounced,
       complained = t.complained + excluded.complained, unsubscribed = t.unsubscribed + excluded.unsubscribed;
     return null;
   end $$`,

  // A recipient's blast is looked up no more for each of a million: whoever writes recipients writes to their blast's counters,
  // and these refer to it. Who deletes a blast waits for them at these, and then deletes what they have written.
  `alter table delivery drop constraint delivery_workspace_id_blast_id_fkey`,
  `create function blast_gone() returns trigger language plpgsql as $$
   begin
     delete from delivery d using removed r where d.workspace_id = r.workspace_id and d.blast_id = r.blast_id;
     return null;
   end $$`,
  `create trigger blast_gone after delete on blast referencing old table as removed
     for each statement execute function blast_gone()`,

  // What tells of an event holds rows of its workspace, and erasing one empties each of its tables.
  `alter table outbox_event drop constraint outbox_event_workspace_id_fkey`,

  // Planned into the statement that calls it, where a function in PL/pgSQL is called for each row.
  `do $$ begin
     if current_setting('server_version_num')::int >= 180000 then
       create or replace function uuidv7_or_v4() returns uuid language sql volatile as 'select uuidv7()';
     else
       create or replace function uuidv7_or_v4() returns uuid language sql volatile as 'select gen_random_uuid()';
     end if;
   end $$`,
)
