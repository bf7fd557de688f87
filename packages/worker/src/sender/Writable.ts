// What takes no writes at the moment, and writes that are retried until they succeed.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Cause, Effect, FiberSet, Latch, Semaphore } from "effect"

/** Whether the last write to a store succeeded. Connections wait on it before they take a message. */
export interface Writable {
  readonly await: Effect.Effect<void>
  readonly failed: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly succeeded: Effect.Effect<void>
}

export const writable = (store: string): Effect.Effect<Writable> =>
  Effect.map(Latch.make(true), (latch) => ({
    await: latch.await,
    failed: (what, cause) =>
      Effect.suspend(() => {
        const first = latch.isOpen()
        latch.closeUnsafe()
        return first
          ? Effect.logWarning(`${what} failed: nothing is sent until ${store} takes writes`, cause)
          : Effect.void
      }),
    succeeded: Effect.suspend(() => {
      if (latch.isOpen()) return Effect.void
      latch.openUnsafe()
      return Effect.logInfo(`${store} takes writes again`)
    }),
  }))

const pauses_ms = [100, 200, 500, 1000, 2000, 5000] as const

const pauseAfter = (attempt: number) => Effect.sleep(pauses_ms[Math.min(attempt, pauses_ms.length - 1)] ?? 5000)

/** Retries with growing pauses until it succeeds or is interrupted. */
export const untilWritten = (
  writable: Pick<Writable, "failed" | "succeeded">,
  what: string,
  write: Effect.Effect<void, unknown>,
  attempt = 0,
): Effect.Effect<void> =>
  Effect.matchCauseEffect(write, {
    onSuccess: () => writable.succeeded,
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : writable
            .failed(what, cause)
            .pipe(
              Effect.andThen(pauseAfter(attempt)),
              Effect.andThen(Effect.suspend(() => untilWritten(writable, what, write, attempt + 1))),
            ),
  })

/**
 * Writes to the database, by workspace. The rows of workspaces may be on several nodes: while one node takes no writes, those on
 * others go on.
 */
export interface WorkspaceWrites {
  /** Workspaces whose last write failed. Nothing of them is claimed or sent. */
  readonly failing: ReadonlySet<WorkspaceId>
  /** Call it only if a `write` of the workspace follows, which shows when it takes writes again. */
  readonly failed: (workspace: WorkspaceId, what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  /**
   * Returns after the first try, so that no other workspace waits for this one. If the try failed, or the workspace is `failing`,
   * the write is retried in the background until it succeeds.
   */
  readonly write: (workspace: WorkspaceId, what: string, write: Effect.Effect<void, unknown>) => Effect.Effect<void>
  /** Waits until nothing is retried. */
  readonly drained: Effect.Effect<void>
}

/** Retries that run concurrently. They may wait for a node until the statement times out. */
const retries_max = 2

export const workspaceWrites = Effect.gen(function* () {
  const failing = new Set<WorkspaceId>()
  const retried = yield* FiberSet.make<void>()
  const retries = yield* Semaphore.make(retries_max)
  const of = (workspace: WorkspaceId): Pick<Writable, "failed" | "succeeded"> => ({
    failed: (what, cause) =>
      Effect.suspend(() => {
        if (failing.has(workspace)) return Effect.void
        failing.add(workspace)
        return Effect.logWarning(`${what} failed: nothing of the workspace is sent until it takes writes`, cause)
      }).pipe(Effect.annotateLogs({ workspace_id: workspace })),
    succeeded: Effect.suspend(() =>
      failing.delete(workspace) ? Effect.logInfo("the workspace takes writes again") : Effect.void,
    ).pipe(Effect.annotateLogs({ workspace_id: workspace })),
  })
  const retry = (workspace: WorkspaceId, what: string, write: Effect.Effect<void, unknown>) =>
    pauseAfter(0).pipe(
      Effect.andThen(untilWritten(of(workspace), what, retries.withPermit(write), 1)),
      FiberSet.run(retried),
      Effect.asVoid,
    )
  return {
    failing,
    failed: (workspace, what, cause) => of(workspace).failed(what, cause),
    write: (workspace, what, write) =>
      Effect.suspend(() =>
        failing.has(workspace)
          ? retry(workspace, what, write)
          : Effect.catchCause(write, (cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.interrupt
                : Effect.andThen(of(workspace).failed(what, cause), retry(workspace, what, write)),
            ),
      ),
    drained: FiberSet.awaitEmpty(retried),
  } satisfies WorkspaceWrites
})
