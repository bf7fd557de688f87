// Primary: the server that takes writes, of a connection URL that names several servers
// (`postgres://user:password@db1:5432,db2:5432/tentpole`, as libpq writes it).
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlError } from "effect/sql"

/** The scheme with the login, the servers, and the rest of a connection URL. */
const parts = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i

/** One URL for each server that the URL names, in its order. */
export const serversOf = (url: string): ReadonlyArray<string> => {
  const [, login = "", servers = "", rest = ""] = parts.exec(url) ?? []
  return servers.split(",").map((server) => `${login}${server}${rest}`)
}

const check_every = "1 second"
const check_timeout = "2 seconds"

const noPrimary = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("None of the servers takes writes"),
    message: "None of the servers takes writes",
    operation: "connect",
  }),
})

/** Like `target_session_attrs=read-write` of libpq. */
const takesWrites = `select not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::boolean as writes`

/** Opens a session and returns a check, which fails unless the server takes writes. */
const openSession = (url: Redacted.Redacted) =>
  Effect.map(
    PgConnection.make({ url, connectTimeout: check_timeout, applicationName: "tentpole primary" }),
    (session) =>
      session.query(takesWrites, [], false).pipe(
        Effect.timeoutOrElse({ duration: check_timeout, orElse: () => Effect.fail(noPrimary) }),
        Effect.flatMap(({ rows: [row] }) => (row?.["writes"] === true ? Effect.void : Effect.fail(noPrimary))),
      ),
  )

/** The first server that takes writes. */
export const findPrimary = (servers: ReadonlyArray<Redacted.Redacted>) =>
  Effect.firstSuccessOf(servers.map((server) => Effect.as(Effect.scoped(Effect.flatten(openSession(server))), server)))

/**
 * Follows the primary: a fiber keeps a session with it, and looks for another one when the session ends or the server takes no
 * writes. Connections that are opened meanwhile go to the last known primary. A URL with one server needs no fiber.
 */
const followPrimary = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const servers = serversOf(Redacted.value(url)).map((each) => Redacted.make(each))
  const [first = url, ...others] = servers
  if (others.length === 0) return () => url
  let current = yield* Effect.orElseSucceed(findPrimary(servers), () => first)
  const follow = Effect.flatMap(
    Effect.suspend(() => openSession(current)),
    (check) => Effect.forever(Effect.andThen(check, Effect.sleep(check_every))),
  )
  const find = Effect.tap(findPrimary(servers), (found) => {
    const isOther = found !== current
    current = found
    return isOther ? Effect.logWarning("the database has another primary now") : Effect.void
  })
  yield* Effect.scoped(follow).pipe(
    Effect.catch(() => find),
    Effect.ignore,
    Effect.andThen(Effect.sleep("100 millis")),
    Effect.forever,
    Effect.forkScoped,
  )
  return () => current
})

/** A pool whose connections go to the current primary of the URL. */
export const layer = (pool: PgClient.PgPoolConfig & { readonly url: Redacted.Redacted }) =>
  Layer.unwrap(
    Effect.map(followPrimary(pool.url), (current) =>
      // The driver reads the URL each time that it opens a connection.
      PgClient.layer(Object.defineProperty({ ...pool }, "url", { get: current, enumerable: true })),
    ),
  )
