// Topics with a choice of each contact, by SQL.
import { recount } from "@tentpole/adapters/test/Recount"
import type { Sender, World } from "../World.ts"

const topics_count = 10

interface Constraint {
  readonly name: string
  readonly definition: string
}

/** The statuses of ten contacts for a topic. */
const statuses = [...Array<string>(6).fill("subscribed"), ...Array<string>(3).fill("unsubscribed"), "pending"]

/**
 * A tenth of the contacts is pending, three tenths unsubscribed; the last topic has only subscribers. The rows are in no order, as people
 * choose at different times. Returns the ids.
 */
export const fillTopics = async (
  { inside }: World,
  { call, id }: Sender,
  say: (text: string) => void,
): Promise<ReadonlyArray<string>> => {
  const topics: Array<string> = []
  for (let number = 0; number < topics_count; number++) {
    const topic = {
      name: `Topic ${number}`,
      default_subscription: number % 2 === 0 ? "subscribed" : "unsubscribed",
      visibility: "public",
    }
    topics.push((await call("POST", "/v1/topics", topic)).topic_id)
  }
  // Checks of each row, and indexes that grow with each row, take most of the time.
  const constraints = await inside.asOwner<Constraint>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = 'topic_choice'::regclass and contype in ('p', 'f') order by contype = 'f'`,
  )
  for (const { name } of constraints) await inside.asOwner(`alter table topic_choice drop constraint ${name}`)
  await inside.asOwner("drop index topic_choice_contact")
  say(`choices of ${topics_count} topics …`)
  await inside.asOwner(
    `insert into topic_choice (workspace_id, topic_id, contact_id, status, source, changed_at)
     select $1::uuid, topic_id, contact_id,
       case when nth = $3::int then 'subscribed' else ($4::text[])[1 + (place & 2147483647) % 10] end, 'preference_page', now()
     from (
       select contact_id, topic_id, nth, hashtextextended(contact_id::text, nth) as place
       from contact cross join unnest($2::uuid[]) with ordinality as t (topic_id, nth) where workspace_id = $1::uuid
     ) as choice
     order by place`,
    [id, topics, topics_count, statuses],
  )
  say("indexes and statistics …")
  for (const { definition, name } of constraints) {
    await inside.asOwner(`alter table topic_choice add constraint ${name} ${definition}`)
  }
  await inside.asOwner("create index topic_choice_contact on topic_choice (workspace_id, contact_id)")
  await inside.asOwner(recount, [id])
  await inside.asOwner("vacuum (analyze) topic, topic_choice, topic_tally, contact_tally, contact")
  return topics
}
