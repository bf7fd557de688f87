import { sampled } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { cyclesWithoutWait } from "@tentpole/core/flows/definition/Graph"
import { isLive, Membership, type MemberState, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import { durationOf, endOf, timeoutOf } from "@tentpole/core/flows/definition/Step"
import { Result, Schema } from "effect"
import { DrawnFlow } from "../../../contract/flows/flowDraws.ts"
import { bodyOf, Life, live } from "../FlowDraws.ts"
import { structureOf } from "../FlowFixture.ts"

const lives = { arbitrary: { runs: sampled(300) } }

const whereOf = (state: MemberState): string => {
  if (state.status === "completed") return "completed"
  return state.status === "dropped" ? `dropped ${state.reason}` : `${state.status} ${state.visit.stepId}`
}

/** The state that follows from the timeline. */
const replay = (timeline: ReadonlyArray<TimelineEntry>): string => {
  let where = "nowhere"
  for (const { type, stepId, metadata } of timeline) {
    const next = metadata["next_step_id"]
    if (type === "entered_flow") where = `active ${stepId}`
    else if (type === "waiting") where = `waiting ${stepId}`
    else if (type === "completed") where = "completed"
    else if (type === "dropped") where = `dropped ${String(metadata["reason"])}`
    else if (type.startsWith("step_")) {
      if (typeof next === "string") where = `active ${next}`
      else if (next === undefined) where = `${metadata["retry_at"] === null ? "failed" : "active"} ${stepId}`
    }
  }
  return where
}

describe("the membership machine, for any flow and any events", () => {
  it.prop(
    "ends each step visit once, and issues each command once for each visit and attempt",
    [DrawnFlow, Life],
    ([flow, life]) => {
      const moments = live(flow, life)
      const ended = (moments.at(-1)?.timeline ?? []).flatMap(({ type, metadata }) =>
        type.startsWith("step_") && "next_step_id" in metadata ? [metadata["visit"]] : [],
      )
      assert.strictEqual(new Set(ended).size, ended.length)
      const commands = moments.flatMap(({ change }) =>
        (change?.commands ?? []).map((each) => `${each.type} ${each.visit} ${"attempt" in each ? each.attempt : ""}`),
      )
      assert.strictEqual(new Set(commands).size, commands.length, commands.join(", "))
    },
    lives,
  )

  it.prop(
    "does not advance members that completed, failed or were dropped",
    [DrawnFlow, Life],
    ([flow, life]) => {
      for (const { before, after, change } of live(flow, life)) {
        if (isLive(before.state)) continue
        assert.strictEqual(whereOf(after.state), whereOf(before.state))
        assert.deepStrictEqual(change?.commands ?? [], [])
        assert.deepStrictEqual(change?.activities ?? [], [])
      }
    },
    lives,
  )

  it.prop(
    "does not end a wait before its time",
    [DrawnFlow, Life],
    ([flow, life]) => {
      for (const { flow: compiled, before, change } of live(flow, life)) {
        for (const { type, stepId, at, metadata } of change?.entries ?? []) {
          const step = compiled.steps.get(stepId ?? "")?.step
          if (type !== "step_executed" || step?.type !== "wait") continue
          const timed = step.mode === "duration" ? durationOf(step) : timeoutOf(step)
          if (step.mode === "condition" && metadata["timed_out"] !== true) continue
          assert.isTrue(before.state.status === "waiting", "the wait began earlier")
          const over = before.state.status === "waiting" ? endOf(before.state.since, timed) : null
          assert.isAtLeast(at.epochMilliseconds, over?.epochMilliseconds ?? Infinity)
        }
      }
    },
    lives,
  )

  it.prop(
    "issues no commands for members that are disqualified, removed or in an inactive flow",
    [DrawnFlow, Life],
    ([flow, life]) => {
      for (const { flow: compiled, happening, after, change, disqualified } of live(flow, life)) {
        const effects = (change?.commands ?? []).filter(({ type }) => type !== "withdraw_email")
        const isEnded = disqualified || ["remove", "delete"].includes(happening.kind) || compiled.status === "archived"
        if (isEnded) assert.isFalse(isLive(after.state))
        if (isEnded || compiled.status !== "active") assert.deepStrictEqual(effects, [])
      }
    },
    lives,
  )

  it.prop(
    "writes a timeline from which the state follows",
    [DrawnFlow, Life],
    ([flow, life]) => {
      for (const { after, timeline } of live(flow, life)) assert.strictEqual(replay(timeline), whereOf(after.state))
    },
    lives,
  )

  it.prop(
    "returns memberships that survive encoding to JSON and decoding",
    [DrawnFlow, Life],
    ([flow, life]) => {
      const codec = Schema.toCodecJson(Membership)
      for (const { after } of live(flow, life)) {
        const json: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(after)))
        assert.deepStrictEqual(Result.getOrThrow(Schema.decodeUnknownResult(codec)(json)), after)
      }
    },
    { arbitrary: { runs: sampled(60) } },
  )

  it.prop(
    "does not fail members for a cycle in a flow without such cycles",
    [DrawnFlow, Life],
    ([flow, life]) => {
      const cycles = cyclesWithoutWait(structureOf(bodyOf(flow)))
      const rounds = live(flow, life).filter(
        ({ after: { state } }) => state.status === "failed" && state.retry.error.includes("cycle"),
      )
      if (cycles.length === 0) assert.deepStrictEqual(rounds, [])
    },
    lives,
  )
})
