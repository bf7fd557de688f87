// Tests of the npm packages: their files, their dependencies, and that the programs of the documents compile and run with
// them. In the checkout, the sources run. `npm run test:pack` also installs the packages into an empty project with npm, which
// needs the registry.
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { origin } from "./pack/origin.ts"
import { empty } from "@tentpole/adapters/test/TestDatabase"
import { programsIn } from "./support/Programs.ts"
import { pack } from "./tools/pack.ts"
import type { Sbom } from "./tools/sbom.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const names = ["client", "core", "adapters", "worker", "http"] as const

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The environment without the `exports` condition that selects the sources. */
const bare = () => ({ ...process.env, NODE_OPTIONS: "", npm_config_node_options: "", npm_config_offline: "true" })

/** Runs a program in it. */
const run = async (
  file: string,
  args: ReadonlyArray<string>,
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const env = { ...bare(), ...more }
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

/** Links only the declared dependencies of a package into a folder, as a strict installer does. */
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

/** A checkout as git and npm leave it: without build output. Tests are left out, as in the container image. */
const freshCheckout = async (): Promise<string> => {
  const checkout = join(home, "checkout")
  const isOutput = (path: string) => /[\\/](dist|test|node_modules)$/.test(path)
  for (const path of ["package.json", "tsconfig.base.json", ".npmrc", "packages", "types"]) {
    await cp(join(root, path), join(checkout, path), { recursive: true, filter: (from) => !isOutput(from) })
  }
  const modules = join(checkout, "node_modules")
  await mkdir(join(modules, "@tentpole"), { recursive: true })
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "@tentpole") await symlink(join(root, "node_modules", name), join(modules, name), "junction")
  }
  for (const name of names) {
    await symlink(join(checkout, "packages", name), join(modules, "@tentpole", name), "junction")
    const nested = join(root, "packages", name, "node_modules")
    if (existsSync(nested)) await symlink(nested, join(checkout, "packages", name, "node_modules"), "junction")
  }
  return checkout
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tentpole-pack-"))
  pack(await freshCheckout(), home, bare())
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
}, 300_000)

afterAll(async () => {
  await rm(home, { recursive: true, force: true })
})

const filesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("node_modules"))

