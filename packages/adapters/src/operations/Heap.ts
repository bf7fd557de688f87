// How far the heap of a process may grow before it is looked through again. Left to itself, V8 lets what is dropped lie until
// there are several times as much of it as of what is needed, on a machine with room; a worker shares its machine.
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

/** Of what is in use; a quarter of it again. */
const growing_percent = 25

/** From now on a process collects early what it has dropped: its memory stays flat, whatever it sends. */
export const frugalHeap = Effect.sync(() => setFlagsFromString(`--heap-growing-percent=${growing_percent}`))
