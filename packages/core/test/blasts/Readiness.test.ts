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

describe("readiness", () => {
  it("a new draft misses audience, email and time", () => {
    const bare = readiness(
      draft({ audience: null, email: null }),
      facts({ list: null, email: null, senderAddress: null }),
    )
    assert.deepStrictEqual(bare, { ready: false, missing: ["audience", "email", "schedule"], warnings: [] })
  })

  it("only the time is missing from a draft that is ready", () => {
    assert.deepStrictEqual(readiness(draft(), facts()), { ready: true, missing: ["schedule"], warnings: [] })
  })

  it("an email has to be approved, and its sender's domain verified", () => {
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

  it("an empty audience is a warning, by its kind", () => {
    const list = facts().list
    const empty = (kind: "static" | "dynamic" | "system") =>
      readiness(draft(), facts({ list: list === null ? null : { ...list, kind, empty: true } }))
    assert.deepStrictEqual(empty("static").warnings, ["empty_static_audience"])
    assert.deepStrictEqual(empty("dynamic").warnings, ["empty_dynamic_audience"])
    assert.deepStrictEqual(empty("system").warnings, ["empty_dynamic_audience"])
    assert.isTrue(empty("static").ready)
  })

  it("tokens that resolve for nobody, a missing postal address and a missed schedule are warnings", () => {
    const all = readiness(draft({ scheduleMissed: true }), {
      ...withEmail({ texts: ["{{contact.nickname}}"] }),
      postalAddress: " ",
    })
    assert.deepStrictEqual(all.warnings, ["unresolved_tokens", "no_postal_address", "schedule_missed"])
    assert.deepStrictEqual(readiness(draft(), facts({ postalAddress: null }), true).warnings, [])
  })

  it("tokens of unknown fields and of flows are unresolved in a blast", () => {
    const texts = [
      "{{contact.first_name}} {{contact.nick}} {{contact.custom_fields.size}}",
      "{{campaign.dynamic.code}}",
    ]
    assert.deepStrictEqual(unresolvedTokens(texts, new Set(["size"])), ["contact.nick", "campaign.dynamic.code"])
    assert.deepStrictEqual(unresolvedTokens(["{{unsubscribe_url}}"], new Set()), [])
  })

  it.prop(
    "reading a draft, scheduling it and sending it give the one answer",
    [Happening],
    ([{ world, operational }]) => {
      const known = factsOf(world)
      const read = readiness(draft(), known, operational)
      const sent = decide(draft(), { _tag: "launch", facts: known, operational }, now)
      const timed = decide(draft(), { _tag: "schedule", facts: known, scheduledAt: at(20_000), operational }, now)
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

describe("the plan's limits", () => {
  const free = (contacts: number, usedToday: number, qualified: number) =>
    facts({ plan: plans.free, allotment: { contacts, usedToday, qualified } })
  const limitOf = (known: ReturnType<typeof facts>) => {
    const sent = decide(draft(), { _tag: "launch", facts: known, operational: false }, now)
    if (Result.isSuccess(sent)) return sent.success.after.launch.allotted
    return sent.failure._tag === "FreePlanEmailLimit" ? [sent.failure.reason, sent.failure.extras] : sent.failure.code
  }

  it("the last mail of the day and the last contact are allowed, one more is not", () => {
    assert.strictEqual(limitOf(free(1_000, 40, 60)), 60)
    assert.deepStrictEqual(limitOf(free(1_000, 40, 61)), ["daily_email_limit", { limit: 100, current: 40 }])
    assert.deepStrictEqual(limitOf(free(1_001, 0, 1)), ["contact_allowance", { limit: 1000, current: 1001 }])
  })

  it("what is not ready is told before what is too much", () => {
    assert.strictEqual(limitOf({ ...free(5_000, 100, 50), list: null }), "campaign_not_ready")
  })

  it("a plan that cuts the audience takes no more of the day than it sends", () => {
    const cut = { ...plans.free, recipientsPerBlast_max: 10 }
    assert.strictEqual(limitOf({ ...free(5, 90, 400), plan: cut }), 10)
  })

  it("a schedule over the limits is cancelled at its time, with the reason and nothing sent", () => {
    const scheduled = Result.getOrThrow(
      decide(draft(), { _tag: "schedule", facts: facts(), scheduledAt: at(20_000), operational: false }, now),
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