it("a package of a fresh checkout contains its sources and their build output, and no tests", async () => {
  for (const name of names) {
    const files = new Set(await filesOf(unpacked(name)))
    for (const document of ["LICENSE", "README.md"]) assert(files.has(document), `${name}: ${document}`)
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

it("the package `http` contains the built console with all files that its page names, and no source of it", async () => {
  const files = new Set(await filesOf(unpacked("http")))
  const page = await readFile(join(unpacked("http"), "console/dist/index.html"), "utf8")
  const named = Array.from(page.matchAll(/(?:src|href)="\/([^"]+)"/g), ([, path = ""]) => path)
  assert.isAbove(named.length, 2)
  for (const path of [...named, "frame.html", "frame.js"]) assert(files.has(`console/dist/${path}`), path)
  const entry = named.find((path) => /index-.*\.js$/.test(path)) ?? assert.fail(page)
  for (const encoding of ["br", "gz"]) assert(files.has(`console/dist/${entry}.${encoding}`), encoding)
  assert.isEmpty([...files].filter((path) => /^console\/(?!dist(\/|$))/.test(path)))
})

it("the folder of a release has the bill of materials of its packages", async () => {
  const bill: Sbom = JSON.parse(await readFile(join(home, "sbom.cdx.json"), "utf8"))
  assert.strictEqual(bill.bomFormat, "CycloneDX")
  assert.includeMembers(
    bill.components.map(({ name }) => name),
    [...names.map((name) => `@tentpole/${name}`), "effect"],
  )
})

it("every module imports only declared dependencies", async () => {
  const modules: Array<string> = []
  for (const name of names) {
    for (const path of await filesOf(unpacked(name))) {
      // Importing a program runs it.
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
}, 300_000)

it("parsing threads start from the packages", async () => {
  const program = join(unpacked("http"), "parsing.mjs")
  await writeFile(
    program,
    `import { layer } from "@tentpole/adapters/parsers/ParserPool"
    import { Parsers } from "@tentpole/core/ports/Parsers"
    import { plainTextParser } from "@tentpole/core/rendering/PlainText"
    import { Effect } from "effect"
    const here = () => { throw new Error("parsed in the calling thread") }
    const parsed = Effect.flatMap(Parsers, ({ run }) => run({ ...plainTextParser, run: here }, "<p>word</p>".repeat(1000), null))
    const pool = layer({ threads_max: 1, time_max_ms: 60_000 })
    process.stdout.write(String((await Effect.runPromise(Effect.provide(parsed, pool))).length))`,
  )
  assert.strictEqual(await run(process.execPath, [program], unpacked("http")), "5998")
})

/** Compiles the programs of the documents in a folder with the packages. */
const compiled = async (app: string, compiler: string) => {
  const [memory = "", postgres = ""] = await programsIn("docs/embedding.md")
  const [promises = "", effects = ""] = await programsIn("docs/client.md")
  const ofPackages = names.map(
    async (name) => [name, (await programsIn(`packages/${name}/README.md`))[0] ?? ""] as const,
  )
  const programs = { memory, postgres, promises, effects, ...Object.fromEntries(await Promise.all(ofPackages)) }
  for (const [name, text] of Object.entries(programs)) await writeFile(join(app, `${name}.ts`), text)
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]
  const files = Object.keys(programs).map((name) => `${name}.ts`)
  const options = [...strict, "--module", "nodenext", "--target", "es2024", "--skipLibCheck", "--types", "node"]
  await run(process.execPath, [compiler, ...options, ...files], app)
}

/** The output of the programs that need no service. */
const embedded = async (app: string) => {
  assert.match(await run(process.execPath, ["core.js"], app), /^entered_flow, waiting, .*email_sent/)
  assert.strictEqual(await run(process.execPath, ["adapters.js"], app), "Bakery\n")
  assert.strictEqual(
    await run(process.execPath, ["memory.js"], app),
    "Ann: entered_flow, waiting, step_executed, email_sent, email_delivered, step_executed, completed\n",
  )
  const surroundings = { DATABASE_URL: Redacted.value(await Effect.runPromise(empty("pack"))), DATA_DIR: app }
  assert.strictEqual(
    await run(process.execPath, ["postgres.js"], app, surroundings),
    'Romans: 0\nA list with the name "ROMANS" already exists. Choose another name\n',
  )
}

it("the programs of the documents compile and run with the packages", async () => {
  const app = join(home, "app")
  await mkdir(app)
  await writeFile(join(app, "package.json"), JSON.stringify({ type: "module" }))
  await link(app, root, [
    "@tentpole/client",
    "@tentpole/core",
    "@tentpole/adapters",
    "@tentpole/worker",
    "@tentpole/http",
    "effect",
    "@types/node",
  ])
  await compiled(app, tsc)
  await embedded(app)
  const asked = ["@tentpole/client", "@tentpole/core", "@tentpole/adapters/memory/All", "@tentpole/http/client"]
  const ask = `process.stdout.write(JSON.stringify(${JSON.stringify(asked)}.map((name) => import.meta.resolve(name))))`
  assert.deepStrictEqual(
    JSON.parse(await run(process.execPath, ["--input-type=module", "--eval", ask], app)),
    [
      "client/dist/src/Library.js",
      "core/dist/src/Library.js",
      "adapters/dist/src/memory/All.js",
      "http/dist/src/client.js",
    ].map((path) => pathToFileURL(join(home, path)).href),
  )
}, 300_000)

/** A program for a project without any other package, with a service of its own. */
const alone = `
import { createServer } from "node:http"
import { type Admin, ApiError, connect, connectAdmin, type ContactList } from "@tentpole/client"

const service = createServer((request, response) => {
  const found = request.url?.startsWith("/v1/") === true
  const refused = { error: "Not Found", error_code: "not_found", code: "not_found", message: "m", details: {} }
  response.writeHead(found ? 200 : 404, { "content-type": "application/json" })
  response.end(JSON.stringify(found ? { lists: [{ name: "Romans" }], pagination: { page: 1, totalPages: 1 } } : refused))
})
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
const url = "http://127.0.0.1:" + service.address().port
const names: Array<ContactList["name"]> = []
for await (const { name } of connect({ url, apiKey: "k" }).lists.list.each({ query: { limit: 1 } })) names.push(name)
const create: Admin.AdminClient["workspaces"]["create"] = connectAdmin({ url, adminToken: "t" }).workspaces.create
const refused = await create.result({ payload: { name: "Bakery" } })
// @ts-expect-error -- a misspelled field does not compile
const misspelled: Parameters<typeof create>[0] = { payload: { nam: "Bakery" } }
console.log(names.join(), !refused.ok && refused.error instanceof ApiError ? refused.error.code : misspelled)
service.close()
`

/** The part of node that the program uses: the project has no types of node. */
const node = `
declare module "node:http" {
  interface Exchange { readonly url?: string; writeHead(status: number, headers: object): void; end(text: string): void }
  export const createServer: (handle: (request: Exchange, response: Exchange) => void) => {
    listen(port: number, host: string, done: () => void): void
    address(): { readonly port: number }
    close(): void
  }
}
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }
`

it("the client compiles alone with every check of the compiler, and runs in Node", async () => {
  const app = join(home, "alone")
  await mkdir(app)
  await writeFile(join(app, "package.json"), JSON.stringify({ type: "module" }))
  await link(app, root, ["@tentpole/client"])
  const [readme = ""] = await programsIn("packages/client/README.md")
  await writeFile(join(app, "node.d.ts"), node)
  await writeFile(join(app, "readme.ts"), readme)
  await writeFile(join(app, "run.ts"), alone)
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck", "false"]
  const options = [...strict, "--module", "nodenext", "--target", "es2024", "--types", ""]
  await run(process.execPath, [tsc, ...options, "node.d.ts", "readme.ts", "run.ts"], app)
  assert.strictEqual(await run(process.execPath, ["run.js"], app), "Romans not_found\n")
})

/** Packages of others in an installation for production. Passkeys bring 20, most for the formats of keys. */
const packages_max = 135
/** Our packages, and the tools to compile the programs. */
const tools = /node_modules\/(@tentpole\/|@?typescript\b)/

if (process.env["PACK"] === "install") {
  it("npm installs the packages into an empty project, and the programs run there", async () => {
    const app = join(home, "installed")
    await mkdir(app)
    await writeFile(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }))
    const packed = (await readdir(home)).filter((file) => file.endsWith(".tgz")).map((file) => join(home, file))
    // The settings of this checkout do not hold in another project.
    const online = { npm_config_offline: "false", npm_config_strict_allow_scripts: "false" }
    const wanted = [...packed, "effect@4.1.0", "typescript@7.0.2", "@types/node@24"]
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...wanted], app, online)
    await compiled(app, join(app, "node_modules/typescript/bin/tsc"))
    await embedded(app)
    assert.match(await run("npx", ["tentpole", "--version"], app), /\d+\.\d+\.\d+/)
    const installed = await run("npm", ["ls", "--all", "--parseable", "--omit=dev"], app, online)
    const others = installed.split("\n").filter((path) => path.includes("node_modules/") && !tools.test(path))
    assert.isAtMost(new Set(others).size, packages_max)
  }, 600_000)
}

