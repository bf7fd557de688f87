// The messages between a process and its parsing threads.
import type { Parsed } from "@tentpole/core/ports/Parsers"
import { getHeapStatistics } from "node:v8"
import type { MessagePort } from "node:worker_threads"

export interface ThreadInput {
  /** The name of the parser. */
  readonly name: string
  readonly input: unknown
}

/** A thread answers each input twice: when it begins to parse, and with the result. */
export type ThreadAnswer =
  | "begun"
  | {
      readonly parsed: Parsed<unknown>
      /** The heap of the thread afterwards, with what is not collected yet. */
      readonly heap_bytes: number
    }
  | { readonly broken: unknown }

/** Answers the inputs that a thread receives. */
export const answering = (
  port: MessagePort | null,
  parsed: (message: ThreadInput) => Parsed<unknown> | Promise<Parsed<unknown>>,
): void => {
  const answer = (answer: ThreadAnswer): void => port?.postMessage(answer)
  const run = async (message: ThreadInput): Promise<void> => {
    answer("begun")
    try {
      answer({ parsed: await parsed(message), heap_bytes: getHeapStatistics().total_heap_size })
    } catch (broken) {
      answer({ broken })
    }
  }
  port?.on("message", (message: ThreadInput) => void run(message))
}
