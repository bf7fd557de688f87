// The bundle of the processes. `npm install` makes it in a checkout: a process loads its few files in a small part of the time that
// it needs for all modules. Its name is a hash of the sources that it was made from: when they change, processes run the sources.
import { createHash } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The folder of bundles of a checkout, from its root. */
export const bundlesFolder = "packages/http/bundle"

const packages = ["client", "core", "adapters", "worker", "http"]

/** Path, size and time of each source, and of the list of installed packages that npm writes. */
const statesOf = (root: string): ReadonlyArray<string> => {
  const sources = packages.flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ name: file, parentPath }) => join(parentPath, file)),
  )
  return [...sources, join(root, "node_modules/.package-lock.json")].sort().map((path) => {
    const state = statSync(path, { throwIfNoEntry: false })
    return `${path} ${state?.size} ${state?.mtimeMs}`
  })
}

/** The folder of the bundle of these sources, which may not exist. */
export const bundleOf = (root: string): string => {
  const hash = createHash("sha256").update(statesOf(root).join("\n")).digest("hex")
  return join(root, bundlesFolder, hash.slice(0, 16))
}

/** The root of a checkout; where code was compiled for a package, another folder, which has no bundles. */
const checkout = fileURLToPath(new URL("../../../../", import.meta.url))

/** The URL of the bundled command line; null unless there is a bundle of the sources as they are. */
export const bundledCommandLine = (root: string = checkout): string | null => {
  if (!existsSync(join(root, bundlesFolder))) return null
  const entry = join(bundleOf(root), "cli.js")
  return existsSync(entry) ? pathToFileURL(entry).href : null
}
