// The campaign `messages`: processes that accept and that send single messages are killed. Each message is sent at most once, none
// that was accepted is forgotten, and a repeated key sends nothing twice.
import { gateNames, type GateName } from "@tentpole/worker/Gates"
import { EmailMessages } from "@tentpole/core/messages/EmailMessages"
import { Effect } from "effect"
import type { OpenWorkspace } from "../../support/Inside.ts"
import { sendingWorkspace } from "../../support/Blast.ts"
import { pause, until } from "../../support/Service.ts"
import { ServiceProcess } from "../../support/ServiceProcess.ts"
import { bounds } from "../blasts/Times.ts"
import { World } from "../blasts/World.ts"
import { campaignOf, type Scenario, type Trial, unless } from "../Campaign.ts"
import { bodyOf, keyOf } from "./Requests.ts"

interface Shop {
  readonly workspace: OpenWorkspace
  readonly domain: string
}

let shops_count = 0

const shopIn = async (world: World): Promise<Shop> => {
  // `calm` deletes workspaces whose names begin so.
  const domain = `blast-shop${++shops_count}.test`
  return { workspace: await sendingWorkspace(world.deployment, domain, domain), domain }
}

const send = (world: World, { domain, workspace }: Shop, number: number, name?: string) =>
  world.deployment.inside.run(
    Effect.flatMap(EmailMessages, (all) => all.send(workspace.id, bodyOf(number, domain, name), keyOf(number))),
  )

const sendAll = async (world: World, shop: Shop, names: ReadonlyArray<string>): Promise<void> => {
  for (const [number, name] of names.entries()) await send(world, shop, number, name)
}

interface Row {
  readonly id: string
  readonly email: string
  readonly state: string
  readonly reason: string | null
}

const rowsOf = (world: World, { workspace }: Shop) =>
  world.deployment.inside.asOwner<Row>(
    `select d.delivery_id as id, d.email, coalesce(q.state, d.state) as state, d.reason from delivery d
     left join delivery_queue q using (workspace_id, delivery_id) where d.workspace_id = $1::uuid`,
    [workspace.id],
  )

const final = new Set(["sent", "failed", "blocked", "unconfirmed"])

/** Waits until every message has ended; retries are due at once. */
const ended = (world: World, shop: Shop) =>
  until(
    "the messages to end",
    async () => {
      const { inside } = world.deployment
      const moved = await inside.asOwner(
        `update delivery_queue set due_at = clock_timestamp()
         where workspace_id = $1::uuid and state = 'queued' and due_at > clock_timestamp() returning 1`,
        [shop.workspace.id],
      )
      if (moved.length > 0) {
        await inside.asOwner("select hint_due('messages', $1::uuid, clock_timestamp())", [shop.workspace.id])
      }
      return (await rowsOf(world, shop)).every(({ state }) => final.has(state))
    },
    { within_ms: 120_000, every_ms: 50 },
  )

/** What the database and the log of the mail server say: at most one message each, and no accepted one is forgotten. */
const judged = async (
  world: World,
  shop: Shop,
  say: Trial["say"],
  { count, deaths }: { readonly count: number; readonly deaths: number },
): Promise<{ readonly found: ReadonlyArray<string>; readonly unconfirmed: number }> => {
  const rows = await rowsOf(world, shop)
  const dots = await world.sink.dots(shop.domain)
  const mayHaveIt = dots.filter(({ reply }) => reply === null || (reply >= 200 && reply < 300))
  const accepted = new Set(dots.flatMap(({ delivery, reply }) => (reply !== null && reply < 300 ? [delivery] : [])))
  const twice = [...Map.groupBy(mayHaveIt, ({ to }) => to)].filter(([, mine]) => mine.length > 1)
  const invented = rows.filter(({ id, state }) => state === "sent" && !accepted.has(id))
  const forgotten = rows.filter(({ id, state }) => accepted.has(id) && state !== "sent" && state !== "unconfirmed")
  const unconfirmed = rows.filter(({ state }) => state === "unconfirmed").length
  const bound = deaths * (bounds.connections + bounds.settle_batch_max)
  say(`  ${rows.filter(({ state }) => state === "sent").length} sent, ${unconfirmed} unconfirmed`)
  return {
    unconfirmed,
    found: [
      ...unless(rows.length === count, `${count} messages have ${rows.length} rows`),
      ...unless(new Set(rows.map(({ email }) => email)).size === rows.length, "an address has two messages"),
      ...twice.map(([to]) => `${to} may have two messages`),
      ...invented.map(({ email }) => `${email}: sent, but the mail server never accepted it`),
      ...forgotten.map(({ email, state }) => `${email}: accepted, but it is ${state}`),
      ...unless(unconfirmed <= bound, `${unconfirmed} are unconfirmed, more than ${bound}`),
    ],
  }
}

