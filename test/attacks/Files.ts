// Which files of tests run what the rows name.
import { readdirSync } from "node:fs"
import { root } from "../tidy/Source.ts"
import type { Row } from "./Held.ts"

const within = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)

/** What no test's name leads to: laws are run by the adapters, what all rooms go through by each of them. */
const runBy = (file: string): ReadonlyArray<string> => {
  if (file.endsWith(".test.ts")) return [file]
  return file.startsWith("packages/core/contract/")
    ? within("packages/adapters/test", ".contract.test.ts")
    : within("packages/http/test", ".attacks.test.ts")
}

export const filesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  [...new Set(rows.flatMap(({ held }) => held.flatMap(({ file }) => runBy(file))))].sort()
