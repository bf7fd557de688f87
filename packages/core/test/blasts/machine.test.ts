import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type Blast,
  type BlastStatus,
  countsOf,
  earlyEndReasonOf,
  launchOf,
  lockedOf,
  timeOf,
} from "../../src/blasts/Blast.ts"
import { type BlastEvent, createBlast, decide, transitions } from "../../src/blasts/machine.ts"
import { plans } from "../../src/workspaces/Workspace.ts"
import { at, draft, eventOf, facts, type Happening, Life, listId, live, moves } from "./Arbitraries.ts"

const frozen = ({ audience, email }: Blast) => JSON.stringify([audience, email])
const success = <A, E>(result: Result.Result<A, E>): A => {
  assert.isTrue(Result.isSuccess(result), JSON.stringify(result))
  return Result.getOrThrow(result)
}
const code = <A, E extends { readonly code: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure.code : "no refusal"

/** Events that stores create: the store makes the workspace due itself. */
const audienceMoves: ReadonlyArray<Happening["move"]> = ["writeAudience", "fixAudience"]

const lives = { arbitrary: { runs: sampled(400) } }

/** The statuses that the table gives for an event; none where it refuses the event. */
const targets = (status: BlastStatus, move: BlastEvent["_tag"]): ReadonlyArray<string> => {
  const row: { readonly [Move in BlastEvent["_tag"]]?: string | ReadonlyArray<string> } = transitions[status]
  return [row[move] ?? []].flat()
}

describe("Blast machine, any lifecycle", () => {
  it.prop(
    "follows the table of transitions, and a refused event changes nothing",
    [Life],
    ([happenings]) => {
      for (const { before, after, change, happening } of live(happenings)) {
        if (change !== null) assert.include(targets(before.status, happening.move), change.after?.status ?? "deleted")
        else assert.strictEqual(after, before)
        assert.isTrue(after.updatedAt.epochMilliseconds >= before.updatedAt.epochMilliseconds)
        assert.deepStrictEqual([after.id, after.createdAt], [before.id, before.createdAt])
      }
    },
    lives,
  )

  it.prop(
    "freezes audience and email outside of draft",
    [Life],
    ([happenings]) => {
      for (const { before, after } of live(happenings)) {
        if (frozen(before) === frozen(after)) continue
        assert.deepStrictEqual([before.status, after.status], ["draft", "draft"])
      }
    },
    lives,
  )

  it.prop(
    "keeps one approval and one time while a blast is scheduled or launched",
    [Life],
    ([happenings]) => {
      for (const { before, after } of live(happenings)) {
        if (after.status === "draft") assert.deepStrictEqual([lockedOf(after), timeOf(after)], [null, null])
        else if (before.status !== "draft") {
          assert.deepStrictEqual([lockedOf(after), timeOf(after)], [lockedOf(before), timeOf(before)])
        }
      }
    },
    lives,
  )

  it.prop(
    "launches at most once, and only what was ready at that moment",
    [Life],
    ([happenings]) => {
      const steps = live(happenings)
      const launched = steps.filter(({ before, after }) => launchOf(before) === null && launchOf(after) !== null)
      assert.isAtMost(launched.length, 1)
      for (const { before, after, happening } of launched) {
        if (after.status === "failed") continue
        assert.notStrictEqual(before.audience, null)
        assert.notStrictEqual(before.email, null)
        assert.notStrictEqual(happening.world.list, "gone")
        assert.strictEqual(happening.world.sender === "unverified", false)
        if (before.status === "draft") assert.strictEqual(happening.world.email, "approved")
      }
      const starts = steps.flatMap(({ change }) => change?.jobs ?? []).filter(({ job }) => job.type === "blast_start")
      const began = launched.filter(({ after }) => after.status === "sending")
      assert.strictEqual(starts.length, began.length)
    },
    lives,
  )

  it.prop(
    "launches no blast over the plan's limits",
    [Life],
    ([happenings]) => {
      for (const { before, after, happening } of live(happenings)) {
        const { plan, contacts, usedToday, qualified } = happening.world
        const over = plan === "free" && (usedToday + qualified > 100 || contacts > 1_000)
        if (over && launchOf(before) === null) assert.notStrictEqual(after.status, "sending")
        if (after.status === "cancelled" && before.status !== "cancelled") {
          const reason =
            happening.move === "cancel" ? null : usedToday + qualified > 100 ? "daily_email_limit" : "contact_allowance"
          assert.strictEqual(after.cancelledReason, reason)
          assert.strictEqual(reason !== null, happening.move === "fire" && over)
        }
      }
    },
    lives,
  )

  it.prop(
    "completes only after the audience, and writes one event for each change of status",
    [Life],
    ([happenings]) => {
      for (const { before, after, change, now } of live(happenings)) {
        if (after.status === "sent") {
          assert.notStrictEqual(after.launch.audience, null)
          if (before.status === "sending") assert.deepStrictEqual(after.sentAt, now)
        }
        if (change === null) continue
        const to = change.after?.status ?? "deleted"
        assert.deepStrictEqual(
          change.events.map(({ type }) => type),
          to === before.status ? [] : [`blast_${to}`],
        )
        const [event] = change.events
        const isEnd = to === "sent" || to === "failed" || to === "cancelled"
        const details = isEnd && event !== undefined ? (launchOf(after) === null ? "none" : "counts") : undefined
        const shown = event?.data["details"]
        assert.strictEqual(shown === null ? "none" : shown === undefined ? undefined : "counts", details)
      }
    },
    lives,
  )

  it.prop(
    "makes deliveries due exactly when recipients may be waiting for a send or for the end of their blast",
    [Life],
    ([happenings]) => {
      for (const { before, after, change, happening } of live(happenings)) {
        if (change === null || audienceMoves.includes(happening.move)) continue
        const open = (blast: Blast) => blast.status === "sending" && !blast.paused && countsOf(blast.launch) !== null
        const ends = before.status === "sending" && countsOf(before.launch) !== null && earlyEndReasonOf(after) !== null
        assert.strictEqual(change.wakesSenders, change.after !== null && ((open(after) && !open(before)) || ends))
      }
    },
    lives,
  )

  it.prop(
    "retries only what ended by itself, keeps the audience, and completes when every recipient is queued",
    [Life],
    ([happenings]) => {
      for (const { before, after, change, happening } of live(happenings)) {
        const retries = (change?.jobs ?? []).filter(({ job }) => job.type === "blast_retry")
        const retried = happening.move === "retry" && change !== null
        assert.strictEqual(retries.length, retried ? 1 : 0)
        if (retried) {
          assert.include(["sent", "failed"], before.status)
          assert.deepStrictEqual(launchOf(after), launchOf(before))
          assert.notStrictEqual(happening.world.sender, "unverified")
        }
        const waits = before.status === "sending" && before.retryingSince !== null
        if (waits && after.status !== "sending") assert.include(["cancelled", "failed"], after.status)
      }
    },
    lives,
  )

  it.prop(
    "makes schedules due exactly when the blast has a time",
    [Life],
    ([happenings]) => {
      for (const { after, change, happening } of live(happenings)) {
        const time = after.status === "scheduled" ? after.time.scheduledAt : null
        if (change !== null) assert.strictEqual(change.scheduleDueAt, happening.move === "schedule" ? time : null)
      }
    },
    lives,
  )

  it.prop(
    "ends only at a user's request: scheduled, sending and archived blasts are not deleted",
    [Life],
    ([happenings]) => {
      for (const { before, change } of live(happenings)) {
        if (change?.after === null) assert.include(["draft", "sent", "failed", "cancelled"], before.status)
      }
    },
    lives,
  )

  it.prop(
    "completes an audience that was started, whatever happens to the blast, and completes it once",
    [Life],
    ([happenings]) => {
      for (const { before, after, happening } of live(happenings)) {
        const launch = launchOf(before)
        const begun = launch !== null && launch.pass !== null
        if (begun) assert.isNull(launch.audience)
        if (begun || (before.status === "sending" && launch?.audience === null)) {
          if (happening.move === "writeAudience") assert.isNotNull(launchOf(after)?.pass)
          if (happening.move === "fixAudience") assert.isNotNull(launchOf(after)?.audience)
        } else if (audienceMoves.includes(happening.move)) assert.strictEqual(after, before)
        if (launch !== null && launch.audience !== null) assert.strictEqual(launchOf(after)?.audience, launch.audience)
        if (before.status === after.status && audienceMoves.includes(happening.move)) continue
        if (after.status !== "draft" && launch !== null && happening.move !== "delete") {
          assert.deepStrictEqual(countsOf(launchOf(after)), countsOf(launch), happening.move)
        }
      }
    },
    lives,
  )

  it("reaches every edge of the table", () => {
    const good: Happening["world"] = {
      list: "static",
      empty: false,
      email: "approved",
      sender: "verified",
      tokens: false,
      address: true,
      plan: "max",
      contacts: 0,
      usedToday: 0,
      qualified: 0,
      approval: 0,
    }
    const worlds: ReadonlyArray<Partial<Happening>> = [
      {},
      { world: { ...good, list: "gone" } },
      { world: { ...good, plan: "free", qualified: 120 } },
      { elapsed_ms: 2 * 86_400_000 },
    ]
    const edges = new Set<string>()
    const seen = new Map<string, { readonly blast: Blast; readonly now_ms: number }>()
    const follow = (blast: Blast, now_ms: number) => {
      const { launch = null } = "launch" in blast ? blast : {}
      const key = JSON.stringify([
        blast.status,
        launch?.pass,
        launch?.audience !== null,
        "retryingSince" in blast && blast.retryingSince,
      ])
      if (!seen.has(key)) seen.set(key, { blast, now_ms })
    }
    follow(draft(), 1_000)
    // A Map iterates over entries that are added meanwhile.
    for (const { blast, now_ms } of seen.values()) {
      for (const move of moves) {
        for (const world of worlds) {
          const it = { move, elapsed_ms: 10, ahead_ms: 5, operational: false, other: 1, world: good, ...world }
          const later_ms = now_ms + it.elapsed_ms
          const decided = decide(blast, eventOf(blast, it, at(later_ms)), at(later_ms))
          if (Result.isFailure(decided)) continue
          const { after } = decided.success
          edges.add(`${blast.status} ${move} ${after?.status ?? "deleted"}`)
          if (after !== null && seen.size < 200) follow(after, later_ms)
        }
      }
    }
    const statuses = Object.keys(transitions) as ReadonlyArray<BlastStatus>
    const table = statuses.flatMap((from) =>
      moves.flatMap((move) => targets(from, move).map((to) => `${from} ${move} ${to}`)),
    )
    assert.sameMembers([...edges], table)
  })
})

describe("Blast machine, moves", () => {
  const now = at(10_000)
  const scheduled = success(
    decide(
      draft(),
      { _tag: "schedule", by: "worker", facts: facts(), scheduledAt: at(20_000), operational: true },
      now,
    ),
  ).after
  const sending = success(
    decide(draft(), { _tag: "launch", by: "worker", facts: facts(), operational: false }, now),
  ).after

  it("unschedule clears time and approval, and the blast is editable again", () => {
    const again = success(decide(scheduled, { _tag: "unschedule" }, now)).after
    assert.deepStrictEqual(Object.keys(again).sort(), Object.keys(draft()).sort())
    assert.isTrue(
      Result.isSuccess(
        decide(again, { _tag: "setAudience", audience: { listId: listId(2), source: "inline" }, lists: [] }, now),
      ),
    )
  })

  it("launches a schedule for a day from its time; after that the blast is a draft with the reason", () => {
    assert.strictEqual(code(decide(scheduled, { _tag: "fire", facts: facts() }, at(19_999))), "invalid_state")
    assert.strictEqual(success(decide(scheduled, { _tag: "fire", facts: facts() }, at(20_000))).after.status, "sending")
    assert.strictEqual(
      success(decide(scheduled, { _tag: "fire", facts: facts() }, at(20_000 + 86_400_000))).after.status,
      "sending",
    )
    const missed = success(decide(scheduled, { _tag: "fire", facts: facts() }, at(20_001 + 86_400_000))).after
    assert.deepInclude(missed, { status: "draft", scheduleMissed: true })
    assert.isFalse("time" in missed)
  })

  it("launches a schedule with the approval that it was scheduled with", () => {
    const email = facts().email
    const newer = facts({ email: email === null ? null : { ...email, approval: null, status: "draft" } })
    const fired = success(decide(scheduled, { _tag: "fire", facts: newer }, at(20_000))).after
    assert.deepStrictEqual(lockedOf(fired), scheduled.locked)
  })

  it("fails a schedule without its list or without a verified sender", () => {
    const gone = success(decide(scheduled, { _tag: "fire", facts: facts({ list: null }) }, at(20_000))).after
    assert.deepInclude(gone, { status: "failed", failure: "audience_gone" })
    const sender = success(
      decide(scheduled, { _tag: "fire", facts: facts({ verifiedDomains: new Set() }) }, at(20_000)),
    ).after
    assert.deepInclude(sender, { status: "failed", failure: "sender_domain_unverified" })
  })

  it("checks sender and contact limit for a retry, but not the day's emails", () => {
    const fixed = {
      ...sending,
      launch: { ...sending.launch, audience: { at: now, recipientCount: 3, qualifiedCount: 3, truncated: false } },
    }
    const sent = success(decide(fixed, { _tag: "complete" }, now)).after
    const retry = (over: Parameters<typeof facts>[0]) =>
      decide(sent, { _tag: "retry", facts: facts(over), includeUnconfirmed: false }, at(12_000))
    const free = (contacts: number) => ({ plan: plans.free, allotment: { contacts, usedToday: 100, qualified: 100 } })
    assert.strictEqual(code(retry({ verifiedDomains: new Set() })), "campaign_not_ready")
    assert.strictEqual(code(retry(free(1_001))), "free_plan_email_limit")
    const again = success(retry(free(1_000)))
    assert.deepInclude(again.after, { status: "sending", paused: false, retryingSince: at(12_000) })
    assert.deepStrictEqual(again.jobs, [
      {
        job: { type: "blast_retry", blastId: sent.id, since_ms: 12_000, includeUnconfirmed: false },
        id: `blast_retry:${sent.id}:12000`,
      },
    ])
    assert.strictEqual(code(decide(again.after, { _tag: "complete" }, at(13_000))), "invalid_state")
    assert.strictEqual(code(decide(again.after, { _tag: "finishRetry", since: at(1) }, at(13_000))), "invalid_state")
    const over = success(decide(again.after, { _tag: "finishRetry", since: at(12_000) }, at(13_000))).after
    assert.strictEqual(success(decide(over, { _tag: "complete" }, at(14_000))).after.status, "sent")
  })

  it("changes nothing when a blast is paused or resumed twice", () => {
    const paused = success(decide(sending, { _tag: "pause" }, at(11_000))).after
    assert.strictEqual(success(decide(paused, { _tag: "pause" }, at(12_000))).after, paused)
    const resumed = success(decide(paused, { _tag: "resume" }, at(13_000))).after
    assert.strictEqual(success(decide(resumed, { _tag: "resume" }, at(14_000))).after, resumed)
    for (const other of [draft(), scheduled]) {
      assert.strictEqual(code(decide(other, { _tag: "pause" }, now)), "invalid_state")
      assert.strictEqual(code(decide(other, { _tag: "resume" }, now)), "invalid_state")
    }
  })

  it("keeps audience and email of a cancelled blast, without a reason of the service", () => {
    const early = success(decide(scheduled, { _tag: "cancel" }, now)).after
    assert.deepInclude(early, { launch: null, cancelledAt: now, cancelledReason: null })
    assert.deepStrictEqual(early.time, scheduled.time)
    const mid = success(decide(sending, { _tag: "cancel" }, now)).after
    assert.deepStrictEqual(mid.launch, sending.launch)
  })

  it("names the status and the requested move in every refusal", () => {
    const refused = decide(sending, { _tag: "setEmail", email: sending.email, inlineEmail: null }, now)
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) {
      assert.deepStrictEqual(refused.failure.details, { status: "sending" })
      assert.strictEqual(refused.failure.message, "The email blast is sending and can't be given another email")
    }
  })

  it("reports names outside 1 to 200 characters and descriptions over 1,000 together", () => {
    const both = createBlast(draft().id, { name: " ", description: "x".repeat(1001) }, now)
    assert.deepStrictEqual(Result.isFailure(both) ? both.failure.issues.map(({ path }) => path) : [], [
      "name",
      "description",
    ])
    assert.isTrue(Result.isSuccess(createBlast(draft().id, { name: "x".repeat(200) }, now)))
    assert.strictEqual(code(decide(draft(), { _tag: "update", fields: { name: "" } }, now)), "validation_failed")
  })
})
