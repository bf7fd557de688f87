// Tests of `tentpole outbox` over a folder of mails, without a service.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { command } from "../support/CommandLine.ts"
import { until } from "../support/Service.ts"

const mail = (to: string, subject: string) =>
  [
    "From: News <news@example.test>",
    `Delivered-To: ${to}`,
    `Subject: ${subject}`,
    "Date: Tue, 24 Nov 2026 04:26:26 +0000",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Hello \u001b[31mAnn",
    "",
  ].join("\r\n")

describe("tentpole outbox", () => {
  let folder: string
  const run = (args: ReadonlyArray<string>, more: Record<string, string> = {}) =>
    command(["outbox", ...args], { DATA_DIR: folder, ...more })
  const newest = () => join(folder, "outbox", "2026-11-24T05.eml")

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tentpole-outbox-"))
    await mkdir(join(folder, "outbox"))
    await writeFile(join(folder, "outbox", "2026-11-24T04.eml"), mail("ann@example.test", "First"))
    await writeFile(newest(), mail("ben@example.test", "Second"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("lists the mails without a subcommand, the newest first", async () => {
    const { code, output } = await run([])
    assert.strictEqual(code, 0, output)
    assert.deepStrictEqual(await run(["list"]), { code, output })
    assert.match(
      output,
      /^n +date +to +from +subject\n1 .* ben@example\.test .* Second\n2 .* ann@example\.test .* First\n/,
    )
    assert.include(output, "2 of 2 mails.")
    const [first, ...others] = JSON.parse((await run(["--json", "--limit", "1"])).output)
    assert.deepInclude(first, { n: 1, to: "ben@example.test", subject: "Second", path: newest() })
    assert.deepStrictEqual(others, [])
  })

  it("prints one without control characters", async () => {
    const { output } = await run(["show", "2"])
    assert.match(output, /^From +News <news@example\.test>\nTo +ann@example\.test\nSubject +First\n/)
    assert.include(output, "Hello [31mAnn")
    const missing = await run(["show", "3"])
    assert.deepStrictEqual(
      [missing.code, missing.output],
      [1, `Mail 3 does not exist: ${folder}/outbox has 2 mails.\n`],
    )
  })

  it.runIf(process.platform === "linux")("`--open` gives the file to the system's program", async () => {
    const opened = join(folder, "opened")
    await writeFile(
      join(folder, "xdg-open"),
      `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
    )
    await chmod(join(folder, "xdg-open"), 0o755)
    const path = [folder, process.env["PATH"]].join(delimiter)
    const { code, output } = await run(["show", "--open"], { DISPLAY: ":0", PATH: path })
    assert.strictEqual(code, 0, output)
    assert.strictEqual(await until("the program to run", () => readFile(opened, "utf8").catch(() => null)), newest())
  })

  it.runIf(process.platform === "linux")("`--open` says so where no program can show it", async () => {
    const { code, output } = await run(["show", "--open"])
    assert.strictEqual(code, 1)
    assert.include(output, `No program to open ${newest()} was found.`)
  })
})
