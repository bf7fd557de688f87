// Progress bars and the closing table of the demo.
import { styleText } from "node:util"

const width = 32
const tty = process.stdout.isTTY === true

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** A bar on one line at a terminal; one line at its end elsewhere. */
export const bar = (title: string, total: number) => {
  const began = performance.now()
  let last = 0
  const line = (done: number, note: string) => {
    const filled = Math.round((width * Math.min(done, total)) / total)
    return `  ${title.padEnd(26)} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${String(done).padStart(6)}/${total}  ${note}`
  }
  return {
    at: (done: number): void => {
      last = done
      if (tty) process.stdout.write(`\r${line(done, seconds(began))}`)
    },
    end: (note = ""): void => {
      process.stdout.write(`${tty ? "\r" : ""}${line(last, `${seconds(began)}  ${note}`)}\n`)
    },
  }
}

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Names and figures in two columns. */
export const figures = (rows: ReadonlyArray<readonly [string, string | number]>): void => {
  const left = Math.max(...rows.map(([name]) => name.length))
  say("")
  for (const [name, value] of rows) {
    const shown = typeof value === "number" ? value.toLocaleString("en-US") : value
    say(`  ${styleText("dim", name.padEnd(left))}  ${styleText("bold", shown)}`)
  }
  say("")
}
