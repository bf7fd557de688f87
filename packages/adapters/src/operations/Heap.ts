// How far the heap of a process may grow before it is looked through again. Left to itself, V8 lets what is dropped lie until
// there are several times as much of it as of what is needed, on a machine with room; a worker shares its machine.
import { Effect } from "effect"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Of what is in use; a quarter of it again. */
const growing_percent = 25

/** Where what is new lies, both halves of it. Twice as much saved a sender nothing. */
const young_bytes = 64 * 1024 * 1024
const look_every_ms = 100

const young = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? young_bytes

/** Its limit can't be set once V8 runs, but by how much it grows can: as soon as it is large enough, by nothing. */
const stopGrowing = (): void => {
  if (young() < young_bytes) setTimeout(stopGrowing, look_every_ms).unref()
  else setFlagsFromString("--semi-space-growth-factor=1")
}

/** From now on a process collects early what it has dropped: its memory stays flat, whatever it sends. */
export const frugalHeap = Effect.sync(() => {
  setFlagsFromString(`--heap-growing-percent=${growing_percent}`)
  stopGrowing()
})
