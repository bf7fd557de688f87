// Invalidation of cached pages. A process sees its own changes at once and those of others through LISTEN/NOTIFY. A process
// that never requests a version opens no connection for it.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, Context, Effect, Layer, Schedule, Scope, Stream } from "effect"
import { Notifications } from "../kernel/Postgres.ts"

/**
 * The NOTIFY channel of changed pages. The payload is a workspace id, or empty when the address or brand of a site changed.
 */
export const pages_channel = "tentpole_pages"

/** Notifies all processes at the commit. Every transaction that changes the address or brand of a site calls it. */
export const notifySites = (sql: PgClient.PgClient) => Effect.asVoid(sql`select pg_notify(${pages_channel}, '')`)

export class PageInvalidation extends Context.Service<
  PageInvalidation,
  {
    /** Reports a change after the transaction's commit, here and to all other processes. Null: the address of a site changed. */
    readonly notify: (of: WorkspaceId | null) => Effect.Effect<void>
    /** A version that is the same while nothing has changed. */
    readonly version: (of: WorkspaceId | null) => Effect.Effect<string>
  }
>()("tentpole/postgres/PageInvalidation") {}

/** All stores of a process share one instance, through which they notify each other. */
export const layer = Layer.effect(
  PageInvalidation,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const notifications = yield* Notifications
    const scope = yield* Scope.Scope
    const changes = new Map<string, number>()
    // Part of each version: notifications may be missed before a connection, so it makes all earlier versions outdated.
    let connections_count = 0
    let listening = false

    const countChange = (of: string): void => {
      changes.set(of, (changes.get(of) ?? 0) + 1)
    }

    const listen = notifications.listen(pages_channel).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          connections_count++
          listening = true
        }),
      ),
      Effect.map(Stream.fromQueue),
      Stream.unwrap,
      Stream.runForEach(({ payload }) => Effect.sync(() => countChange(payload))),
      Effect.ensuring(
        Effect.sync(() => {
          listening = false
        }),
      ),
      Effect.scoped,
      Effect.tapCause(() => Effect.logDebug("page notifications are not received; trying again")),
      Effect.retry(Schedule.spaced("1 second")),
    )
    const begin = yield* Effect.cached(Effect.forkIn(listen, scope))

    return PageInvalidation.of({
      notify: (of) => sql.afterCommit(Effect.sync(() => countChange(of ?? ""))),
      // Runs twice for each page view, so it uses no generator.
      version: (of) => {
        const known = Effect.sync(() => `${connections_count}.${changes.get(of ?? "") ?? 0}`)
        // Without notifications a version is valid for half a second.
        return listening
          ? known
          : Effect.andThen(
              begin,
              Effect.zipWith(known, Clock.currentTimeMillis, (version, now_ms) =>
                listening ? version : `${version}.${Math.floor(now_ms / 500)}`,
              ),
            )
      },
    })
  }),
)
