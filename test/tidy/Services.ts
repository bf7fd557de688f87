// The services of core: ports, which have laws, and use cases, which do not call each other.
import { importsOf, target } from "./Imports.ts"
import { isLaw, type Source, type Violation } from "./Source.ts"

interface Service {
  readonly name: string
  readonly path: string
  readonly line: number
  /** It brings its own layer: it is built in core, not plugged in. */
  readonly built: boolean
}

/** `class X extends Context.Service<…>`, in core. */
const servicesOf = ({ path, tokens }: Source): ReadonlyArray<Service> =>
  tokens.flatMap((token, at) => {
    const [name, ...rest] = tokens.slice(at + 1, at + 5)
    if (token.text !== "class" || name === undefined) return []
    if (rest.map(({ text }) => text).join("") !== "extendsContext.") return []
    const next = tokens.findIndex((each, index) => index > at && each.text === "class")
    const declaration = tokens.slice(at, next === -1 ? tokens.length : next)
    const built = declaration.some((each, index) => each.text === "static" && declaration[index + 2]?.text === "layer")
    return [{ name: name.text, path, line: name.line, built }]
  })

const services = (sources: ReadonlyArray<Source>): ReadonlyArray<Service> =>
  sources.filter(({ path }) => path.startsWith("packages/core/src/")).flatMap(servicesOf)

const takes = (source: Source, service: Service): number | undefined =>
  importsOf(source).find(
    ({ specifier, names }) => target(source.path, specifier) === service.path && names.includes(service.name),
  )?.line

/** What tests need besides laws. */
const besides = /\/(draws|eventually|fresh|keyPairs|settings)\.ts$/

/** What laws begin with: it takes ports for them, and a test of one adapter may begin with it too. */
const world = /World\.ts$/

/** Every port has laws: a file of core/contract that takes the port, is listed in its index, and is run by a test. */
export const laws = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> => {
  const lawFiles = sources.filter((source) => isLaw(source) && !besides.test(source.path))
  const index = lawFiles.find(({ path }) => path === "packages/core/contract/index.ts")
  const listed = new Set(
    index === undefined ? [] : importsOf(index).map(({ specifier }) => target(index.path, specifier)),
  )
  const unlawful = services(sources)
    .filter(({ built }) => !built)
    .filter(({ name }) => !lawFiles.some(({ tokens }) => tokens.some(({ text }) => text === name)))
    .map(({ name, path, line }) => ({
      path,
      line,
      subject: name,
      what: `the port ${name} has no laws`,
      remedy: `write them in packages/core/contract, add them to its index.ts, and run them in packages/adapters/test on every adapter; or say in test/tidy/Exemptions.ts why it needs none`,
    }))
  return [
    ...unlawful,
    ...unrun(
      sources,
      lawFiles.filter(({ path }) => listed.has(path) && !world.test(path)),
    ),
  ]
}

/** Laws that fewer than two adapters are held to. */
const unrun = (sources: ReadonlyArray<Source>, lawFiles: ReadonlyArray<Source>): ReadonlyArray<Violation> => {
  const runs = sources
    .filter(({ path }) => path.endsWith(".test.ts"))
    .flatMap(({ tokens }) =>
      tokens.flatMap((token, at) =>
        token.text === "contract" && tokens[at + 1]?.text === "." && tokens[at + 3]?.text === "("
          ? [tokens[at + 2]?.text]
          : [],
      ),
    )
  return lawFiles.flatMap(({ path }) => {
    const name = /([^/]+)\.ts$/.exec(path)?.[1] ?? path
    return runs.filter((run) => run === name).length >= 2
      ? []
      : [
          {
            path,
            line: 1,
            subject: name,
            what: `the laws "${name}" are not run on two adapters`,
            remedy: `call contract.${name}(…) in packages/adapters/test for every adapter; or say in test/tidy/Exemptions.ts why there is but one`,
          },
        ]
  })
}

/** Lists of use cases, which call none. */
const list: ReadonlySet<string> = new Set(["packages/core/src/Tentpole.ts", "packages/core/src/Library.ts"])

/** A use case never calls a use case: what several verbs need is a pure function, or a port. */
export const useCases = (sources: ReadonlyArray<Source>): ReadonlyArray<Violation> => {
  const built = services(sources).filter((each) => each.built)
  return sources
    .filter(({ path }) => path.startsWith("packages/core/src/") && !list.has(path))
    .flatMap((source) =>
      built.flatMap((service) => {
        const line = service.path === source.path ? undefined : takes(source, service)
        return line === undefined
          ? []
          : [
              {
                path: source.path,
                line,
                subject: service.name,
                what: `uses the use cases of ${service.name}`,
                remedy:
                  "a use case never calls a use case: read through the other room's port, and let the change carry the other room's change",
              },
            ]
      }),
    )
}
