// The programs in documents, and their output.
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { environment, root } from "./Service.ts"

/** Every block of TypeScript of a document, in order. */
export const programsIn = async (document: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(`${root}${document}`, "utf8")
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program = ""]) => program)
}

export interface Said {
  readonly code: number | null
  readonly output: string
}

/** Runs a program of a document as if it were at the root of the checkout. */
export const run = (program: string, more: Record<string, string> = {}): Promise<Said> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module-typescript"], { cwd: root, env: environment(more) })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    child.once("exit", (code) => resolve({ code, output }))
    child.stdin.end(program)
  })
