// Tests of the image and the deployment without Docker (`npm run test:image` builds the image).
import { configuration } from "@tentpole/adapters/Configuration"
import { version } from "@tentpole/core/kernel/values/Version"
import { commandNames } from "@tentpole/http/cli/CommandLine"
import { Result } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { assert, it } from "vitest"
import { parse } from "yaml"

interface Service {
  readonly image: string
  readonly command?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly read_only?: boolean
}

const at = (path: string): URL => new URL(`../${path}`, import.meta.url)
const read = (path: string): string => readFileSync(at(path), "utf8")
const text = read("compose.yaml")
const servicesOf = (yaml: string) => Object.entries<Service>(parse(yaml, { merge: true }).services)
/** Replaces the variables; required ones get their name as value. */
const services = servicesOf(
  text.replaceAll(/\$\{(\w+)(:\?|:-)([^}]*)\}/g, (_, name: string, kind: string, other: string) =>
    kind === ":?" ? `${name.toLowerCase()}0123456789abcdef0123456789abcdef` : other,
  ),
)
const own = services.filter(([, { image }]) => image.startsWith("tentpole:"))
const dockerfile = read("Dockerfile")

it("images have one version, and the one of the service has the version of this repository", () => {
  const { version } = JSON.parse(read("package.json"))
  const from = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image = ""]) => image)
  for (const image of [...from.filter((each) => each !== "manifests"), ...services.map(([, each]) => each.image)]) {
    assert.match(image, /:v?\d+\.\d+\.?\d*[\w.-]*$/)
  }
  assert.deepStrictEqual(new Set(own.map(([, { image }]) => image)), new Set([`tentpole:${version}`]))
})

it("the image copies files that exist, runs as node, and starts commands that exist", () => {
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm), ([, names = ""]) => names.split(" "))
  const programs = Array.from(dockerfile.matchAll(/"(packages\/[^"]+\.js)"/g), ([, path = ""]) => path)
  const sources = programs.map((path) => path.replace(/\/dist\/(.*)\.js$/, "/$1.ts"))
  assert.isAtLeast(programs.length, 2)
  for (const path of [...copied.flat(), ...sources]) assert(existsSync(at(path)), path)
  for (const path of ["*", "packages/*/test", "**/node_modules"])
    assert.include(read(".dockerignore").split("\n"), path)
  const { exports } = JSON.parse(read("packages/adapters/package.json"))
  for (const path of Object.values(exports).filter((each) => typeof each === "string")) {
    const folder = posix.join("packages/adapters", posix.dirname(path))
    assert.include(dockerfile, `\nCOPY ${folder} ${folder}\n`, "files beside the build output")
  }
  assert.match(dockerfile, /^USER node$/m)
  for (const [, { command = [] }] of own) assert.include(commandNames, command[0])
})

it("the deployment takes every secret from outside, gives the owner's password to migrations only, and is local", () => {
  for (const [, { environment = {} }] of servicesOf(text)) {
    const secrets = Object.entries(environment).filter(([name]) =>
      /PASSWORD|SECRET|TOKEN|API_KEY|DATABASE.*URL/.test(name),
    )
    for (const [name, value] of secrets) assert.match(value, /\$\{[A-Z_]+:(\?|-)\}/, name)
  }
  for (const [name, { environment = {}, read_only }] of own) {
    assert.strictEqual(JSON.stringify(environment).includes("owner_password0"), name === "migrate", name)
    assert(Result.isSuccess(configuration(environment)) && read_only === true, name)
    for (const each of Object.keys(environment))
      assert(each.startsWith("AWS_") || read("docs/configuration.md").includes(`| \`${each}\` |`))
  }
  for (const port of services.flatMap(([, { ports = [] }]) => ports)) assert.match(port, /^127\.0\.0\.1:/)
  const [, created = ""] = /^for name in (.*); do$/m.exec(read("docs/operating.md")) ?? []
  assert.sameMembers(created.split(" "), [
    ...new Set(Array.from(text.matchAll(/\$\{(\w+):\?/g), ([, name = ""]) => name)),
  ])
})

it("the deployment publishes the API, pages and the console, each at the port of its address", () => {
  const [, http] = own.find(([name]) => name === "http") ?? assert.fail("no service http")
  const found = configuration(http.environment ?? {})
  const { consolePort, pagesPort, port, publicApiUrl, publicConsoleUrl, publicPagesUrl } = Result.getOrThrow(found)
  const ports = [port, pagesPort, consolePort]
  assert.deepStrictEqual(
    http.ports,
    ports.map((each) => `127.0.0.1:${each}:${each}`),
  )
  assert.deepStrictEqual(
    [publicApiUrl, publicPagesUrl, publicConsoleUrl].map((url) => Number(new URL(url).port)),
    ports,
  )
  assert.include(dockerfile, `\nEXPOSE ${ports.join(" ")}`)
})

it("the version of the code is that of every package", () => {
  const manifests = ["core", "adapters", "http", "worker", "client"].map((name) =>
    read(`packages/${name}/package.json`),
  )
  assert.deepStrictEqual([...new Set(manifests.map((manifest) => JSON.parse(manifest).version))], [version])
})
