// Places.ts finds the source file of a planted bug by its text, in any folder.
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Catcher, Patch } from "./Bugs.ts"

/** The path of the one source that contains the text of the patch, once. `file` decides where several contain it. */
export const placeOf = (root: string, { file, find }: Patch): string => {
  const places = globSync("packages/*/src/**/*.{ts,sql}", { cwd: root }).filter((path) =>
    readFileSync(join(root, path), "utf8").includes(find),
  )
  const named = places.length > 1 ? places.filter((path) => basename(path) === file) : places
  const [place] = named
  if (place === undefined || named.length > 1) {
    throw new Error(`${places.length} sources contain the text for ${file}, not one: ${places.join(", ")}\n${find}`)
  }
  const count = readFileSync(join(root, place), "utf8").split(find).length - 1
  if (count !== 1) throw new Error(`${place} contains the text ${count} times, not once:\n${find}`)
  return place
}

/** The path of the test file that must catch a bug. */
export const testOf = (root: string, { tests }: Extract<Catcher, { readonly tests: string }>): string => {
  const found = globSync(["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
  const [path] = found.filter((each) => basename(each) === tests)
  if (path === undefined) throw new Error(`no test file is called ${tests}`)
  return path
}

/** Whether a test or a contract has a title with these words. */
export const isTitle = (root: string, named: string): boolean =>
  globSync(["packages/*/test/**/*.ts", "packages/core/contract/**/*.ts", "test/*/*.test.ts"], { cwd: root }).some(
    (path) => readFileSync(join(root, path), "utf8").includes(named),
  )
