// LIKE conditions for literal text; the text is escaped and never a pattern. Trigram indexes support LIKE.
import type { PgClient } from "@effect/sql-pg"
import type { Statement } from "effect/sql"

const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

export const containing = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`%${literally(text)}%`}`

export const startingWith = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`${literally(text)}%`}`

export const endingWith = (sql: PgClient.PgClient, column: Statement.Fragment, text: string): Statement.Fragment =>
  sql`${column} like ${`%${literally(text)}`}`
