// Read-only fields of templates of both kinds.
import { readOnly, readOnlyKeys } from "../../Wire.ts"

/** Fields that answers have and requests may not. */
export const readOnlyFields = {
  template_id: readOnly(),
  status: readOnly("is read-only: use approve and unapprove"),
  ...readOnlyKeys(
    "current_version",
    "approved_version",
    "number_of_iterations",
    "source_type",
    "created_at",
    "updated_at",
    "created_by_name",
    "latest_generation_status",
    "content_path",
  ),
}

/** How a kind of templates appears in handlers. */
export const templateWires = <D extends { readonly id: string }, Wire>(toWire: (template: D) => Wire) => ({
  toWire,
  idOf: ({ templateId }: { readonly templateId: D["id"] }) => templateId,
  toPage: (items: ReadonlyArray<Wire>) => ({ templates: items }),
  ownerOf: ({ templateId }: { readonly templateId: D["id"] }) => ({ template_id: templateId }),
})
