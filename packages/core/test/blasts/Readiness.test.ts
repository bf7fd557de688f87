import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide } from "../../src/blasts/machine.ts"
import { readiness, unresolvedTokens } from "../../src/blasts/Readiness.ts"
import { plans } from "../../src/workspaces/Workspace.ts"
import { at, draft, facts, factsOf, Happening } from "./Arbitraries.ts"

const now = at(10_000)
const email = facts().email
const withEmail = (over: Partial<NonNullable<typeof email>>) =>
  facts({ email: email === null ? null : { ...email, ...over } })

describe("Readiness", () => {
  it("lists audience, email and time as missing in a new draft", () => {
    const bare = readiness(
      draft({ audience: null, email: null }),
      facts({ list: null, email: null, senderAddress: null }),
    )
    assert.deepStrictEqual(bare, { ready: false, missing: ["audience", "email", "schedule"], warnings: [] })
  })

  it("lists only the time as missing in a draft that is ready", () => {
    assert.deepStrictEqual(readiness(draft(), facts()), { ready: true, missing: ["schedule"], warnings: [] })
  })

  it("requires an approved email and a verified domain of its sender", () => {
    const both = readiness(draft(), {
      ...withEmail({ status: "draft", approval: null }),
      verifiedDomains: new Set(),
    })
    assert.deepStrictEqual(both.missing, ["email_approval", "schedule", "sender_domain"])
    const unnamed = readiness(draft(), {
      ...withEmail({ status: "draft", approval: null }),
      senderAddress: null,
    })
    assert.deepStrictEqual(unnamed.missing, ["email_approval", "schedule"])
  })

  it("warns about an empty audience of each kind", () => {
    const list = facts().list
    const empty = (kind: "static" | "dynamic" | "system") =>
      readiness(draft(), facts({ list: list === null ? null : { ...list, kind, empty: true } }))
    assert.deepStrictEqual(empty("static").warnings, ["empty_static_audience"])
    assert.deepStrictEqual(empty("dynamic").warnings, ["empty_dynamic_audience"])
    assert.deepStrictEqual(empty("system").warnings, ["empty_dynamic_audience"])
    assert.isTrue(empty("static").ready)
  })

  it("warns about tokens without any value, a missing postal address and a missed schedule", () => {
    const all = readiness(draft({ scheduleMissed: true }), {
      ...withEmail({ texts: ["{{contact.nickname}}"] }),
      postalAddress: " ",
    })
    assert.deepStrictEqual(all.warnings, ["unresolved_tokens", "no_postal_address", "schedule_missed"])
    assert.deepStrictEqual(readiness(draft(), facts({ postalAddress: null }), true).warnings, [])
  })

  it("warns when subject, preview text or sender differ from the approval, and stays ready", () => {
    const header = email?.header ?? null
    const changed = readiness(draft(), {
      ...withEmail(header === null ? {} : { header: { ...header, subject: "New", fromName: "Ann" } }),
      approvedHeader: header,
    })
    assert.deepStrictEqual(changed, { ready: true, missing: ["schedule"], warnings: ["email_changed_since_approval"] })
  })

  it("reports tokens of unknown fields and of flows as unresolved", () => {
    const texts = [
      "{{contact.first_name}} {{contact.nick}} {{contact.custom_fields.size}}",
      "{{campaign.dynamic.code}}",
    ]
    assert.deepStrictEqual(unresolvedTokens(texts, new Set(["size"])), ["contact.nick", "campaign.dynamic.code"])
    assert.deepStrictEqual(unresolvedTokens(["{{unsubscribe_url}}"], new Set()), [])
  })

  it.prop(
    "gives one answer for reading, scheduling and sending a draft",
    [Happening],
    ([{ world, operational }]) => {
      const known = factsOf(world)
      const read = readiness(draft(), known, operational)
      const sent = decide(draft(), { _tag: "launch", by: "worker", facts: known, operational }, now)
      const timed = decide(
        draft(),
        { _tag: "schedule", by: "worker", facts: known, scheduledAt: at(20_000), operational },
        now,
      )
      const refused = [
        ...(Result.isFailure(sent) ? [sent.failure] : []),
        ...(Result.isFailure(timed) ? [timed.failure] : []),
      ].flatMap((failure) => (failure._tag === "CampaignNotReady" ? [failure] : []))
      assert.strictEqual(refused.length, read.ready ? 0 : 2)
      for (const refusal of refused) assert.deepStrictEqual(refusal.extras, { approval_readiness: read })
    },
    { arbitrary: { runs: 300 } },
  )
})