it("the installed command line works", async () => {
  const version = await run(process.execPath, [join(unpacked("http"), "bin/tentpole.js"), "--version"], home)
  assert.match(version, /\d+\.\d+\.\d+/)
}, 300_000)

it("in the checkout, tests, their global setup and npm scripts run the sources", async () => {
  const source = "packages/core/src/kernel/Text.ts"
  assert.include(origin(), source)

  const inSetup = `import { createVitest } from "vitest/node"
    const vitest = await createVitest("test", { watch: false })
    const { origin } = await vitest.getRootProject().import(${JSON.stringify(join(root, "test/pack/origin.ts"))})
    process.stdout.write(origin())
    await vitest.close()`
  assert.include(await run(process.execPath, ["--input-type=module", "--eval", inSetup], root), source)

  const [, options = ""] = /^node-options=(.*)$/m.exec(await readFile(join(root, ".npmrc"), "utf8")) ?? []
  assert.isNotEmpty(options, ".npmrc sets node-options")
  const inPrograms = `process.stdout.write(import.meta.resolve("@tentpole/core/kernel/Text"))`
  const ask = (...flags: ReadonlyArray<string>) =>
    run(process.execPath, [...flags, "--input-type=module", "--eval", inPrograms], root)
  assert.include(await ask(options), source)
  assert.notInclude(await ask(), source)
}, 300_000)
