// Tests of the lines of the send journal.
import { assert, describe, it } from "@effect/vitest"
import { BlastId, DeliveryId } from "@tentpole/core/kernel/Ids"
import { failureReasons } from "@tentpole/core/sending/Delivery"
import {
  addressMark,
  decodeRecords,
  encodeRecord,
  type JournalRecord,
} from "@tentpole/core/sending/journal/JournalRecord"
import { DateTime } from "effect"

const blast = BlastId.make("00000000-0000-7000-8000-000000000001")
const its = { blast, delivery: DeliveryId.make("00000000-0000-8000-a000-000000000002"), token: 3 }
const at = DateTime.makeUnsafe(1_700_000_000_000)

const records: ReadonlyArray<JournalRecord> = [
  { _tag: "beat", counter: 7 },
  { _tag: "unjournaled", counter: 8 },
  { _tag: "intent", ...its, address: addressMark(blast, "ann@example.com") },
  { _tag: "outcome", ...its, at, ending: { state: "sent" }, bounce: null },
  { _tag: "outcome", ...its, at, ending: { state: "queued" }, bounce: null },
  ...failureReasons.map((reason): JournalRecord => ({
    _tag: "outcome",
    ...its,
    at,
    ending: { state: "failed", reason },
    bounce: reason === "hard_bounce" ? "hard" : "soft",
  })),
]

describe("encodeRecord", () => {
  it("writes lines that decodeRecords reads back", () => {
    assert.deepStrictEqual(decodeRecords(records.map(encodeRecord).join("")), records)
    assert.deepStrictEqual(decodeRecords(""), [])
  })

  it("takes at most 230 bytes for an intent and its outcome", () => {
    const bytes = (tag: string) =>
      Math.max(...records.map((each) => (each._tag === tag ? encodeRecord({ ...each }).length : 0)))
    assert.isAtMost(bytes("intent") + bytes("outcome"), 230)
  })
})

describe("decodeRecords", () => {
  it("refuses a segment that is cut anywhere but at the end of a line", () => {
    const text = records.map(encodeRecord).join("")
    for (let length = 1; length < text.length; length++) {
      const cut = text.slice(0, length)
      assert.strictEqual(decodeRecords(cut) !== undefined, cut.endsWith("\n"))
    }
  })

  it("refuses lines of another form", () => {
    const [sent, failed] = [encodeRecord(records[3] as never).trim(), encodeRecord(records[5] as never).trim()]
    for (const line of [
      "",
      "z 1",
      "b -1",
      "b 1 2",
      // Beyond the numbers that are exact.
      `b ${10 ** 15}`,
      sent.replace(" sent - ", " sent unconfirmed "),
      failed.replace(/ failed \S+ /, " failed - "),
      sent.replace(/-$/, "medium"),
      "o 3 x y 0 sent - -",
      encodeRecord(records[3] as never).trim() + " -",
    ]) {
      assert.isUndefined(decodeRecords(`${line}\n`))
    }
  })
})

describe("addressMark", () => {
  it("differs between addresses and between blasts, and not between spellings", () => {
    const other = BlastId.make("00000000-0000-7000-8000-000000000002")
    assert.strictEqual(addressMark(blast, "Ann@Example.com"), addressMark(blast, "ann@example.com"))
    assert.notStrictEqual(addressMark(blast, "ben@example.com"), addressMark(blast, "ann@example.com"))
    assert.notStrictEqual(addressMark(other, "ann@example.com"), addressMark(blast, "ann@example.com"))
  })
})
