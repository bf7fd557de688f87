// The invariants of consent after faults: no status without its record, every confirmation is provable from its record alone, no
// person gets two mails for one request, stored counts are those of the rows, and nothing that was answered is lost.
import { unless } from "../Campaign.ts"
import type { Asking, World } from "./World.ts"

/** Each query counts violations in a workspace. */
const violations: ReadonlyArray<readonly [what: string, query: string]> = [
  [
    "subscribed by a person who confirmed, without a record that proves it",
    // The text with its digest, the mail, and the answer: each alone is not proof.
    `select count(*)::int as count from topic_choice h
     where h.workspace_id = $1::uuid and h.status = 'subscribed' and not exists (
       select from consent_record r where r.workspace_id = $1::uuid and r.contact_id = h.contact_id and r.topic_id = h.topic_id
         and r.action = 'confirmed' and r.text_sha256 = sha256(convert_to(r.text, 'UTF8')) and r.message_id is not null
         and (r.ip_prefix is not null or r.user_agent is not null))`,
  ],
  [
    "confirmations of a mail that was not sent before",
    `select count(*)::int as count from consent_record r
     where r.workspace_id = $1::uuid and r.action = 'confirmed' and not exists (
       select from consent_record s where s.workspace_id = $1::uuid and s.contact_id = r.contact_id
         and s.topic_id = r.topic_id and s.action = 'confirmation_sent' and s.message_id = r.message_id and s.at <= r.at)`,
  ],
  [
    "confirmations that are recorded twice",
    `select count(*)::int as count from (
       select from consent_record where workspace_id = $1::uuid and action = 'confirmed'
       group by contact_id, topic_id, message_id having count(*) > 1) as twice`,
  ],
  [
    "records of a confirmation without a confirmed request",
    `select count(*)::int as count from consent_record r
     where r.workspace_id = $1::uuid and r.action = 'confirmed' and not exists (
       select from subscription_request q where q.workspace_id = $1::uuid and q.contact_id = r.contact_id
         and q.status = 'confirmed' and q.message_id = r.message_id and r.topic_id = any(q.topic_ids))`,
  ],
  [
    "confirmed requests without a record for each topic",
    `select count(*)::int as count from subscription_request q cross join unnest(q.topic_ids) as topic
     where q.workspace_id = $1::uuid and q.status = 'confirmed' and not exists (
       select from consent_record r where r.workspace_id = $1::uuid and r.contact_id = q.contact_id
         and r.topic_id = topic and r.action = 'confirmed' and r.message_id = q.message_id)`,
  ],
  [
    "pending people without a request that waits",
    `select count(*)::int as count from topic_choice h
     where h.workspace_id = $1::uuid and h.status = 'pending' and not exists (
       select from subscription_request q where q.workspace_id = $1::uuid and q.contact_id = h.contact_id
         and q.status = 'pending' and h.topic_id = any(q.topic_ids) and q.message_id is not null)`,
  ],
  [
    "people who left without a record of it",
    `select count(*)::int as count from topic_choice h
     where h.workspace_id = $1::uuid and h.status = 'unsubscribed' and not exists (
       select from consent_record r where r.workspace_id = $1::uuid and r.contact_id = h.contact_id
         and r.topic_id = h.topic_id and r.action = 'withdrawn')`,
  ],
  [
    "contacts that are unsubscribed without a record of it",
    `select count(*)::int as count from contact c
     where c.workspace_id = $1::uuid and c.unsubscribed and not exists (
       select from consent_record r where r.workspace_id = $1::uuid and r.contact_id = c.contact_id
         and r.action = 'withdrawn' and r.topic_id is null)`,
  ],
  [
    "requests with another number of mails than they say",
    `select count(*)::int as count from subscription_request q
     where q.workspace_id = $1::uuid and q.contact_id is not null and cardinality(q.mailed_at) <> (
       select count(distinct r.message_id) from consent_record r
       where r.workspace_id = $1::uuid and r.contact_id = q.contact_id and r.action = 'confirmation_sent'
         and r.message_id = q.message_id)`,
  ],
  [
    // A caller that repeats its request after the minute asks for a second mail.
    "addresses with two confirmation mails in a minute",
    `select count(*)::int as count from delivery d
     where d.workspace_id = $1::uuid and d.email_normalized is not null and exists (
       select from delivery o where o.workspace_id = $1::uuid and o.email_normalized = d.email_normalized
         and o.delivery_id <> d.delivery_id and o.created_at between d.created_at and d.created_at + interval '59 seconds')`,
  ],
  [
    "imported people with two requests or two mails",
    `select count(*)::int as count from (
       select from subscription_request where workspace_id = $1::uuid and evidence ->> 'importRunId' is not null
       group by email_normalized having count(*) > 1 or sum(cardinality(mailed_at)) > 1) as twice`,
  ],
  [
    "mails that no request has",
    `select count(*)::int as count from delivery d
     where d.workspace_id = $1::uuid and not d.contact_deleted and not exists (
       select from subscription_request q where q.workspace_id = $1::uuid and q.message_id = d.delivery_id)`,
  ],
  [
    "topics whose counts are not those of their rows",
    `with tally as (
       select topic_id, sum(subscribed) as subscribed, sum(not_subscribed) as not_subscribed
       from topic_tally where workspace_id = $1::uuid group by topic_id),
     counted as (
       select t.topic_id, count(h.*) filter (where h.status = 'subscribed') as subscribed,
         count(h.*) filter (where h.status <> 'subscribed') as not_subscribed
       from topic t
       left join (topic_choice h join contact c on c.workspace_id = h.workspace_id and c.contact_id = h.contact_id
         and not c.unsubscribed) on h.workspace_id = t.workspace_id and h.topic_id = t.topic_id
       where t.workspace_id = $1::uuid group by t.topic_id)
     select count(*)::int as count from counted left join tally using (topic_id)
     where (coalesce(tally.subscribed, 0), coalesce(tally.not_subscribed, 0)) <> (counted.subscribed, counted.not_subscribed)`,
  ],
  [
    "counts of contacts that are not those of the rows",
    `select count(*)::int as count from (
       select (select coalesce(sum(contacts), 0) from contact_tally where workspace_id = $1::uuid) as contacts,
         (select coalesce(sum(unsubscribed), 0) from contact_tally where workspace_id = $1::uuid) as unsubscribed) as tally,
       (select count(*) as contacts, count(*) filter (where unsubscribed) as unsubscribed
         from contact where workspace_id = $1::uuid) as counted
     where (tally.contacts, tally.unsubscribed) <> (counted.contacts, counted.unsubscribed)`,
  ],
]

