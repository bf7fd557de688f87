// The campaign `restore`: the database is replaced by a backup that was taken before or while mail was sent. No recipient gets a
// second message, nothing is sent before its release, and a restart without a restore holds nothing back.
import type { JournalVerdict } from "@tentpole/core/operations/restore/Proof"
import { Restores } from "@tentpole/core/operations/restore/Restores"
import { Effect } from "effect"
import { activeFlow, approvedEmail, draftBlast, letterFrom, sendingWorkspace } from "../../support/Blast.ts"
import { command } from "../../support/CommandLine.ts"
import { pause, until } from "../../support/Service.ts"
import { RunningBlast } from "../blasts/RunningBlast.ts"
import { bounds } from "../blasts/Times.ts"
import { World } from "../blasts/World.ts"
import type { Variables } from "../Deployment.ts"
import { campaignOf, type Scenario, type Trial, unless } from "../Campaign.ts"

/** Longer than a worker needs to claim and send what it may send. */
const silence_ms = 3_000

const people = ({ quick }: Trial) => (quick ? 800 : 4_000)

interface Released {
  readonly id: string
  readonly outcome: string
  readonly unconfirmed: number
  readonly sent: number
}

const restoreCommand = async (world: World, ...args: ReadonlyArray<string>) => {
  const { code, output } = await command(["restore", ...args, "--json"], {
    ...world.deployment.variables,
    DATABASE_URL: world.ownerUrl,
  })
  if (code !== 0) throw new Error(`restore ${args.join(" ")}: ${output}`)
  return JSON.parse(output)
}

const status = (world: World) => world.deployment.inside.run(Effect.flatMap(Restores, (restores) => restores.status))

const recognised = (world: World) =>
  until("a worker to recognise the restore", async () => (await status(world)) !== null)

/** Stops all workers as an operator does. */
const stopWorkers = async ({ deployment }: World) => {
  for (const worker of deployment.workers) worker.terminate()
  for (const worker of deployment.workers) await worker.ended
  deployment.workers.clear()
  await deployment.workersForgotten()
}

interface Expected {
  readonly variables?: Variables
  /** With a send journal that proves the rest. */
  readonly unconfirmed_max?: number
  /** What the status shows of the send journal, if workers had one. */
  readonly journal?: JournalVerdict
}

/** After the swap: nothing is sent until the release; then the blast ends, and no recipient has two messages. */
const releasedOnce = async (
  { say }: Trial,
  world: World,
  blast: RunningBlast,
  { journal, variables = {}, unconfirmed_max }: Expected = {},
): Promise<ReadonlyArray<string>> => {
  const before = (await blast.dots()).length
  // The first statement on a connection of the former server fails.
  const atBackup = await until("the database to answer", () => blast.states().catch(() => undefined))
  const { process } = await world.worker({ variables })
  await recognised(world)
  await pause(silence_ms)
  const silent = (await blast.dots()).length === before
  const listed = await restoreCommand(world, "status")
  const release = async (): Promise<Released | undefined> => {
    const { released } = await restoreCommand(world, "release", "--blasts", blast.id)
    return released.find(({ outcome }: Released) => outcome === "released")
  }
  const released = await until("the release", release)
  await blast.ended()
  const states = await blast.states()
  const unconfirmed = states["unconfirmed"] ?? 0
  const judged = await blast.judged({ deaths: blast.count })
  const { ended } = await restoreCommand(world, "release", "--all")
  const dots = await blast.dots()
  const reached = new Set(dots.map(({ to }) => to)).size
  say(
    `  at the backup ${JSON.stringify(atBackup)}; ${before} sent before the restore, ${dots.length - before} after the release; ` +
      `${dots.length - reached} duplicates; ${JSON.stringify(states)}; journal ${listed.restore.send_journal}`,
  )
  return [
    ...unless(silent, "a message was sent before the release"),
    ...unless(listed.restore.blasts.length === 1, "the status does not list the blast"),
    ...unless(process.output.includes("tentpole restore release"), "the log does not name the command"),
    ...unless(released.unconfirmed <= unconfirmed, `${released.unconfirmed} were reported`),
    ...unless(journal === undefined || listed.restore.send_journal === journal, `the journal is not ${journal}`),
    ...(unconfirmed_max === undefined
      ? unless(
          unconfirmed > 0 && unconfirmed === blast.count - (atBackup["sent"] ?? 0),
          "more or fewer are unconfirmed",
        )
      : [
          ...unless(unconfirmed <= unconfirmed_max, `${unconfirmed} are unconfirmed, more than ${unconfirmed_max}`),
          ...unless(reached + unconfirmed >= blast.count, `${blast.count - reached - unconfirmed} are lost`),
        ]),
    ...unless(dots.length === reached, "a recipient has two messages"),
    ...unless(ended === true, "the restore did not end"),
    // A restore is the one way to these: messages after the backup, and states without an intent.
    ...judged.found.filter((each) => !/belongs to no delivery|without an intent|that the state machine/.test(each)),
  ]
}

