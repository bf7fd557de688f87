// Prints the bill of materials (CycloneDX JSON) of the production packages in the lock file. The container image contains it.
// Only Node's own modules, because the image is built without the tools of development.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

interface Component {
  readonly "bom-ref": string
  name: string
  readonly purl: string
  readonly version: string
  licenses?: ReadonlyArray<unknown>
}

export interface Sbom {
  readonly bomFormat: string
  readonly metadata: { readonly component: Component }
  components: ReadonlyArray<Component>
  dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

const root = fileURLToPath(new URL("../../", import.meta.url))

const json = (path: string) => JSON.parse(readFileSync(root + path, "utf8"))

export const sbom = (): Sbom => {
  // With `--omit=dev`, npm omits packages that the root needs for development and a workspace in production.
  const printed = execFileSync(
    "npm",
    ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", "ignore"],
    },
  )
  const bill: Sbom = JSON.parse(printed)
  const locked: Readonly<Record<string, Locked>> = json("package-lock.json").packages
  const production = new Set(
    Object.entries(locked).flatMap(([at, { dev, optional, devOptional, version }]) =>
      dev === true || optional === true || devOptional === true
        ? []
        : [`${at.split("node_modules/").at(-1)}@${version}`],
    ),
  )
  // npm names our own packages after their folders.
  for (const component of [bill.metadata.component, ...bill.components])
    component.name = decodeURIComponent(component.purl.slice("pkg:npm/".length, component.purl.lastIndexOf("@")))
  bill.components = bill.components.filter(
    ({ name, version }) => name.startsWith("@tentpole/") || production.has(`${name}@${version}`),
  )
  // npm drops a licence that is not an SPDX id.
  for (const component of bill.components)
    component.licenses ??= [{ license: { name: locked[`node_modules/${component.name}`]?.license ?? "unknown" } }]
  const refs = new Set([bill.metadata.component, ...bill.components].map((each) => each["bom-ref"]))
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  return bill
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(sbom(), null, 2)}\n`)
