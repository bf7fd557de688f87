// What only templates have on the wire, of both kinds: the keys that a body can't set.
import { readOnly } from "../../Wire.ts"

/** Keys that are shown and can't be set. */
export const readOnlyFields = {
  template_id: readOnly(),
  status: readOnly("is read-only: approve and unapprove change it"),
  current_version: readOnly(),
  approved_version: readOnly(),
  number_of_iterations: readOnly(),
  source_type: readOnly(),
  created_at: readOnly(),
  updated_at: readOnly(),
  created_by_name: readOnly(),
  latest_generation_status: readOnly(),
  content_path: readOnly(),
}
