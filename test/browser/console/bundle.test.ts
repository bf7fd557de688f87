// Sizes of what a browser loads, compressed with gzip, from the manifest of a build.
import { builtConsole, consoleFolder } from "@tentpole/http/console/ConsoleBuild"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "vitest"

interface Chunk {
  readonly file: string
  readonly imports?: ReadonlyArray<string>
  readonly css?: ReadonlyArray<string>
}

/** The build that services have, made if the sources have none. */
let folder = ""
let manifest: Readonly<Record<string, Chunk>> = {}

beforeAll(async () => {
  folder = await Effect.runPromise(builtConsole(consoleFolder))
  manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"))
})

/** Names of a module and all that it imports statically. */
const closure = (names: ReadonlyArray<string>, seen = new Set<string>()): ReadonlySet<string> => {
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    closure((manifest[name] ?? assert.fail(`the manifest has no ${name}`)).imports ?? [], seen)
  }
  return seen
}

const bytes = (files: Iterable<string>): number =>
  [...new Set(files)].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length, 0)

const scripts = (names: ReadonlyArray<string>): number =>
  bytes([...closure(names)].map((name) => manifest[name]?.file ?? assert.fail(name)))

const styles = (names: ReadonlyArray<string>): number =>
  bytes([...closure(names)].flatMap((name) => manifest[name]?.css ?? []))

/** Loaded with the first screen, whichever it is. */
const frame = ["index.html", "src/words/en/shell.ts", "src/account/SignInAgain.tsx"]

/** The English words of a room, which may be in a folder of its group. */
const wordsOf = (room: string): string =>
  Object.keys(manifest).find((name) => name.startsWith("src/words/en/") && name.endsWith(`/${room}.ts`)) ??
  assert.fail(`the manifest has no words of ${room}`)

const kilobyte = 1_024

/** Budgets of scripts, in kilobytes: the frame with a screen. */
const budgets: ReadonlyArray<readonly [screen: string, budget_kb: number]> = [
  ["src/contacts/ContactList.tsx", 220],
  ["src/contacts/Person.tsx", 260],
  ["src/lists/ListList.tsx", 220],
  ["src/lists/List.tsx", 265],
  ["src/segments/NewSegment.tsx", 300],
  ["src/topics/TopicList.tsx", 225],
  ["src/topics/Topic.tsx", 253],
  ["src/topics/requests/RequestList.tsx", 225],
  ["src/imports/ImportList.tsx", 218],
  ["src/imports/session/ImportSession.tsx", 253],
  ["src/imports/run/ImportRun.tsx", 226],
  ["src/home/Home.tsx", 250],
  ["src/blasts/BlastList.tsx", 230],
  ["src/blasts/Blast.tsx", 237],
  ["src/flows/FlowList.tsx", 225],
  ["src/flows/Flow.tsx", 225],
  ["src/delivery/DomainList.tsx", 225],
  ["src/delivery/Domain.tsx", 215],
  ["src/delivery/SuppressionList.tsx", 225],
  ["src/settings/WorkspaceSettings.tsx", 245],
  ["src/settings/members/MemberList.tsx", 225],
  ["src/account/Account.tsx", 215],
  ["src/operations/state/Operations.tsx", 240],
  ["src/operations/workspaces/Workspaces.tsx", 225],
  ["src/operations/audit/AuditList.tsx", 225],
  ["src/tents/TentList.tsx", 225],
  ["src/tents/Tent.tsx", 225],
  ["src/tents/bulk/Bulk.tsx", 247],
  ["src/webhooks/EndpointList.tsx", 225],
  ["src/webhooks/endpoint/Endpoint.tsx", 235],
  ["src/webhooks/log/Delivery.tsx", 220],
  ["src/webhooks/catalogue/EventCatalogue.tsx", 220],
]

describe("the console's bundle", () => {
  it.each(budgets)("loads %s with at most %d KB of scripts", (screen, budget_kb) => {
    const words = wordsOf(screen.split("/")[1] ?? "")
    const loaded_kb = scripts([...frame, screen, words]) / kilobyte
    console.info(`${screen}: ${loaded_kb.toFixed(1)} KB of ${budget_kb}`)
    assert.isAtMost(loaded_kb, budget_kb)
  })

  it("loads the canvas of a flow on demand, with at most 95 KB of scripts", () => {
    const screen = [...frame, "src/flows/Flow.tsx", "src/words/en/flows.ts"]
    const more_kb = (scripts([...screen, "src/flows/canvas/Canvas.tsx"]) - scripts(screen)) / kilobyte
    console.info(`canvas: ${more_kb.toFixed(1)} KB of 95`)
    assert.isAtMost(more_kb, 95)
  })

  it("loads the block editor in its own frame, with at most 770 KB of scripts", () => {
    const writer_kb = scripts(["writer.html"]) / kilobyte
    console.info(`writer: ${writer_kb.toFixed(1)} KB of 770`)
    assert.isAtMost(writer_kb, 770)
  })

  it("loads at most 28 KB of styles", () => {
    assert.isAtMost(styles(frame) / kilobyte, 28)
  })

  it("loads charts, editors and the palette on demand only", () => {
    const first = [...closure([...frame, ...budgets.map(([screen]) => screen)])]
    assert.notInclude(first, "src/writer/main.tsx")
    const late = ["src/shell/Palette.tsx", "src/shell/AccountMenu.tsx", "src/words/de/shell.ts"]
    assert.deepStrictEqual(
      first.filter(
        (name) => late.includes(name) || /codemirror|recharts|xyflow|dagre|querybuilder|simplewebauthn/.test(name),
      ),
      [],
    )
  })
})
