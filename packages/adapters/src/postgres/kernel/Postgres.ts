// Connection pools to PostgreSQL, the tenant fence around statements, and the conversion of SQL errors to defects.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { FairLimit } from "@tentpole/core/kernel/runtime/FairLimit"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Context, Effect, Exit, Layer, Predicate, Random, type Redacted, Scope } from "effect"
import { SqlError, type Statement } from "effect/sql"
import { byDialect } from "../citus/Dialect.ts"
import * as Primary from "./Primary.ts"
import { service_role, sessionSettings } from "./Session.ts"

/** The statement timeout of service processes. */
export const default_statement_timeout_ms = 15_000

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  /** The server itself, if `url` is a pooler such as PgBouncer in transaction mode. */
  readonly directUrl?: Redacted.Redacted | null
  readonly applicationName: string
  readonly connections_max: number
  /** A statement that takes longer is cancelled. The API then answers 503, and requests do not pile up. */
  readonly statement_timeout_ms: number
}

/** The pool for all statements. Those that write need a transaction; those across workspaces have no fence. */
export const client = (options: PostgresOptions) => Primary.layer(poolOf(options))

/** A pooler runs each transaction on another session: it has no named statements, and startup parameters reach no session. */
const poolOf = ({ applicationName, connections_max, directUrl, statement_timeout_ms, url }: PostgresOptions) => ({
  url,
  applicationName,
  maxConnections: connections_max,
  connectTimeout: "5 seconds" as const,
  keepAlive: "10 seconds" as const,
  ...(Predicate.isNullish(directUrl)
    ? { startupParameters: sessionSettings(statement_timeout_ms) }
    : { startupParameters: { timezone: "UTC" }, prepare: false }),
})

export type Statements<A, E, R> = (sql: PgClient.PgClient) => Effect.Effect<A, E, R>
type Fenced<A, E, R> = Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>

/** Runs statements in a read-only transaction. Each has its own snapshot. */
type Read = <A, E, R>(workspace: WorkspaceId, statements: Statements<A, E, R>) => Fenced<A, E, R>

/** Quick reads of requests. In an open transaction they run on its connection and see its writes. */
export class Reads extends Context.Service<
  Reads,
  {
    readonly read: Read
    /** `read` for statements of the pool for all statements: they run on a connection for reading. */
    readonly within: <A, E, R>(workspace: WorkspaceId, statements: Effect.Effect<A, E, R>) => Fenced<A, E, R>
    /** Runs one statement without a fence, for tables that belong to no workspace or are read before it is known. */
    readonly unfenced: <A, E, R>(statement: Statements<A, E, R>) => Fenced<A, E, R>
  }
>()("tentpole/postgres/Reads") {}

/** Reads that may take long, such as counts of all contacts and exports. They do not block quick reads. */
export class LongReads extends Context.Service<LongReads, { readonly read: Read }>()("tentpole/postgres/LongReads") {}

/** Receives notifications. They need a session with the server itself: a pooler does not deliver them. */
export class Notifications extends Context.Service<Notifications, Pick<PgClient.PgClient, "listen">>()(
  "tentpole/postgres/Notifications",
) {}

const reads = (options: PostgresOptions) =>
  Layer.effect(
    Reads,
    Effect.gen(function* () {
      const writer = yield* PgClient.PgClient
      const reader = Context.get(yield* Layer.build(client(options)), PgClient.PgClient)
      const within: Reads["Service"]["within"] = (workspace, statements) =>
        Effect.flatMap(OpenTransaction, (open) =>
          open === undefined
            ? readAs(
                { sql: writer, connect: reader.reserve, fence: fenceOf(writer, workspace) },
                // Reads inside of reads use the same connection.
                Effect.provideService(statements, OpenTransaction, { workspace }),
              )
            : fenced(writer, open, workspace, statements),
        )
      return Reads.of({
        within,
        read: (workspace, statements) => within(workspace, statements(writer)),
        unfenced: (statement) =>
          Effect.flatMap(OpenTransaction, (open) => orDefect(statement(open === undefined ? reader : writer))),
      })
    }),
  )

const notifications = ({ directUrl, ...options }: PostgresOptions) => {
  const listening = Layer.effect(Notifications, PgClient.PgClient)
  return Predicate.isNullish(directUrl)
    ? listening
    : Layer.provide(listening, client({ ...options, url: directUrl, connections_max: 1 }))
}

const million_rows_timeout_ms = 15 * 60_000

/** Raises the statement timeout for the rest of this transaction: it writes or deletes up to a million rows. */
export const raiseStatementTimeout = (sql: PgClient.PgClient) =>
  Effect.flatMap(OpenTransaction, (open) => {
    if (open !== undefined) open.statement_timeout_ms = million_rows_timeout_ms
    return sql`select set_config('statement_timeout', ${String(million_rows_timeout_ms)}, true)`
  })

const long_statement_timeout_ms = 5 * 60_000

export const long_connections_max = 3

/** Of each workspace: others find a free connection while it waits. An export leaves it one for searches. */
export const long_share_max = 2

