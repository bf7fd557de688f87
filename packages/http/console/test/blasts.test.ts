// What the screens of blasts decide without a browser.
import type { BlastAudit } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import { can, firstStep, retriesOf, typedFor, verdictOf } from "../src/blasts/blast.ts"
import { blastSearch, recipientQuery } from "../src/blasts/search.ts"
import { instantOf, localOf } from "../src/blasts/wizard/zone.ts"

const berlin = "Europe/Berlin"

describe("a local time", () => {
  it("is an instant of the workspace's zone, in summer and in winter", () => {
    assert.deepStrictEqual(instantOf("2026-11-24T09:00", berlin), { kind: "once", at: "2026-11-24T08:00:00.000Z" })
    assert.deepStrictEqual(instantOf("2026-07-01T09:00", berlin), { kind: "once", at: "2026-07-01T07:00:00.000Z" })
    assert.deepStrictEqual(instantOf("2026-07-01T09:00", "Asia/Kathmandu"), {
      kind: "once",
      at: "2026-07-01T03:15:00.000Z",
    })
  })

  it("that clocks skip does not exist, and one that they repeat is the first one", () => {
    assert.deepStrictEqual(instantOf("2026-03-29T02:30", berlin), { kind: "skipped", at: "2026-03-29T01:30:00.000Z" })
    assert.deepStrictEqual(instantOf("2026-10-25T02:30", berlin), { kind: "twice", at: "2026-10-25T00:30:00.000Z" })
  })

  it("comes back from its instant", () => {
    for (const local of ["2026-01-01T00:00", "2026-12-31T23:59", "2026-10-25T03:00"]) {
      const found = instantOf(local, berlin)
      assert.strictEqual(found.kind === "invalid" ? "" : localOf(Date.parse(found.at), berlin), local)
    }
    assert.deepStrictEqual(instantOf("soon", berlin), { kind: "invalid" })
  })
})

describe("the wizard", () => {
  const draftOf = (...missing: ReadonlyArray<"audience" | "email" | "email_approval" | "schedule">) => ({
    approval_readiness: { ready: false, missing, warnings: [] },
  })

  it("begins with the first step that misses something", () => {
    assert.strictEqual(firstStep(draftOf("audience", "email", "schedule")), "who")
    assert.strictEqual(firstStep(draftOf("email_approval", "schedule")), "what")
    assert.strictEqual(firstStep(draftOf("schedule")), "when")
  })

  it("asks for the number of people to be typed above 1,000", () => {
    assert.deepStrictEqual([1_000, 1_001].map(typedFor), [undefined, "1001"])
  })
})

it("hides the actions that the service would refuse", () => {
  const sending = { status: "sending", paused: false } as const
  assert.isTrue(can("pause", sending))
  assert.isFalse(can("resume", sending))
  assert.isTrue(can("resume", { ...sending, paused: true }))
  assert.isFalse(can("delete", sending))
  assert.isFalse(can("archive", { status: "archived", paused: false }))
})

describe("the verdict of an audit", () => {
  const audit = (recipients: BlastAudit["recipients"], wrong: ReadonlyArray<BlastAudit["checks"][number]["name"]>) =>
    verdictOf(
      {
        ok: wrong.length === 0,
        recipients,
        checks: (["counts", "contact_again", "open"] as const).map((name) => ({
          name,
          check: name,
          ok: !wrong.includes(name),
          says: "",
          recipient_ids: [],
        })),
      },
      8_000,
    )
  const all = [
    { state: "sent", reason: null, count: 7_990 },
    { state: "blocked", reason: "unsubscribed", count: 10 },
  ] as const

  it("counts the recipients of every outcome", () => {
    assert.deepStrictEqual(audit(all, []), { kind: "good", accounted: 8_000, total: 8_000, once: true })
  })

  it("distinguishes a second message from another mistake", () => {
    assert.deepInclude(audit(all, ["contact_again"]), { kind: "wrong", once: false })
    assert.deepInclude(audit(all, ["open"]), { kind: "wrong", once: true })
  })
})

it("keeps recipients of unknown outcome apart from those that a retry is safe for", () => {
  const found = retriesOf([
    { state: "failed", reason: "unreachable", count: 6 },
    { state: "failed", reason: "hard_bounce", count: 2 },
    { state: "failed", reason: "unconfirmed", count: 1 },
    { state: "blocked", reason: "unsubscribed", count: 9 },
  ])
  assert.deepStrictEqual(
    [found.temporary.map(({ count }) => count), found.lasting.map(({ count }) => count), found.unconfirmed],
    [[6], [2], 1],
  )
})

it("reads the filters of recipients from the address and drops what is no filter", () => {
  const asked = blastSearch({ category: "failed", reason: "refused", domain: "a.test", link: 0, x: 1, step: "no" })
  assert.deepStrictEqual(asked, { category: "failed", reason: "refused", domain: "a.test", link: 0 })
  assert.deepStrictEqual(recipientQuery(asked), {
    category: "failed",
    reason: "refused",
    domain: "a.test",
    link_index: 0,
  })
  assert.deepStrictEqual(blastSearch({ category: "all", at: "9 o'clock", operational: "true", link: -1 }), {})
})
