import { readRetryAfter } from "@tentpole/core/webhooks/deliveries/Attempt"
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"

it("Retry-After is read in seconds and as a date", () => {
  const now = DateTime.makeUnsafe("2026-05-01T09:30:00.500Z")
  const read = (header: string | null) => readRetryAfter(header, now)
  assert.deepStrictEqual(
    ["120", "0", "Fri, 01 May 2026 09:31:00 GMT", "Fri, 01 May 2026 09:00:00 GMT"].map(read),
    [120, 0, 60, 0],
  )
  for (const header of [null, "", "-1", "1.5", "soon", "2026-05-01", "1e3", "Fri, 99 May 2026 09:31:00 GMT"]) {
    assert.isNull(read(header), String(header))
  }
})
