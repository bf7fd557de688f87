// The campaign `failover`: the primary dies while a blast is sent, and its synchronous standby takes over. No recipient gets two
// messages, and none is forgotten.
import { Redacted } from "effect"
import { pause, until } from "../../support/Service.ts"
import { type Campaign, campaignOf, type Scenario, unless } from "../Campaign.ts"
import type { RunningBlast } from "../blasts/RunningBlast.ts"
import type { Judged } from "../blasts/Judge.ts"
import { World } from "../blasts/World.ts"
import { Proxy } from "../Proxy.ts"
import { Pair } from "./Pair.ts"

const recipients_count = 1_500

interface Failover {
  readonly name: string
  /** Ends with the standby as the primary. */
  readonly run: (pair: Pair, world: World, blast: RunningBlast) => Promise<void>
  /** Workers that die. */
  readonly deaths: number
}

const failovers: ReadonlyArray<Failover> = [
  {
    name: "the primary is killed, and the standby takes over",
    run: async (pair) => {
      await pair.primary.kill()
      await pair.promote()
    },
    deaths: 0,
  },
  {
    name: "the primary and the worker are killed together",
    run: async (pair, { deployment }) => {
      await Promise.all([pair.primary.kill(), ...[...deployment.workers].map((worker) => worker.kill())])
      await pair.promote()
    },
    deaths: 1,
  },
  {
    name: "the standby is away, and the primary is killed before it is back",
    run: async (pair, _, blast) => {
      await pair.stopStandby()
      // No commit ends without the standby, so no intent is granted.
      await pause(500)
      const before = (await blast.dots()).length
      await pause(3_000)
      const meanwhile = (await blast.dots()).length - before
      if (meanwhile > 0) throw new Error(`${meanwhile} messages went out without the standby`)
      await pair.primary.kill()
      await pair.startStandby()
      await pair.promote()
    },
    deaths: 0,
  },
]

/** Each scenario has a pair of its own: a failover uses it up. */
const scenario = ({ deaths, name, run }: Failover): Scenario<{ readonly calm: () => Promise<void> }> => ({
  name,
  run: async ({ ending, say }) => {
    const pair = await Pair.begin(ending)
    // The campaign itself reaches the primary by a proxy, and the service by its own means.
    const toPrimary = await Proxy.to(pair.primary.port, ending)
    const ownerUrl = new URL(Redacted.value(pair.ownerUrl))
    ownerUrl.port = String(toPrimary.port)
    const world = await World.over(ending, Redacted.make(ownerUrl.href), null, { DATABASE_URL: pair.url })
    const blast = await world.blast(recipients_count)
    const startWorker = () => world.worker({ variables: { DATABASE_URL: pair.url } })
    const { process } = await startWorker()
    await until("some to be sent", async () => (await blast.dots()).length > 100, { every_ms: 5 })
    const before = (await blast.dots()).length
    const began_ms = performance.now()
    await run(pair, world, blast)
    const taken_s = ((performance.now() - began_ms) / 1000).toFixed(1)
    toPrimary.target_port = pair.standbyPort
    toPrimary.cut()
    if (deaths > 0) await startWorker()
    await blast.ended(90_000)
    const judged: Judged = await blast.verdict(
      say,
      { deaths },
      `${before} before the failover, which took ${taken_s} s`,
    )
    const survived = deaths > 0 || process.alive
    await world.calm()
    return [
      ...judged.found,
      ...unless(before < recipients_count * 0.9, `it came too late: ${before} had been sent`),
      ...unless(survived, "the worker did not survive it"),
      ...unless(
        judged.sent + judged.unconfirmed === recipients_count,
        `${judged.sent} of ${recipients_count} were sent, ${judged.unconfirmed} are unconfirmed`,
      ),
    ]
  },
})

export const failover: Campaign = campaignOf(async () => ({ calm: async () => undefined }), failovers.map(scenario))
