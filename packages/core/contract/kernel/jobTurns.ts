// Contract tests of the turns of jobs: every store gives workspaces their turns as the rule in `JobTurn.ts` does.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { BlastId, ExportId, ImportRunId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { nextJob } from "../../src/kernel/changes/JobTurn.ts"
import { type Job, JobQueue, Jobs } from "../../src/kernel/changes/Jobs.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { drawFrom } from "./draws.ts"
import { eventually, until } from "./eventually.ts"
import { Fresh } from "./fresh.ts"

interface Arrival {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly type: "blast_start" | "list_export" | "import_run"
}

const target = "00000000-0000-4000-8000-000000000001"

const jobOf = ({ type, workspaceId }: Arrival): Job => {
  switch (type) {
    case "blast_start":
      return { type, workspaceId, blastId: BlastId.make(target) }
    case "list_export":
      return { type, workspaceId, exportId: ExportId.make(target) }
    case "import_run":
      return { type, workspaceId, runId: ImportRunId.make(target) }
  }
}

/** A worker whose jobs run until the test ends them, and the order in which they started. */
const begin = Effect.gen(function* () {
  const queue = yield* JobQueue
  const jobs = yield* Jobs
  const fresh = yield* Fresh
  const { transact } = yield* Transactor
  const prefix = yield* fresh.id
  const started: Array<string> = []
  const running = new Map<string, Deferred.Deferred<void>>()
  let count = 0
  let rests = 0
  /** The worker rests until a job is enqueued or ends: so it has looked between a change and its next rest. */
  const idle = Effect.sleep("1 millis").pipe(Effect.andThen(Effect.sync(() => rests++)), Effect.andThen(Effect.never))
  /** Makes the change, and waits until the worker has started the jobs that it may start after it. */
  const seen = <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = rests
      return Effect.tap(change, () => until(() => rests > before))
    })
  const end = (id: string) =>
    seen(
      Effect.suspend(() => {
        const deferred = running.get(id)
        return deferred === undefined ? Effect.die(`${id} does not run`) : Deferred.succeed(deferred, undefined)
      }),
    )
  const handle = (_: Job, { id }: { readonly id: string }) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      running.set(id, end)
      started.push(id)
      yield* Deferred.await(end)
    }).pipe(Effect.ensuring(Effect.sync(() => running.delete(id))))
  return {
    started,
    workspace: Effect.map(fresh.id, (id) => WorkspaceId.make(id)),
    /** The ids are in the order of the arrivals. */
    arrival: (workspaceId: WorkspaceId, type: Arrival["type"]): Arrival => ({
      id: `${prefix}:${String(++count).padStart(5, "0")}`,
      workspaceId,
      type,
    }),
    enqueue: (arrivals: ReadonlyArray<Arrival>) =>
      transact(Effect.forEach(arrivals, (each) => jobs.enqueue(jobOf(each), { id: each.id }), { discard: true })),
    worker: (concurrency: number) => seen(Effect.forkChild(queue.work({ concurrency, handle, idle }))),
    seen,
    end,
    /** Ends all jobs, so that the next test finds none. */
    endAll: Effect.suspend(() => Effect.forEach([...running.keys()], end)).pipe(
      Effect.repeat({ while: () => running.size > 0 }),
    ),
  }
})

/** What a worker with so many concurrent jobs starts, by the rule. */
const model = (concurrency: number) => {
  let after: WorkspaceId | null = null
  let ready: ReadonlyArray<Arrival> = []
  let running: ReadonlyArray<Arrival> = []
  const started: Array<Arrival> = []
  const rest = () => {
    while (running.length < concurrency) {
      const onlyIdle: boolean = concurrency > 1 && running.length === concurrency - 1
      const next = nextJob(ready, running, { after, onlyIdle })
      if (next === undefined) return
      ready = ready.filter((each) => each !== next)
      running = [...running, next]
      after = next.workspaceId
      started.push(next)
    }
  }
  return {
    started,
    running: () => running,
    enqueue: (arrivals: ReadonlyArray<Arrival>) => {
      ready = [...ready, ...arrivals]
      rest()
    },
    end: (job: Arrival) => {
      running = running.filter((each) => each !== job)
      rest()
    },
  }
}