/** Long reads over a pool of their own. Workspaces that wait for its connections get them in turn. */
export const longReadsOver = (statement_timeout_ms = long_statement_timeout_ms) =>
  Layer.effect(
    LongReads,
    Effect.map(PgClient.PgClient, (sql) => {
      const limit = new FairLimit<WorkspaceId>({
        concurrency_max: long_connections_max,
        share_max: long_share_max,
        of: { items: "searches and exports", part: "database" },
      })
      return LongReads.of({
        read: (workspace, statements) => {
          // The memory fits the ids of a million contacts twice. Random reads cost about the same as sequential reads on SSDs.
          const fence = sql`${fenceOf(sql, workspace)}, set_config('statement_timeout', ${String(statement_timeout_ms)}, true),
            set_config('work_mem', '64MB', true), set_config('random_page_cost', '1.1', true)`
          const read = readAs({ sql, connect: sql.reserve, fence }, statements(sql))
          return limit.run(workspace, Effect.provideService(read, StatementTimeout, statement_timeout_ms))
        },
      })
    }),
  )

/** The share of the connections that only read. */
const readers_share = 1 / 3

/** All connection pools: for all statements, quick reads, long reads and notifications. */
export const connections = (options: PostgresOptions) => {
  const readers = Math.max(1, Math.floor(options.connections_max * readers_share))
  const others = Math.max(1, options.connections_max - readers)
  return Layer.merge(
    Layer.provideMerge(
      Layer.merge(reads({ ...options, connections_max: readers }), notifications(options)),
      client({ ...options, connections_max: others }),
    ),
    longReadsOver().pipe(Layer.provide(client({ ...options, connections_max: long_connections_max }))),
  )
}

/** SQLSTATEs that are temporary: no connection, no resources, read-only, shutting down. */
const temporary = /^(08|53|57P0|58)|^25006$/

const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/** A conflict between transactions. The transactor runs the whole transaction again. */
export class Conflicted {
  readonly reason: SqlError.SqlError | string
  constructor(reason: SqlError.SqlError | string) {
    this.reason = reason
  }
}

const asDefect = (error: SqlError.SqlError, timeout_ms: number): unknown => {
  const unavailable = (reason?: string) =>
    new Unavailable({ part: "database", ...(reason === undefined ? {} : { reason }) })
  switch (error.reason._tag) {
    case "DeadlockError":
    case "SerializationError":
      return new Conflicted(error)
    case "StatementTimeoutError":
      return unavailable(
        `The database cancelled a statement because it took longer than ${timeout_ms / 1000} s. Request less at once, or try again later`,
      )
    case "ConnectionError":
    case "LockTimeoutError":
      return unavailable()
    default:
      return temporary.test(sqlState(error) ?? "") ? unavailable() : error
  }
}

/** The statement timeout of the statements in an effect, for error messages. */
const StatementTimeout = Context.Reference("tentpole/postgres/StatementTimeout", {
  defaultValue: () => default_statement_timeout_ms,
})

/** A cancelled statement is logged where operators see it: they find out which request or job is too slow. */
const logFailure = (error: SqlError.SqlError) =>
  (error.reason._tag === "StatementTimeoutError"
    ? Effect.logWarning("sql statement timed out")
    : Effect.logDebug("sql failed")
  ).pipe(Effect.annotateLogs({ reason: error.reason._tag, state: sqlState(error) }))

/**
 * Turns SQL errors into defects. Temporary errors become `Unavailable`, which the API answers with 503. Conflicts go to the
 * transactor. Everything else is a bug. Constraints that mean something to the domain are caught earlier (`catchUnique`).
 */
export const orDefect = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catch(effect, (error) =>
    SqlError.isSqlError(error)
      ? Effect.andThen(
          logFailure(error),
          Effect.flatMap(Effect.all([OpenTransaction, StatementTimeout]), ([open, timeout_ms]) =>
            Effect.die(asDefect(error, open?.statement_timeout_ms ?? timeout_ms)),
          ),
        )
      : Effect.fail(error as Exclude<E, SqlError.SqlError>),
  )

/**
 * Whether a row violates a unique constraint or index whose name contains `name`. A node of a distributed database reports it only in
 * the text, with the number of the shard after the name.
 */
export const violates = ({ reason }: SqlError.SqlError, name: string): boolean =>
  reason._tag === "UniqueViolation" && (reason.constraint.includes(name) || String(reason.cause).includes(name))

/** Fails with `refusal` when a row violates a unique constraint. */
export const catchUnique =
  <Refusal>(refusal: Refusal) =>
  <A, E, R>(statements: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.catch(statements, (error) =>
      Effect.fail(SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation" ? refusal : error),
    )

/** The conflict in a cause, if there is one. */
export const conflictOf = (cause: Cause.Cause<unknown>): Conflicted | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason) && reason.defect instanceof Conflicted) return reason.defect
  }
  return undefined
}

/** The open transaction of a fiber, and the workspace to which it is fenced. */
export interface OpenTransaction {
  workspace: WorkspaceId | undefined
  /** The database's time when it was fenced. */
  instant?: string
  /** The raised statement timeout. */
  statement_timeout_ms?: number
  /** A random number below `shards_max`. Without it, counters are written to their first shard. */
  readonly shard?: number
}

