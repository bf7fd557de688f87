// Folders: their order, their sizes, and the tests that belong to them.
import { type Find, isSource } from "./Source.ts"

/** The folder directly below `parent`; "" for the files in `parent` itself. */
const folderIn = (parent: string, path = ""): string | undefined =>
  path.startsWith(parent) ? (/^[^/]+(?=\/)/.exec(path.slice(parent.length))?.[0] ?? "") : undefined

/** A folder imports from those before it. The files above the folders import from all, and no folder imports them. */
export const layers =
  (parent: string, folders: string): Find =>
  (sources) => {
    const order = folders.split(" ")
    return [...new Map(sources.map((each) => [folderIn(parent, each.path) ?? "", each]))]
      .filter(([folder]) => folder !== "" && !order.includes(folder))
      .map(([folder, { at }]) => at(0, `${folder} has no place in the order of ${parent}`))
      .concat(
        sources.flatMap(({ imports, path }) =>
          imports.flatMap(({ line, to }) => {
            const [from, into] = [folderIn(parent, path), folderIn(parent, to)]
            return from && into !== undefined && (into === "" || order.indexOf(into) > order.indexOf(from))
              ? [{ path, line, what: `${from} imports ${to}, which is above it`, subject: "" }]
              : []
          }),
        ),
      )
  }

export const sizes: Find = (sources) =>
  [...Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1))]
    .filter(([folder, { length }]) => length > 15 && /^(packages|test)\//.test(folder))
    .map(([path, { length }]) => ({ path, line: 1, what: `${length} files` }))

/**
 * `packages/x/test/a/B.c.test.ts` is about `packages/x/src/a/B.c.ts`, `a/B.ts`, `a/B/`, or the contract suite `B`. A test of a
 * whole room is named after its folder: `a/a.test.ts`, `a/a.c.test.ts`.
 */
export const mirrors: Find = (sources) => {
  const subjects = new Set(
    sources
      .filter(isSource)
      .flatMap(({ path }) => Array.from(path.matchAll(/\/|\.ts$/g), ({ index }) => path.slice(0, index))),
  )
  const suites = new Set(sources.map(({ path }) => /^packages\/core\/contract\/(?:.*\/)?(\w+)\.ts$/.exec(path)?.[1]))
  return sources.flatMap(({ path }) => {
    const [, source, dots = "", suite] = /^(packages\/\w+)\/test\/(.*?(?:(\w+)\.contract)?)\.test\.ts$/.exec(path) ?? []
    const parts = dots.split(".")
    const isNamed = parts.some((_, index) => subjects.has(`${source}/src/${parts.slice(0, index + 1).join(".")}`))
    const [, room, name] = /(\w+)\/(\w+)(?:\.\w+)*$/.exec(dots) ?? []
    return source === undefined || isNamed || suites.has(suite ?? path) || (room !== undefined && room === name)
      ? []
      : [{ path, line: 1, what: `is about no source: there is no ${source}/src/${parts[0]}.ts` }]
  })
}
