// Who may import whom, and that nothing stands about which no program reaches.
import { readFileSync } from "node:fs"
import { type Exemption, exemptions, pureEffect, stale } from "./Exemptions.ts"
import { importsOf, leavesPackage, libraryOf, target } from "./Imports.ts"
import { isLaw, isShipped, isSource, packageOf, root, type Source, type Violation } from "./Source.ts"

/** The packages that each one may import besides itself. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  adapters: ["core"],
  worker: ["core", "adapters"],
  http: ["core", "adapters"],
  test: ["core", "adapters", "worker", "http"],
}

/** The command line starts the other process by its name; and what a call queued, a test may have a worker's table do. */
const startsWorker = (path: string, specifier: string): boolean =>
  (path.startsWith("packages/http/src/cli/") && specifier === "@tentpole/worker/Process") ||
  (path.startsWith("packages/http/test/") && specifier === "@tentpole/worker/jobs/Jobs")

export const dependencies = (name: string): ReadonlySet<string> => {
  const manifest: { readonly dependencies?: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(`${root}packages/${name}/package.json`, "utf8"),
  )
  return new Set(Object.keys(manifest.dependencies ?? {}))
}

const faultOf = (
  source: Source,
  specifier: string,
  pure: ReadonlySet<string>,
): Pick<Violation, "what" | "remedy"> | undefined => {
  const from = packageOf(source.path)
  const to = target(source.path, specifier)
  if (leavesPackage(source.path, specifier)) {
    return {
      what: `imports ${specifier}, across packages`,
      remedy: "import by the package's name, as @tentpole/core/Ids",
    }
  }
  if (to !== undefined) {
    const other = packageOf(to)
    if (other !== from && !(allowed[from] ?? []).includes(other) && !startsWorker(source.path, specifier)) {
      return {
        what: `${from} imports ${other}`,
        remedy: `${from} may import ${[...(allowed[from] ?? []), "nothing else of ours"].join(", ")}: put what both need into core, behind a port`,
      }
    }
    if (isSource(source) && !isSource({ path: to })) {
      return {
        what: `imports ${specifier}`,
        remedy: "sources import neither laws nor tests: move what is shared into src",
      }
    }
    return undefined
  }
  const library = libraryOf(specifier)
  if (source.path.startsWith("packages/core/src/")) {
    if (library === "effect" ? !pureEffect.includes(specifier) : !pure.has(library)) {
      return {
        what: `core imports ${specifier}`,
        remedy:
          "core is pure: make a port of it, with an adapter in packages/adapters (a pure library goes into core's dependencies, a pure module of effect into test/tidy/Exemptions.ts)",
      }
    }
  }
  return undefined
}

export const imports = (
  sources: ReadonlyArray<Source>,
  pure: ReadonlySet<string> = dependencies("core"),
): ReadonlyArray<Violation> =>
  sources.flatMap((source) =>
    importsOf(source).flatMap(({ specifier, line }) => {
      const fault = faultOf(source, specifier, pure)
      return fault === undefined ? [] : [{ path: source.path, line, ...fault }]
    }),
  )

/** Cycles of imports that are there when the program runs. */
export const cycles = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const violations: Array<Violation> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const source = byPath.get(path)
    if (source === undefined || done.has(path)) return
    const here = [...trail, path]
    for (const { specifier, line, typeOnly } of importsOf(source)) {
      const to = typeOnly ? undefined : target(path, specifier)
      if (to === undefined) continue
      const at = here.indexOf(to)
      if (at === -1) visit(to, here)
      else {
        violations.push({
          path,
          line,
          what: `closes a cycle: ${[...here.slice(at), to].join(" → ")}`,
          remedy: "move what both need into a file of its own, or import only the type",
        })
      }
    }
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return violations
}

/** What programs begin with, embedders, and callers of the API. */
const isEntry = ({ path }: Source): boolean =>
  /^packages\/\w+\/src\/((cli|healthy)\/)?main\.ts$/.test(path) ||
  path === "packages/core/contract/index.ts" ||
  path === "packages/http/src/client.ts" ||
  /^packages\/\w+\/src\/Library\.ts$/.test(path) ||
  path.endsWith(".d.ts")

/** What is reached from some files. Laws use what they are laws of: that alone makes it no part of the product. */
const reach = (shipped: ReadonlyArray<Source>, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const byPath = new Map(shipped.map((source) => [source.path, source]))
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const source = byPath.get(path)
    if (source === undefined || reached.has(path)) return
    reached.add(path)
    for (const { specifier } of importsOf(source)) {
      const to = target(path, specifier)
      if (to !== undefined && (!isLaw(source) || isLaw({ path: to }))) visit(to)
    }
  }
  for (const path of entries) visit(path)
  return reached
}

/** Files that no program reaches; one that only its own test imports is dead too. */
export const dead = (
  sources: ReadonlyArray<Source>,
  more: ReadonlyArray<Exemption> = exemptions.dead,
): ReadonlyArray<Violation> => {
  const shipped = sources.filter(isShipped)
  const programs = shipped.filter(isEntry).map(({ path }) => path)
  const byPrograms = reach(shipped, programs)
  const reached = reach(shipped, [...programs, ...more.map(({ at }) => at)])
  const unreached = shipped
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({
      path,
      line: 1,
      what: "is reached from no program",
      remedy: "wire it in (Tentpole.ts, All.ts, FromConfig.ts, Api.ts, Jobs.ts), or remove it",
    }))
  return [...unreached, ...more.filter(({ at }) => byPrograms.has(at) || !reached.has(at)).map(stale)]
}
