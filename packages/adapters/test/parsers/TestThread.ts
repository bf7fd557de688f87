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

const numbers = (length: number) => Array.from({ length }, (_, at) => at)

const parsers: Readonly<Record<string, (input: unknown) => unknown>> = {
  thread: () => threadId,
  endless: (input) => {
    begin(input)
    for (;;);
  },
  /**
   * Takes 32 MB at once. The pauses let the pool look in time: near the limit of V8, the thread would spend many seconds on
   * garbage collection.
   */
  hog: () => {
    const [many, pause] = [numbers(2 ** 22), new Int32Array(new SharedArrayBuffer(4))]
    for (const all: Array<unknown> = []; ; Atomics.wait(pause, 0, 0, 100)) all.push(many.slice())
  },
  /** Fills a heap of more than 100 MB, within the limit. */
  large: () => {
    const thousand = numbers(1_000)
    const all = Array.from({ length: 14_000 }, () => thousand.slice())
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