export const OpenTransaction = Context.Reference<OpenTransaction | undefined>("tentpole/postgres/OpenTransaction", {
  defaultValue: () => undefined,
})

const shards_max = 64

/** For a new transaction. One within another writes the same shards: in two orders they could cause a deadlock. */
export const drawShard = Effect.flatMap(OpenTransaction, (outer) =>
  outer?.shard === undefined ? Random.nextIntBetween(0, shards_max - 1) : Effect.succeed(outer.shard),
)

/**
 * The shard of a counter that this transaction writes, of as many as the counter has. The database cannot choose it: a
 * distributed one refuses volatile functions in an upsert.
 */
export const counterShard = (shards_count: 16 | 64) =>
  Effect.map(OpenTransaction, (open) => (open?.shard ?? 0) % shards_count)

/**
 * The database's time when the open transaction was fenced. Writes use it in place of `clock_timestamp()`: a distributed database
 * refuses volatile functions in many writes, and its servers have several clocks.
 */
export const transactionTime = (sql: PgClient.PgClient): Effect.Effect<Statement.Fragment> =>
  Effect.flatMap(OpenTransaction, (open) =>
    open?.instant === undefined
      ? Effect.die("only statements of `fencedWrites` have the time of their transaction")
      : Effect.succeed(sql`${open.instant}::timestamptz`),
  )

interface FenceRow {
  readonly instant: string
}

/**
 * Fences the rest of a transaction to a workspace, and returns the database's time. The role is part of the fence: row-level security does not apply to the
 * owner of the tables, and behind a pooler the role is only a default of the login. Settings of `set_config(…, true)` end with the
 * transaction, as those of `SET LOCAL`, so that a pooled connection keeps no workspace. `SET LOCAL` can't be prepared: it takes the
 * server more time.
 */
const fenceOf = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  sql<FenceRow>`
    select clock_timestamp()::text as instant, fence_to(${workspace}),
      set_config('role', ${sql.literal(`'${service_role}'`)}, true)`

/**
 * The same for a transaction whose statements look up rows by their keys: each has one plan, which the connection keeps. PostgreSQL
 * would make one for each call when it expects fewer rows with the values of a call. The plan must suit a table of any size, so it uses
 * indexes. A distributed database plans its statements itself.
 */
const keyedFenceOf = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  byDialect(sql, {
    plain: sql<FenceRow>`
      ${fenceOf(sql, workspace)}, set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('enable_seqscan', 'off', true)`,
    citus: fenceOf(sql, workspace),
  })

/** Runs statements of an open transaction as a workspace. The first ones also set the fence, which costs one round trip. */
const fenced = <A, E, R>(
  sql: PgClient.PgClient,
  open: OpenTransaction,
  workspace: WorkspaceId,
  statements: Effect.Effect<A, E, R>,
  fence: typeof fenceOf | typeof keyedFenceOf = fenceOf,
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> => {
  if (open.workspace === workspace) return orDefect(statements)
  const fencing = Effect.map(fence(sql, workspace), ([row]) => {
    open.workspace = workspace
    if (row !== undefined) open.instant = row.instant
  })
  return orDefect(Effect.andThen(fencing, statements))
}

/** Runs statements as a workspace, in the caller's transaction: outside one it does not compile. */
export const fencedWrites =
  (sql: PgClient.PgClient, fence?: typeof keyedFenceOf) =>
  <A, E, R>(workspace: WorkspaceId, statements: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      Transaction,
      Effect.flatMap(OpenTransaction, (open) =>
        open === undefined
          ? Effect.die("the transaction is not of this database")
          : fenced(sql, open, workspace, statements, fence),
      ),
    )

/** The same for short transactions that come often, and look up rows by their keys. */
export const keyedWrites = (sql: PgClient.PgClient) => fencedWrites(sql, keyedFenceOf)

/**
 * Runs statements in a read-only transaction on a reserved connection. It ends in the background: its result is known, and the
 * caller saves a round trip.
 */
const readAs = <A, E, R>(
  {
    connect,
    fence,
    sql,
  }: {
    /** The client whose statements run. */
    readonly sql: PgClient.PgClient
    readonly connect: PgClient.PgClient["reserve"]
    readonly fence: Effect.Effect<unknown, SqlError.SqlError>
  },
  statements: Effect.Effect<A, E, R>,
): Fenced<A, E, R> =>
  orDefect(
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Scope.make(), (scope) => {
        const released = Scope.close(scope, Exit.void)
        const connected = Effect.onError(restore(Scope.provide(connect, scope)), () => released)
        return Effect.flatMap(connected, (connection) => {
          const execute = (statement: string) => connection.execute(statement, [], undefined)
          const body = execute("begin read only").pipe(
            Effect.andThen(fence),
            Effect.andThen(statements),
            Effect.provideService(sql.transactionService, [connection, 0]),
          )
          const end = Effect.andThen(Effect.ignore(execute("commit")), released)
          return Effect.onExit(restore(body), () => Effect.forkDetach(end))
        })
      }),
    ),
  ) as Fenced<A, E, R>
