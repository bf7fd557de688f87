// The services of core: ports with contract suites, use cases and their verbs.
import { type Find, isContract, isSource, type Source } from "./Source.ts"

/** `class X extends Context.Service<X, { … }>()("X")`, as the formatter writes it; `built` by core when it has a layer. */
const servicesOf = (sources: ReadonlyArray<Source>) =>
  sources
    .filter(({ path }) => path.startsWith("packages/core/src/"))
    .flatMap((source) =>
      Array.from(
        source.code.matchAll(/\bclass (\w+) extends Context\.Service<([^]*?)>\(\)\(([^]*?)(?=\nexport class|$)/g),
        ({ 1: name = "", 2: shape = "", 3: body = "", index }) => ({
          name,
          source,
          index,
          built: body.includes("static readonly layer"),
          methods: Array.from(
            shape.matchAll(/(?:^ {4}|^\s*\w+, \{ )(?:readonly )?(\w+)\??[:(]/gm),
            ({ 1: method = "" }) => method,
          ),
        }),
      ),
    )

/** Files of core/contract that are no suites. A world may be the only one that takes a port. */
const isSupport = (path: string) => /\/(draws|eventually|fresh|keyPairs|settings|steps|tagged)\.ts$/.test(path)

const mentions =
  (name: string) =>
  ({ code }: Source): boolean =>
    new RegExp(`\\b${name}\\b`).test(code)

/** The files outside core that implement a port: with `X.of(`, or as the first argument of a function for layers. */
const adaptersOf = (sources: ReadonlyArray<Source>, port: string) => {
  const builds = new RegExp(`\\b${port}\\.of\\(|[lL]ayer(?:\\.\\w+)?\\(\\s*${port},`)
  return sources.filter((each) => isSource(each) && !each.path.startsWith("packages/core/") && builds.test(each.code))
}

/**
 * Every port has a contract suite, or a test of each adapter. Two adapters run a suite; one does when the suite is about a port
 * that only PostgreSQL implements.
 */
export const suites: Find = (sources) => {
  const contract = sources.filter((each) => isContract(each) && !isSupport(each.path))
  const index = contract.find(({ path }) => path === "packages/core/contract/index.ts")
  const tests = sources.filter(({ path }) => path.endsWith(".test.ts"))
  const tested = new Set(tests.flatMap(({ imports }) => imports.map(({ to }) => to)))
  const run = tests.flatMap(({ code }) => Array.from(code.matchAll(/\bcontract\.(\w+)\(/g), ([, name]) => name))
  const ports = servicesOf(sources)
    .filter(({ built }) => !built)
    .map((port) => ({ ...port, adapters: adaptersOf(sources, port.name).map(({ path }) => path) }))
  const onlyPostgres = ports.filter(
    ({ adapters }) =>
      adapters.length > 0 && adapters.every((path) => path.startsWith("packages/adapters/src/postgres/")),
  )
  return [
    ...ports
      .filter(({ name }) => !contract.some(mentions(name)))
      .filter(({ adapters }) => adapters.length === 0 || !adapters.every((path) => tested.has(path)))
      .map(({ index: start, name, source }) => source.at(start, `the port ${name} has no contract suite`, name)),
    ...(index?.imports ?? []).flatMap(({ to = "" }) => {
      const name = to.slice(to.lastIndexOf("/") + 1, -".ts".length)
      const suite = contract.find(({ path }) => path === to)
      const needed = suite !== undefined && onlyPostgres.some((port) => mentions(port.name)(suite)) ? 1 : 2
      return isSupport(to) || to.endsWith("World.ts") || run.filter((each) => each === name).length >= needed
        ? []
        : [{ path: to, line: 1, what: `fewer than ${String(needed)} adapters run contract.${name}`, subject: name }]
    }),
  ]
}

export const useCases: Find = (sources) => {
  const built = new Map(servicesOf(sources).map(({ built, name, source }) => [source.path, built ? name : undefined]))
  return sources
    .filter(({ path }) => /^packages\/core\/src\/.*\//.test(path))
    .flatMap(({ imports, path }) =>
      imports.flatMap(({ line, names, to = "" }) => {
        const name = built.get(to) ?? ""
        return names.includes(name) ? [{ path, line, what: `uses the use cases ${name}`, subject: name }] : []
      }),
    )
}

/** Instead: create, get, list, update, delete, start, run, cancel, abandon, or a verb of the domain such as publish. */
const bannedVerbs = /^(rename|edit|patch|show|find|page|slice|remove|begin|make|giveUp|takeBack|request)$/

export const verbs: Find = (sources) =>
  servicesOf(sources).flatMap(({ index, methods, name, source }) =>
    methods
      .filter((method) => bannedVerbs.test(method))
      .map((method) => source.at(index, `${name}.${method}`, `${name}.${method}`)),
  )
