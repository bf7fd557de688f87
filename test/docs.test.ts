// Tests that the documents match the code.
import { configuration } from "@tentpole/adapters/Configuration"
import { FieldDefinitionId, ListId, TopicId } from "@tentpole/core/kernel/Ids"
import { parseRules } from "@tentpole/core/segments/Parse"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { errorsPage } from "@tentpole/http/edge/ErrorDocs"
import { Result } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { clientModule, errorCodeModule } from "./tools/ClientModule.ts"
import { limitsPage } from "./tools/Limits.ts"
import { stateMachinesPage } from "./tools/StateMachines.ts"

const root = new URL("../", import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

const documents = (): ReadonlyArray<string> =>
  readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`)

/** The anchors of a page's headings, as GitHub generates them. */
const anchors = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )

const brokenLinks = (page: string): ReadonlyArray<string> =>
  [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, path = "", anchor]) => {
    const from = new URL(page, root)
    const at = fileURLToPath(path === "" ? from : new URL(path, from))
    if (!existsSync(at)) return [`${page}: ${link}`]
    return anchor === undefined || anchors(readFileSync(at, "utf8")).has(anchor) ? [] : [`${page}: ${link}`]
  })

it("the rules in docs/audience.md are valid, and use each source", () => {
  const listId = ListId.make("019a0000-0000-7000-8000-000000000001")
  const topicId = TopicId.make("019a0000-0000-7000-8000-000000000002")
  const spend: RuleField = {
    id: FieldDefinitionId.make("019a0000-0000-7000-8000-000000000002"),
    apiName: "spend_eur",
    displayName: "Spend",
    valueType: "number",
    status: "active",
    provenanceProvider: null,
  }
  const interests: RuleField = {
    ...spend,
    id: FieldDefinitionId.make("019a0000-0000-7000-8000-000000000003"),
    apiName: "interests",
    valueType: "tags",
  }
  const examples = [...read("docs/audience.md").matchAll(/^```json\n([^]*?)^```/gm)]
    .map(([, text = ""]) => text)
    .filter((text) => text.includes('"kind"'))
  for (const example of examples) {
    const parsed = parseRules(JSON.parse(example), {
      fields: [spend, interests],
      staticLists: new Set([listId]),
      topics: new Set([topicId]),
    })
    assert.deepStrictEqual(Result.isFailure(parsed) ? parsed.failure.issues : [], [], example)
  }
  const sources = new Set([...examples.join("\n").matchAll(/"source": "(\w+)"/g)].map(([, source]) => source))
  assert.sameMembers([...sources], ["contact", "custom_field", "activity", "list_membership", "topic"])
})

it("docs/errors.md is generated from the table of errors", () => {
  assert.strictEqual(read("docs/errors.md"), errorsPage(), "run `npm run docs`")
})

it("docs/limits.md is generated from the constants of the limits", () => {
  assert.strictEqual(read("docs/limits.md"), limitsPage(), "run `npm run docs`")
})

it("docs/internals/state-machines.md is generated from the transition tables", () => {
  assert.strictEqual(read("docs/internals/state-machines.md"), stateMachinesPage(), "run `npm run docs`")
})

it("the types and routes of @tentpole/client are generated from the APIs", () => {
  const generated = (name: string) => read(`packages/client/src/generated/${name}.ts`)
  assert.strictEqual(generated("ErrorCode"), errorCodeModule(), "run `npm run docs`")
  assert.strictEqual(generated("Api"), clientModule(Api, "Client", "API"), "run `npm run docs`")
  const admin = clientModule(AdminApi, "AdminClient", "administration API")
  assert.strictEqual(generated("AdminApi"), admin, "run `npm run docs`")
  const accounts = clientModule(AccountsApi, "AccountsClient", "API of accounts")
  assert.strictEqual(generated("AccountsApi"), accounts, "run `npm run docs`")
})

it("the page of a state machine has a diagram and the events that do not change the state", () => {
  const page = stateMachinesPage([
    ["Letter", { draft: { edit: "draft", send: "sent", fire: ["sent", "deleted"] }, sent: { edit: "sent" } }],
  ])
  assert.include(
    page,
    `## Letter

\`\`\`mermaid
stateDiagram-v2
  [*] --> draft
  draft --> sent: send, fire
  draft --> deleted: fire
  sent --> [*]
  deleted --> [*]
\`\`\`

These events change other fields only:

- draft: edit
- sent: edit
`,
  )
})

it("links between documents refer to existing files and headings", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...documents()]
  const broken = pages.flatMap((page) => brokenLinks(page))
  assert.deepStrictEqual(broken, [])
})

it("each promise of the threat model links to its test", () => {
  const [, promises = ""] = read("docs/security.md").split("## Promises")
  const rows = (promises.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
  assert.isNotEmpty(rows)
  const untested = rows.filter((row) => {
    const [, path] = /\]\(\.\.\/([\w./-]+\.test\.ts)\) \|$/.exec(row) ?? []
    return path === undefined || !existsSync(new URL(path, root))
  })
  assert.deepStrictEqual(untested, [])
})

it("paths in documents exist in the repository", () => {
  const missing = ["README.md", "CONTRIBUTING.md", ...documents()].flatMap((page) =>
    [...read(page).matchAll(/`((?:packages|test)\/[\w./-]+)`/g)].flatMap(([, path = ""]) =>
      existsSync(new URL(path, root)) ? [] : [`${page}: ${path}`],
    ),
  )
  assert.deepStrictEqual(missing, [])
})

it(".env.example and docs/configuration.md list exactly the variables that the code reads", () => {
  const used = new Set<string>()
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        used.add(String(name))
        return undefined
      },
    },
  )
  configuration(environment)
  const example = new Set([...read(".env.example").matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]))
  const documented = new Set(
    [...read("docs/configuration.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1]),
  )
  assert.sameMembers([...example], [...used])
  assert.sameMembers([...documented], [...used])
})

it("the README begins with the two commands", () => {
  const commands = [...read("README.md").matchAll(/^(npm install && npm (?:start|test))\b/gm)].map((match) => match[1])
  assert.deepStrictEqual(commands.slice(0, 2), ["npm install && npm start", "npm install && npm test"])
  assert.include(read(".ci/run"), "npm install && npm test")
})
