// Tests of the doctor's check of file modes.
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import { fileModes } from "@tentpole/http/cli/doctor/FileModes"
import { Effect, Result } from "effect"
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"

it("the doctor names folders of DATA_DIR that other users can read", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tentpole-modes-"))
  try {
    const config: Configuration = Result.getOrThrow(configuration({ NODE_ENV: "development", DATA_DIR: dataDir }))
    const outbox = join(dataDir, "outbox")
    await mkdir(outbox, { mode: 0o700 })
    await chmod(dataDir, 0o711)
    const found = async () => (await Effect.runPromise(fileModes(config))).says.replace(".env, ", "")
    assert.notInclude(await found(), dataDir)
    await chmod(outbox, 0o755)
    assert.strictEqual(await found(), `other users can read ${outbox}`)
    await chmod(dataDir, 0o755)
    assert.strictEqual(await found(), `other users can read ${dataDir}, ${outbox}`)
  } finally {
    await rm(dataDir, { recursive: true })
  }
})
