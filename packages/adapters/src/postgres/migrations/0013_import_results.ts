// What an import's rows are told with: where in the file each stood, and which columns the file had.
import { migration } from "./Migration.ts"

export const importResults = migration(
  // null where the reader could not tell, and for rows that came with the request
  `alter table import_row add line int check (line > 0)`,

  // null for runs of before: their files are gone, and nobody knows their columns' names any more
  `alter table import_run add headers text[]`,
)
