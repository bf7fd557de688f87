// Tests of the order of timelines.
import { inTimelineOrder, type TimelineEntry, type TimelineType } from "@tentpole/core/flows/members/Membership"
import { assert, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const entry = (type: TimelineType, at_ms: number, stepId: string | null = null, visit?: number): TimelineEntry => ({
  type,
  at: DateTime.makeUnsafe(at_ms),
  stepId,
  metadata: visit === undefined ? {} : { visit },
})

const orderOf = (entries: ReadonlyArray<TimelineEntry>) =>
  inTimelineOrder(entries).map(({ at, stepId, type }) => `${at.epochMilliseconds} ${type} ${stepId ?? ""}`.trim())

it("sorts entries by time, also those that were written late", () => {
  const written = [
    entry("entered_flow", 0),
    entry("email_sent", 5, "s", 1),
    entry("step_executed", 9, "s", 1),
    entry("waiting", 9, "w", 2),
    entry("email_delivered", 5, "s"),
    entry("email_opened", 8, "s"),
  ]
  assert.deepStrictEqual(orderOf(written), [
    "0 entered_flow",
    "5 email_sent s",
    "5 email_delivered s",
    "8 email_opened s",
    "9 step_executed s",
    "9 waiting w",
  ])
})

it("puts an engagement to the last send of its step before it", () => {
  const written = [
    entry("email_opened", 5, "s"),
    entry("email_sent", 5, "s", 4),
    entry("step_executed", 5, "w", 3),
    entry("email_sent", 1, "s", 1),
    entry("email_sent", 9, "s", 7),
  ]
  assert.deepStrictEqual(orderOf(written), [
    "1 email_sent s",
    "5 step_executed w",
    "5 email_sent s",
    "5 email_opened s",
    "9 email_sent s",
  ])
})

const caused = [
  entry("entered_flow", 1),
  entry("step_executed", 1, "check", 1),
  entry("email_sent", 1, "send", 2),
  entry("email_delivered", 1, "send"),
  entry("email_opened", 1, "send"),
  entry("email_clicked", 1, "send"),
  entry("step_executed", 1, "send", 2),
  entry("waiting", 1, "wait", 3),
  entry("step_executed", 1, "wait", 3),
  entry("completed", 1),
]

it.prop(
  "sorts entries of the same time by cause, in whatever order they were written",
  [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })))],
  ([keys]) => {
    const shuffled = caused
      .map((each, at) => ({ each, key: keys[at] ?? at }))
      .sort((left, right) => left.key - right.key)
      .map(({ each }) => each)
    assert.deepStrictEqual(inTimelineOrder(shuffled), caused)
  },
)
