// The terminal of a command: one line of progress, and questions. Output that goes to a file or another program has neither.
import { Context } from "effect"
import { createInterface } from "node:readline/promises"

export interface Screen {
  readonly showsProgress: boolean
  readonly canAsk: boolean
  readonly columns: number
  /** Replaces the line of progress. An empty text removes it. */
  readonly draw: (line: string) => void
  /** The answer; empty at the end of the input. */
  readonly ask: (question: string) => Promise<string>
}

const columns_default = 80

/** Some terminals report a width of 0. */
const columns = (): number => (process.stderr.columns > 0 ? process.stderr.columns : columns_default)

const ask = async (question: string): Promise<string> => {
  // Without `terminal`, Ctrl-C ends the command.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
  try {
    return await Promise.race([lines.question(question), closed])
  } finally {
    lines.close()
  }
}

/** The process's terminal. Progress and questions go to stderr, because stdout has the result. */
export const Screen = Context.Reference<Screen>("tentpole/Screen", {
  defaultValue: () => ({
    showsProgress: process.stderr.isTTY,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    columns: columns(),
    draw: (line) => void process.stderr.write(`\r\u001b[2K${line}`),
    ask,
  }),
})
