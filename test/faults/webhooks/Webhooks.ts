// The campaign `webhooks`: every event reaches every endpoint although workers are killed at each point, and receivers are down,
// hang, reset or lie.
import { Redacted } from "effect"
import { pause, until } from "../../support/Service.ts"
import type { Behaviour } from "../../support/webhooks/ReceiverProcess.ts"
import { campaignOf, type Scenario, type Trial, unless } from "../Campaign.ts"
import { Pair } from "../failover/Pair.ts"
import { Gate, type GateOptions } from "../Gate.ts"
import { Proxy } from "../Proxy.ts"
import { judge } from "./Judge.ts"
import { type Hooked, World } from "./World.ts"

const judged = async (
  world: World,
  hooked: Hooked,
  events: number,
  say: Trial["say"],
): Promise<ReadonlyArray<string>> => {
  const { found, repeated, requests } = await judge(world, hooked, events)
  say(`  ${events} events, ${requests} requests, ${repeated} accepted again`)
  return found
}

/** Points in the database at which a worker is killed. */
const points: ReadonlyArray<readonly [string, Pick<GateOptions, "condition" | "table">]> = [
  ["the position of new events", { table: "webhook_reader", condition: "new.position > old.position" }],
  ["a claim", { table: "webhook_delivery", condition: "new.claim is not null and old.claim is null" }],
  ["the end of an attempt", { table: "webhook_delivery", condition: "new.status = 'delivered'" }],
]

const killedAt = (
  point: string,
  gated: Pick<GateOptions, "condition" | "table">,
  at: "commit" | "update",
): Scenario<World> => ({
  name: `killed while ${point} is written, before ${at === "update" ? "it is" : "that is committed"}`,
  run: async ({ say }, world) => {
    const hooked = await world.hooked()
    const gate = await Gate.close(world.deployment.inside, { ...gated, at })
    const worker = await world.worker()
    await world.create(hooked, 200)
    await gate.reached()
    await worker.kill()
    await gate.open()
    await world.deployment.workersForgotten()
    await expireLeases(world)
    await world.worker()
    await world.quiet(hooked, { hurries: true })
    return judged(world, hooked, 200, say)
  },
})

/** A lease lasts a minute. */
const expireLeases = (world: World) => world.deployment.inside.asOwner("update webhook_lease set until = now()")

const killedAgain: Scenario<World> = {
  name: "workers killed again and again",
  run: async ({ dice, quick, say }, world) => {
    const [kills, each] = quick ? [4, 200] : [20, 200]
    const hooked = await world.hooked()
    await world.worker()
    for (let kill = 0; kill < kills; kill++) {
      const creating = world.create(hooked, each, kill * each)
      await pause(dice.between(50, 1_500))
      await world.deployment.killWorkers()
      await creating
      await world.deployment.workersForgotten()
      await expireLeases(world)
      await world.worker()
    }
    await world.quiet(hooked, { hurries: true })
    return judged(world, hooked, kills * each, say)
  },
}

const stopped: Scenario<World> = {
  name: "workers stopped again and again",
  run: async ({ dice, quick, say }, world) => {
    const [stops, each] = quick ? [2, 200] : [10, 500]
    const hooked = await world.hooked()
    for (let stop = 0; stop < stops; stop++) {
      const worker = await world.worker()
      const creating = world.create(hooked, each, stop * each)
      await pause(dice.between(50, 1_500))
      worker.terminate()
      await Promise.all([creating, worker.ended])
    }
    await world.worker()
    await world.quiet(hooked)
    const { found, repeated } = await judge(world, hooked, stops * each)
    say(`  ${repeated} accepted again`)
    return repeated === 0 ? found : [...found, `${repeated} deliveries were repeated although no worker was killed`]
  },
}

const misbehaviours: ReadonlyArray<Behaviour["does"]> = [500, 429, 302, "reset", "hang", "hang in the head", "garbage"]

const misbehaving: Scenario<World> = {
  name: "receivers that refuse, hang, reset and lie",
  run: async ({ say }, world) => {
    const found: Array<string> = []
    await world.worker()
    for (const does of misbehaviours) {
      const hooked = await world.hooked()
      for (const { path } of hooked.endpoints) await world.receiver.behave({ path, times: 1, does })
      await world.create(hooked, 20)
      await world.quiet(hooked, { hurries: true })
      say(`  ${does}`)
      found.push(...(await judged(world, hooked, 20, say)).map((each) => `${does}: ${each}`))
      await world.receiver.reset()
    }
    return found
  },
}

/** Two workers: the one that serves is frozen for longer than its lease. */
const frozen: Scenario<World> = {
  name: "a worker frozen for longer than its lease",
  run: async ({ say }, world) => {
    const hooked = await world.hooked()
    const gate = await Gate.close(world.deployment.inside, {
      table: "webhook_delivery",
      condition: "new.claim is not null and old.claim is null",
    })
    const worker = await world.worker()
    await world.create(hooked, 200)
    await gate.reached()
    worker.freeze()
    await gate.open()
    await expireLeases(world)
    await world.worker()
    await world.quiet(hooked, { hurries: true })
    worker.wake()
    await pause(3_000)
    return judged(world, hooked, 200, say)
  },
}

const databaseRestarts: Scenario<World> = {
  name: "a database that restarts",
  run: async ({ quick, say }, world) => {
    const hooked = await world.hooked()
    await world.worker()
    const count = quick ? 500 : 2_000
    const creating = world.create(hooked, count / 2)
    await pause(300)
    await creating
    await world.database.stop()
    await pause(1_000)
    await world.database.start()
    await world.deployment.call("GET", "/readyz")
    await world.create(hooked, count / 2, count / 2)
    await world.quiet(hooked, { hurries: true })
    return judged(world, hooked, count, say)
  },
}

/** It has a pair of its own: a failover uses it up. The campaign itself reaches the primary by a proxy. */
const standbyTakesOver: Scenario<World> = {
  name: "the primary of the database is killed, and the standby takes over",
  run: async ({ ending, quick, say }) => {
    const pair = await Pair.begin(ending)
    const toPrimary = await Proxy.to(pair.primary.port, ending)
    const ownerUrl = new URL(Redacted.value(pair.ownerUrl))
    ownerUrl.port = String(toPrimary.port)
    const world = await World.over(ending, Redacted.make(ownerUrl.href), null, { DATABASE_URL: pair.url })
    const hooked = await world.hooked()
    const worker = await world.worker()
    const count = quick ? 500 : 2_000
    await world.create(hooked, count)
    await until("some to be delivered", async () => (await world.receiver.log()).length > 100, { every_ms: 5 })
    await pair.primary.kill()
    const before = (await world.receiver.log()).length
    await pair.promote()
    toPrimary.target_port = pair.standbyPort
    toPrimary.cut()
    await world.quiet(hooked, { hurries: true })
    say(`  ${before} requests before`)
    const found = await judged(world, hooked, count, say)
    const survived = worker.alive
    await world.calm()
    return [...found, ...unless(survived, "the worker did not survive it")]
  },
}

const atPoints = points.flatMap(([point, gated]) =>
  (["update", "commit"] as const).map((at) => killedAt(point, gated, at)),
)

/** The quick run leaves out kills before a commit, and repetitions. */
export const webhooks = campaignOf(
  ({ ending }) => World.begin(ending),
  [...atPoints, killedAgain, stopped, frozen, misbehaving, databaseRestarts, standbyTakesOver],
  (name) => !name.includes("committed"),
)
