// A platform package of PostgreSQL as npm unpacks it without its installation script.
import { complete } from "@tentpole/adapters/embedded/Binaries"
import { assert, describe, it } from "@effect/vitest"
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const unpacked = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "binaries-"))
  for (const name of ["bin", "lib"]) await mkdir(join(folder, "native", name), { recursive: true })
  for (const name of ["initdb", "pg_ctl", "postgres"])
    await writeFile(join(folder, "native/bin", name), "", { mode: 0o644 })
  await writeFile(join(folder, "native/lib/libpq.so.5.18"), "library")
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }]
  await writeFile(join(folder, "native/pg-symlinks.json"), JSON.stringify(links))
  return folder
}

describe.skipIf(process.platform === "win32")("complete", () => {
  it("creates the links between libraries and makes programs executable, also the second time", async () => {
    const folder = await unpacked()
    for (const _ of ["first", "second"]) {
      await complete(folder)
      assert.strictEqual(await readFile(join(folder, "native/lib/libpq.so.5"), "utf8"), "library")
      const { mode } = await stat(join(folder, "native/bin/initdb"))
      assert.strictEqual(mode & 0o777, 0o755)
    }
    await rm(folder, { recursive: true })
  })
})
