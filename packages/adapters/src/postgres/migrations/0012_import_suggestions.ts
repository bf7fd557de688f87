// The AI's suggestions for an import's columns, stored with its session, so that previews of one file agree.
import { migration } from "./Migration.ts"

export const importSuggestions = migration(
  // the digest of the request, and the fields by header; null until a request was answered
  `alter table import_session add column suggestions jsonb check (suggestions ?& array['key', 'matches'])`,
)
