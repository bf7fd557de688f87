// Folders: their order, their cycles, their sizes, and the tests that belong to them.
import { type Find, isSource } from "./Source.ts"

/** The folder directly below `parent`; "" for the files in `parent` itself. */
const folderIn = (parent: string, path = ""): string | undefined =>
  path.startsWith(parent) ? (/^[^/]+(?=\/)/.exec(path.slice(parent.length))?.[0] ?? "") : undefined

/** The imports that lead from one folder below `parent` to another. */
const crossings = (parent: string, sources: Parameters<Find>[0]) =>
  sources.flatMap(({ imports, path }) =>
    imports.flatMap(({ line, to }) => {
      const [from, into] = [folderIn(parent, path), folderIn(parent, to)]
      return from === undefined || into === undefined || from === into ? [] : [{ path, line, to, from, into }]
    }),
  )

/** A folder imports from those before it. The files above the folders import from all, and no folder imports them. */
export const layers =
  (parent: string, order: ReadonlyArray<string>): Find =>
  (sources) => [
    ...[...new Map(sources.map(({ path }) => [folderIn(parent, path) ?? "", path]))]
      .filter(([folder]) => folder !== "" && !order.includes(folder))
      .map(([folder, path]) => ({ path, line: 1, what: `${folder} has no place in the order of ${parent}` })),
    ...crossings(parent, sources)
      .filter(({ from, into }) => from !== "" && (into === "" || order.indexOf(into) > order.indexOf(from)))
      .map(({ from, line, path, to }) => ({ path, line, what: `${from} imports ${to}, which is above it` })),
  ]

/** Folders below `parent` that import each other, directly or through others. */
export const cycles =
  (parent: string): Find =>
  (sources) => {
    const all = crossings(parent, sources).filter(({ from, into }) => from !== "" && into !== "")
    const reached = (folders: ReadonlySet<string>): ReadonlySet<string> => {
      const more = new Set([...folders, ...all.flatMap(({ from, into }) => (folders.has(from) ? [into] : []))])
      return more.size === folders.size ? folders : reached(more)
    }
    return all
      .filter(({ from, into }) => reached(new Set([into])).has(from))
      .map(({ from, into, line, path, to }) => ({ path, line, what: `imports ${to}, and ${into} imports ${from}` }))
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
