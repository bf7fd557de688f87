// Workers with wrong clocks, set by libfaketime. No statement depends on a worker's clock, so nothing may change.
import { existsSync } from "node:fs"
import { until } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import type { World, WorkerOptions } from "./World.ts"

/** Debian's paths; LIBFAKETIME names another one. */
const places = [
  process.env["LIBFAKETIME"],
  ...["x86_64", "aarch64"].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`),
]

/** Timers use the monotonic clock, which stays right. */
const clockOff = (library: string, by: string): WorkerOptions => ({
  variables: { LD_PRELOAD: library, FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: "1" },
})

const skewed: Scenario<World> = {
  name: "two workers whose clocks are two hours apart, and one of them dies",
  run: async ({ say }, world) => {
    const library = places.find((place) => place !== undefined && existsSync(place))
    if (library === undefined) {
      say("  libfaketime is not on this machine, so nothing was tried: `apt-get install libfaketime`")
      return []
    }
    const ahead = await world.worker(clockOff(library, "+1h"))
    await world.worker(clockOff(library, "-1h"))
    await world.sink.behave({ pause_ms: 50 })
    const blast = await world.blast(400)
    await until("some to be sent", async () => (await blast.dots()).length > 100, { every_ms: 5 })
    await ahead.process.kill()
    await blast.ended()
    const judged = await blast.verdict(say, { deaths: 1 })
    const [shown] = await world.deployment.inside.asOwner<{ hours: number }>(
      `select round(extract(epoch from max(sent_at) - min(sent_at)) / 3600)::int as hours from delivery where blast_id = $1::uuid`,
      [blast.id],
    )
    return [...judged.found, ...unless(shown?.hours === 2, "the workers' clocks were not wrong: nothing was tried")]
  },
}

export const clocks: ReadonlyArray<Scenario<World>> = [skewed]
