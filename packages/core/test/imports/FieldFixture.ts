// Custom fields for tests of imports.
import type { CustomField } from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { DateTime } from "effect"

export const field = (apiName: string, more: Partial<CustomField> = {}): CustomField => ({
  id: FieldDefinitionId.make("00000000-0000-4000-8000-000000000001"),
  apiName,
  displayName: apiName.replaceAll("_", " "),
  valueType: "string",
  isEditable: true,
  description: null,
  status: "active",
  managementMode: "org_managed",
  provenanceKind: "api",
  provenanceProvider: null,
  provenanceReference: null,
  createdByUserId: null,
  createdFromImportSessionId: null,
  showInPeopleListDefault: false,
  createdAt: DateTime.makeUnsafe(0),
  updatedAt: DateTime.makeUnsafe(0),
  ...more,
})
