// Connection pools to PostgreSQL, the tenant fence around statements, and the conversion of SQL errors to defects.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Context, Effect, Layer, Predicate, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import * as Primary from "./Primary.ts"

/** The role that the service runs under. It owns nothing. */
export const service_role = "tentpole_service"

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  readonly applicationName: string
  readonly connections_max: number
  /** A statement that takes longer is cancelled. The API then answers 503, and requests do not pile up. */
  readonly statement_timeout_ms: number
}

/** `jobs` is first because the queue library names its table without a schema. UTC because its columns have no time zone. */
const session = (options: PostgresOptions, statement_timeout_ms: number) => ({
  role: service_role,
  timezone: "UTC",
  search_path: "jobs, public",
  statement_timeout: String(statement_timeout_ms),
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "60000",
  // JIT compilation costs more than it saves here, and plans of large tables would be compiled each time.
  jit: "off",
  application_name: options.applicationName,
})

/** The pool for all statements. Those that write need a transaction; those across workspaces have no fence. */
export const client = (options: PostgresOptions) => Primary.layer(poolOf(options))

const poolOf = (options: PostgresOptions) => ({
  url: options.url,
  maxConnections: options.connections_max,
  connectTimeout: "5 seconds" as const,
  keepAlive: "10 seconds" as const,
  startupParameters: session(options, options.statement_timeout_ms),
})

export type Statements<A, E, R> = (sql: PgClient.PgClient) => Effect.Effect<A, E, R>
type Fenced<A, E, R> = Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>

/**
 * Runs read-only statements, each with its own snapshot. There is no transaction around them, which saves two messages to the
 * server. Every user of these connections sets the workspace first, so a connection may keep the previous one.
 */
type Read = <A, E, R>(workspace: WorkspaceId, statements: Statements<A, E, R>) => Fenced<A, E, R>

/** Quick reads of requests. In an open transaction they run on its connection and see its writes. */
export class Reads extends Context.Service<Reads, { readonly read: Read }>()("tentpole/postgres/Reads") {}

/** Reads that may take long, such as counts of all contacts and exports. They do not block quick reads. */
export class LongReads extends Context.Service<
  LongReads,
  {
    readonly read: Read
    /** For statements that need a transaction, such as those of a cursor. */
    readonly transaction: Read
  }
>()("tentpole/postgres/LongReads") {}

const reads = (options: PostgresOptions) =>
  Layer.effect(
    Reads,
    Effect.gen(function* () {
      const writer = yield* PgClient.PgClient
      const reader = Context.get(yield* Layer.build(client(options)), PgClient.PgClient)
      return Reads.of({
        read: (workspace, statements) =>
          Effect.flatMap(OpenTransaction, (open) =>
            open === undefined
              ? asWorkspace(reader, workspace, statements(reader))
              : fenced(writer)(workspace, statements(writer)),
          ),
      })
    }),
  )

const million_rows_timeout_ms = 15 * 60_000

/** Raises the statement timeout for the rest of this transaction: it writes or deletes up to a million rows. */
export const raiseStatementTimeout = (sql: PgClient.PgClient) =>
  sql`select set_config('statement_timeout', ${String(million_rows_timeout_ms)}, true)`

const long_statement_timeout_ms = 5 * 60_000

const longClient = (options: PostgresOptions) =>
  Primary.layer({
    ...poolOf({ ...options, connections_max: 2 }),
    startupParameters: {
      ...session(options, long_statement_timeout_ms),
      // Fits the ids of a million contacts twice.
      work_mem: "64MB",
      // Random reads cost about the same as sequential reads on SSDs.
      random_page_cost: "1.1",
    },
  })

/** Long reads over a pool of their own. */
export const longReadsOver = Layer.effect(
  LongReads,
  Effect.map(PgClient.PgClient, (sql) =>
    LongReads.of({
      read: (workspace, statements) => asWorkspace(sql, workspace, statements(sql)),
      // An open transaction belongs to another pool.
      transaction: (workspace, statements) =>
        Effect.provideService(fenced(sql)(workspace, statements(sql)), OpenTransaction, undefined),
    }),
  ),
)

