// The campaign `consent`: HTTP processes and workers are killed while people subscribe, confirm, choose, leave, are imported, merged,
// deleted and erased.
import { pause } from "../../support/Service.ts"
import { campaignOf, type Scenario, type Trial, unless } from "../Campaign.ts"
import { Gate, type GateOptions } from "../Gate.ts"
import { judge } from "./Judge.ts"
import { type Asking, World } from "./World.ts"

/** What people do, one after another. Each part may be repeated after a kill. */
type Life = (world: World, asking: Asking, name: string) => Promise<void>

const subscribed = async (world: World, asking: Asking, name: string): Promise<string> => {
  const { contact_id, subscription_request_id } = await world.subscribe(asking, `${name}@example.org`)
  await world.confirm(asking, subscription_request_id)
  return contact_id
}

const confirms: Life = async (world, asking, name) => void (await subscribed(world, asking, name))

const chooses: Life = async (world, asking, name) => {
  const contact = await subscribed(world, asking, name)
  const items = [{ topic_id: asking.topics[0], status: "unsubscribed" }]
  await world.call(asking, "PUT", `/v1/contacts/${contact}/topics`, { items })
}

const leaves: Life = async (world, asking, name) => world.leave(asking, await subscribed(world, asking, name))

const waits: Life = async (world, asking, name) => void (await world.subscribe(asking, `${name}@example.org`))

const isDeleted: Life = async (world, asking, name) => {
  const { contact_id, subscription_request_id } = await world.subscribe(asking, `${name}@example.org`)
  asking.ended.add(subscription_request_id)
  await world.confirm(asking, subscription_request_id)
  await world.call(asking, "DELETE", `/v1/contacts/${contact_id}`)
}

const isErased: Life = async (world, asking, name) => {
  const { contact_id, subscription_request_id } = await world.subscribe(asking, `${name}@example.org`)
  asking.ended.add(subscription_request_id)
  await world.call(asking, "DELETE", `/admin/v1/workspaces/${asking.id}/contacts/${contact_id}`)
}

/** The target confirmed, and the source did not: the stricter one of both stays. */
const isMerged: Life = async (world, asking, name) => {
  const target = await subscribed(world, asking, name)
  const source = await world.subscribe(asking, `${name}.other@example.org`)
  await world.call(asking, "POST", `/v1/contacts/${target}/merge`, { source_contact_id: source.contact_id })
}

const lives: ReadonlyArray<Life> = [confirms, chooses, leaves, waits, isDeleted, isErased, isMerged]

const together = 6

/** So many people, some at the same time. */
const liveAll = async (world: World, asking: Asking, prefix: string, count: number): Promise<void> => {
  let next = 0
  const loop = async () => {
    while (next < count) {
      const number = next++
      await lives[number % lives.length]?.(world, asking, `${prefix}${number}`)
    }
  }
  await Promise.all(Array.from({ length: together }, loop))
}

/** Every third person of an import confirms. */
const confirmImported = async (world: World, asking: Asking, emails: ReadonlyArray<string>): Promise<void> => {
  for (const email of emails.filter((_, at) => at % 3 === 0)) {
    const { json } = await world.call(asking, "GET", `/v1/contacts?email=${encodeURIComponent(email)}`)
    const { subscription_request_id } = await world.requestOf(asking, json.items[0].contact_id)
    await world.confirm(asking, subscription_request_id)
  }
}

