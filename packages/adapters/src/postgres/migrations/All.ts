// All migrations in order, each with its SQL files. They go forward only: a released migration is never changed, and each leaves the
// previous version of the code working.

/** The files of the first release, in the order of the rooms. A file refers only to tables of files before it. */
const baseline = [
  "kernel",
  "jobs",
  "workspaces",
  "accounts",
  "contacts",
  "lists",
  "topics",
  "documents",
  "emails",
  "templates",
  "tents",
  "sending",
  "bounces",
  "blasts",
  "figures",
  "messages",
  "flows",
  "imports",
  "exports",
  "forms",
  "traffic",
  "webhooks",
  "operations",
  "access",
]

export const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001_baseline": baseline.map((room) => `baseline/${room}.sql`),
}
