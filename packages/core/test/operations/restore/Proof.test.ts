// Tests of what the send journal proves: in no history is a message sent again that may have been sent, and none is held back that
// was certainly not.
import { assert, describe, it } from "@effect/vitest"
import { BlastId, DeliveryId } from "@tentpole/core/kernel/Ids"
import {
  type Attempts,
  collectAttempts,
  decideJournaled,
  isUnknown,
  JournalCover,
  partOf,
} from "@tentpole/core/operations/restore/Proof"
import { addressMark, type JournalRecord } from "@tentpole/core/sending/journal/JournalRecord"
import { DateTime, Schema } from "effect"

const blast = BlastId.make("00000000-0000-7000-8000-000000000001")
const at = DateTime.makeUnsafe(0)
const deliveryOf = (number: number) => DeliveryId.make(`00000000-0000-8000-a000-00000000000${number}`)

/** How one attempt went. `recorded`: its intent only, and the worker died. `unwritten`: the worker died before that. */
const Attempt = Schema.Literals(["unwritten", "recorded", "sent", "failed", "queued"])
/** The attempts of three deliveries, each by one of two runs. Tokens repeat in another life of the database. */
const History = Schema.Array(
  Schema.Struct({
    delivery: Schema.Literals([0, 1, 2]),
    run: Schema.Literals(["a", "b"]),
    token: Schema.Literals([1, 2, 3]),
    how: Attempt,
  }),
)
type Attempted = (typeof History.Type)[number]

const recordsOf = ({ delivery, how, token }: Attempted): ReadonlyArray<JournalRecord> => {
  const its = { blast, delivery: deliveryOf(delivery), token }
  if (how === "unwritten") return []
  const intent = { _tag: "intent" as const, ...its, address: addressMark(blast, `ann${delivery}@example.com`) }
  if (how === "recorded") return [intent]
  const ending = how === "failed" ? { state: how, reason: "refused" as const } : { state: how }
  return [intent, { _tag: "outcome", ...its, at, ending, bounce: null }]
}

/** A worker has one attempt under a token, so that a later one of the same replaces it. */
const distinct = (history: ReadonlyArray<Attempted>): ReadonlyArray<Attempted> => [
  ...new Map(history.map((each) => [`${each.delivery} ${each.run} ${each.token}`, each])).values(),
]

const read = (history: ReadonlyArray<Attempted>, runs: ReadonlyArray<string>, parts = 1) => {
  const found = new Map<DeliveryId, Attempts>()
  for (let part = 0; part < parts; part++) {
    for (const run of runs) {
      const records = history.filter((each) => each.run === run).flatMap(recordsOf)
      collectAttempts(found, blast, { run, records, part, parts })
    }
  }
  return found
}

