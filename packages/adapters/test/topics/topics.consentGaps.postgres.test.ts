// What the doctor says of workspaces with topics: rows of all workspaces, counted by one function.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { postgres } from "../fixtures/Stores.ts"
import { asSuperuser } from "../support/Superuser.ts"

interface Made {
  readonly address?: string
  readonly consent: string
  /** Days since its topic was created; null: it has none. */
  readonly topic_age: number | null
  /** Days since a blast without a topic was launched. */
  readonly blast_age?: number
  readonly requests?: number
}

/** A workspace with these rows, and without the rows that they refer to. */
const workspace = (nth: number, { address = "", blast_age, consent, requests = 0, topic_age }: Made) => {
  const id = `lpad('${nth}', 32, '0')::uuid`
  const topic = `insert into topic (workspace_id, topic_id, name, name_folded, slug, default_subscription, visibility, double_opt_in, position, status, created_at, updated_at)
    values (${id}, uuid_v7(), 'News', 'news', 'news', 'subscribed', 'public', true, 0, 'active', now() - interval '${topic_age} days', now());`
  const blast = `insert into blast (workspace_id, blast_id, name, name_folded, status, launched_at, created_at, updated_at)
    values (${id}, uuid_v7(), 'May', 'may', 'archived', now() - interval '${blast_age} days', now(), now());`
  return asSuperuser(`do $$ begin
    set local session_replication_role = replica;
    insert into workspace (workspace_id, name, slug, plan, credits, postal_address, consent, created_at, updated_at)
    values (${id}, 'Shop', 'shop-${nth}', 'free', 0, '${address}', '${consent}', now(), now());
    ${topic_age === null ? "" : topic}
    ${blast_age === undefined ? "" : blast}
    insert into subscription_request (workspace_id, subscription_request_id, contact_id, status, topic_ids, granted_topic_ids, previous, email, email_normalized, evidence, made_contact, mailed_at, expires_at, created_at)
    select ${id}, uuid_v7(), gen_random_uuid(), 'pending', '{}', '{}', '[]', 'a@example.org', 'a@example.org', '{}', false, '{}', now(), now()
    from generate_series(1, ${requests});
  end $$`)
}

layer(postgres, { excludeTestServices: true })("gaps of consent", (it) => {
  it.effect("are workspaces without an address, blasts without a topic, and reached limits", () =>
    Effect.gen(function* () {
      const named = {
        address: "1 Main Street",
        consent: '{"privacyUrl": "https://example.org/p", "confirmationsPerHour": 2}',
      }
      yield* workspace(1, { ...named, topic_age: 9, requests: 1 })
      yield* workspace(2, { consent: "{}", topic_age: null, blast_age: 1 })
      yield* workspace(3, { consent: "{}", topic_age: 9, blast_age: 1 })
      // The first blast is older than the topic.
      yield* workspace(4, { ...named, topic_age: 2, blast_age: 5 })
      yield* workspace(5, { ...named, topic_age: 9, blast_age: 1, requests: 2 })
      const counts = yield* asSuperuser("select kind, items::int as items from tentpole_consent_gaps()")
      assert.deepStrictEqual(Object.fromEntries(counts.map(({ items, kind }) => [kind, items])), {
        unnamed: 1,
        untopical: 2,
        held: 1,
      })
    }),
  )
})
