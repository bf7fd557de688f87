// A simulation of the whole application on memory adapters under a virtual clock; a seed draws the workload and the faults.
// First, workers are killed and restarted, users pause and unsubscribe, and the mail server misbehaves. Then faults stop, and the
// blast must finish and retry failed recipients. The judge compares the mail server's log with the service's state.
import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import * as Cleaner from "@tentpole/adapters/ai/html/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import * as Signatures from "@tentpole/adapters/crypto/Signatures"
import * as SecretsAdapter from "@tentpole/adapters/crypto/Secrets"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Memory from "@tentpole/adapters/memory/All"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import { deliveries } from "@tentpole/adapters/memory/sending/DeliveryTables"
import * as Dns from "@tentpole/adapters/memory/ports/Dns"
import * as Jobs from "@tentpole/adapters/memory/kernel/Jobs"
import { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import * as Sns from "@tentpole/adapters/sns/Sns"
import { settingsLayer } from "@tentpole/core/contract"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Schedules as BlastSchedules } from "@tentpole/core/blasts/Schedules"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import { Emails } from "@tentpole/core/emails/Emails"
import { type BlastId, ContactId, EmailId, Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { productUseCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import * as JobTable from "@tentpole/worker/jobs/Jobs"
import { DueWatch } from "@tentpole/worker/DueWatch"
import * as Loops from "@tentpole/worker/loops/Loops"
import * as Sender from "@tentpole/worker/sender/Sender"
import { type Context, DateTime, Effect, Fiber, Layer, Logger, Random, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Dice } from "./Dice.ts"
import { drawMailFaults, MailServer, noMailFaults } from "./MailServer.ts"
import { Process } from "./Process.ts"
import { type Judged, judge } from "./Judge.ts"

/** The choices of a seed. */
export interface Drawn {
  readonly seed: number
  readonly people: number
  readonly workers: number
  readonly connections: number
  readonly kills: number
  readonly pauses: number
  readonly unsubscribes: number
  /** The delay between readiness and schedule; null: sent at once. */
  readonly ahead_ms: number | null
}

const draw = (seed: number, dice: Dice): Drawn => ({
  seed,
  people: dice.between(1, 40),
  workers: dice.between(1, 3),
  connections: dice.between(1, 5),
  kills: dice.between(0, 6),
  pauses: dice.between(0, 2),
  unsubscribes: dice.between(0, 4),
  ahead_ms: dice.chance(0.5) ? dice.between(1, 60_000) : null,
})

const senderOptions: Sender.SenderOptions = {
  ...Sender.defaults,
  claim_batch_max: 7,
  settle_batch_max: 5,
}

const look_every_ms = 1_000

const jobOptions = { lease: "90 seconds", poll: "1 second", retryFrom: "2 seconds", attempts_max: 10 } as const

const seededIds = (dice: Dice) =>
  Layer.succeed(
    Ids,
    Ids.of({
      next: Effect.sync(() => dice.uuid(7)),
      generator: Effect.succeed(() => dice.uuid(7)),
      many: (count) => Effect.sync(() => Array.from({ length: count }, () => dice.uuid(7))),
      random: Effect.sync(() => dice.uuid(4)),
    }),
  )

const settingsOf = ({ connections }: Drawn) => settingsLayer({ smtpConnections: connections })

/** A message is its delivery's id; its content does not matter here. */
const plainMail = Layer.succeed(
  OutgoingMail,
  OutgoingMail.of({
    render: (_, { id, address }) =>
      Effect.succeed({
        envelope: { from: "bounce@example.test", to: address },
        bytes: encodeText(id),
        release: Effect.void,
      }),
  }),
)

/** The layers of a process, over the world's database. */
const application = (
  drawn: Drawn,
  dice: Dice,
  process: Process,
  world: MemoryDatabase["Service"],
  server: MailServer,
) =>
  Layer.mergeAll(productUseCases, Layer.mock(Administration, {}), plainMail).pipe(
    Layer.provideMerge(Layer.merge(Memory.stores, process.transactor)),
    Layer.provideMerge(Jobs.layer(jobOptions)),
    Layer.provideMerge(
      Layer.mergeAll(
        seededIds(dice),
        settingsOf(drawn),
        Blobs.layer,
        Csv.layer,
        DkimSigner.layer,
        FakeAi.layer,
        Cleaner.layer,
        Dns.layer(),
        Signatures.layer,
        Sns.layer(),
        Layer.succeed(MailConnections, server.seenBy(process)),
        SecretsAdapter.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null }),
      ),
    ),
    Layer.provideMerge(process.database(world)),
  )

