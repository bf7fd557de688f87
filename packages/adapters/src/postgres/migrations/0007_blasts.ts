// Blasts and their deliveries: one row for each message to a recipient, with the constraints that prevent a second message.
import { migration, service_role, tenant } from "./Migration.ts"

export const blasts = migration(
  `create table blast (
     workspace_id uuid not null references workspace on delete cascade,
     blast_id uuid not null,
     name text not null,
     name_folded text collate "C" not null,
     description text,
     status text not null
       check (status in ('draft', 'scheduled', 'sending', 'sent', 'failed', 'cancelled', 'archived')),
     paused boolean not null default false,
     audience_list_id uuid,
     audience_source text check (audience_source in ('existing', 'inline')),
     email_id uuid,
     email_source text check (email_source in ('existing', 'inline')),
     operational boolean not null default false,
     scheduled_at timestamptz,
     send_mode text check (send_mode in ('scheduled', 'send_now')),
     approved_at timestamptz,
     approved_email_version int,
     approval_id uuid,
     -- the service was down at its scheduled time
     schedule_missed boolean not null default false,
     launched_at timestamptz,
     -- emails of the plan's day that it uses, until the audience pass has counted them
     allotted_count int not null default 0,
     -- the audience is fixed once, at the start of sending
     audience_fixed_at timestamptz,
     recipient_count int not null default 0,
     qualified_count int not null default 0,
     audience_truncated boolean not null default false,
     failure text,
     sent_at timestamptz,
     cancelled_at timestamptz,
     cancelled_reason text check (cancelled_reason in ('daily_email_limit', 'contact_allowance')),
     created_at timestamptz not null,
     updated_at timestamptz not null,
     primary key (workspace_id, blast_id),
     check ((audience_list_id is null) = (audience_source is null)),
     check ((email_id is null) = (email_source is null)),
     check ((approval_id is null) = (approved_email_version is null)),
     check ((approval_id is null) = (approved_at is null)),
     check ((send_mode is not distinct from 'scheduled') = (scheduled_at is not null)),
     -- the states, as in core/src/blasts/Blast.ts
     check (status <> 'draft' or (approval_id is null and send_mode is null and launched_at is null)),
     check (status in ('draft', 'archived')
       or (approval_id is not null and send_mode is not null and audience_list_id is not null and email_id is not null)),
     check (status <> 'scheduled' or (send_mode = 'scheduled' and launched_at is null)),
     check (status not in ('sending', 'sent', 'failed') or launched_at is not null),
     check (audience_fixed_at is null or launched_at is not null),
     check (status = 'archived' or (status = 'sent') = (sent_at is not null)),
     check (status = 'archived' or (status = 'failed') = (failure is not null)),
     check (status = 'archived' or (status = 'cancelled') = (cancelled_at is not null)),
     check (cancelled_reason is null or cancelled_at is not null),
     check (not paused or status = 'sending'),
     check (not schedule_missed or status = 'draft')
   )`,
  `create index blast_created on blast (workspace_id, created_at, blast_id)`,
  `create index blast_updated on blast (workspace_id, updated_at, blast_id)`,
  `create index blast_sending on blast (workspace_id, blast_id) where status = 'sending'`,
  `create index blast_launched on blast (workspace_id, launched_at) where launched_at is not null`,
  tenant("blast"),

  // Fencing tokens of claims. Never reused, so that an expired claim can be recognised.
  `create sequence delivery_token`,
  `grant usage on sequence delivery_token to ${service_role}`,

  `create table delivery (
     workspace_id uuid not null references workspace on delete cascade,
     delivery_id uuid not null,
     blast_id uuid not null,
     contact_id uuid not null,
     approval_id uuid not null,
     email text,
     email_normalized text collate "C",
     -- domain of the recipient's address: send rate limits are per domain
     email_domain text collate "C",
     display_name text,
     display_name_folded text collate "C",
     operational boolean not null,
     state text not null
       check (state in ('queued', 'claimed', 'handed_over', 'sent', 'failed', 'blocked', 'unconfirmed')),
     reason text,
     contact_deleted boolean not null default false,
     token bigint,
     lease_until timestamptz,
     due_at timestamptz not null,
     -- failed attempts
     attempts int not null default 0,
     smtp_reply text,
     handed_over_at timestamptz,
     sent_at timestamptz,
     delivered_at timestamptz,
     opened_at timestamptz,
     clicked_at timestamptz,
     clicked_url text,
     bounced_at timestamptz,
     unsubscribed_at timestamptz,
     complained_at timestamptz,
     created_at timestamptz not null,
     primary key (workspace_id, delivery_id),
     foreign key (workspace_id, blast_id) references blast on delete cascade,
     check ((token is null) = (lease_until is null)),
     check (state not in ('claimed', 'handed_over') or token is not null),
     check (state <> 'sent' or sent_at is not null),
     check ((reason is not null) = (state in ('failed', 'blocked', 'unconfirmed')))
   )`,
  // One message for each contact and address, whatever fails.
  `create unique index delivery_contact on delivery (workspace_id, blast_id, contact_id)`,
  `create unique index delivery_address on delivery (workspace_id, blast_id, email_normalized) where state <> 'blocked'`,
  // By blast, so that an index scan skips a paused blast with a million rows.
  `create index delivery_due on delivery (workspace_id, blast_id, due_at, delivery_id) where state = 'queued'`,
  `create index delivery_leased on delivery (workspace_id, lease_until) where state in ('claimed', 'handed_over')`,
  `create index delivery_of_contact on delivery (workspace_id, contact_id)`,
  tenant("delivery"),

  // Counters, written by the statement that changes the rows, so that they agree. They are spread over shards: each sending process
  // uses its own row.
  `create table delivery_tally (
     workspace_id uuid not null,
     blast_id uuid not null,
     shard smallint not null,
     queued int not null default 0,
     sent int not null default 0,
     failed int not null default 0,
     blocked int not null default 0,
     delivered int not null default 0,
     opened int not null default 0,
     clicked int not null default 0,
     bounced int not null default 0,
     complained int not null default 0,
     unsubscribed int not null default 0,
     primary key (workspace_id, blast_id, shard),
     foreign key (workspace_id, blast_id) references blast on delete cascade
   )`,
  tenant("delivery_tally"),
  `create function delivery_tally_add() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened,
         clicked, bounced, complained, unsubscribed)
       select workspace_id, blast_id, pg_backend_pid() % 16,
         count(*) filter (where state in ('queued', 'claimed', 'handed_over')), count(*) filter (where state = 'sent'),
         count(*) filter (where state in ('failed', 'unconfirmed')), count(*) filter (where state = 'blocked'),
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
     insert into delivery_tally as t (workspace_id, blast_id, shard, queued, sent, failed, blocked, delivered, opened,
       clicked, bounced, complained, unsubscribed)
     select * from (
       select workspace_id, blast_id, (pg_backend_pid() % 16)::smallint as shard,
         sum(sign * (state in ('queued', 'claimed', 'handed_over'))::int)::int as queued,
         sum(sign * (state = 'sent')::int)::int as sent,
         sum(sign * (state in ('failed', 'unconfirmed'))::int)::int as failed,
         sum(sign * (state = 'blocked')::int)::int as blocked,
         sum(sign * (delivered_at is not null)::int)::int as delivered,
         sum(sign * (opened_at is not null)::int)::int as opened,
         sum(sign * (clicked_at is not null)::int)::int as clicked,
         sum(sign * (bounced_at is not null)::int)::int as bounced,
         sum(sign * (complained_at is not null)::int)::int as complained,
         sum(sign * (unsubscribed_at is not null)::int)::int as unsubscribed
       from (select 1 as sign, * from added union all select -1, * from removed) as change
       group by workspace_id, blast_id
     ) as delta
     -- claims and hand-overs move no counter: most waves write nothing here
     where (queued, sent, failed, blocked, delivered, opened, clicked, bounced, complained, unsubscribed)
       <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
     on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + excluded.queued,
       sent = t.sent + excluded.sent, failed = t.failed + excluded.failed, blocked = t.blocked + excluded.blocked,
       delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened,
       clicked = t.clicked + excluded.clicked, bounced = t.bounced + excluded.bounced,
       complained = t.complained + excluded.complained, unsubscribed = t.unsubscribed + excluded.unsubscribed;
     return null;
   end $$`,
  `create trigger delivery_tally_insert after insert on delivery referencing new table as added
     for each statement execute function delivery_tally_add()`,
  `create trigger delivery_tally_update after update on delivery referencing old table as removed new table as added
     for each statement execute function delivery_tally_add()`,

  // Grants intents, the fence between "may be withdrawn" and "may be on its way", in one round trip that commits by itself.
  // A volatile function takes a new snapshot for each statement, so the last one sees a pause or cancellation that committed
  // while the first one waited. A transaction that changes whether a blast may send takes these locks exclusively.
  // Returns, for each delivery whose token is still valid: granted, paused (queued again), or its block reason.
  `create function grant_intents(workspace uuid, asked uuid[], holders bigint[], blasts uuid[], lease interval)
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
)
