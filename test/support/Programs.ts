// The programs in documents, and their output.
import { readFile } from "node:fs/promises"
import { type Ended, root, runNode } from "./Service.ts"

/** Every block of TypeScript of a document, in order. */
export const programsIn = async (document: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(`${root}${document}`, "utf8")
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program = ""]) => program)
}

/** Runs a program of a document as if it were at the root of the checkout. */
export const run = (program: string, more: Record<string, string> = {}): Promise<Ended> =>
  runNode(["--input-type=module-typescript"], more, program)
