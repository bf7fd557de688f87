// Scenarios in which the database dies, stops, refuses, locks and lags. While it takes no writes, nothing is handed over; later
// the same worker continues, and no message is unconfirmed.
import { pause, until } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import type { WorkerOptions, World } from "./World.ts"
import type { RunningBlast } from "./RunningBlast.ts"

interface Outage {
  readonly name: string
  /** Returns how to end the outage. */
  readonly begin: (world: World, blast: RunningBlast) => Promise<() => Promise<unknown>>
  readonly lasts_ms: number
  /** Whether nothing may be handed over while it lasts. */
  readonly nothingGoes: boolean
  readonly times?: WorkerOptions["times"]
}

/** Every write of deliveries fails with this state, as a full disk or a conflict makes it fail. */
const failing = (name: string, state: string): Outage => ({
  name,
  begin: async ({ deployment: { inside } }) => {
    await inside.asOwner(`
      create or replace function fail_on_purpose() returns trigger language plpgsql as $$
        begin raise exception 'on purpose' using errcode = '${state}'; end $$`)
    const tables = ["delivery", "delivery_queue"]
    for (const table of tables) {
      await inside.asOwner(
        `create trigger zz_fail before update on ${table} for each row execute function fail_on_purpose()`,
      )
    }
    return async () => {
      for (const table of tables) await inside.asOwner(`drop trigger zz_fail on ${table}`)
    }
  },
  lasts_ms: 2_000,
  nothingGoes: true,
})

const terminate = ({ deployment }: World) =>
  deployment.inside.asOwner(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tentpole worker'",
  )

const outages: ReadonlyArray<Outage> = [
  {
    name: "PostgreSQL is killed with all its processes, and recovers",
    begin: async ({ database }) => {
      await database.kill()
      return () =>
        until("PostgreSQL to start", () =>
          database.start().then(
            () => true,
            () => false,
          ),
        )
    },
    lasts_ms: 500,
    nothingGoes: true,
  },
  {
    name: "PostgreSQL is stopped for a while",
    begin: async ({ database }) => {
      await database.stop()
      return () => database.start()
    },
    lasts_ms: 4_000,
    nothingGoes: true,
  },
  {
    name: "sessions are ended every hundred milliseconds",
    begin: async (world) => {
      let over = false
      const ending = (async () => {
        while (!over) {
          await terminate(world)
          await pause(100)
        }
      })()
      return () => {
        over = true
        return ending
      }
    },
    lasts_ms: 3_000,
    nothingGoes: false,
  },
  failing("the disk is full", "53100"),
  failing("every transaction conflicts with another", "40001"),
  failing("every transaction ends in a deadlock", "40P01"),
  {
    name: "the database takes no writes, as after a failover",
    begin: async (world) => {
      const set = (value: string) =>
        world.deployment.inside.asOwner(`alter role tentpole_owner set default_transaction_read_only = ${value}`)
      await set("on")
      await terminate(world)
      return async () => {
        await set("off")
        await terminate(world)
      }
    },
    lasts_ms: 2_000,
    nothingGoes: true,
  },
  {
    name: "the database has no connection left",
    begin: async (world) => {
      const limit = (count: number) =>
        world.deployment.inside.asOwner(`
          do $$ begin execute format('alter database %I connection limit ${count}', current_database()); end $$`)
      await limit(0)
      await terminate(world)
      return () => limit(-1)
    },
    lasts_ms: 2_000,
    nothingGoes: true,
  },
  {
    name: "another session locks the table",
    begin: async ({ deployment }) => {
      const locking = deployment.inside.asOwner(
        "do $$ begin lock table delivery, delivery_queue; perform pg_sleep(3); end $$",
      )
      await pause(100)
      return () => locking
    },
    lasts_ms: 0,
    nothingGoes: false,
  },
  {
    name: "the wire to the database is a black hole, then is cut",
    begin: async ({ toDatabase }) => {
      toDatabase.hold()
      return async () => {
        toDatabase.release()
        toDatabase.cut()
      }
    },
    lasts_ms: 4_000,
    nothingGoes: true,
  },
  {
    name: "the wire to the database is a black hole for less than a lease, then lets all through",
    begin: async ({ toDatabase }) => {
      toDatabase.hold()
      return async () => toDatabase.release()
    },
    lasts_ms: 1_500,
    nothingGoes: true,
  },
  {
    name: "every packet to and from the database takes a fifth of a second",
    begin: async ({ toDatabase }) => {
      toDatabase.delay_ms = 200
      return async () => undefined
    },
    lasts_ms: 0,
    nothingGoes: false,
    // A settlement has six round trips of 400 ms. A lease must last for several, as the one of a minute does.
    times: { lease_ms: 15_000, renew_every_ms: 5_000 },
  },
]

/** Messages whose intent was committed before the outage may still leave. */
const outage = ({ begin, lasts_ms, name, nothingGoes, times = {} }: Outage): Scenario<World> => ({
  name,
  run: async ({ say }, world) => {
    const count = nothingGoes ? 1_500 : 300
    const blast = await world.blast(count)
    const { process } = await world.worker({ times })
    await until("some to be sent", async () => (await blast.dots()).length > 30, { every_ms: 5 })
    const end = await begin(world, blast)
    await pause(100)
    const before = (await blast.dots()).length
    await pause(lasts_ms)
    const meanwhile = (await blast.dots()).length - before
    await end()
    await blast.ended(90_000)
    const judged = await blast.verdict(say, {}, `${meanwhile} went out meanwhile`)
    return [
      ...judged.found,
      ...unless(!nothingGoes || meanwhile === 0, `${meanwhile} messages went out while nothing could be written`),
      ...unless(!nothingGoes || before <= count * 0.9, `it came too late: ${before} had been sent`),
      ...unless(process.alive, "the worker did not survive it"),
      ...unless(judged.sent === count, `${judged.sent} of ${count} were sent`),
    ]
  },
})

export const outagesOfTheDatabase: ReadonlyArray<Scenario<World>> = outages.map(outage)
