// Blasts, and the deliveries that they make: one row per message to one person, with the constraints that promise that
// nobody gets two.
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
     check (status <> 'scheduled' or scheduled_at is not null),
     check (status <> 'sending' or approval_id is not null),
     check ((status = 'sent') <= (sent_at is not null)),
     check ((status = 'cancelled') <= (cancelled_at is not null)),
     check (not paused or status = 'sending')
   )`,
  `create index blast_created on blast (workspace_id, created_at, blast_id)`,
  `create index blast_updated on blast (workspace_id, updated_at, blast_id)`,
  `create index blast_sending on blast (workspace_id, blast_id) where status = 'sending'`,
  tenant("blast"),

  // Numbers claims. Never reused, so that a late holder of an old claim can be told from the present one.
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
     -- of the recipient's address: speed limits are per domain
     email_domain text collate "C",
     display_name text,
     operational boolean not null,
     state text not null
       check (state in ('queued', 'claimed', 'handed_over', 'sent', 'failed', 'blocked', 'unconfirmed')),
     reason text,
     contact_deleted boolean not null default false,
     token bigint,
     lease_until timestamptz,
     due_at timestamptz not null,
     attempts int not null default 0,
     first_attempt_at timestamptz,
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
  // The promise: one message a person and an address, whatever else goes wrong.
  `create unique index delivery_contact on delivery (workspace_id, blast_id, contact_id)`,
  `create unique index delivery_address on delivery (workspace_id, blast_id, email_normalized) where state <> 'blocked'`,
  `create index delivery_due on delivery (workspace_id, due_at, delivery_id) where state = 'queued'`,
  `create index delivery_leased on delivery (workspace_id, lease_until) where state in ('claimed', 'handed_over')`,
  `create index delivery_of_contact on delivery (workspace_id, contact_id)`,
  tenant("delivery"),

  // Counters, kept by the statement that changes the rows, so that they can't disagree. Spread over shards: every sender
  // process adds to a row of its own.
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

  // Grants intents: the fence between "may be taken away" and "may be on its way". A volatile function takes a new
  // snapshot for each statement, so the second one sees a pause or cancel that committed while the first one waited.
  `create function grant_intents(workspace uuid, blast uuid, holder bigint, ids uuid[], lease interval)
     returns setof uuid language plpgsql volatile as $$
   begin
     perform pg_advisory_xact_lock_shared(hashtextextended(blast::text, 0));
     return query
       update delivery d
         set state = 'handed_over', handed_over_at = clock_timestamp(), lease_until = clock_timestamp() + lease
       where d.workspace_id = workspace and d.delivery_id = any(ids) and d.blast_id = blast
         and d.state = 'claimed' and d.token = holder and d.lease_until > clock_timestamp()
         and exists (select from blast b
           where b.workspace_id = workspace and b.blast_id = blast and b.status = 'sending' and not b.paused)
         and exists (select from contact c
           where c.workspace_id = workspace and c.contact_id = d.contact_id and not c.marketing_email_invalid
             and (d.operational or (not c.unsubscribed and c.marketing_email_subscribed is distinct from false)))
         and not exists (select from suppression s
           where s.workspace_id = workspace and s.email_normalized = d.email_normalized
             and (s.reason <> 'unsubscribe' or not d.operational))
       returning d.delivery_id;
   end $$`,
)
