// The rules that neither the linter, the type checker nor knip can hold: the project keeps each, and each finds what breaks it.
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { without } from "./tidy/Exemptions.ts"
import { rules } from "./tidy/Rules.ts"
import { project, root, type Source, source } from "./tidy/Source.ts"

const sources = project()
const paths = new Set(sources.map(({ path }) => path))

/** Made-up files, and where their violations are. */
const madeUp = (text: string) => {
  const files: Array<Source> = []
  const marks: Array<string> = []
  for (const file of text.trim().split(/\n(?=\S)/)) {
    const lines = file.split("\n").map((line) => /^(.*?)(?: (!+))?$/.exec(line)?.slice(1) ?? [])
    const [[path = ""] = [], ...code] = lines
    if (!path.endsWith("/")) files.push(source(path, code.map(([line = ""]) => line.slice(2)).join("\n")))
    lines.forEach(([, found = ""], index) => marks.push(...Array.from(found, () => `${path}:${Math.max(1, index)}`)))
  }
  return { files, marks: marks.sort() }
}

for (const { breaks, exempt = [], find, remedy, title } of rules) {
  it(`${title}: the project keeps the rule`, () => {
    const violations = without(exempt, find(sources), (path) => paths.has(path))
    const lines = violations.map((each) => `${each.path}:${each.line}: ${each.what}\n    ${each.remedy ?? remedy}`)
    assert.isAtMost(exempt.length, 20)
    assert(lines.length === 0, `${lines.length} violations:\n${lines.join("\n")}`)
  })

  it(`${title}: the rule finds what breaks it, and nothing else`, () => {
    const { files, marks } = madeUp(breaks)
    const found = find(files).map(({ line, path }) => `${path}:${line}`)
    assert.deepStrictEqual(found.sort(), marks)
  })
}

it("an exemption that nothing needs is a violation, and one whose test does not exist", () => {
  const exempt = [
    { at: "a/A.ts", reason: "one adapter", by: "a/A.test.ts" },
    { at: "b/", reason: "one adapter" },
  ]
  const found = without(exempt, [{ path: "a/A.ts", line: 1, what: "x" }], () => false)
  assert.sameMembers(
    found.map(({ path }) => path),
    ["b/", "a/A.ts"],
  )
})

it("functions of the database take advisory locks by `advisory_lock…` of kernel.sql only", () => {
  const folder = "packages/adapters/src/postgres/migrations/"
  const taking = globSync("**/*.sql", { cwd: root + folder }).flatMap((path) =>
    readFileSync(root + folder + path, "utf8")
      .replaceAll(/create function advisory_lock[^;]*;/g, "")
      .split("\n")
      .flatMap((line) => (/pg_(try_)?advisory/.test(line) ? [`${path}: ${line}`] : [])),
  )
  assert.deepStrictEqual(taking, [])
})

it("each path of the linter's and knip's settings exists", () => {
  const settings = [".oxlintrc.json", "knip.json"].map((name) => readFileSync(root + name, "utf8")).join()
  const named = Array.from(settings.matchAll(/"(packages\/\w[^"!]*\/[^"!]*)!?"/g), ([, path = ""]) => path)
  const missing = named.filter((path) => globSync(path, { cwd: root }).length === 0)
  assert.deepStrictEqual([named.length > 0, missing], [true, []])
})
