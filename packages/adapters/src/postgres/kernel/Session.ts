// The settings of database sessions. A direct connection sends them at its start. A pooler does not pass them on; there they
// are defaults of the login.
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { texts } from "./Arrays.ts"

/** The role that the service runs under. It owns nothing. */
export const service_role = "tentpole_service"

/** `jobs` is first: statements name the table of the queue without a schema. UTC because its columns have no time zone. */
export const sessionSettings = (statement_timeout_ms: number) => ({
  role: service_role,
  timezone: "UTC",
  search_path: "jobs, public",
  statement_timeout: String(statement_timeout_ms),
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "60000",
  // JIT compilation costs more than it saves here, and plans of large tables would be compiled each time.
  jit: "off",
})

type Settings = ReturnType<typeof sessionSettings>

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The settings that do not apply to this connection, each as the statement that makes it a default of the login. Comparing
 * with the result of `set_config` compares with the server's own spelling of a value.
 */
export const lackingSettings = (sql: PgClient.PgClient, settings: Settings) =>
  Effect.map(
    sql<{ readonly name: string; readonly login: string; readonly database: string }>`
      select w.name, session_user as login, current_database() as database
      from unnest(${texts(Object.keys(settings))}::text[], ${texts(Object.values(settings))}::text[]) as w (name, value)
      where current_setting(w.name) is distinct from set_config(w.name, w.value, true)`,
    (rows) =>
      rows.map(({ name, login, database }) => {
        const value = settings[name as keyof Settings]
        // A quoted search path would be the name of one schema.
        const literal = name === "search_path" ? value : `'${value}'`
        return `alter role ${quoted(login)} in database ${quoted(database)} set ${name} = ${literal};`
      }),
  )
