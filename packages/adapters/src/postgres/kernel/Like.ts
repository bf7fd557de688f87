// Literal text in LIKE: what is searched for is never a pattern. LIKE is what an index of trigrams understands.
import type { PgClient } from "@effect/sql-pg"
import type { Statement } from "effect/sql"

const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

export const containing = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`%${literally(text)}%`}`

export const startingWith = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`${literally(text)}%`}`

export const endingWith = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`%${literally(text)}`}`
