// Details of import results: the line of each row in the file, and the file's columns.
import { migration } from "./Migration.ts"

export const importResults = migration(
  // null when the reader could not know it, and for rows that came with the request
  `alter table import_row add line int check (line > 0)`,

  // null for earlier runs: their files are deleted, and the names of their columns are unknown
  `alter table import_run add headers text[]`,
)
