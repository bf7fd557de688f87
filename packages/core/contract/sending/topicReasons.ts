// Contract tests of topics: the audience pass and intents block the recipients that core's conditions block, for every default of
// the topic, choice, and setting of the workspace.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { TopicId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { DeliveryStore } from "../../src/sending/DeliveryStore.ts"
import { blockReason, intentAnswer, type RecipientFacts } from "../../src/sending/Suppression.ts"
import { recipientTopic, type TopicDefault, topicDefaults, topicStatuses } from "../../src/topics/Topic.ts"
import { Fresh } from "../kernel/fresh.ts"
import { type DeliveryPorts, DeliveryScenario, long_ms, wholeAudience } from "./deliveryScenario.ts"

const people = [null, ...topicStatuses].flatMap((status) =>
  [null, true, false].flatMap((marketingEmailSubscribed) =>
    ([null, "bounce"] as const).map((suppression) => ({ status, marketingEmailSubscribed, suppression })),
  ),
)
const contacts = people.map((person, index) => ({ email: `person${index}@example.test`, ...person }))

/** Null: no topic. */
const defaults: ReadonlyArray<TopicDefault | null> = [null, ...topicDefaults]

const cases = defaults.flatMap((standing) =>
  [false, true].flatMap((consentRequired) =>
    [false, true].map((operational) => ({ standing, consentRequired, operational })),
  ),
)
type Case = (typeof cases)[number]

const factsOf = ({ consentRequired, operational, standing }: Case): ReadonlyArray<RecipientFacts> =>
  contacts.map(({ email, marketingEmailSubscribed, status, suppression }) => ({
    emailNormalized: email,
    unsubscribed: false,
    marketingEmailSubscribed,
    marketingEmailInvalid: false,
    suppression,
    topic:
      standing === null || operational
        ? null
        : recipientTopic({ defaultSubscription: standing }, status === null ? null : { status }),
    consentRequired,
  }))

const begin = Effect.fnUntraced(function* ({ consentRequired, standing }: Case) {
  const scenario = yield* DeliveryScenario
  const consent = { marketingConsent: consentRequired ? ("required" as const) : ("assumed" as const) }
  const workspace = yield* (yield* Fresh).workspace({ consent })
  const topic = standing === null ? null : yield* scenario.topic(workspace, standing)
  const choose = Effect.fnUntraced(function* (chosen: TopicId | null, ids: Parameters<typeof scenario.contact>[1][]) {
    for (const [index, { status }] of people.entries()) {
      const id = ids[index]
      if (chosen !== null && status !== null && id !== undefined) yield* scenario.choose(workspace, chosen, id, status)
    }
  })
  return { scenario, workspace, topic, choose }
})

export const topicReasons = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`Block reasons of topics (${name})`, (it) => {
    it.effect("the audience pass blocks what core blocks", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { transact } = yield* Transactor
        for (const each of cases) {
          const { choose, scenario, topic, workspace } = yield* begin(each)
          const { operational } = each
          const options = topic === null ? { operational } : { operational, topic }
          // A first blast creates the contacts, whose choices the second one finds.
          const { contacts: ids } = yield* scenario.blast(workspace, contacts.map(withAddress))
          yield* choose(topic, [...ids])
          const { blast } = yield* scenario.blast(workspace, contacts.map(withAddress), { ...options, again: ids })
          // Each slice reads the choices of its own contacts.
          const slice = transact(store.fixAudience(workspace, blast, 2))
          yield* Effect.repeat(slice, { while: (fixed) => fixed === "unfinished" })
          const rows = yield* scenario.written(workspace, blast)
          assert.deepStrictEqual(
            ids.map((id) => rows.find(({ contactId }) => contactId === id)?.reason),
            factsOf(each).map((facts) => blockReason(facts, operational) ?? null),
            JSON.stringify(each),
          )
        }
      }),
    )

    it.effect("an intent gets the answer of core for choices made after the pass", () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { transact } = yield* Transactor
        for (const each of cases) {
          const { choose, scenario, topic, workspace } = yield* begin(each)
          const { operational, standing } = each
          const options = topic === null ? { operational } : { operational, topic }
          const ready = contacts.map(({ email }) => ({ email, marketingEmailSubscribed: true }))
          const { contacts: ids } = yield* scenario.blast(workspace, ready)
          if (topic !== null && standing === "unsubscribed") {
            for (const id of ids) yield* scenario.choose(workspace, topic, id, "subscribed")
          }
          const { blast } = yield* scenario.blast(workspace, ready, { ...options, again: ids })
          yield* transact(wholeAudience(store, workspace, blast))
          const claims = yield* transact(store.claim(workspace, { limit: 100, lease_ms: long_ms }))
          assert.strictEqual(claims.length, contacts.length, JSON.stringify(each))
          for (const claim of claims) assert.strictEqual(claim.topicId, operational ? null : topic)
          if (topic !== null) yield* scenario.unchoose(workspace, topic)
          yield* choose(topic, [...ids])
          for (const [index, person] of people.entries()) {
            const id = ids[index] ?? assert.fail()
            yield* scenario.setMarketing(workspace, id, person.marketingEmailSubscribed)
            const email = contacts[index]?.email ?? ""
            if (person.suppression !== null) yield* scenario.suppress(workspace, email, person.suppression)
          }
          const answers = yield* store.grant(workspace, claims, long_ms)
          const answerOf = new Map(claims.map(({ address, id }) => [address, answers.get(id)]))
          const running = { status: "sending", paused: false }
          assert.deepStrictEqual(
            contacts.map(({ email }) => answerOf.get(email)),
            factsOf(each).map((recipient) =>
              intentAnswer({ blast: running, recipient, operational, withdrawn: false }),
            ),
            JSON.stringify(each),
          )
        }
      }),
    )
  })

const withAddress = ({ email, marketingEmailSubscribed, suppression }: (typeof contacts)[number]) => ({
  email,
  marketingEmailSubscribed,
  ...(suppression === null ? {} : { suppression }),
})
