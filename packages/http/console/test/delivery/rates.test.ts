// The limits of bounces and complaints.
import { assert, describe, it } from "vitest"
import { isOverLimit } from "../../src/delivery/rates.ts"

const figures = {
  sent: 1_000,
  failed: 0,
  delivered: 1_000,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
}

describe("a share above the limit", () => {
  it("is of more than 2% bounces or 0.3% complaints", () => {
    assert.isFalse(isOverLimit("bounced", { ...figures, bounced: 20 }))
    assert.isTrue(isOverLimit("bounced", { ...figures, bounced: 21 }))
    assert.isFalse(isOverLimit("complained", { ...figures, complained: 3 }))
    assert.isTrue(isOverLimit("complained", { ...figures, complained: 4 }))
  })

  it("needs a hundred messages", () => {
    assert.isFalse(isOverLimit("bounced", { ...figures, sent: 99, bounced: 50 }))
    assert.isFalse(isOverLimit("complained", { ...figures, sent: 99, delivered: 0, complained: 1 }))
  })
})
