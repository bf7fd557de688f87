// The words that migrations are written in. A migration is a list of statements, run in order, once, in a transaction.

export interface Migration {
  readonly statements: ReadonlyArray<string>
}

export const migration = (...statements: ReadonlyArray<string | ReadonlyArray<string>>): Migration => ({
  statements: statements.flat(),
})

/** The role that the service runs under. It owns nothing. */
export const service_role = "tentpole_service"

/**
 * Fences a table in: the service sees and writes only rows of the workspace named by the transaction's
 * `tentpole.workspace_id`, and none when it names none. The second wall: every statement names its workspace besides.
 */
export const tenant = (table: string): ReadonlyArray<string> => [
  `alter table ${table} enable row level security`,
  `create policy tenant on ${table}
     using (workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid)`,
  `grant select, insert, update, delete on ${table} to ${service_role}`,
]

/** The few tables that belong to no workspace, or must be read before it is known which. */
export const global = (table: string, rights = "select, insert, update, delete"): string =>
  `grant ${rights} on ${table} to ${service_role}`
