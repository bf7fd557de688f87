// Tests of the choice between the bundle and the sources.
import { bundledCommandLine, bundleOf } from "@tentpole/http/cli/Bundle"
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

describe("the bundle of a checkout", () => {
  let root = ""

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tentpole-bundle-"))
    for (const name of ["client", "core", "adapters", "worker", "http"]) {
      mkdirSync(join(root, "packages", name, "src/room"), { recursive: true })
      writeFileSync(join(root, "packages", name, "src/room/File.ts"), "export const one = 1\n")
    }
    mkdirSync(join(root, "node_modules"))
    writeFileSync(join(root, "node_modules/.package-lock.json"), "{}")
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const makeBundle = () => {
    const folder = bundleOf(root)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "cli.js"), "")
    return pathToFileURL(join(folder, "cli.js")).href
  }

  it("is used while the sources are as they were", () => {
    assert.isNull(bundledCommandLine(root))
    const made = makeBundle()
    assert.strictEqual(bundledCommandLine(root), made)
    assert.strictEqual(bundledCommandLine(root), made)
  })

  const changes: Record<string, () => void> = {
    "a longer source": () => appendFileSync(join(root, "packages/core/src/room/File.ts"), "\n"),
    "a source of the same size": () => utimesSync(join(root, "packages/worker/src/room/File.ts"), 1, 1),
    "a new source": () => writeFileSync(join(root, "packages/http/src/New.ts"), ""),
    "a source that is gone": () => rmSync(join(root, "packages/client/src/room/File.ts")),
    "other packages": () => writeFileSync(join(root, "node_modules/.package-lock.json"), "{ }"),
    "no list of packages": () => rmSync(join(root, "node_modules/.package-lock.json")),
  }
  for (const [what, change] of Object.entries(changes)) {
    it(`is not used after a change: ${what}`, () => {
      makeBundle()
      change()
      assert.isNull(bundledCommandLine(root))
    })
  }

  it("is not used in a copy of the checkout", () => {
    makeBundle()
    const copy = `${root}-copy`
    cpSync(root, copy, { recursive: true, preserveTimestamps: true })
    try {
      assert.isNull(bundledCommandLine(copy))
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  })
})