const people = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}@example.org`)

const judged = async (world: World, asking: Asking, say: Trial["say"]): Promise<ReadonlyArray<string>> => {
  const found = await judge(world, asking)
  say(`  ${asking.answered.size} requests answered, ${asking.confirmed.size} confirmed, ${asking.imports.size} imports`)
  return [...found, ...unless(asking.answered.size + asking.imports.size > 0, "nothing was answered")]
}

/** Points in the database at which the process that writes is killed, and the person whose part it is. */
const ofHttp: ReadonlyArray<readonly [string, Pick<GateOptions, "condition" | "table" | "write">, Life]> = [
  ["a request", { table: "subscription_request", condition: "new.status = 'pending'", write: "insert" }, confirms],
  ["a confirmation", { table: "subscription_request", condition: "new.status = 'confirmed'" }, confirms],
  ["a choice", { table: "topic_choice", condition: "new.status = 'unsubscribed'" }, chooses],
  ["the end of all marketing", { table: "contact", condition: "new.unsubscribed and not old.unsubscribed" }, leaves],
  ["a merge", { table: "subscription_request", condition: "new.contact_id <> old.contact_id" }, isMerged],
]

const killedHttp = ([what, gated, life]: (typeof ofHttp)[number], at: "commit" | "update"): Scenario<World> => ({
  name: `an HTTP process is killed while ${what} is written, before ${at === "update" ? "it is" : "that is committed"}`,
  run: async ({ say }, world) => {
    const asking = await world.asking()
    const gate = await Gate.close(world.deployment.inside, { ...gated, at })
    const living = life(world, asking, "gated")
    await gate.reached()
    await world.killHttp()
    await gate.open()
    await world.startHttp()
    await living
    await liveAll(world, asking, "later", lives.length)
    return judged(world, asking, say)
  },
})

const ofWorkers: ReadonlyArray<readonly [string, Pick<GateOptions, "condition" | "table" | "write">]> = [
  ["people who have to confirm", { table: "import_confirmation", condition: "true", write: "insert" }],
  ["requests of imported people", { table: "subscription_request", condition: "true", write: "insert" }],
]

/** Kills a worker that has reached the gate. Another one goes on. */
const killAt = async (world: World, asking: Asking, gate: Gate): Promise<void> => {
  const worker = await world.worker()
  await gate.reached()
  await worker.kill()
  await gate.open()
  await world.deployment.workersForgotten()
  await world.hurry(asking)
  await world.worker()
}

const killedWorker = ([what, gated]: (typeof ofWorkers)[number], at: "commit" | "update"): Scenario<World> => ({
  name: `a worker is killed while ${what} are written, before ${at === "update" ? "they are" : "that is committed"}`,
  run: async ({ say }, world) => {
    const asking = await world.asking()
    const gate = await Gate.close(world.deployment.inside, { ...gated, at })
    const emails = people("imported", 60)
    await world.importPeople(asking, emails)
    await killAt(world, asking, gate)
    await world.quiet(asking)
    await confirmImported(world, asking, emails)
    return judged(world, asking, say)
  },
})

const killedAtExpiry = (at: "commit" | "update"): Scenario<World> => ({
  name: `a worker is killed while a request expires, before ${at === "update" ? "that is written" : "that is committed"}`,
  run: async ({ say }, world) => {
    const asking = await world.asking()
    const { inside } = world.deployment
    for (const name of ["first", "second", "third"]) await waits(world, asking, name)
    await confirms(world, asking, "confirmed")
    await inside.asOwner(
      `update subscription_request set expires_at = now() - interval '1 second'
       where workspace_id = $1::uuid and status = 'pending'`,
      [asking.id],
    )
    const gate = await Gate.close(inside, { table: "subscription_request", condition: "new.status = 'expired'", at })
    await world.hurry(asking)
    await killAt(world, asking, gate)
    const left = async () =>
      (await inside.asOwner("select from contact where workspace_id = $1::uuid", [asking.id])).length
    for (let tries = 0; tries < 200 && (await left()) > 1; tries++) await pause(100)
    const contacts = await left()
    return [...(await judged(world, asking, say)), ...unless(contacts === 1, `${contacts} contacts are left, not 1`)]
  },
})

const killedAgain: Scenario<World> = {
  name: "HTTP processes and workers killed again and again",
  run: async ({ dice, quick, say }, world) => {
    const [kills, lives_count, imported] = quick ? [4, 42, 100] : [16, 210, 600]
    const asking = await world.asking()
    await world.worker()
    let isOver = false
    const working = (async () => {
      const emails = people("imported", imported)
      await world.importPeople(asking, emails.slice(0, imported / 2))
      await liveAll(world, asking, "early", lives_count / 2)
      await world.importPeople(asking, emails.slice(imported / 2))
      await liveAll(world, asking, "late", lives_count / 2)
      return emails
    })().finally(() => (isOver = true))
    working.catch(() => undefined)
    let done = 0
    for (; done < kills && !isOver; done++) {
      await pause(dice.between(200, 1_500))
      if (dice.chance(0.5)) {
        await world.killHttp()
        await world.startHttp()
      } else {
        await world.deployment.killWorkers()
        await world.hurry(asking)
        await world.worker()
      }
    }
    const emails = await working
    await world.hurry(asking)
    await world.quiet(asking)
    await confirmImported(world, asking, emails)
    say(`  ${done} kills`)
    return judged(world, asking, say)
  },
}

const ats = ["update", "commit"] as const

/** The quick run leaves out kills before a commit. */
export const consent = campaignOf(
  ({ ending }) => World.begin(ending),
  [
    ...ofHttp.flatMap((point) => ats.map((at) => killedHttp(point, at))),
    ...ofWorkers.flatMap((point) => ats.map((at) => killedWorker(point, at))),
    ...ats.map(killedAtExpiry),
    killedAgain,
  ],
  (name) => !name.includes("committed"),
)