/** The share of the connections that only read. */
const readers_share = 1 / 3

/** All connection pools: for all statements, quick reads and long reads. */
export const connections = (options: PostgresOptions) => {
  const readers = Math.max(1, Math.floor(options.connections_max * readers_share))
  const others = Math.max(1, options.connections_max - readers)
  return Layer.merge(
    Layer.provideMerge(
      reads({ ...options, connections_max: readers }),
      client({ ...options, connections_max: others }),
    ),
    longReadsOver.pipe(Layer.provide(longClient(options))),
  )
}

/** SQLSTATEs that are temporary: no connection, no resources, read-only, shutting down. */
const temporary = /^(08|53|57P0|58)|^25006$|^XX000$/

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

const asDefect = (error: SqlError.SqlError): unknown => {
  switch (error.reason._tag) {
    case "DeadlockError":
    case "SerializationError":
      return new Conflicted(error)
    case "ConnectionError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return new Unavailable({ part: "database" })
    default:
      return temporary.test(sqlState(error) ?? "") ? new Unavailable({ part: "database" }) : error
  }
}

/**
 * Turns SQL errors into defects. Temporary errors become `Unavailable`, which the API answers with 503. Conflicts go to the
 * transactor. Everything else is a bug. Constraints that mean something to the domain are caught earlier (`catchUnique`).
 */
export const orDefect = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catch(effect, (error) =>
    SqlError.isSqlError(error)
      ? Effect.andThen(
          Effect.logDebug("sql failed").pipe(
            Effect.annotateLogs({ reason: error.reason._tag, state: sqlState(error) }),
          ),
          Effect.die(asDefect(error)),
        )
      : Effect.fail(error as Exclude<E, SqlError.SqlError>),
  )

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
}

export const OpenTransaction = Context.Reference<OpenTransaction | undefined>("tentpole/postgres/OpenTransaction", {
  defaultValue: () => undefined,
})

/**
 * Runs statements as a workspace. In an open transaction, the first statement also sets the fence, which costs one round trip.
 * Outside one, the statements get a short transaction of their own. `SET LOCAL` ends with the transaction, so that a pooled
 * connection keeps no workspace.
 */
export const fenced =
  (sql: PgClient.PgClient) =>
  <A, E, R>(
    workspace: WorkspaceId,
    statements: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> => {
    const name = sql`select set_config('tentpole.workspace_id', ${workspace}, true)`
    return orDefect(
      Effect.flatMap(OpenTransaction, (open) => {
        if (open === undefined) {
          const own: OpenTransaction = { workspace }
          return sql.withTransaction(
            Effect.andThen(name, Effect.provideService(statements, OpenTransaction, own)),
          ) as Effect.Effect<A, E | SqlError.SqlError, R>
        }
        if (open.workspace === workspace) return statements
        return Effect.andThen(
          Effect.map(name, () => {
            open.workspace = workspace
          }),
          statements,
        )
      }),
    )
  }

/** `fenced`, for statements of the caller's transaction. */
export const fencedWrites =
  (sql: PgClient.PgClient) =>
  <A, E, R>(workspace: WorkspaceId, statements: Effect.Effect<A, E, R>) =>
    Effect.andThen(Transaction, fenced(sql)(workspace, statements))

/** Reserves a connection, sets the workspace on it and runs the statements. */
const asWorkspace = <A, E, R>(
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  statements: Effect.Effect<A, E, R>,
): Fenced<A, E, R> => {
  const name = sql`select set_config('tentpole.workspace_id', ${workspace}, false)`
  const onOne = Effect.flatMap(sql.reserve, (connection) =>
    Effect.provideService(Effect.andThen(name, statements), sql.transactionService, [connection, 0]),
  )
  return orDefect(Effect.scoped(onOne)) as Fenced<A, E, R>
}
