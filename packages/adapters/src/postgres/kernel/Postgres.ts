// The connections to PostgreSQL: what writes and what reads, the tenant fence around statements, and where SQL errors end.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Context, Effect, Layer, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import { service_role } from "../migrations/Migration.ts"

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

/** For statements of every kind: those that write need a transaction, and those of many workspaces have no fence. */
export const client = (options: PostgresOptions) => PgClient.layer(poolOf(options))

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
 * Runs statements that each see what is there when they begin, and write nothing. Without a transaction around them: two
 * messages to the server less. Nothing runs on these connections but as a workspace, so that one may keep a name: whoever
 * comes next gives it the own one first.
 */
type Read = <A, E, R>(workspace: WorkspaceId, statements: Statements<A, E, R>) => Fenced<A, E, R>

/** Quick reads, as requests make them. In an open transaction they are its own: they see what it has written. */
export class Reads extends Context.Service<Reads, { readonly read: Read }>()("tentpole/postgres/Reads") {}

/** Reads that may take long: counts of everything, exports. They keep nobody else waiting. */
export class LongReads extends Context.Service<
  LongReads,
  {
    readonly read: Read
    /** Statements that need a transaction around them, such as those of a cursor. */
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
              ? named(reader, workspace, statements(reader))
              : fenced(writer)(workspace, statements(writer)),
          ),
      })
    }),
  )

const million_rows_timeout_ms = 15 * 60_000

/** From here on in this transaction: writing or deleting a million rows takes longer than a statement otherwise may. */
export const takingLong = (sql: PgClient.PgClient) =>
  sql`select set_config('statement_timeout', ${String(million_rows_timeout_ms)}, true)`

const long_statement_timeout_ms = 5 * 60_000

const longClient = (options: PostgresOptions) =>
  PgClient.layer({
    ...poolOf({ ...options, connections_max: 2 }),
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

/** Of the connections, those that only read. */
const readers_share = 1 / 3

/** Every way to the database: for statements of every kind, to read, and besides to read for long. */
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
