import { assert, describe, it } from "@effect/vitest"
import { audit } from "@tentpole/core/blasts/inspection/BlastAudit"
import { auditFindings, type BlastEvidence, type Found } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import type { DeliveryTally } from "@tentpole/core/sending/Delivery"
import { DeliveryId } from "@tentpole/core/kernel/Ids"
import { DateTime } from "effect"

const id = DeliveryId.make("00000000-0000-4000-8000-0000000000dd")
const none: Found = { count: 0, samples: [] }
const tally: DeliveryTally = {
  deferred: 0,
  queued: 0,
  sent: 3,
  failed: 1,
  blocked: 2,
  delivered: 3,
  opened: 1,
  clicked: 1,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
}

const clean: BlastEvidence = {
  status: "sent",
  recipientCount: 6,
  mayBeDeleted: false,
  recipients: [
    { state: "blocked", reason: "unsubscribed", count: 2 },
    { state: "sent", reason: null, count: 3 },
    { state: "unconfirmed", reason: "unconfirmed", count: 1 },
  ],
  tally,
  recount: tally,
  unconfirmed: [{ id, handedOverAt: DateTime.makeUnsafe("2026-05-01T12:00:00Z") }],
  found: {
    contact_again: none,
    address_again: none,
    sent_without_intent: none,
    sent_without_evidence: none,
    open: none,
    events_wrong: none,
  },
}

const broken = (evidence: BlastEvidence) => audit(evidence).lines.filter(({ holds }) => !holds)

describe("Blast audit", () => {
  it("does not take deliveries that were deleted by age for lost ones", () => {
    const without: BlastEvidence = { ...clean, recipients: [], recount: { ...tally, sent: 0, failed: 0, blocked: 0 } }
    assert.isFalse(audit(without).holds)
    assert.isTrue(audit({ ...without, mayBeDeleted: true }).holds)
    assert.isFalse(audit({ ...without, mayBeDeleted: true, recipients: clean.recipients }).holds)
  })

  it("holds for correct evidence, and lists unconfirmed recipients with their time", () => {
    const { holds, lines, recipients } = audit(clean)
    assert.isTrue(holds)
    assert.strictEqual(recipients, clean.recipients)
    assert.deepStrictEqual(lines.at(-1), {
      name: "unconfirmed",
      check: "unconfirmed messages are not sent again",
      holds: true,
      result: "1 unconfirmed, handed over at: 2026-05-01T12:00:00.000Z",
      deliveries: [id],
    })
  })

  it("reports each finding in its own line with the recipients concerned", () => {
    const checks = auditFindings.map((finding) => {
      const [line, ...others] = broken({ ...clean, found: { ...clean.found, [finding]: { count: 12, samples: [id] } } })
      assert.deepStrictEqual([others, line?.deliveries], [[], [id]], finding)
      assert.include(line?.result, "12", finding)
      return line?.check
    })
    assert.strictEqual(new Set(checks).size, auditFindings.length)
  })

  it("ignores open recipients while the blast is sending or ending", () => {
    const found = { ...clean.found, open: { count: 1, samples: [id] } }
    for (const status of ["sending", "cancelled", "failed", "archived"] as const) {
      assert.deepStrictEqual(broken({ ...clean, status, found }), [], status)
    }
  })

  it("reports each counter that differs from the count", () => {
    for (const name of Object.keys(tally) as ReadonlyArray<keyof DeliveryTally>) {
      const [line, ...others] = broken({ ...clean, tally: { ...tally, [name]: 40 } })
      assert.deepStrictEqual([line?.result, others], [`${name} says 40, counted ${tally[name]}`, []])
    }
  })

  it("accounts for every contact of the audience: sent, failed, blocked or open", () => {
    assert.deepStrictEqual(
      broken({ ...clean, recipientCount: 7 }).map(({ result }) => result),
      ["7 when the audience was fixed, 6 now: 3 sent, 1 failed, 2 blocked, 0 open"],
    )
    const noCounts = { ...tally, sent: 0, failed: 0, blocked: 0 }
    const draft = {
      ...clean,
      status: "draft",
      recipientCount: null,
      recipients: [],
      recount: noCounts,
      tally: noCounts,
    } as const
    assert.deepStrictEqual(broken(draft), [])
  })
})
