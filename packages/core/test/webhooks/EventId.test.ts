import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { EventId, eventIdOf, positionOf, sequenceOf } from "@tentpole/core/webhooks/EventId"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const workspace = WorkspaceId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01")
const other = WorkspaceId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02")
const Position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

describe("EventId", () => {
  it.prop("has the position, is a UUID, and belongs to one workspace", { position: Position }, ({ position }) => {
    const id = eventIdOf(workspace, String(position))
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(positionOf(workspace, id), String(position))
    assert.isNull(positionOf(other, id))
  })

  it.prop("ids and sequences have the order of the positions", { left: Position, right: Position }, (it) => {
    const [low, high] = it.left < it.right ? [it.left, it.right] : [it.right, it.left]
    if (low === high) return
    assert.isTrue(sequenceOf(String(low)) < sequenceOf(String(high)))
    assert.isTrue(eventIdOf(workspace, String(low)) < eventIdOf(workspace, String(high)))
  })

  it("has room for the largest counter and position, and reads capital letters", () => {
    const position = String((2n ** 32n - 1n) * 2n ** 28n + 2n ** 28n - 1n)
    const id = eventIdOf(workspace, position)
    assert.strictEqual(id, "ffffffff-ffff-8fff-9c11-2f4f6a1b0c01")
    assert.strictEqual(positionOf(workspace, EventId.make(id.toUpperCase())), position)
    assert.isNull(positionOf(workspace, EventId.make("ffffffff-ffff-7fff-9c11-2f4f6a1b0c01")), "another version")
  })
})
