// The module of threads in tests of the pool: parsers that don't end, need much memory, or wait for the test.
import { answering } from "@tentpole/adapters/parsers/ThreadMessages"
import { parentPort, threadId } from "node:worker_threads"

/** The first number of the memory that a test shares is set when a parser begins. It ends when the second one is set. */
const [begun, released] = [0, 1]

const begin = (input: unknown): Int32Array => {
  const shared = new Int32Array(input as SharedArrayBuffer)
  Atomics.store(shared, begun, 1)
  return shared
}

const parsers: Readonly<Record<string, (input: unknown) => unknown>> = {
  thread: () => threadId,
  endless: (input) => {
    begin(input)
    for (;;);
  },
  /** Its array doubles, by more at once than Node lets a thread exceed its limit. */
  hog: () => {
    const all: Array<object> = []
    for (;;) all.push({ at: all.length })
  },
  /** Fills a heap of more than 100 MB, within the limit. */
  large: () => {
    const all = Array.from({ length: 14_000 }, (_, at) => Array.from({ length: 1_000 }, () => at))
    return all.length === 0 ? null : threadId
  },
  broken: () => {
    throw new Error("broken")
  },
  held: (input) => {
    Atomics.wait(begin(input), released, 0)
    return null
  },
}

answering(parentPort, ({ name, input }) => ({ output: parsers[name]?.(input) }))
