// Work of many workspaces in a worker: it takes those that are due, and serves each.
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { logFailure } from "./logFailure.ts"

/** Workspaces that one statement takes. */
const turns_max = 20

interface Turns<Turn, E, R, E2, R2> {
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Turn>, E, R>
  readonly workspaceOf: (turn: Turn) => WorkspaceId
  readonly serve: (turn: Turn) => Effect.Effect<void, E2, R2>
  /** The log message for a workspace that could not be served. */
  readonly failure: string
  /** Workspaces served at once. Each uses a database connection. */
  readonly concurrency: number
}

/** Serves all workspaces that are due. One that fails does not stop the others: it is due again when the time of its turn is over. */
export const serveTurns = <Turn, E, R, E2, R2>({
  concurrency,
  failure,
  serve,
  take,
  workspaceOf,
}: Turns<Turn, E, R, E2, R2>): Effect.Effect<void, E, R | R2> =>
  take(turns_max).pipe(
    Effect.tap((turns) =>
      Effect.forEach(
        turns,
        (turn) => logFailure(failure, { workspace_id: workspaceOf(turn) }, "Warning")(serve(turn)),
        { concurrency, discard: true },
      ),
    ),
    // A full batch: there may be more.
    Effect.repeat({ while: (turns) => turns.length === turns_max }),
    Effect.asVoid,
  )
