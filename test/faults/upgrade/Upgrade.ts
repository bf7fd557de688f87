// The campaign `upgrade`: this release and the next one side by side over one PostgreSQL. The next one is a copy of the sources with
// one more migration and a worker that writes a new column. Processes are replaced one by one while a blast goes out.
import { globSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Redacted } from "effect"
import type { Ending } from "../../support/Ending.ts"
import { startBlast } from "../../support/Blast.ts"
import { Inside } from "../../support/Inside.ts"
import { next_migration, next_statements } from "../../support/NextRelease.ts"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { answered, callsOf, apiKey, ask, root, until } from "../../support/Service.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { campaignOf, type Trial } from "../Campaign.ts"
import { Database } from "../Database.ts"
import { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Variables } from "../Deployment.ts"
import { Copy } from "../planted/Copy.ts"

const programs = { http: "packages/http/src/main.ts", worker: "packages/worker/src/main.ts" } as const

/** Returns the folder of the next release. */
const nextRelease = async (ending: Ending): Promise<string> => {
  const copy = await Copy.into(join(await ending.folder(), "next"))
  const [all = ""] = globSync("packages/*/src/**/migrations/All.ts", { cwd: copy.folder }).map((path) =>
    join(copy.folder, path),
  )
  await writeFile(join(dirname(all), `${next_migration}.sql`), next_statements.join(";\n"))
  const listed = `\n  "${next_migration}": ["${next_migration}.sql"],\n}\n`
  await writeFile(all, (await readFile(all, "utf8")).replace(/\n\}\n$/, listed))
  await copy.patch({
    file: "DeliverySettle.ts",
    find: "update delivery d set",
    put: "update delivery d set next_settled = true,",
  })
  return copy.folder
}

interface World {
  readonly inside: Inside
  readonly sink: FakeSmtp
  /** Starts a process of a release, and waits until it is up. */
  readonly start: (release: string, program: keyof typeof programs, more?: Variables) => Promise<ServiceProcess>
  readonly next: string
  /** Ends all processes. */
  readonly calm: () => Promise<unknown>
}

const prepare = async ({ ending }: Trial): Promise<World> => {
  const { ownerUrl } = await Database.begin(ending)
  // Slow enough for the blast to last while processes are replaced.
  const sink = await FakeSmtp.start({ per_second_max: 40 })
  await ending.with(() => sink.close())
  const settings = {
    DATABASE_URL: Redacted.value(ownerUrl),
    DATA_DIR: await ending.folder(),
    SMTP_URL: sink.url,
    BOOTSTRAP_API_KEY: apiKey,
  }
  const inside = new Inside(settings, ownerUrl)
  await ending.with(() => inside.close())
  const processes: Array<ServiceProcess> = []
  const start = async (release: string, program: keyof typeof programs, more: Variables = {}) => {
    const module = pathToFileURL(join(release, programs[program])).href
    const started = await ServiceProcess.start(ending, module, { ...settings, ...more })
    processes.push(started)
    return started.up()
  }
  const calm = () => Promise.all(processes.map((each) => each.kill()))
  return { inside, sink, start, next: await nextRelease(ending), calm }
}

/** An HTTP process of a release, and a caller of its API. */
const http = async (world: World, release: string) => {
  const ports = [await freePort(), await freePort()]
  const variables = { PORT: String(ports[0]), PAGES_PORT: String(ports[1]), CONSOLE_PORT: "0" }
  const process = await world.start(release, "http", variables)
  const call = (method: string, path: string, body?: unknown) => ask(`http://127.0.0.1:${ports[0]}`, method, path, body)
  return { process, call }
}

/** The mail server's speed makes the blast last while two processes start on a slow machine. */
const people = 1_600

/** Replaces an HTTP process, then a worker, while a blast goes out. */
const replaced = async (world: World): Promise<ReadonlyArray<string>> => {
  const said: Array<string> = []
  const old = await http(world, root)
  const oldWorker = await world.start(root, "worker")
  const emails = Array.from({ length: people }, (_, at) => ({ email: `person${at}@example.test` }))
  for (let at = 0; at < people; at += 100) {
    await answered(old, "POST", "/v1/contacts", { items: emails.slice(at, at + 100) })
  }
  const { lists } = await answered(old, "GET", "/v1/contact-lists?kind=system")
  const { list_id } = lists.find(({ name }: { readonly name: string }) => name === "All contacts")
  const blast = await startBlast(callsOf(old), list_id)
  await until("the old worker to send", async () => world.sink.messages.length > 20)

  const young = await http(world, world.next)
  const [row] = await world.inside.asOwner<{ n: number }>(
    `select count(*)::int as n from schema_migration where name = '${next_migration}'`,
  )
  if (row?.n !== 1) said.push("the next release did not migrate")
  for (const [name, each] of [
    ["old", old],
    ["next", young],
  ] as const) {
    const ready = await each.call("GET", "/readyz")
    if (ready.status !== 200) said.push(`the ${name} HTTP process is not ready beside the other: ${ready.text}`)
    await answered(each, "POST", "/v1/contacts", { items: [{ email: `${name}@example.test` }] })
    await answered(each, "GET", `/v1/email-blasts/${blast}/contacts`)
  }
  const before = world.sink.messages.length
  const youngWorker = await world.start(world.next, "worker")
  await until("both to send", async () => world.sink.messages.length > before + 40)
  oldWorker.terminate()
  old.process.terminate()
  for (const code of [await oldWorker.ended, await old.process.ended]) {
    if (code !== 0) said.push(`an old process ended with ${code}`)
  }
  await until("the blast", async () => (await young.call("GET", `/v1/email-blasts/${blast}`)).json.status === "sent")
  youngWorker.terminate()
  young.process.terminate()
  await Promise.all([youngWorker.ended, young.process.ended])

  const counted = await world.inside.asOwner<{ readonly settled: boolean | null; readonly n: number }>(
    "select next_settled as settled, count(*)::int as n from delivery where state = 'sent' group by 1",
  )
  if (counted.length !== 2) said.push(`not both releases settled messages: ${JSON.stringify(counted)}`)
  const got = new Set(world.sink.messages.map(({ to }) => to))
  if (got.size !== people || world.sink.messages.length !== people) {
    said.push(`${people} people got ${world.sink.messages.length} messages, ${got.size} of them one at least`)
  }
  return said
}

/** Starts the release before over the migrated database. */
const back = async (world: World): Promise<ReadonlyArray<string>> => {
  const old = await http(world, root)
  const ready = await old.call("GET", "/readyz")
  old.process.terminate()
  const code = await old.process.ended
  return ready.status === 200 && code === 0 ? [] : [`readiness ${ready.status}, ended with ${code}`]
}

export const upgrade = campaignOf(prepare, [
  { name: "processes replaced one by one while a blast goes out", run: (_, world) => replaced(world) },
  { name: "back to the release before, over the next one's schema", run: (_, world) => back(world) },
])
