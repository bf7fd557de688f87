// Tests of the end of sessions.
import { isLive, isRecent, type Session } from "@tentpole/core/accounts/Session"
import { SessionId, UserId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const minute_ms = 60_000
const at = (minutes: number) => DateTime.makeUnsafe(minutes * minute_ms)
const id = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const session: Session = {
  id: SessionId.make(id),
  userId: UserId.make(id),
  hash: Uint8Array.of(1),
  agent: "",
  createdAt: at(0),
  provedAt: at(0),
  seenAt: at(50),
  expiresAt: at(100),
}

describe("a session", () => {
  it("ends after a time without a request, and at its expiry at the latest", () => {
    const ends = (now: number, idle: number) => !isLive(session, at(now), idle)
    assert.deepStrictEqual([ends(59, 10), ends(60, 10), ends(99, 500), ends(100, 500)], [false, true, false, true])
  })

  it("is recent for 15 minutes from the proof of the person, whatever happens in it", () => {
    assert.deepStrictEqual([isRecent(session, at(14)), isRecent(session, at(15))], [true, false])
    assert.isFalse(isRecent({ ...session, provedAt: null }, at(1)))
  })
})
