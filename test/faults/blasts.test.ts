// A sample of the campaign `blasts`: a worker is killed before it has written what it sent, and another one finishes the blast.
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Ending } from "../support/Ending.ts"
import { World } from "./blasts/World.ts"

const ending = new Ending()
afterAll(() => ending.all())

/** A recipient whose message was accepted, and that no earlier statement has changed. */
const aSentOne =
  "delivery_id = (select delivery_id from delivery where state = 'sent' and email like 'person%' limit 1)"

/** Statements that break an invariant, and what the judge reports then. */
const tamperings: ReadonlyArray<readonly [statement: string, sentence: string]> = [
  [`update delivery set state = 'queued', token = null where ${aSentOne}`, "but its delivery is queued (I2)"],
  [`update delivery set state = 'queued', token = null where ${aSentOne}`, "a delivery is not at its end (I5)"],
  [
    "update delivery set state = 'sent', reason = null, failed_at = null, sent_at = now() where email like 'refused-%'",
    "sent, but the mail server never accepted it (I3)",
  ],
  ["update delivery_tally set sent = sent + 1", "the counters say"],
  ["update blast set recipient_count = recipient_count + 7", "the blast counts"],
  [`delete from delivery where ${aSentOne}`, "a message belongs to no delivery (I7)"],
  [`update delivery set email = 'other@else.test' where ${aSentOne}`, "another address than its delivery's"],
  [
    "update delivery_history set token = 1 where became = 'claimed'",
    "was not above all earlier ones of its delivery (I6)",
  ],
  ["update delivery_history set was = 'queued' where became = 'handed_over'", "under another claim than its own (I6)"],
  [
    "delete from delivery_history h using delivery d where d.delivery_id = h.delivery_id and d.state = 'unconfirmed' and h.became = 'handed_over'",
    "a delivery is unconfirmed without an intent (I4)",
  ],
]

it(
  "a blast whose worker is killed reaches each recipient once and leaves few unconfirmed",
  { timeout: 300_000 },
  async () => {
    const world = await World.over(ending, await Effect.runPromise(clone("faults_blasts")), null)
    const people = Array.from({ length: 60 }, (_, at) => `person${at}`)
    const blast = await world.blast([...people, "refused-dot554", "later-rcpt451x1", "lost-dotcut"])
    const first = await world.worker({ gate: "before-settle" })
    await first.process.kill()
    await world.worker()
    await blast.ended()
    const judged = await blast.judged({ deaths: 1 })
    assert.deepStrictEqual(judged.found, [])
    assert.isAbove(judged.unconfirmed, 0)
    // The judge reports each broken invariant.
    for (const [statement] of tamperings) await world.deployment.inside.asOwner(statement)
    const { found } = await blast.judged({ deaths: 0, status: "failed" })
    for (const sentence of [
      ...tamperings.map(([, each]) => each),
      "the blast is sent, not failed",
      "are unconfirmed, more than",
      "people have",
      "a delivery had a transition that the state machine does not have",
    ]) {
      assert.isTrue(
        found.some((each) => each.includes(sentence)),
        `${sentence}\n${found.join("\n")}`,
      )
    }
    const dots = await blast.dots()
    const twice = await blast.judgedBy([
      ...dots,
      ...dots.map((dot) => ({ ...dot, messageId: "other", from: "other", unsubscribe: "other" })),
    ])
    for (const sentence of [
      "a delivery may have sent two messages (I1)",
      "an address may have two messages (I1)",
      "another Message-ID (I10)",
      "another return path (I10)",
      "another unsubscribe link (I10)",
    ]) {
      assert.isTrue(
        twice.found.some((each) => each.includes(sentence)),
        sentence,
      )
    }
  },
)
