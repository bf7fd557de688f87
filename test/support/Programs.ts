// The programs that stand in documents, and what they say when they are run: a document that is wrong fails a test.
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { environment, root } from "./Service.ts"

/** Every block of TypeScript of a document, in its order. */
export const programsIn = async (document: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(`${root}${document}`, "utf8")
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program = ""]) => program)
}

export interface Said {
  readonly code: number | null
  readonly output: string
}

/** Runs a program of the document as if it stood at the root of the checkout, over the sources. */
export const run = (program: string, more: Record<string, string> = {}): Promise<Said> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module-typescript"], { cwd: root, env: environment(more) })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    child.once("exit", (code) => resolve({ code, output }))
    child.stdin.end(program)
  })
