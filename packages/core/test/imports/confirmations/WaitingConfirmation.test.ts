// Tests of the decision about contacts that wait for the confirmation mail of an import.
import { assert, describe, it } from "@effect/vitest"
import { decideWaiting, dropSteps } from "@tentpole/core/imports/confirmations/WaitingConfirmation"
import { ContactId, ImportRunId } from "@tentpole/core/kernel/Ids"
import { type Topic, topicStatuses } from "@tentpole/core/topics/Topic"
import { DateTime, Schema } from "effect"
import { topicIdOf, topicOf } from "../../topics/Topics.ts"

const now = DateTime.makeUnsafe("2026-05-01T12:00:00Z")
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
const contactId = ContactId.make(idOf(9))
const runId = ImportRunId.make(idOf(8))

const Known = Schema.Struct({
  status: Schema.Literals(["active", "archived", "deleted"]),
  choice: Schema.Literals([...topicStatuses, "none"]),
  isWanted: Schema.Boolean,
  isRequested: Schema.Boolean,
})

describe("decideWaiting", () => {
  it.prop(
    "ends each pending topic: it is asked for, given up, or of a request that waits already",
    {
      hasAddress: Schema.Boolean,
      isSuppressed: Schema.Boolean,
      unsubscribed: Schema.Boolean,
      known: Schema.Array(Known),
      open: Schema.Literals(["none", "waits", "over"]),
    },
    ({ hasAddress, isSuppressed, known, open, unsubscribed }) => {
      const idsOf = (holds: (each: typeof Known.Type) => boolean) =>
        known.flatMap((each, at) => (holds(each) ? [topicIdOf(at)] : []))
      const { asked, dropped } = decideWaiting(
        { topicIds: idsOf(({ isWanted }) => isWanted) },
        {
          contact: { id: contactId, emailNormalized: hasAddress ? "ann@example.org" : null, unsubscribed },
          isSuppressed,
          topics: known.flatMap(({ status }, at) => (status === "deleted" ? [] : [topicOf(at, { status })])),
          choices: known.flatMap(({ choice }, at) =>
            choice === "none"
              ? []
              : [{ contactId, topicId: topicIdOf(at), status: choice, source: "import", changedAt: now }],
          ),
          open:
            open === "none"
              ? null
              : {
                  status: "pending",
                  expiresAt: open === "waits" ? DateTime.add(now, { days: 1 }) : now,
                  topicIds: idsOf(({ isRequested }) => isRequested),
                },
          now,
        },
      )
      const waits = ({ choice, isRequested, isWanted }: typeof Known.Type) =>
        isWanted && choice === "pending" && !(open === "waits" && isRequested)
      const isReachable = hasAddress && !isSuppressed && !unsubscribed
      const ids = (topics: ReadonlyArray<Topic>) => topics.map(({ id }) => id)
      assert.deepStrictEqual(
        ids(asked),
        idsOf((each) => waits(each) && each.status === "active" && isReachable),
      )
      assert.deepStrictEqual(
        ids(dropped),
        idsOf((each) => waits(each) && (each.status === "archived" || (each.status === "active" && !isReachable))),
      )
    },
  )

  it("leaves nothing recorded for a topic that is given up", () => {
    const [step] = dropSteps({ runId, contactId }, [topicOf(1, { status: "archived" })], now)
    assert.deepInclude(step, { contactId, action: "expired" })
    assert.deepInclude(step?.of, { before: "pending", after: null })
    assert.deepInclude(step?.evidence, { source: "import", importRunId: runId })
  })
})