export const jobTurns = <E>(name: string, live: Layer.Layer<Jobs | JobQueue | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`JobQueue turns (${name})`, (it) => {
    it.effect("starts jobs of random arrivals in the order of the rule", () =>
      Effect.gen(function* () {
        for (const concurrency of [1, 2, 4]) {
          const seed = concurrency * 7919
          const draw = drawFrom(seed)
          const room = yield* begin
          const rule = model(concurrency)
          const workspaces = yield* Effect.all(Array.from({ length: 5 }, () => room.workspace))
          const worker = yield* room.worker(concurrency)
          const arrive = () =>
            room.arrival(draw.of(workspaces), draw.of(["blast_start", "list_export", "import_run"] as const))
          for (let step = 0; step < 40; step++) {
            const job = rule.running()[draw.below(rule.running().length)]
            if (job !== undefined && draw.chance(0.7)) {
              rule.end(job)
              yield* room.end(job.id)
            } else {
              // One workspace queues many.
              const many = draw.chance(0.3) ? draw.below(8) : 0
              const [workspace] = workspaces
              const arrivals = Array.from({ length: 1 + draw.below(3) }, arrive)
              for (let each = 0; each < many && workspace !== undefined; each++) {
                arrivals.push(room.arrival(workspace, "import_run"))
              }
              rule.enqueue(arrivals)
              yield* room.seen(room.enqueue(arrivals))
            }
            assert.deepStrictEqual(
              room.started,
              rule.started.map(({ id }) => id),
              `seed ${seed}, step ${step}, ${concurrency} at a time`,
            )
          }
          assert.isAbove(rule.started.length, 20)
          yield* room.endAll
          yield* Fiber.interrupt(worker)
        }
      }),
    )

    it.effect(
      "lets a workspace that fills its share wait alone: the last of the concurrent jobs is of a workspace without a running one",
      () =>
        Effect.gen(function* () {
          const room = yield* begin
          const [large, small, third] = [yield* room.workspace, yield* room.workspace, yield* room.workspace]
          yield* room.enqueue(Array.from({ length: 20 }, () => room.arrival(large, "import_run")))
          yield* room.worker(4)
          assert.lengthOf(room.started, 3)
          const [first, second] = [room.arrival(small, "import_run"), room.arrival(small, "list_export")]
          yield* room.seen(room.enqueue([first, second]))
          const last = room.arrival(third, "import_run")
          yield* room.seen(room.enqueue([last]))
          assert.deepStrictEqual(room.started.slice(3), [first.id])
          yield* room.end(first.id)
          assert.deepStrictEqual(room.started.slice(4), [last.id])
          yield* room.endAll
        }),
    )

    it.effect("does not let a blast wait for the exports of its own workspace", () =>
      Effect.gen(function* () {
        const room = yield* begin
        const workspace = yield* room.workspace
        const exports = Array.from({ length: 10 }, () => room.arrival(workspace, "list_export"))
        yield* room.enqueue(exports)
        yield* room.worker(4)
        const blast = room.arrival(workspace, "blast_start")
        yield* room.seen(room.enqueue([blast]))
        yield* room.end(exports[0]?.id ?? "")
        assert.deepStrictEqual(room.started.slice(3), [blast.id])
        yield* room.endAll
      }),
    )

    it.effect("runs each job once when three workers claim at once", () =>
      Effect.gen(function* () {
        const { arrival, enqueue, workspace } = yield* begin
        const queue = yield* JobQueue
        const workspaces = yield* Effect.all(Array.from({ length: 5 }, () => workspace))
        const arrivals = workspaces.flatMap((each) => Array.from({ length: 20 }, () => arrival(each, "blast_start")))
        const seen: Array<string> = []
        const handle = (_: Job, { id }: { readonly id: string }) => Effect.sync(() => void seen.push(id))
        const workers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(queue.work({ concurrency: 4, handle })))
        yield* enqueue(arrivals)
        yield* eventually(
          Effect.sync(() => seen.length),
          (length) => length >= arrivals.length,
        )
        yield* Effect.sleep("300 millis")
        assert.deepStrictEqual(
          seen.toSorted(),
          arrivals.map(({ id }) => id),
        )
        yield* Fiber.interruptAll(workers)
      }),
    )
  })
