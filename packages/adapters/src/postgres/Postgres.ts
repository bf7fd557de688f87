// The connection to PostgreSQL: two clients, the tenant fence around statements, and where SQL errors end.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/Ids"
import { Unavailable } from "@tentpole/core/Refusal"
import { Cause, Context, Effect, Layer, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import { service_role } from "./migrations/Migration.ts"

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  readonly applicationName: string
  readonly connections_max: number
  /** A statement that takes longer is cancelled: the API answers 503 and nothing piles up. */
  readonly statement_timeout_ms: number
}

/** `jobs` first: the queue's library names its table without a schema. UTC: its columns carry no zone. */
const session = (options: PostgresOptions, statement_timeout_ms: number) => ({
  role: service_role,
  timezone: "UTC",
  search_path: "jobs, public",
  statement_timeout: String(statement_timeout_ms),
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "60000",
  // Compiling a query costs more than it saves here, and plans of a million rows would be compiled each time.
  jit: "off",
  application_name: options.applicationName,
})

export const client = (options: PostgresOptions) =>
  PgClient.layer({
    url: options.url,
    maxConnections: options.connections_max,
    connectTimeout: "5 seconds",
    keepAlive: "10 seconds",
    startupParameters: session(options, options.statement_timeout_ms),
  })

/**
 * Reads that may take long: counts of everything, exports. They have connections of their own and keep nobody else waiting;
 * those who write read elsewhere. Nothing runs on them but as a workspace, so that a connection may keep a name: whoever
 * comes next gives it the own one first.
 */
export class LongReads extends Context.Service<
  LongReads,
  {
    /** Statements that each see what is there when they begin. Without a transaction: three messages to the server less. */
    readonly read: <A, E, R>(workspace: WorkspaceId, statements: Statements<A, E, R>) => Fenced<A, E, R>
    /** Statements that need a transaction around them, such as those of a cursor. */
    readonly transaction: <A, E, R>(workspace: WorkspaceId, statements: Statements<A, E, R>) => Fenced<A, E, R>
  }
>()("tentpole/postgres/LongReads") {}

export type Statements<A, E, R> = (sql: PgClient.PgClient) => Effect.Effect<A, E, R>
type Fenced<A, E, R> = Effect.Effect<A, Exclude<E, SqlError.SqlError>, R>

const long_statement_timeout_ms = 5 * 60_000

const longClient = (options: PostgresOptions) =>
  PgClient.layer({
    url: options.url,
    maxConnections: 2,
    connectTimeout: "5 seconds",
    keepAlive: "10 seconds",
    startupParameters: {
      ...session(options, long_statement_timeout_ms),
      // Room for the ids of a million contacts, twice at most.
      work_mem: "64MB",
      // A page anywhere costs what the next one does: disks have no arm any more.
      random_page_cost: "1.1",
    },
  })

/** Long reads over a client that nobody else has. */
export const longReadsOver = Layer.effect(
  LongReads,
  Effect.map(PgClient.PgClient, (sql) =>
    LongReads.of({
      read: (workspace, statements) => named(sql, workspace, statements(sql)),
      // A transaction that is open on another client has nothing to do with these.
      transaction: (workspace, statements) =>
        Effect.provideService(fenced(sql)(workspace, statements(sql)), OpenTransaction, undefined),
    }),
  ),
)

export const longReads = (options: PostgresOptions) => longReadsOver.pipe(Layer.provide(longClient(options)))

/** States of PostgreSQL that pass: no connection to be had, no room, no leave to write, shutting down. */
const passing = /^(08|53|57P0|58)|^25006$|^XX000$/

const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
}

/** A conflict between transactions: the transactor tries the whole transaction again. */
export class Conflicted {
  readonly error: SqlError.SqlError
  constructor(error: SqlError.SqlError) {
    this.error = error
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
      return passing.test(sqlState(error) ?? "") ? new Unavailable({ part: "database" }) : error
  }
}

/**
 * Where SQL errors end. What passes by itself becomes the defect `Unavailable`, which the edge answers with 503; a conflict
 * is told to the transactor; everything else is our mistake. Constraints that mean something to the domain are caught
 * before this: `Effect.catchReason("SqlError", "UniqueViolation", …)`.
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

/** The conflict that a cause tells of, if that is what it tells of. */
export const conflictOf = (cause: Cause.Cause<unknown>): Conflicted | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason) && reason.defect instanceof Conflicted) return reason.defect
  }
  return undefined
}

/** The transaction that the fiber has open, and the workspace that it is fenced to. */
export interface OpenTransaction {
  workspace: WorkspaceId | undefined
}

export const OpenTransaction = Context.Reference<OpenTransaction | undefined>("tentpole/postgres/OpenTransaction", {
  defaultValue: () => undefined,
})

/**
 * Runs statements as a workspace. In an open transaction the fence is set with its first statement (one round trip);
 * outside one, they get a short transaction of their own. `SET LOCAL` ends with the transaction, so that a pooled
 * connection carries nobody's name.
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

/** Runs statements on one connection that is told the workspace first, for as long as somebody has it. */
const named = <A, E, R>(
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
