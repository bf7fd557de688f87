// Tests of the doctor's check of file modes.
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import { fileModes } from "@tentpole/http/doctor/FileModes"
import { Effect, Result } from "effect"
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"

/** The doctor's finding about a new data folder. */
const furnished = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tentpole-modes-"))
  const config: Configuration = Result.getOrThrow(configuration({ NODE_ENV: "development", DATA_DIR: dataDir }))
  const found = async () => {
    const { says } = await Effect.runPromise(fileModes(config))
    return says.replace(".env, ", "")
  }
  return { dataDir, found, [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }) }
}

it("the doctor names folders of DATA_DIR that other users can read", async () => {
  await using furnishedFolder = await furnished()
  const { dataDir, found } = furnishedFolder
  const outbox = join(dataDir, "outbox")
  await mkdir(outbox, { mode: 0o700 })
  await chmod(dataDir, 0o711)
  assert.notInclude(await found(), dataDir)
  await chmod(outbox, 0o755)
  assert.strictEqual(await found(), `other users can read ${outbox}`)
  await chmod(dataDir, 0o755)
  assert.strictEqual(await found(), `other users can read ${dataDir}, ${outbox}`)
})

it("the doctor names mail, uploads and secrets that other users can read, and follows no link", async () => {
  await using furnishedFolder = await furnished()
  const { dataDir, found } = furnishedFolder
  const uploads = join(dataDir, "assets/files/imports")
  await mkdir(uploads, { recursive: true, mode: 0o700 })
  await mkdir(join(dataDir, "outbox"), { mode: 0o700 })
  await mkdir(join(dataDir, "database"), { mode: 0o700 })
  const files = [join(dataDir, "database/pg.password"), join(uploads, "people.csv"), join(dataDir, "outbox/1.eml")]
  for (const file of files) {
    await writeFile(file, "x", { mode: 0o600 })
    assert.notInclude(await found(), file)
    await chmod(file, 0o644)
    assert.strictEqual(await found(), `other users can read ${file}`)
    await chmod(file, 0o600)
  }
  await symlink("/etc/hosts", join(dataDir, "outbox/2.eml"))
  assert.notInclude(await found(), dataDir)
})

it("the doctor checks a thousand files of a folder, and names five", async () => {
  await using furnishedFolder = await furnished()
  const { dataDir, found } = furnishedFolder
  const outbox = join(dataDir, "outbox")
  await mkdir(outbox, { mode: 0o700 })
  for (let at = 0; at < 1_010; at++) await writeFile(join(outbox, `${at}.eml`), "", { mode: 0o644 })
  assert.match(await found(), /^other users can read (\S+\.eml, ){4}\S+\.eml and 995 more$/)
})