const people_count = 60
const people = Array.from({ length: people_count }, (_, at) => `person${at}`)

const beforeIntent = new Set<GateName>(["after-claim", "before-intent"])

/** The gates are after the claim, after the 354, before the body, and after the reply to the final dot. */
const killedAt = (gate: GateName): Scenario<World> => ({
  name: `a worker is killed at the gate ${gate}`,
  run: async ({ say }, world) => {
    const shop = await shopIn(world)
    await sendAll(world, shop, people)
    const first = await world.worker({ gate })
    await first.process.kill()
    await world.worker()
    await ended(world, shop)
    const { found, unconfirmed } = await judged(world, shop, say, { count: people_count, deaths: 1 })
    const isRight = unconfirmed === 0 || !beforeIntent.has(gate)
    return [...found, ...unless(isRight, `${unconfirmed} are unconfirmed that were never handed over`)]
  },
})

const killedInBody: Scenario<World> = {
  name: "workers are killed at random instants, in bodies and between the dot and the reply too",
  run: async ({ dice, quick, say }, world) => {
    const shop = await shopIn(world)
    await world.sink.behave({ pause_ms: 60 })
    await sendAll(world, shop, people)
    const deaths = quick ? 2 : 6
    for (let death = 0; death < deaths; death++) {
      const worker = await world.worker()
      await pause(dice.between(20, 400))
      await worker.process.kill()
    }
    await world.sink.behave()
    await world.worker()
    await ended(world, shop)
    return (await judged(world, shop, say, { count: people_count, deaths })).found
  },
}

const killedAcceptor: Scenario<World> = {
  name: "a process that accepts messages is killed, and each request is repeated",
  run: async ({ dice, ending, quick, say }, world) => {
    const shop = await shopIn(world)
    const rounds = quick ? 2 : 6
    const each_count = 40
    const answered = new Map<number, string>()
    await world.worker()
    for (let round = 0; round < rounds; round++) {
      const [from, to] = [round * each_count, (round + 1) * each_count]
      const acceptor = await ServiceProcess.start(ending, new URL("Acceptor.ts", import.meta.url).href, {
        ...world.deployment.variables,
        DATABASE_URL: world.ownerUrl,
        WORKSPACE: shop.workspace.id,
        MESSAGE_DOMAIN: shop.domain,
        ACCEPT_FROM: String(from),
        ACCEPT_TO: String(to),
      })
      await acceptor.ready
      await until("an answer", async () => acceptor.output.includes("answered"), { every_ms: 1 })
      await pause(dice.between(0, 200))
      await acceptor.kill()
      for (const [, number = "", id = ""] of acceptor.output.matchAll(/^answered (\d+) (\S+)$/gm)) {
        answered.set(Number(number), id)
      }
    }
    const found: Array<string> = []
    let replayed = 0
    for (let number = 0; number < rounds * each_count; number++) {
      const again = await send(world, shop, number)
      if (again.replayed) replayed++
      const id = answered.get(number)
      if (id !== undefined && (id !== again.message.id || !again.replayed)) {
        found.push(`request ${number} was answered with ${id} first, and then with ${again.message.id}`)
      }
    }
    await ended(world, shop)
    say(`  ${answered.size} answered before the kills, ${replayed} were accepted before them`)
    const result = await judged(world, shop, say, { count: rounds * each_count, deaths: 0 })
    return [...found, ...unless(answered.size > 0, "no request was answered"), ...result.found]
  },
}

const tooLate: Scenario<World> = {
  name: "the mail server is away until messages have expired",
  run: async ({ say }, world) => {
    const shop = await shopIn(world)
    await world.worker()
    world.toSink.refusing = true
    world.toSink.cut()
    await sendAll(world, shop, people.slice(0, 10))
    await pause(1_000)
    await world.deployment.inside.asOwner(
      "update delivery_queue set expires_at = clock_timestamp() where workspace_id = $1::uuid",
      [shop.workspace.id],
    )
    await world.deployment.inside.asOwner(
      "update email_message set expires_at = clock_timestamp() where workspace_id = $1::uuid",
      [shop.workspace.id],
    )
    await ended(world, shop)
    world.toSink.refusing = false
    await pause(2_000)
    const rows = await rowsOf(world, shop)
    const dots = await world.sink.dots(shop.domain)
    say(`  ${rows.map(({ reason }) => reason).join(", ")}`)
    return [
      ...unless(dots.length === 0, `${dots.length} messages were sent late`),
      ...unless(
        rows.every(({ state }) => state === "failed"),
        "a message has not failed",
      ),
    ]
  },
}

const all: ReadonlyArray<Scenario<World>> = [...gateNames.map(killedAt), killedInBody, killedAcceptor, tooLate]

const sample = /before-settle|after-intent|accepts messages|away/

export const messages = campaignOf(
  ({ ending }) => World.begin(ending),
  all,
  (name) => sample.test(name),
)