/** Long enough for a worker to claim before its next comparison with the copy. */
const epoch_every_ms = 1_500

/** Seldom enough that a worker is not killed while it writes the epoch, and often enough to recognise a young backup. */
const journaled: Variables = { SEND_JOURNAL: "true", EPOCH_EVERY_MS: "400" }

/** Earlier scenarios ran workers without a journal. It proves nothing in the ten minutes after one of them. */
const forgetUnjournaled = ({ deployment }: World) =>
  deployment.inside.asOwner("update service_epoch set unjournaled_at = null")

interface End extends Expected {
  readonly name: string
  /** What happens to the workers before the backup takes the place of the database. */
  readonly stop: (world: World) => Promise<unknown>
  readonly whole: boolean
  /** Of the second worker; the same as of the first without it. */
  readonly second?: Variables
}

/** What the deaths of so many workers leave unconfirmed. */
const ofDeaths = (count: number) => count * (bounds.connections + bounds.settle_batch_max)

const ends: ReadonlyArray<End> = [
  { name: "sent to its end, and the workers were stopped", stop: stopWorkers, whole: true },
  { name: "half sent, and the workers were killed", stop: ({ deployment }) => deployment.killWorkers(), whole: false },
  {
    name: "sent to its end, and the workers ran on",
    stop: () => pause(2 * epoch_every_ms),
    whole: true,
    variables: { EPOCH_EVERY_MS: String(epoch_every_ms) },
  },
]

const journaledEnds: ReadonlyArray<End> = [
  {
    name: "sent to its end with a send journal, and the workers were stopped",
    stop: stopWorkers,
    whole: true,
    variables: journaled,
    unconfirmed_max: 0,
    journal: "complete",
  },
  {
    name: "half sent with a send journal, and the workers were killed",
    stop: ({ deployment }) => deployment.killWorkers(),
    whole: false,
    variables: journaled,
    unconfirmed_max: ofDeaths(2),
    journal: "complete",
  },
  {
    name: "half sent by one worker with a send journal and one without, and they were killed",
    stop: ({ deployment }) => deployment.killWorkers(),
    whole: false,
    variables: journaled,
    second: { ...journaled, SEND_JOURNAL: "false" },
    journal: "worker_without_journal",
  },
]

const inMidBlast = [...ends, ...journaledEnds].map(
  ({ name, second, stop, variables = {}, whole, ...expected }): Scenario<World> => ({
    name: `a backup in mid-blast; the blast was ${name}`,
    run: async (trial, world) => {
      if (expected.journal !== undefined) await forgetUnjournaled(world)
      const blast = await world.blast(people(trial))
      // Slow enough for the blast to last while the cluster is copied.
      world.toSink.delay_ms = 30
      await world.worker({ variables })
      await world.worker({ variables: second ?? variables })
      await until("a quarter", async () => (await blast.dots()).length > blast.count / 4, { every_ms: 10 })
      const putInPlace = await world.database.backUp(await trial.ending.folder())
      world.toSink.delay_ms = 0
      const sent = (await blast.dots()).length
      if (whole) await blast.ended()
      else {
        const goal = sent + (blast.count - sent) / 2
        await until("half of the rest", async () => (await blast.dots()).length > goal, { every_ms: 10 })
      }
      await stop(world)
      await putInPlace()
      return releasedOnce(trial, world, blast, {
        ...expected,
        variables: expected.journal === undefined ? {} : variables,
      })
    },
  }),
)

const beforeTheAudience = [{}, { variables: journaled, unconfirmed_max: 0, journal: "complete" as const }].map(
  (expected: Expected): Scenario<World> => ({
    name: `a backup between a launch and its audience pass${expected.variables === undefined ? "" : ", with a send journal"}`,
    run: async (trial, world) => {
      const { unconfirmed_max, variables = {} } = expected
      if (unconfirmed_max !== undefined) await forgetUnjournaled(world)
      // A worker has run on the database before.
      await world.worker({ variables })
      await stopWorkers(world)
      const blast = await world.launched(people(trial))
      const putInPlace = await world.database.backUp(await trial.ending.folder())
      await world.worker({ variables })
      await blast.ended()
      await stopWorkers(world)
      await putInPlace()
      return releasedOnce(trial, world, blast, expected)
    },
  }),
)

