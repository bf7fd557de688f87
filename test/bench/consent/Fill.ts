// Topics with a choice of each contact, by SQL.
import { recount } from "@tentpole/adapters/test/Recount"
import type { Sender, World } from "../World.ts"

const topics_count = 10

interface Foreign {
  readonly name: string
  readonly definition: string
}

/** A tenth of the contacts is pending, three tenths unsubscribed; the last topic has only subscribers. Returns the ids. */
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
  // Checks of each row, and indexes that are not those of a constraint, take most of the time.
  const foreign = await inside.asOwner<Foreign>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = 'topic_choice'::regclass and contype = 'f'`,
  )
  for (const { name } of foreign) await inside.asOwner(`alter table topic_choice drop constraint ${name}`)
  await inside.asOwner("drop index topic_choice_contact")
  for (const [number, topic] of topics.entries()) {
    say(`choices of topic ${number + 1} of ${topics_count} …`)
    const status =
      number === topics_count - 1
        ? "'subscribed'"
        : "(array['subscribed', 'subscribed', 'subscribed', 'subscribed', 'subscribed', 'subscribed', 'unsubscribed', 'unsubscribed', 'unsubscribed', 'pending'])[1 + (hashint8(row_number() over () * 10 + $3::int) & 2147483647) % 10]"
    await inside.asOwner(
      `insert into topic_choice (workspace_id, topic_id, contact_id, status, source, changed_at)
       select $1::uuid, $2::uuid, contact_id, ${status}, case when $3::int >= 0 then 'preference_page' end, now()
       from contact where workspace_id = $1::uuid order by contact_id`,
      [id, topic, number],
    )
  }
  say("indexes and statistics …")
  await inside.asOwner("create index topic_choice_contact on topic_choice (workspace_id, contact_id)")
  for (const { definition, name } of foreign) {
    await inside.asOwner(`alter table topic_choice add constraint ${name} ${definition}`)
  }
  await inside.asOwner(recount, [id])
  await inside.asOwner("vacuum (analyze) topic_choice, topic_tally, contact_tally, contact")
  return topics
}
