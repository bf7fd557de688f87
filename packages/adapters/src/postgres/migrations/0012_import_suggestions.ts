// What the AI has suggested for an import's columns, kept with its session, so that previews of one file agree.
import { migration } from "./Migration.ts"

export const importSuggestions = migration(
  // the digest of the question, and the fields by the headers asked about; null until a question was answered
  `alter table import_session add column suggestions jsonb check (suggestions ?& array['key', 'matches'])`,
)
