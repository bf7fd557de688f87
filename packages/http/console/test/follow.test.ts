// Following a stream of changes.
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { type Change, follow, silence_ms } from "../src/api/follow.ts"

const blast = { of: "blast:1", value: { sent: 1 } }

/** Streams have these changes and then an end: the stream stops, fails, or says nothing more. */
const following = (ends: ReadonlyArray<"stops" | "fails" | "waits">, changes: ReadonlyArray<Change>) => {
  const seen = { opened: 0, changes: 0, live: [] as Array<boolean> }
  const ending = new AbortController()
  const done = follow(
    {
      read: async (signal, onChange) => {
        const end = ends[seen.opened++] ?? "waits"
        for (const change of changes) onChange(change)
        if (end === "fails") throw new Error("the connection broke")
        if (end === "stops" || signal.aborted) return
        await new Promise((_, reject) => signal.addEventListener("abort", reject))
      },
      onChange: () => {
        seen.changes += 1
      },
      onLive: (isLive) => seen.live.push(isLive),
    },
    ending.signal,
  )
  return { seen, end: () => ending.abort(), done }
}

describe("follow", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("opens the stream again after its end and after a failure, and says meanwhile that it is not live", async () => {
    const { done, end, seen } = following(["stops", "fails"], [blast])
    await vi.advanceTimersByTimeAsync(10_000)
    assert.deepStrictEqual(seen, { opened: 3, changes: 3, live: [true, false, true, false, true] })
    end()
    await done
  })

  it("waits longer after each stream without an event", async () => {
    const { done, end, seen } = following(
      Array.from({ length: 100 }, () => "fails" as const),
      [],
    )
    await vi.advanceTimersByTimeAsync(60_000)
    assert.isBelow(seen.opened, 8)
    end()
    await done
  })

  it("opens a silent stream again", async () => {
    const { done, end, seen } = following(["waits"], [blast])
    await vi.advanceTimersByTimeAsync(silence_ms - 1_000)
    assert.strictEqual(seen.opened, 1)
    await vi.advanceTimersByTimeAsync(5_000)
    assert.strictEqual(seen.opened, 2)
    end()
    await done
  })

  it("ends a stream that says so, and ignores what follows", async () => {
    const { done, end, seen } = following(["waits"], [blast, { of: "end" }, blast])
    await vi.advanceTimersByTimeAsync(100)
    assert.deepStrictEqual([seen.changes, seen.live], [1, [true, false]])
    end()
    await done
  })
})