type AppServices = Layer.Success<ReturnType<typeof application>>
type App = Context.Context<AppServices>

/** Runs a worker until it crashes; its fibers stay suspended, as a crashed process leaves its sockets. */
const startWorker = (app: App) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const worker = Layer.mergeAll(JobTable.layer, Sender.layer(senderOptions), Loops.schedules).pipe(
      Layer.provide(Layer.succeed(DueWatch, { await: () => Effect.sleep(look_every_ms) })),
    )
    return yield* Effect.forkDetach(
      Effect.andThen(Layer.buildWithScope(worker, scope), Effect.never).pipe(Effect.provideContext(app)),
    )
  })

interface World {
  readonly workspace: WorkspaceId
  readonly blast: BlastId
  readonly addresses: ReadonlyArray<string>
}

const html = "<html><body><p>Hello {{contact.first_name}}</p></body></html>"

/** Creates contacts and a blast, and sends or schedules it. */
const prepared = (drawn: Drawn, app: App): Effect.Effect<World> =>
  Effect.gen(function* () {
    const { bootstrap } = yield* Workspaces
    const { workspace } = yield* bootstrap({ apiKey: null })
    const addresses = Array.from({ length: drawn.people }, (_, at) => `person${at}@example.org`)
    const results = yield* (yield* Contacts).create(
      workspace,
      addresses.map((email) => ({ email })),
    )
    const ids = results.flatMap((item) => (item.status === "created" ? [ContactId.make(item.shown.contact.id)] : []))
    const blasts = yield* Blasts
    const { blast } = yield* blasts.create(workspace.id, { name: "a blast" })
    yield* blasts.setAudience(workspace.id, blast.id, { source: "inline", kind: "static", contactIds: ids })
    const fields = { subject: "Hello", fromName: "A", fromAddress: "a@example.test", replyToEmail: "a@example.test" }
    const withEmail = yield* blasts.setEmail(workspace.id, blast.id, { source: "inline", fields, html }, "a test")
    yield* (yield* Emails).approve(workspace.id, withEmail.email?.emailId ?? EmailId.make(""), {})
    if (drawn.ahead_ms === null) yield* blasts.sendNow(workspace.id, blast.id, { operational: false })
    else {
      const scheduledAt = DateTime.add(yield* DateTime.now, { milliseconds: drawn.ahead_ms })
      yield* (yield* BlastSchedules).schedule(workspace.id, blast.id, { scheduledAt, operational: false })
    }
    return { workspace: workspace.id, blast: blast.id, addresses }
  }).pipe(Effect.provideContext(app), Effect.orDie)

export interface Outcome extends Judged {
  readonly drawn: Drawn
  /** The log of the mail server and the final states in one line; two runs of a seed have the same. */
  readonly trace: string
}

const steps_of_trouble = 60
const calm_steps_max = 2_000

