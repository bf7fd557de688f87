// What the screens of topics read of refusals, and send.
import { ApiError } from "@tentpole/client"
import { assert, describe, it } from "vitest"
import { requestSearch } from "../../src/topics/search.ts"
import { creationOf, editOf, newTopic, usesIn } from "../../src/topics/topic.ts"

const refusal = (code: string, used_by: unknown) =>
  new ApiError({
    code,
    message: "",
    status: 409,
    requestId: null,
    issues: [],
    details: {},
    body: { used_by },
    retryAfter_s: null,
  })

describe("topics", () => {
  it("read what uses a topic, and leave out what they do not know", () => {
    const users = [
      { type: "blast", id: "1", name: "March", count: 1 },
      { type: "contacts", id: null, name: null, count: 3 },
      { type: "other", id: "2", name: "x", count: 1 },
    ]
    assert.deepStrictEqual(usesIn(refusal("topic_in_use", users)), [
      { type: "blast", name: "March", count: 1, path: "/blasts/1" },
      { type: "contacts", name: null, count: 3, path: null },
    ])
    assert.deepStrictEqual(usesIn(refusal("not_found", users)), [])
  })

  it("send the default only for a new one, and no empty description", () => {
    const values = { ...newTopic, name: " News ", description: " " }
    assert.deepInclude(creationOf(values), { name: "News", description: null, default_subscription: "unsubscribed" })
    assert.notProperty(editOf(values), "default_subscription")
    assert.notProperty(creationOf(values), "position")
    assert.strictEqual(editOf({ ...values, position: 0 }).position, 0)
  })

  it("drop unknown filters of requests", () => {
    assert.deepStrictEqual(requestSearch({ status: "lost", topic_id: "" }), {})
    assert.deepStrictEqual(requestSearch({ status: "pending", topic_id: "1" }), { status: "pending", topic_id: "1" })
  })
})