const scheduled: Scenario<World> = {
  name: "a backup before the time of a scheduled blast",
  run: async ({ ending, say }, world) => {
    const { deployment, database, sink } = world
    const start = () =>
      deployment.startWorker("@tentpole/worker/main", { SMTP_URL: sink.url }).then((each) => each.up())
    const workspace = await sendingWorkspace(deployment, "blastscheduled")
    const { items } = await workspace.call("POST", "/v1/contacts", {
      items: Array.from({ length: 20 }, (_, at) => ({ email: `person${at}@blastscheduled.test` })),
    })
    const contact_ids = items.map(({ contact_id }: { readonly contact_id: string }) => contact_id)
    const list = { name: "People", kind: "static", contact_ids }
    const { list_id } = await workspace.call("POST", "/v1/contact-lists", list)
    const id = await draftBlast(workspace.call, list_id, letterFrom("news@blastscheduled.test"))
    const scheduled_at = new Date(Date.now() + 5_000).toISOString()
    await workspace.call("POST", `/v1/email-blasts/${id}/schedule`, { scheduled_at })
    const of = async () => (await workspace.call("GET", `/v1/email-blasts/${id}`)).status
    await start()
    await stopWorkers(world)
    const putInPlace = await database.backUp(await ending.folder())
    await start()
    await until("the scheduled blast", async () => (await of()) === "sent")
    await stopWorkers(world)
    await putInPlace()
    await start()
    await recognised(world)
    await pause(silence_ms)
    const held = await of()
    const { released } = await restoreCommand(world, "release", "--all")
    await pause(silence_ms)
    const dots = await sink.dots("blastscheduled.test")
    say(`  ${held}, then ${await of()}; ${dots.length} messages to ${items.length} people`)
    return [
      ...unless(held === "scheduled", `the blast was ${held} before its release`),
      ...unless(released[0]?.outcome === "unscheduled", `the release was ${JSON.stringify(released)}`),
      ...unless((await of()) === "draft", "the blast is no draft"),
      ...unless(dots.length === items.length, "a recipient has two messages or none"),
    ]
  },
}

const flow: Scenario<World> = {
  name: "a backup before the messages of a flow",
  run: async ({ ending, say }, world) => {
    const { deployment, database, sink } = world
    const workspace = await sendingWorkspace(deployment, "blastflow")
    const email_id = await approvedEmail(workspace.call, letterFrom("news@blastflow.test"))
    const send = (step_id: string, next_step_id: string | null) => ({
      type: "send_email",
      step_id,
      email_id,
      next_step_id,
    })
    const flowId = await activeFlow(deployment, workspace.id, [send("one", "two"), send("two", null)], {
      triggers: [{ type: "contact_created" }],
    })
    await world.worker()
    await stopWorkers(world)
    const items = Array.from({ length: 20 }, (_, at) => ({ email: `person${at}@blastflow.test` }))
    await workspace.call("POST", "/v1/contacts", { items })
    const putInPlace = await database.backUp(await ending.folder())
    await world.worker()
    const arrived = async () => (await sink.dots("blastflow.test")).length
    await until("both messages to each", async () => (await arrived()) === 2 * items.length)
    await stopWorkers(world)
    await putInPlace()
    await world.worker()
    await recognised(world)
    const release = async () => {
      const { released } = await restoreCommand(world, "release", "--flows", flowId)
      return released[0]?.outcome === "released"
    }
    const early = await release()
    await until("the release of the flow", release)
    await restoreCommand(world, "release", "--all")
    await pause(silence_ms)
    const again = (await arrived()) - 2 * items.length
    await workspace.call("POST", "/v1/contacts", { items: [{ email: "late@blastflow.test" }] })
    await until("a new member's messages", async () => (await arrived()) >= 2 * items.length + again + 2)
    const late = (await sink.dots("blastflow.test")).filter(({ to }) => to.startsWith("late@")).length
    say(`  ${2 * items.length} messages before the restore, ${again} again after it, ${late} to a new member`)
    return [
      ...unless(!early, "the flow was released before its members had repeated their steps"),
      ...unless(again === 0, `${again} messages were sent twice`),
      ...unless(late === 2, `a new member got ${late} messages`),
    ]
  },
}

const withoutRestore: Scenario<World> = {
  name: "workers are killed and stopped at any instant, without a restore",
  run: async (trial, world) => {
    const rounds = trial.quick ? 6 : 40
    const blast = await world.blast(people(trial))
    let held = 0
    for (let round = 0; round < rounds; round++) {
      const workers = [await world.worker(), await world.worker()]
      await pause(trial.dice.between(0, 200))
      if (round % 3 === 0) await stopWorkers(world)
      else await Promise.all(workers.map(({ process }) => process.kill()))
      world.deployment.workers.clear()
      if (round % 5 === 4) {
        await world.database.kill()
        await until("PostgreSQL to start", () =>
          world.database.start().then(
            () => true,
            () => false,
          ),
        )
      }
      if ((await status(world)) !== null) held++
    }
    await world.worker()
    await blast.ended()
    trial.say(`  ${rounds} rounds, ${held} of them held`)
    return [...unless(held === 0, "a restore was seen where there was none")]
  },
}

/** What a scenario of a blast leaves would wait for the release of the next one. */
export const restores = campaignOf(
  ({ ending }) => World.begin(ending),
  [...inMidBlast, ...beforeTheAudience, scheduled, flow, withoutRestore],
)
