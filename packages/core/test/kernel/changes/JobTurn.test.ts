// Tests of the order of jobs.
import { assert, describe, it } from "@effect/vitest"
import { drawFrom } from "@tentpole/core/contract"
import { nextJob } from "@tentpole/core/kernel/changes/JobTurn"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"

interface Waiting {
  readonly workspaceId: WorkspaceId
  readonly type: string
  readonly number: number
}

const workspace = (number: number) => WorkspaceId.make(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`)
const [a, b, c] = [workspace(1), workspace(2), workspace(3)]
const job = (workspaceId: WorkspaceId, type = "import_run", number = 0): Waiting => ({ workspaceId, type, number })
const free = { after: null, onlyIdle: false }

/** Runs random jobs of six workspaces and two types in a worker; calls `see` before each start. */
const randomly = (
  seed: number,
  concurrency: number,
  see: (next: Waiting, waiting: ReadonlyArray<Waiting>, running: ReadonlyArray<Waiting>) => void,
) => {
  const draw = drawFrom(seed)
  let [waiting, running]: [ReadonlyArray<Waiting>, ReadonlyArray<Waiting>] = [[], []]
  let after: WorkspaceId | null = null
  for (let number = 0; number < 400; number++) {
    // The first workspace queues half of all jobs.
    const arrival = job(
      workspace(draw.chance(0.5) ? 1 : 1 + draw.below(6)),
      draw.of(["import_run", "blast_start"]),
      number,
    )
    waiting = [...waiting, arrival]
    if (draw.chance(0.5)) running = running.toSpliced(draw.below(running.length), 1)
    const onlyIdle = concurrency > 1 && running.length === concurrency - 1
    const next: Waiting | undefined =
      running.length < concurrency ? nextJob(waiting, running, { after, onlyIdle }) : undefined
    if (next === undefined) continue
    see(next, waiting, running)
    after = next.workspaceId
    waiting = waiting.filter((each) => each !== next)
    running = [...running, next]
  }
}

describe("nextJob", () => {
  it("is the oldest job of a workspace and type", () => {
    for (let seed = 0; seed < 10; seed++) {
      randomly(seed, 1 + (seed % 4), (next, waiting) => {
        const alike = waiting.filter(({ type, workspaceId }) => type === next.type && workspaceId === next.workspaceId)
        assert.strictEqual(next, alike[0], `seed ${seed}`)
      })
    }
  })

  it("lets a workspace without running jobs wait for at most one job of each other workspace", () => {
    for (let seed = 0; seed < 10; seed++) {
      // The jobs that started while a workspace waited.
      const waits = new Map<WorkspaceId, Array<WorkspaceId>>()
      randomly(seed, 1 + (seed % 4), (next, waiting, running) => {
        const idle = new Set(waiting.map(({ workspaceId }) => workspaceId))
        for (const { workspaceId } of running) idle.delete(workspaceId)
        for (const each of waits.keys()) if (!idle.has(each)) waits.delete(each)
        idle.delete(next.workspaceId)
        waits.delete(next.workspaceId)
        for (const each of idle) {
          const passed = [...(waits.get(each) ?? []), next.workspaceId]
          assert.lengthOf(new Set(passed), passed.length, `seed ${seed}`)
          waits.set(each, passed)
        }
      })
    }
  })

  it("is a job of the type of which the fewest run, before the turn and the age", () => {
    const waiting = [job(a), job(a, "blast_start"), job(b)]
    assert.strictEqual(nextJob(waiting, [job(a), job(b)], free), waiting[1])
    assert.strictEqual(nextJob([job(a)], [job(a), job(a)], free)?.workspaceId, a, "the only one")
  })

  it("goes on after the last turn, and from the last workspace to the first", () => {
    const waiting = [job(c), job(b), job(a)]
    assert.deepStrictEqual(
      [null, a, b, c].map((after) => nextJob(waiting, [], { after, onlyIdle: false })?.workspaceId),
      [a, b, c, a],
    )
  })

  it("skips workspaces with a running job of any type when only idle ones have a turn", () => {
    const turn = { after: null, onlyIdle: true }
    assert.strictEqual(nextJob([job(a, "blast_start"), job(b)], [job(a)], turn)?.workspaceId, b)
    assert.isUndefined(nextJob([job(a, "blast_start")], [job(a)], turn))
  })
})