interface Request {
  readonly id: string
  readonly status: string
}

export const judge = async (
  { deployment: { inside } }: World,
  { answered, confirmed, ended, id, imports }: Asking,
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [what, query] of violations) {
    const [row] = await inside.asOwner<{ readonly count: number }>(query, [id])
    found.push(...unless(row?.count === 0, `${row?.count} ${what}`))
  }
  const requests = new Map(
    (
      await inside.asOwner<Request>(
        `select subscription_request_id as id, status from subscription_request where workspace_id = $1::uuid`,
        [id],
      )
    ).map((each) => [each.id, each.status]),
  )
  const lost = [...answered].filter((each) => !requests.has(each) && !ended.has(each)).length
  found.push(...unless(lost === 0, `${lost} requests that were answered are lost`))
  const undone = [...confirmed].filter((each) => requests.get(each) !== "confirmed" && !ended.has(each)).length
  found.push(...unless(undone === 0, `${undone} confirmations that were answered are lost`))
  const [forgotten] = await inside.asOwner<{ readonly count: number }>(
    `select count(distinct i.contact_id)::int as count from import_row i
     where i.workspace_id = $1::uuid and i.import_run_id = any($2::uuid[]) and i.contact_id is not null
       and exists (select from contact c where c.workspace_id = $1::uuid and c.contact_id = i.contact_id and not c.unsubscribed)
       and not exists (select from subscription_request q where q.workspace_id = $1::uuid and q.contact_id = i.contact_id)`,
    [id, [...imports]],
  )
  return [...found, ...unless(forgotten?.count === 0, `${forgotten?.count} imported people were not asked`)]
}