/** Runs one seed. */
export const simulate = (seed: number): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const dice = new Dice(seed)
    const drawn = draw(seed, dice)
    let moment = 0
    const tick = () => ++moment
    const world = yield* Effect.provide(MemoryDatabase, MemoryDatabase.layer)
    const server = new MailServer(dice, drawMailFaults(dice), tick)
    const scope = yield* Effect.scope
    const build = (process: Process) => Layer.buildWithScope(application(drawn, dice, process, world, server), scope)
    const user: App = yield* build(new Process("user"))
    const { workspace: workspaceId, blast, addresses } = yield* prepared(drawn, user)
    const unsubscribed = new Map<string, number>()
    let crashes = 0

    const spawn = Effect.fnUntraced(function* (at: number, last: number) {
      const process = new Process(`worker ${at}`, last)
      const fiber = yield* startWorker(yield* build(process))
      return { process, fiber }
    })
    const doomed = () => (dice.chance(0.7) ? dice.between(1, 400) : Number.POSITIVE_INFINITY)
    const workers = yield* Effect.forEach(
      Array.from({ length: drawn.workers }, (_, at) => at),
      (at) => spawn(at, doomed()),
    )
    const asUser = <A, E>(effect: Effect.Effect<A, E, AppServices>) => Effect.provideContext(effect, user)

    const trouble = Effect.fnUntraced(function* () {
      const act = dice.next()
      if (act < 0.1 && crashes < drawn.kills) workers[dice.between(0, workers.length - 1)]?.process.kill()
      else if (act < 0.2 && unsubscribed.size < drawn.unsubscribes) {
        const email = dice.pick(addresses) ?? ""
        const workspace = { id: workspaceId, defaultCountry: "US" }
        yield* asUser(
          Effect.flatMap(Contacts, (contacts) => contacts.upsert(workspace, [{ email, unsubscribed: true }])),
        )
        if (!unsubscribed.has(email)) unsubscribed.set(email, tick())
      } else if (act < 0.25 && drawn.pauses > 0) {
        const turn = Effect.flatMap(Blasts, (blasts) =>
          dice.chance(0.5) ? blasts.pause(workspaceId, blast) : blasts.resume(workspaceId, blast),
        )
        yield* Effect.ignore(asUser(turn))
      }
      for (const [at, worker] of workers.entries()) {
        if (worker.process.alive || !dice.chance(0.3)) continue
        crashes++
        workers[at] = yield* spawn(at, doomed())
      }
      yield* TestClock.adjust(dice.between(1, 5_000))
    })
    for (let step = 0; step < steps_of_trouble; step++) yield* trouble()

    server.faults = noMailFaults
    yield* Effect.ignore(asUser(Effect.flatMap(Blasts, (blasts) => blasts.resume(workspaceId, blast))))
    for (const [at, worker] of workers.entries()) {
      if (!worker.process.alive) crashes++
      worker.process.kill()
      workers[at] = yield* spawn(at, Number.POSITIVE_INFINITY)
    }
    let calm = 0
    const shown = asUser(Effect.flatMap(Blasts, (blasts) => Effect.orDie(blasts.get(workspaceId, blast))))
    const finish = Effect.gen(function* () {
      while (["scheduled", "sending"].includes((yield* shown).blast.status) && calm < calm_steps_max) {
        calm++
        yield* TestClock.adjust("1 minute")
      }
    })
    yield* finish
    // Retries failed recipients only.
    const retry = Effect.flatMap(Blasts, (blasts) =>
      blasts.retryFailed(workspaceId, blast, { includeUnconfirmed: false }),
    )
    yield* Effect.orDie(asUser(retry))
    yield* finish
    for (const { process, fiber } of workers) {
      process.kill()
      yield* Effect.forkDetach(Fiber.interrupt(fiber))
    }
    const rows = yield* world.all(deliveries, workspaceId)
    const end = yield* shown
    const judged = judge({ dots: server.dots, rows, shown: end, unsubscribed, crashes, doubts: server.doubts, drawn })
    const seen = server.dots
      .map((dot) => `${dot.delivery.slice(0, 8)}:${dot.accepted}:${dot.replied}:${dot.at}`)
      .join(",")
    const states = rows
      .map((row) => `${row.id.slice(0, 8)}=${row.state}`)
      .sort()
      .join(",")
    return { ...judged, drawn, trace: `${seen}|${states}|${end.blast.status}|${calm}` }
  }).pipe(
    Effect.scoped,
    Random.withSeed(`simulation ${seed}`),
    Effect.provide(TestClock.layer()),
    Effect.provide(Logger.layer([])),
  )
