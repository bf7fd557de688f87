// What the documents say of the code is what the code says.
import { configuration } from "@tentpole/adapters/Configuration"
import { errorsPage } from "@tentpole/http/edge/ErrorDocs"
import { readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { limitsPage } from "./tools/Limits.ts"

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

it("docs/errors.md is printed from the table of errors", () => {
  assert.strictEqual(read("docs/errors.md"), errorsPage(), "run `npm run docs`")
})

it("docs/limits.md is printed from the constants that hold the limits", () => {
  assert.strictEqual(read("docs/limits.md"), limitsPage(), "run `npm run docs`")
})

it("every variable that is read stands in .env.example and docs/configuration.md, and no other", () => {
  const asked = new Set<string>()
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name))
        return undefined
      },
    },
  )
  configuration(environment)
  const example = new Set([...read(".env.example").matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]))
  const documented = new Set(
    [...read("docs/configuration.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1]),
  )
  assert.sameMembers([...example], [...asked])
  assert.sameMembers([...documented], [...asked])
})

it("the README begins with the two commands", () => {
  const commands = [...read("README.md").matchAll(/^(npm install && npm (?:start|test))\b/gm)].map((match) => match[1])
  assert.deepStrictEqual(commands.slice(0, 2), ["npm install && npm start", "npm install && npm test"])
  assert.include(read(".ci/run"), "npm install && npm test")
})
