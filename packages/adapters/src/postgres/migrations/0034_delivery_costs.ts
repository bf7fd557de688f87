// Lower cost of each message: an intent that writes to no index, counters that are written only when they change, and fewer
// checks of each row.
import { migration } from "./Migration.ts"

/** The counters of a blast, and the condition of a delivery that each counts. */
const counters = {
  queued: "phase in ('queued', 'leased')",
  sent: "state = 'sent'",
  failed: "state in ('failed', 'unconfirmed')",
  blocked: "phase = 'blocked'",
  delivered: "delivered_at is not null",
  opened: "opened_at is not null",
  clicked: "clicked_at is not null",
  bounced: "bounced_at is not null",
  complained: "complained_at is not null",
  unsubscribed: "unsubscribed_at is not null",
}

const counted = (of: (holds: string, name: string) => string): string =>
  Object.entries(counters)
    .map(([name, holds]) => of(holds, name))
    .join(", ")

const names = counted((_, name) => name)

/** A delivery that more counters than `queued` include. */
const counts = `phase in ('over', 'blocked')
  or num_nonnulls(delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at) > 0`

const tallied = (moves: string): string => `insert into delivery_tally as t (workspace_id, blast_id, shard, ${names})
  ${moves}
  on conflict (workspace_id, blast_id, shard) do update set ${counted((_, name) => `${name} = t.${name} + excluded.${name}`)}`

export const deliveryCosts = migration(
  // The part of the state that indexes use. A hand-over does not change it, so its row's next version stays on the same page and
  // no index is written. It is the one write that a message waits for.
  `alter table delivery add column phase text collate "C" not null generated always as (
     case state when 'queued' then 'queued' when 'claimed' then 'leased' when 'handed_over' then 'leased'
       when 'blocked' then 'blocked' else 'over' end) stored`,
  // Free space on each page for that.
  `alter table delivery set (fillfactor = 80)`,
  `drop index delivery_due`,
  `create index delivery_due on delivery (workspace_id, blast_id, lane, due_at, delivery_id) where phase = 'queued'`,
  // Without times: there are never more leases than senders have in flight.
  `drop index delivery_leased`,
  `create index delivery_leased on delivery (workspace_id, blast_id, delivery_id) where phase = 'leased'`,
  `drop index delivery_address`,
  `create unique index delivery_address on delivery (workspace_id, blast_id, email_normalized)
     where phase <> 'blocked' and membership_id is null`,

  // As before, except that rows that stay queued or leased without engagement are skipped: claims and hand-overs change no
  // counter.
  `create or replace function delivery_tally_add() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       ${tallied(`
         select workspace_id, blast_id, pg_backend_pid() % 16,
           ${counted((holds) => `count(*) filter (where ${holds})`)}
         from added group by workspace_id, blast_id`)};
       return null;
     end if;
     if not exists (select from added where ${counts}) and not exists (select from removed where ${counts}) then
       return null;
     end if;
     ${tallied(`
       select * from (
         select workspace_id, blast_id, (pg_backend_pid() % 16)::smallint as shard,
           ${counted((holds, name) => `sum(sign * (${holds})::int)::int as ${name}`)}
         from (select 1 as sign, * from added union all select -1, * from removed) as change
         group by workspace_id, blast_id
       ) as delta
       where (${names}) <> (${counted(() => "0")})`)};
     return null;
   end $$`,

  // The blast is no longer looked up for each of a million recipients. A transaction that writes recipients also writes their
  // blast's counters, which refer to it. A transaction that deletes a blast waits for them there and then deletes the recipients.
  `alter table delivery drop constraint delivery_workspace_id_blast_id_fkey`,
  `create function blast_gone() returns trigger language plpgsql as $$
   begin
     delete from delivery d using removed r where d.workspace_id = r.workspace_id and d.blast_id = r.blast_id;
     return null;
   end $$`,
  `create trigger blast_gone after delete on blast referencing old table as removed
     for each statement execute function blast_gone()`,

  // No reference is needed: a transaction that writes an event locks other rows of its workspace, and erasure empties every table.
  `alter table outbox_event drop constraint outbox_event_workspace_id_fkey`,

  // A SQL function is inlined into the calling statement; a PL/pgSQL function would be called for each row.
  `do $$ begin
     if current_setting('server_version_num')::int >= 180000 then
       create or replace function uuidv7_or_v4() returns uuid language sql volatile as 'select uuidv7()';
     else
       create or replace function uuidv7_or_v4() returns uuid language sql volatile as 'select gen_random_uuid()';
     end if;
   end $$`,
)
