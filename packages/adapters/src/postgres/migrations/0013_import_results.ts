// What is told of an import's rows: where in the file each stood.
import { migration } from "./Migration.ts"

export const importResults = migration(
  // null where the reader could not tell, and for rows that came with the request
  `alter table import_row add line int check (line > 0)`,
)
