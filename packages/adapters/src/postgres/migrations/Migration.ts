// Building blocks of migrations. A migration is a list of statements that run in order, once, in a transaction.

export interface Migration {
  readonly statements: ReadonlyArray<string>
}

export const migration = (...statements: ReadonlyArray<string | ReadonlyArray<string>>): Migration => ({
  statements: statements.flat(),
})

/** The role that the service runs under. It owns nothing. */
export const service_role = "tentpole_service"

/**
 * Fences a table: the service reads and writes only rows of the workspace that the transaction's `tentpole.workspace_id` names,
 * and none when it is unset. It is the second safeguard: every statement also filters by its workspace.
 */
export const tenant = (table: string): ReadonlyArray<string> => [
  `alter table ${table} enable row level security`,
  `create policy tenant on ${table}
     using (workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid)`,
  `grant select, insert, update, delete on ${table} to ${service_role}`,
]

/** Tables that belong to no workspace, or that are read before the workspace is known. */
export const global = (table: string, rights = "select, insert, update, delete"): string =>
  `grant ${rights} on ${table} to ${service_role}`
