// The campaign `citus`: workspaces on several nodes send blasts while workers, nodes and the coordinator die, and shards move. No
// recipient gets two messages, none is forgotten, and no event is skipped or repeated. It needs `CITUS_BIN`.
import { pause, until } from "../../support/Service.ts"
import { bounds } from "../blasts/Times.ts"
import { World } from "../blasts/World.ts"
import { campaignOf, type Scenario, type Trial, unless } from "../Campaign.ts"
import { Nodes, type Worker } from "./Nodes.ts"
import { Bustle, Shop } from "./Shops.ts"

interface Cluster {
  readonly world: World
  readonly nodes: Nodes
  /** A domain that no earlier scenario had. */
  readonly nextDomain: () => string
  readonly calm: () => Promise<void>
}

interface Meanwhile {
  readonly found: ReadonlyArray<string>
  /** Workers and nodes that died, commits whose answer was lost, moves that block writes: each may leave messages unconfirmed. */
  readonly deaths: number
}

type Disturbance = (cluster: Cluster, shops: ReadonlyArray<Shop>, trial: Trial) => Promise<Meanwhile>

/** Slow replies, so that the disturbance meets running blasts. */
const reply_ms = 40

const sentOf = async (shops: ReadonlyArray<Shop>): Promise<number> => {
  const dots = await Promise.all(shops.map(({ blast }) => blast.dots()))
  return dots.reduce((sum, each) => sum + each.length, 0)
}

const scenario = (name: string, disturb: Disturbance): Scenario<Cluster> => ({
  name,
  run: async (trial, cluster) => {
    const { quick, say } = trial
    const { nodes, world } = cluster
    const [shops_count, people_count] = quick ? [6, 200] : [20, 120]
    await world.sink.behave({ pause_ms: reply_ms })
    const shops: Array<Shop> = []
    for (let nth = 0; nth < shops_count; nth++) {
      shops.push(await Shop.open(world, cluster.nextDomain(), people_count))
    }
    const all = shops_count * people_count
    await world.worker()
    await world.worker()
    const busy = new Bustle(shops)
    const disturbed = async () => {
      await until("some to be sent", async () => (await sentOf(shops)) > all / 10, {
        every_ms: 250,
        within_ms: 300_000,
      })
      const before = await sentOf(shops)
      const { deaths, found } = await disturb(cluster, shops, trial)
      const after = await sentOf(shops)
      for (const { blast } of shops) await blast.ended(300_000)
      return { before, after, deaths, found }
    }
    const { after, before, deaths, found: meanwhile } = await busy.during(disturbed)
    await until("prepared transactions to end", async () => (await nodes.prepared()) === 0)
    const judged = []
    for (const { blast } of shops) judged.push(await blast.judged({ deaths }))
    const unconfirmed = judged.reduce((sum, each) => sum + each.unconfirmed, 0)
    // Their leases were over when the worker wrote that they were not sent.
    const late = judged.reduce((sum, { failed }) => sum + (failed["temporarily_refused"] ?? 0), 0)
    const sent = judged.reduce((sum, each) => sum + each.sent, 0)
    const bound = deaths * (bounds.connections + bounds.settle_batch_max)
    const events = []
    for (const shop of shops) events.push(...(await shop.eventFaults()))
    const read = shops.reduce((sum, { positions }) => sum + positions.length, 0)
    say(
      `  ${sent} of ${all} sent (${before} before, ${after - before} meanwhile), ${unconfirmed} unconfirmed, ${late} not sent`,
    )
    say(`  ${read} events; ${busy.created} contacts created meanwhile, ${busy.failures} calls failed`)
    return [
      ...meanwhile,
      ...judged.flatMap(({ found }) => found),
      ...events,
      ...unless(before < all * 0.9, `it came too late: ${before} had been sent`),
      ...unless(
        sent + unconfirmed + late === all,
        `${sent} of ${all} were sent, ${unconfirmed} are unconfirmed, ${late} were not sent`,
      ),
      ...unless(unconfirmed + late <= bound, `${unconfirmed + late} are unconfirmed or not sent, more than ${bound}`),
    ]
  },
})

const workersDie = scenario("workers of the service are killed, one after the other", async ({ world }) => {
  for (let nth = 0; nth < 2; nth++) {
    const [first] = world.deployment.workers
    if (first === undefined) throw new Error("there is no worker")
    world.deployment.workers.delete(first)
    await first.kill()
    await world.worker()
    await pause(500)
  }
  return { found: [], deaths: 2 }
})

/** Messages of workspaces of the other node, after which the loss of this one is called harmless to them. */
const enough_messages = 20

const go_on_within_ms = 15_000

const measured_ms = 3_000

interface Absence {
  readonly leave: (node: Worker) => Promise<void>
  readonly come: (node: Worker, nodes: Nodes) => Promise<void>
  /** Whether workspaces of the other node have to go on meanwhile. */
  readonly goesOn: boolean
}