describe("Four eyes", () => {
  const launch = (fourEyes: boolean, by: "key:tp_live_abcd" | "user:1") => {
    const known = { facts: facts({ fourEyes }), by, operational: false }
    const sent = decide(draft(), { _tag: "launch", ...known }, now)
    const timed = decide(draft(), { _tag: "schedule", ...known, scheduledAt: at(20_000) }, now)
    return [Result.isFailure(sent) ? sent.failure._tag : null, Result.isFailure(timed) ? timed.failure._tag : null]
  }

  it("let another person than the approver launch and schedule, and no other", () => {
    assert.deepStrictEqual(launch(true, "key:tp_live_abcd"), ["AnotherPersonNeeded", "AnotherPersonNeeded"])
    assert.deepStrictEqual(launch(true, "user:1"), [null, null])
    assert.deepStrictEqual(launch(false, "key:tp_live_abcd"), [null, null])
  })
})

describe("Plan limits", () => {
  const free = (contacts: number, usedToday: number, qualified: number) =>
    facts({ plan: plans.free, allotment: { contacts, usedToday, qualified } })
  const limitOf = (known: ReturnType<typeof facts>) => {
    const sent = decide(draft(), { _tag: "launch", by: "worker", facts: known, operational: false }, now)
    if (Result.isSuccess(sent)) return sent.success.after.launch.allotted
    return sent.failure._tag === "FreePlanEmailLimit" ? [sent.failure.reason, sent.failure.extras] : sent.failure.code
  }

  it("allow the last email of the day and the last contact, and not one more", () => {
    assert.strictEqual(limitOf(free(1_000, 40, 60)), 60)
    assert.deepStrictEqual(limitOf(free(1_000, 40, 61)), ["daily_email_limit", { limit: 100, current: 40 }])
    assert.deepStrictEqual(limitOf(free(1_001, 0, 1)), ["contact_allowance", { limit: 1000, current: 1001 }])
  })

  it("are reported only when nothing is missing", () => {
    assert.strictEqual(limitOf({ ...free(5_000, 100, 50), list: null }), "campaign_not_ready")
  })

  it("charge a plan that cuts the audience only for what it sends", () => {
    const cut = { ...plans.free, recipientsPerBlast_max: 10 }
    assert.strictEqual(limitOf({ ...free(5, 90, 400), plan: cut }), 10)
  })

  it("cancel a schedule that exceeds them at its time, with the reason and nothing sent", () => {
    const scheduled = Result.getOrThrow(
      decide(
        draft(),
        { _tag: "schedule", by: "worker", facts: facts(), scheduledAt: at(20_000), operational: false },
        now,
      ),
    ).after
    const fired = Result.getOrThrow(decide(scheduled, { _tag: "fire", facts: free(5, 90, 11) }, at(20_500)))
    assert.deepInclude(fired.after, {
      status: "cancelled",
      cancelledReason: "daily_email_limit",
      cancelledAt: at(20_500),
      launch: null,
      time: { mode: "scheduled", scheduledAt: at(20_000) },
    })
    assert.deepStrictEqual(fired.jobs, [])
    const contacts = Result.getOrThrow(decide(scheduled, { _tag: "fire", facts: free(1_001, 0, 1) }, at(20_500)))
    assert.deepInclude(contacts.after, { status: "cancelled", cancelledReason: "contact_allowance" })
  })
})
