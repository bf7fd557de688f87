import {
  blockReasons,
  failureReasons,
  finalStates,
  type Move,
  temporaryReasons,
  type DeliveryMachineState,
} from "@tentpole/core/sending/Delivery"
import { move, transitions } from "@tentpole/core/sending/machine"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Token = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))
const tagged = <const Tag extends string, const Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.Struct({ _tag: Schema.Literal(tag), ...fields })

const Ending = Schema.Union([
  Schema.Struct({ state: Schema.Literal("sent") }),
  Schema.Struct({ state: Schema.Literal("failed"), reason: Schema.Literals(failureReasons) }),
  Schema.Struct({ state: Schema.Literal("queued") }),
  Schema.Struct({ state: Schema.Literal("unconfirmed") }),
])

const AnyMove = Schema.Union([
  tagged("claim", { token: Token }),
  tagged("intent", { token: Token, answer: Schema.Literals(["granted", "paused", ...blockReasons]) }),
  tagged("settle", { token: Token, ending: Ending }),
  tagged("release", { token: Token }),
  tagged("expire", {}),
  tagged("restore", {}),
  tagged("end", { ending: Schema.Literals(["cancelled", "blast_failed"]) }),
  tagged("evidence", {}),
  tagged("report", {}),
])

const queued: DeliveryMachineState = { state: "queued", reason: null, token: null, attempts: 0 }
const Moves = Schema.Array(AnyMove).check(Schema.isMaxLength(40))

/** Every state that a delivery passes through. */
const history = (
  moves: ReadonlyArray<Move>,
): ReadonlyArray<{ readonly from: DeliveryMachineState; readonly by: Move; readonly to: DeliveryMachineState }> => {
  const steps = []
  let at = queued
  for (const by of moves) {
    const to = move(at, by)
    if (to === undefined) continue
    steps.push({ from: at, by, to })
    at = to
  }
  return steps
}

describe("Delivery machine", () => {
  it("follows its table from every state", () => {
    const moves: ReadonlyArray<Move> = [
      { _tag: "claim", token: 1 },
      ...(["granted", "paused", ...blockReasons] as const).map(
        (answer) => ({ _tag: "intent", token: 1, answer }) as const,
      ),
      ...(["sent", "queued", "unconfirmed"] as const).map(
        (state) => ({ _tag: "settle", token: 1, ending: { state } }) as const,
      ),
      { _tag: "settle", token: 1, ending: { state: "failed", reason: "unreachable" } },
      { _tag: "release", token: 1 },
      { _tag: "expire" },
      { _tag: "late" },
      { _tag: "restore" },
      { _tag: "end", ending: "cancelled" },
      { _tag: "end", ending: "blast_failed" },
      { _tag: "evidence" },
      { _tag: "report" },
      { _tag: "retry", unconfirmed: true },
    ]
    for (const [state, row] of Object.entries(transitions)) {
      const from = {
        ...queued,
        state,
        reason: state === "failed" ? "unreachable" : null,
        token: 1,
      } as DeliveryMachineState
      const edges = moves.flatMap((by) => {
        const to = move(from, by)
        return to === undefined ? [] : [`${by._tag} ${to.state}`]
      })
      const table = Object.entries(row).flatMap(([tag, to]) => [to].flat().map((each) => `${tag} ${each}`))
      assert.sameMembers([...new Set(edges)], table, state)
    }
  })

  it.prop(
    "marks nothing as sent that was not handed over, unless a restore hides whether it was",
    { moves: Moves },
    ({ moves }) => {
      let handedOver = false
      for (const { by, to } of history(moves)) {
        if (to.state === "handed_over" || by._tag === "restore") handedOver = true
        if (to.state === "sent" || to.state === "unconfirmed") assert.isTrue(handedOver)
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "returns a handed-over delivery to the queue only by its holder, never by an expired lease",
    { moves: Moves },
    ({ moves }) => {
      for (const { by, from, to } of history(moves)) {
        if (from.state !== "handed_over" || to.state !== "queued") continue
        assert.oneOf(by._tag, ["settle", "release"])
        assert.strictEqual("token" in by ? by.token : null, from.token)
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "keeps final states, except for an unconfirmed delivery that becomes sent or failed",
    { moves: Moves },
    ({ moves }) => {
      for (const { from, to } of history(moves)) {
        if (!finalStates.has(from.state)) continue
        assert.strictEqual(from.state, "unconfirmed")
        assert.oneOf(to.state, ["sent", "failed"])
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "has a token while claimed, and a reason only when failed, blocked or unconfirmed",
    { moves: Moves },
    ({ moves }) => {
      for (const { to } of history(moves)) {
        if (to.state === "claimed" || to.state === "handed_over") assert.isNotNull(to.token)
        if (to.state === "queued") assert.isNull(to.token)
        assert.strictEqual(to.reason !== null, ["failed", "blocked", "unconfirmed"].includes(to.state))
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "ignores an old token",
    { moves: Moves, late: AnyMove },
    ({ late, moves }) => {
      const at = history(moves).at(-1)?.to ?? queued
      if (!("token" in late) || late._tag === "claim" || late.token === at.token) return
      assert.isUndefined(move(at, late))
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "counts attempts only when they failed",
    { moves: Moves },
    ({ moves }) => {
      for (const { by, from, to } of history(moves)) {
        const inVain = by._tag === "settle" && to.state === "queued"
        assert.strictEqual(to.attempts, from.attempts + (inVain ? 1 : 0))
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it.prop(
    "retries only recipients that were not reached, from zero; unconfirmed ones only on request",
    { moves: Moves, unconfirmed: Schema.Boolean },
    ({ moves, unconfirmed }) => {
      for (const { to: at } of history(moves)) {
        const again = move(at, { _tag: "retry", unconfirmed })
        const passing = at.state === "failed" && at.reason !== null && temporaryReasons.has(at.reason)
        if (passing || (unconfirmed && at.state === "unconfirmed")) assert.deepStrictEqual(again, queued)
        else assert.isUndefined(again)
      }
    },
    { arbitrary: { runs: 2000 } },
  )

  it("treats a bad address and an unconfirmed message as not temporary", () => {
    assert.deepStrictEqual(
      failureReasons.filter((reason) => !temporaryReasons.has(reason)),
      ["hard_bounce", "not_rendered", "message_too_large", "expired", "unconfirmed"],
    )
  })
})
