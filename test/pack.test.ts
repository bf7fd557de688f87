// The packages as npm delivers them: what is in them, that they find what they import among what they declare, and that
// somebody else's program compiles against them and runs. And that here, in the checkout, the sources are what runs.
import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "vitest"
import { origin } from "./pack/origin.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const names = ["core", "adapters", "worker", "http"] as const

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Runs a program as somebody else would: without the condition that leads to sources. */
const run = async (file: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const env = { ...process.env, NODE_OPTIONS: "", npm_config_node_options: "", npm_config_offline: "true" }
  try {
    return (await promisify(execFile)(file, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${[file, ...args].join(" ")}\n${stdout}${stderr}`, { cause })
  }
}

const tsc = join(root, "node_modules/typescript/bin/tsc")

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8"))

let home = ""
const unpacked = (name: string): string => join(home, name)

/** Gives a folder the packages that it declares and no others, as a strict installer does. */
const link = async (folder: string, owner: string, wanted: ReadonlyArray<string>) => {
  for (const name of wanted) {
    const own = name.startsWith("@tentpole/") ? unpacked(name.slice("@tentpole/".length)) : undefined
    const nested = join(owner, "node_modules", name)
    const installed = await readdir(nested).then(
      () => nested,
      () => join(root, "node_modules", name),
    )
    const at = join(folder, "node_modules", name)
    await mkdir(dirname(at), { recursive: true })
    await symlink(own ?? installed, at, "junction")
  }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tentpole-pack-"))
  await run(process.execPath, [tsc, "-b", "packages/http"], root)
  await run(
    "npm",
    ["pack", "--silent", "--pack-destination", home, ...names.flatMap((name) => ["-w", `packages/${name}`])],
    root,
  )
  const packed = await readdir(home)
  for (const name of names) {
    const archive = packed.find((file) => file.startsWith(`tentpole-${name}-`)) ?? `${name} was not packed`
    await mkdir(unpacked(name))
    await run("tar", ["-xzf", archive, "-C", name, "--strip-components=1"], home)
  }
  for (const name of names) {
    const { dependencies = {} } = await manifestOf(unpacked(name))
    await link(unpacked(name), join(root, "packages", name), Object.keys(dependencies))
  }
}, 180_000)

afterAll(async () => {
  await rm(home, { recursive: true, force: true })
})

const filesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("node_modules"))

it("a package carries its sources and what is built of each of them, and no tests", async () => {
  for (const name of names) {
    const files = new Set(await filesOf(unpacked(name)))
    const sources = [...files].filter((path) => /^(src|contract)\/.*(?<!\.d)\.ts$/.test(path))
    assert.isNotEmpty(sources, name)
    for (const path of sources) {
      for (const built of [".js", ".d.ts"])
        assert(files.has(`dist/${path.replace(/\.ts$/, built)}`), `${name}: ${path}`)
    }
    const stray = [...files].filter((path) => /(^|\/)test(\/|$)|\.tsbuildinfo$/.test(path))
    assert.isEmpty(stray, `${name}: name dist/src instead of dist in "files" of its package.json`)
  }
})

it("every module finds what it imports among what its package declares", async () => {
  const modules: Array<string> = []
  for (const name of names) {
    for (const path of await filesOf(unpacked(name))) {
      // Programs run when they are imported.
      if (/^dist\/src\/.*\.js$/.test(path) && !path.endsWith("/main.js")) modules.push(join(unpacked(name), path))
    }
  }
  const all = join(home, "all.mjs")
  await writeFile(
    all,
    `const missing = []
    for (const url of ${JSON.stringify(modules.map((path) => pathToFileURL(path).href))}) {
      await import(url).catch((error) => missing.push(error.message))
    }
    process.stdout.write(JSON.stringify([...new Set(missing)]))
    process.exit(0)`,
  )
  assert.deepStrictEqual(JSON.parse(await run(process.execPath, [all], home)), [])
}, 60_000)

it("somebody else's program compiles against the packages and runs on what was built", async () => {
  const app = join(home, "app")
  await mkdir(app)
  await cp(join(root, "test/pack/embedding.ts"), join(app, "embedding.ts"))
  await writeFile(join(app, "package.json"), JSON.stringify({ type: "module" }))
  await link(app, root, ["@tentpole/core", "@tentpole/adapters", "effect", "@types/node"])
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2024"]
  await run(process.execPath, [tsc, ...strict, "--skipLibCheck", "--types", "node", "embedding.ts"], app)
  const said = JSON.parse(await run(process.execPath, ["embedding.js"], app))
  assert.deepStrictEqual(said, {
    ran: ["core/dist/src/Ids.js", "adapters/dist/src/memory/All.js"].map(
      (path) => pathToFileURL(join(home, path)).href,
    ),
    slug: "embedded-inc",
    found: true,
    stranger: "unauthorized",
    taken: "conflict",
    forged: false,
  })
}, 60_000)

it("the command line that is installed answers", async () => {
  const version = await run(process.execPath, [join(unpacked("http"), "bin/tentpole.js"), "--version"], home)
  assert.match(version, /\d+\.\d+\.\d+/)
}, 60_000)

it("in the checkout the sources run: in tests, in their global setup, and in programs that npm starts", async () => {
  const source = "packages/core/src/Text.ts"
  assert.include(origin(), source)

  const inSetup = `import { createVitest } from "vitest/node"
    const vitest = await createVitest("test", { watch: false })
    const { origin } = await vitest.getRootProject().import(${JSON.stringify(join(root, "test/pack/origin.ts"))})
    process.stdout.write(origin())
    await vitest.close()`
  assert.include(await run(process.execPath, ["--input-type=module", "--eval", inSetup], root), source)

  const [, options = ""] = /^node-options=(.*)$/m.exec(await readFile(join(root, ".npmrc"), "utf8")) ?? []
  assert.isNotEmpty(options, ".npmrc sets node-options")
  const inPrograms = `process.stdout.write(import.meta.resolve("@tentpole/core/Text"))`
  const ask = (...flags: ReadonlyArray<string>) =>
    run(process.execPath, [...flags, "--input-type=module", "--eval", inPrograms], root)
  assert.include(await ask(options), source)
  assert.notInclude(await ask(), source)
}, 60_000)