const nodeAway = (name: string, { come, goesOn: mustGoOn, leave }: Absence) =>
  scenario(name, async ({ nodes, world }, shops, { say }) => {
    const [first] = shops
    if (first === undefined) throw new Error("there is no workspace")
    const findHolders = () => Promise.all(shops.map(({ workspace }) => nodes.holderOf(workspace)))
    // Chance may have put all workspaces on one node.
    if (new Set(await findHolders()).size === 1) await nodes.move(first.workspace, "block_writes")
    const holders = await findHolders()
    const leaving = await nodes.holderOf(first.workspace)
    const others = shops.filter((_, nth) => holders[nth] !== leaving)
    if (others.length === 0) throw new Error("all workspaces share their shards")
    const perSecond = async () => {
      const before = await sentOf(others)
      await pause(measured_ms)
      return Math.round(((await sentOf(others)) - before) / (measured_ms / 1_000))
    }
    const rateBefore = await perSecond()
    await leave(leaving)
    const whenItLeft = await sentOf(others)
    const left_ms = performance.now()
    const goesOn = await until(
      "workspaces of the other node to go on",
      async () => (await sentOf(others)) > whenItLeft + enough_messages,
      { within_ms: go_on_within_ms },
    ).then(
      () => true,
      () => false,
    )
    const resumed_ms = Math.round(performance.now() - left_ms)
    const rateMeanwhile = await perSecond()
    const answers = await Promise.all(
      others.map(({ blast }) =>
        blast.workspace.call("GET", `/v1/email-blasts/${blast.id}`).then(
          () => true,
          () => false,
        ),
      ),
    )
    const isAlive = [...world.deployment.workers].every(({ alive }) => alive)
    say(
      `  ${others.length} of ${shops.length} workspaces live on the other node: ${rateBefore}/s before, ${rateMeanwhile}/s meanwhile`,
    )
    say(
      goesOn
        ? `  the first ${enough_messages} of them were sent within ${resumed_ms} ms`
        : `  fewer than ${enough_messages} of them were sent within ${resumed_ms} ms`,
    )
    await come(leaving, nodes)
    const found = [
      ...unless(goesOn || !mustGoOn, "workspaces of the other node did not go on"),
      ...unless(answers.every(Boolean) || !mustGoOn, "the API did not answer for a workspace of the other node"),
      ...unless(isAlive, "a worker did not survive it"),
    ]
    return { found, deaths: 1 }
  })

const nodeDies = nodeAway("a node is killed, and started again", {
  leave: ({ server }) => server.kill(),
  come: ({ server }, nodes) => nodes.start(server),
  goesOn: true,
})

/** Its connections stay open, and nothing arrives. Others wait with it until their statements time out; nothing may be sent twice. */
const nodeIsSilent = nodeAway("a node does not answer, and does again", {
  leave: async ({ wire }) => wire.hold(),
  come: async ({ wire }) => wire.release(),
  goesOn: false,
})

const shardsMove = (how: "block_writes" | "force_logical") =>
  scenario(`the shards of a sending workspace move (${how})`, async ({ nodes }, shops, { quick, say }) => {
    const moves = quick ? 2 : 4
    for (let nth = 0; nth < moves; nth++) {
      const shop = shops[nth % shops.length]
      if (shop === undefined) throw new Error("there is no workspace")
      const began_ms = performance.now()
      const from = await nodes.holderOf(shop.workspace)
      const before = await sentOf([shop])
      await nodes.move(shop.workspace, how)
      if ((await nodes.holderOf(shop.workspace)) === from) throw new Error("the shards did not move")
      const taken_ms = Math.round(performance.now() - began_ms)
      say(`  moved within ${taken_ms} ms, and ${(await sentOf([shop])) - before} of its messages were sent meanwhile`)
    }
    // Without writes for longer than a lease, a worker's outcomes are as late as those of a dead one.
    return { found: [], deaths: how === "block_writes" ? moves : 0 }
  })

const coordinatorRestarts = (name: string, stop: (nodes: Nodes) => Promise<void>) =>
  scenario(`the coordinator is ${name}, and started again`, async ({ nodes, world }) => {
    await stop(nodes)
    await pause(1_000)
    await nodes.start(nodes.coordinator)
    await pause(1_000)
    const survived = [...world.deployment.workers].every(({ alive }) => alive)
    return { found: unless(survived, "a worker did not survive it"), deaths: 1 }
  })

const patience_ms = 5_000

/** What the coordinator says to a node at the end of a transaction, in one phase or in two. */
const endings = ["PREPARE TRANSACTION", "COMMIT PREPARED", "COMMIT"]

const commitsLost = scenario("what nodes say to each other about commits is lost", async ({ nodes }, _, trial) => {
  const { quick, say } = trial
  const rounds = quick ? 1 : 5
  let lost = 0
  for (let round = 0; round < rounds; round++) {
    for (const text of endings) {
      for (const arrives of [false, true]) {
        const met = nodes.workers.map(({ wire }) => wire.ambush(text, arrives).then(() => void lost++))
        await Promise.race([Promise.all(met), pause(patience_ms)])
        for (const { wire } of nodes.workers) wire.disarm()
      }
    }
  }
  const wanted = rounds * endings.length * 2 * nodes.workers.length
  say(`  ${lost} of ${wanted} were lost: the others were not said in time`)
  return { found: unless(lost > wanted / 2, `only ${lost} were lost`), deaths: lost }
})

export const citus = campaignOf<Cluster>(
  async ({ ending, say }) => {
    const nodes = await Nodes.begin(ending)
    say("the cluster is up")
    const world = await World.over(ending, nodes.ownerUrl, null, {}, false)
    let opened = 0
    return { nodes, world, nextDomain: () => `blast${++opened}.test`, calm: () => world.calm() }
  },
  [
    workersDie,
    nodeDies,
    nodeIsSilent,
    commitsLost,
    shardsMove("block_writes"),
    shardsMove("force_logical"),
    coordinatorRestarts("stopped", ({ coordinator }) => coordinator.stop()),
    coordinatorRestarts("killed", ({ coordinator }) => coordinator.kill()),
  ],
  (name) => !name.includes("block_writes") && !name.includes("stopped"),
)
