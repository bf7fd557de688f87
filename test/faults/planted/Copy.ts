// Copy: the sources in another folder, where bugs are planted. Libraries are linked.
import { Data } from "effect"
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { basename, join, relative, sep } from "node:path"
import { root } from "../../support/Service.ts"
import type { Patch } from "./Bugs.ts"
import { placeOf } from "./Places.ts"

const left = new Set(["node_modules", "dist", ".git"])

/** Links the libraries of a folder, except our own packages. */
const linkLibraries = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from).catch((): ReadonlyArray<string> => [])) {
    // Vitest and Vite keep their caches in folders with a dot.
    if (name === "@tentpole" || (name.startsWith(".") && name !== ".bin")) continue
    await symlink(join(from, name), join(to, name))
  }
}

export class Copy extends Data.Class<{ readonly folder: string }> {
  static async into(folder: string): Promise<Copy> {
    await cp(root, folder, {
      recursive: true,
      filter: (path) =>
        !relative(root, path)
          .split(sep)
          .some((part) => left.has(part)),
    })
    await linkLibraries(join(root, "node_modules"), join(folder, "node_modules"))
    await mkdir(join(folder, "node_modules/@tentpole"))
    for (const name of await readdir(join(folder, "packages"))) {
      await linkLibraries(join(root, "packages", name, "node_modules"), join(folder, "packages", name, "node_modules"))
      await symlink(join(folder, "packages", name), join(folder, "node_modules/@tentpole", basename(name)))
    }
    return new Copy({ folder })
  }

  /** Returns how to undo the change. A text that is not there once is an error: the patch is out of date. */
  async patch(patch: Patch): Promise<() => Promise<void>> {
    const path = join(this.folder, placeOf(this.folder, patch))
    const text = await readFile(path, "utf8")
    await writeFile(
      path,
      text.replace(patch.find, () => patch.put),
    )
    return () => writeFile(path, text)
  }
}
