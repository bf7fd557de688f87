// How far the heap of a process may grow before it is looked through again. Left to itself, V8 lets what is dropped lie until
// there are several times as much of it as of what is needed, on a machine with room; a worker shares its machine.
import { Effect } from "effect"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Of what is in use; a quarter of it again. */
const growing_percent = 25

/** Where what is new lies, both halves of it. */
const young_bytes = 64 * 1024 * 1024

const isYoungEnough = (): boolean =>
  getHeapSpaceStatistics().some(({ space_name, space_size }) => space_name === "new_space" && space_size >= young_bytes)

/** V8 takes no limit once it runs, but by how much it grows it does: by nothing, as soon as it is large enough. */
const stopGrowing = (): void => setFlagsFromString("--semi-space-growth-factor=1")

/** It grows when it is collected, and at no other time. */
const stopGrowingInTime = (): void => {
  if (isYoungEnough()) return stopGrowing()
  const collections = new PerformanceObserver(() => {
    if (!isYoungEnough()) return
    collections.disconnect()
    stopGrowing()
  })
  collections.observe({ entryTypes: ["gc"] })
}

/** From now on a process collects early what it has dropped: its memory stays flat, whatever it sends. */
export const frugalHeap = Effect.sync(() => {
  setFlagsFromString(`--heap-growing-percent=${growing_percent}`)
  stopGrowingInTime()
})
