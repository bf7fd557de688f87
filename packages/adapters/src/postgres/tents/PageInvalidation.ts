// Which pages may have changed, as far as this process knows: its own changes at once, those of others as PostgreSQL
// tells them. Who never asks holds no connection for it.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, Context, Effect, Layer, Schedule, Scope, Stream } from "effect"
import { pages_channel } from "../migrations/0008_tents.ts"

export class PageNews extends Context.Service<
  PageNews,
  {
    /** Tells this process, and with the transaction's commit all others. Null: a site itself changed. */
    readonly tell: (of: WorkspaceId | null) => Effect.Effect<void>
    /** Stays the same while nothing has changed. */
    readonly mark: (of: WorkspaceId | null) => Effect.Effect<string>
  }
>()("tentpole/postgres/PageNews") {}

/** Share one among the stores of a process: they tell each other through it. */
export const layer = Layer.effect(
  PageNews,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const scope = yield* Scope.Scope
    const changes = new Map<string, number>()
    // Counts the times that news may have been missed: everything known before is doubtful then.
    let era = 0
    let listening = false

    const note = (of: string): void => {
      changes.set(of, (changes.get(of) ?? 0) + 1)
    }

    const listen = sql.listen(pages_channel).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          era++
          listening = true
        }),
      ),
      Effect.map(Stream.fromQueue),
      Stream.unwrap,
      Stream.runForEach(({ payload }) => Effect.sync(() => note(payload))),
      Effect.ensuring(
        Effect.sync(() => {
          listening = false
        }),
      ),
      Effect.scoped,
      Effect.tapCause(() => Effect.logDebug("news of pages are not heard at the moment")),
      Effect.retry(Schedule.spaced("1 second")),
    )
    const begin = yield* Effect.cached(Effect.forkIn(listen, scope))

    return PageNews.of({
      tell: (of) => sql.afterCommit(Effect.sync(() => note(of ?? ""))),
      // Asked twice by each visit of a page: no generator.
      mark: (of) => {
        const known = Effect.sync(() => `${era}.${changes.get(of ?? "") ?? 0}`)
        // Without news a mark is good for half a second.
        return listening
          ? known
          : Effect.andThen(
              begin,
              Effect.zipWith(known, Clock.currentTimeMillis, (mark, now_ms) =>
                listening ? mark : `${mark}.${Math.floor(now_ms / 500)}`,
              ),
            )
      },
    })
  }),
)
