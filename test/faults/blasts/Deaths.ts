// Scenarios in which workers die, freeze and wake at each gate, and have wrong clocks.
import { gateNames, type GateName } from "@tentpole/worker/Gates"
import { existsSync } from "node:fs"
import { pause, until } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import { bounds } from "./Times.ts"
import type { World, WorkerOptions } from "./World.ts"

const people_count = 60

const beforeIntent = new Set<GateName>(["after-claim", "before-intent"])

/** Long enough for a lease to end and for the sweep to notice. */
const beyondLease_ms = 3_500

const killedAt = (gate: GateName): Scenario<World> => ({
  name: `killed at the gate ${gate}`,
  run: async ({ say }, world) => {
    const blast = await world.blast(people_count)
    const first = await world.worker({ gate })
    await first.process.kill()
    await world.worker()
    await blast.ended()
    const judged = await blast.verdict(say, { deaths: 1 })
    const { found, unconfirmed } = judged
    const isRight = unconfirmed === 0 || !beforeIntent.has(gate)
    return [...found, ...unless(isRight, `${unconfirmed} are unconfirmed that were never handed over`)]
  },
})

const frozenAt = (gate: GateName): Scenario<World> => ({
  name: `frozen at the gate ${gate} beyond its lease, and woken`,
  run: async ({ say }, world) => {
    const blast = await world.blast(people_count)
    const first = await world.worker({ gate })
    first.process.freeze()
    await world.worker()
    await blast.ended()
    const asleep = await blast.judged({ deaths: 1 })
    await first.openGate()
    first.process.wake()
    // The worker finds its claims lost, or settles late what it knows.
    await until("its late settlements", async () => (await blast.states())["unconfirmed"] === undefined).catch(
      () => undefined,
    )
    await pause(500)
    const judged = await blast.verdict(say, {}, `${asleep.unconfirmed} unconfirmed while it slept`)
    return [
      ...asleep.found,
      ...judged.found,
      ...unless(first.process.alive, "the worker did not survive its sleep"),
      ...unless(beforeIntent.has(gate) || asleep.unconfirmed > 0, "nothing was in doubt while it slept"),
    ]
  },
})

const heldReply: Scenario<World> = {
  name: "killed between the dot and the reply",
  run: async ({ say }, world) => {
    const names = Array.from(
      { length: people_count },
      (_, at) => `person${at}${at < bounds.connections ? "-dot250hold60000" : ""}`,
    )
    const blast = await world.blast(names)
    const first = await world.worker({ times: { claim_batch_max: 500 } })
    const withheld = async () => (await blast.dots()).filter(({ reply }) => reply === null).length
    await until("replies to be withheld", async () => (await withheld()) > 0, { every_ms: 20 })
    const unanswered = await withheld()
    await first.process.kill()
    await world.worker()
    await blast.ended()
    const { found, unconfirmed } = await blast.verdict(say, { deaths: 1 })
    const few = `${unanswered} replies were withheld, but only ${unconfirmed} are unconfirmed`
    return [...found, ...unless(unconfirmed >= unanswered, few)]
  },
}

const everything: Scenario<World> = {
  name: "all processes killed at once, and started again",
  run: async ({ dice, say }, world) => {
    const blast = await world.blast(400)
    const workers = [await world.worker(), await world.worker()]
    await until("some to be sent", async () => (await blast.dots()).length > dice.between(20, 200), { every_ms: 5 })
    await Promise.all([...workers.map(({ process }) => process.kill()), world.deployment.killHttp()])
    await world.deployment.startHttp()
    await world.worker()
    await world.worker()
    await blast.ended()
    return (await blast.verdict(say, { deaths: 2 })).found
  },
}

/** More than two slices of an audience. */
const slices_count = 25_000

const amidTheAudience: Scenario<World> = {
  name: "killed while its audience is written: sending starts with the first slice, and no recipient is left out",
  run: async ({ say }, world) => {
    const blast = await world.launched(slices_count)
    const first = await world.worker()
    await until("a slice to be written", async () => (await blast.reached()) !== null, { every_ms: 5 })
    await first.process.kill()
    const midway = await blast.reached()
    const written = Object.values(await blast.states()).reduce((sum, count) => sum + count, 0)
    // The job would be retried after its lease; another worker sends meanwhile.
    await world.worker()
    await until("the first slice to be sent to", async () => (await blast.dots()).length > 100, { every_ms: 50 })
    const early = await blast.status()
    await blast.fixAudience()
    await blast.ended()
    const judged = await blast.verdict(say, { deaths: 1 }, `${written} of ${slices_count} were written when it died`)
    const isMidway = midway !== null && written < slices_count
    return [
      ...judged.found,
      ...unless(isMidway, "the kill came too late to show anything"),
      ...unless(early === "sending", `it was ${early} before all were written`),
    ]
  },
}

const blocked: Scenario<World> = {
  name: "an event loop that is blocked beyond its lease",
  run: async ({ say }, world) => {
    const blast = await world.blast(400)
    const first = await world.worker()
    await until("some to be sent", async () => (await blast.dots()).length > 20, { every_ms: 5 })
    first.process.send({ block_ms: beyondLease_ms + 1_000 })
    await pause(200)
    await world.worker()
    await blast.ended()
    await pause(beyondLease_ms)
    const judged = await blast.verdict(say, { deaths: 1 })
    return [...judged.found, ...unless(first.process.alive, "the worker did not survive its own delay")]
  },
}

const stopped: Scenario<World> = {
  name: "stopped with hand-overs open: replies in time are settled, the others are unconfirmed",
  run: async ({ say }, world) => {
    const names = [
      ...Array.from({ length: 4 }, (_, at) => `soon${at}-dot250hold1500`),
      ...Array.from({ length: 4 }, (_, at) => `never${at}-dot250hold60000`),
      ...Array.from({ length: 40 }, (_, at) => `waiting${at}`),
    ]
    const blast = await world.blast(names)
    const first = await world.worker({ smtp: "&replyTimeout=60" })
    await until("all connections to wait", async () => (await blast.dots()).length >= bounds.connections, {
      every_ms: 20,
    })
    first.process.terminate()
    await pause(100)
    first.process.terminate()
    const code = await Promise.race([first.process.ended, pause(20_000)])
    const states = await blast.states()
    await world.worker()
    await blast.ended()
    const judged = await blast.verdict(say, { deaths: 1 })
    const soon = (await blast.rows()).filter(({ email, state }) => email.startsWith("soon") && state !== "sent")
    return [
      ...judged.found,
      ...unless(code === 0, `it ended with ${String(code)}, not 0`),
      ...unless((states["claimed"] ?? 0) === 0, `it did not release ${states["claimed"]} claims`),
      ...unless(soon.length === 0, `${soon.length} replies came in time and were not settled`),
    ]
  },
}

/** Where libfaketime is, which sets wrong clocks; no statement depends on a worker's clock. Debian's paths; LIBFAKETIME names another one. */
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

export const deaths: ReadonlyArray<Scenario<World>> = [
  ...gateNames.map(killedAt),
  frozenAt("before-intent"),
  frozenAt("after-intent"),
  frozenAt("before-settle"),
  heldReply,
  everything,
  amidTheAudience,
  blocked,
  stopped,
  skewed,
]