describe("decideJournaled", () => {
  it.prop(
    "sends a message again if and only if no attempt may have sent it and none failed for good",
    { history: History },
    ({ history }) => {
      const attempts = distinct(history)
      const found = read(attempts, ["a", "b"])
      for (const delivery of [0, 1, 2]) {
        const hows = attempts.filter((each) => each.delivery === delivery).map(({ how }) => how)
        const decided = decideJournaled("queued", found.get(deliveryOf(delivery)))
        const expected = hows.includes("sent")
          ? "sent"
          : hows.includes("recorded")
            ? "unconfirm"
            : hows.includes("failed")
              ? "failed"
              : "send"
        assert.strictEqual(decided._tag === "settle" ? decided.outcome.ending.state : decided._tag, expected)
      }
    },
  )

  it.prop(
    "decides the same in every order of the runs, and in any number of parts",
    { history: History },
    ({ history }) => {
      const attempts = distinct(history)
      const decide = (found: ReadonlyMap<DeliveryId, Attempts>) =>
        [0, 1, 2].map((delivery) => {
          const decided = decideJournaled("queued", found.get(deliveryOf(delivery)))
          return decided._tag === "settle" ? decided.outcome.ending.state : decided._tag
        })
      const once = decide(read(attempts, ["a", "b"]))
      assert.deepStrictEqual(decide(read(attempts, ["b", "a"])), once)
      assert.deepStrictEqual(decide(read(attempts, ["a", "b"], 3)), once)
    },
  )

  it("does not send a message whose intent is in the backup", () => {
    assert.strictEqual(decideJournaled("handed_over", undefined)._tag, "unconfirm")
    assert.strictEqual(decideJournaled("claimed", undefined)._tag, "send")
  })

  it("settles what a sweep has ended since, and changes nothing else that has ended", () => {
    const attempts = read([{ delivery: 0, run: "a", token: 1, how: "sent" }], ["a"]).get(deliveryOf(0))
    assert.strictEqual(decideJournaled("unconfirmed", attempts)._tag, "settle")
    assert.strictEqual(decideJournaled("unconfirmed", undefined)._tag, "leave")
    for (const state of ["sent", "failed", "blocked"] as const) {
      assert.strictEqual(decideJournaled(state, attempts)._tag, "leave")
    }
  })

  it("sends another blast's deliveries by that blast's records only", () => {
    const found = new Map<DeliveryId, Attempts>()
    const other = BlastId.make("00000000-0000-7000-8000-000000000002")
    const records = recordsOf({ delivery: 0, run: "a", token: 1, how: "sent" })
    collectAttempts(found, other, { run: "a", records, part: 0, parts: 1 })
    assert.strictEqual(found.size, 0)
    assert.isBelow(partOf(deliveryOf(0), 3), 3)
  })
})

describe("isUnknown", () => {
  it("holds for a recipient that the blast lacks, and for an address that has moved", () => {
    const found = read([{ delivery: 0, run: "a", token: 1, how: "sent" }], ["a"]).get(deliveryOf(0))
    const queued = read([{ delivery: 0, run: "a", token: 1, how: "queued" }], ["a"]).get(deliveryOf(0))
    if (found === undefined || queued === undefined) return assert.fail("no attempts")
    assert.isTrue(isUnknown(found, null))
    assert.isTrue(isUnknown(found, addressMark(blast, "ben@example.com")))
    assert.isFalse(isUnknown(found, addressMark(blast, "Ann0@example.com")))
    assert.isFalse(isUnknown(queued, null))
  })
})

describe("JournalCover", () => {
  const lost = { backupCounter: 10, lostCounter: 20, backupJournaled: true }
  const beats = (from: number, to: number): ReadonlyArray<JournalRecord> =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ _tag: "beat", counter: from + at }))
  const verdictOf = (records: ReadonlyArray<JournalRecord> | undefined, over = lost) => {
    const cover = new JournalCover(over)
    cover.add(records)
    return cover.verdict
  }

  it.prop(
    "is complete if and only if every value after the backup is recorded",
    { missing: Schema.Int },
    ({ missing }) => {
      const records = beats(5, 25).filter((each) => each._tag === "beat" && each.counter !== missing)
      const expected = missing > 10 && missing <= 20 ? "missing_records" : "complete"
      assert.strictEqual(verdictOf(records), expected)
    },
  )

  for (const missing of [11, 15, 20]) {
    it(`proves nothing without the record of the value ${missing}`, () => {
      const records = beats(5, 25).filter((each) => each._tag === "beat" && each.counter !== missing)
      assert.strictEqual(verdictOf(records), "missing_records")
    })
  }

  it("proves nothing after a worker without a journal, and with a damaged segment", () => {
    assert.strictEqual(verdictOf(beats(11, 20)), "complete")
    assert.strictEqual(verdictOf(undefined), "missing_records")
    assert.strictEqual(verdictOf(beats(11, 20), { ...lost, backupJournaled: false }), "worker_without_journal")
    const beside = [...beats(11, 20), { _tag: "unjournaled" as const, counter: 15 }]
    assert.strictEqual(verdictOf(beside), "worker_without_journal")
    assert.strictEqual(verdictOf([...beats(11, 20), { _tag: "unjournaled", counter: 9 }]), "complete")
  })
})
