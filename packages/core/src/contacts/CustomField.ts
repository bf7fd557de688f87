// Definitions of custom contact fields, and the changes of them.
import { Array, type DateTime, Result, Schema } from "effect"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { FieldDefinitionId, ImportSessionId } from "../kernel/Ids.ts"
import { Invalid, NotFound, refusalClass } from "../kernel/Refusal.ts"
import { type Contact, customValue, type CustomValue } from "./Contact.ts"
import { reservedNames, type ValueType } from "./ContactFields.ts"

export const active_fields_max = 200
export const fields_per_request_max = 50

export const fieldStatuses = ["active", "archived"] as const
export type FieldStatus = (typeof fieldStatuses)[number]
export type ManagementMode = "org_managed" | "integration_managed"
export type ProvenanceKind = "manual_ui" | "api" | "import" | "integration"

export interface CustomField {
  readonly id: FieldDefinitionId
  /** Unique in the workspace, archived fields included. Never changes. */
  readonly apiName: string
  readonly displayName: string
  /** Never changes. */
  readonly valueType: ValueType
  /** If false, only imports, forms and flows write values of the field. */
  readonly isEditable: boolean
  readonly description: string | null
  readonly status: FieldStatus
  readonly managementMode: ManagementMode
  readonly provenanceKind: ProvenanceKind
  readonly provenanceProvider: string | null
  readonly provenanceReference: string | null
  readonly createdByUserId: string | null
  readonly createdFromImportSessionId: ImportSessionId | null
  readonly showInPeopleListDefault: boolean
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

const reserved = (apiName: string): string | undefined =>
  reservedNames.has(apiName) ? `is the name of a standard field: ${apiName}` : undefined

export const FieldApiName = Schema.String.check(
  Schema.isBetweenCodePoints(1, 255, { message: "must have 1 to 255 characters" }),
  Schema.isPattern(/^[a-z][a-z0-9_]*$/, {
    message: "must start with a lowercase letter and have only lowercase letters, digits and underscores",
  }),
  Schema.makeFilter((apiName: string) => reserved(apiName) ?? true),
).annotate({ identifier: "FieldApiName", examples: ["shoe_size"] })

export const FieldDisplayName = Schema.String.check(
  Schema.isBetweenCodePoints(1, 255, { message: "must have 1 to 255 characters" }),
).annotate({ identifier: "FieldDisplayName", examples: ["Shoe size"] })

export const FieldDescription = Schema.String.check(
  Schema.isMaxCodePoints(1000, { message: "must have at most 1000 characters" }),
).annotate({ identifier: "FieldDescription" })

/** A field to create. Its parts are checked. */
export interface NewField {
  readonly apiName: string
  readonly displayName: string
  readonly valueType: ValueType
  readonly isEditable: boolean
  readonly description: string | null
  readonly showInPeopleListDefault: boolean
}

/** An update of a field. Absent keys stay; `status: "active"` restores an archived field. */
export interface FieldPatch {
  readonly displayName?: string
  readonly description?: string | null
  readonly isEditable?: boolean
  readonly showInPeopleListDefault?: boolean
  readonly status?: FieldStatus
}

const ConflictSchema = Schema.Struct({
  kind: Schema.Literals(["duplicate_in_request", "active_existing", "archived_existing"]),
  requested_api_name: Schema.String,
  existing_field_definition_id: Schema.NullOr(Schema.String),
  existing_display_name: Schema.NullOr(Schema.String),
})
export type FieldConflict = typeof ConflictSchema.Type

export class FieldCollision extends refusalClass<FieldCollision>()("FieldCollision", {
  code: "field_definition_collision",
  fields: { conflicts: Schema.Array(ConflictSchema) },
  message: (it) => {
    const names = [...new Set(it.conflicts.map((conflict) => conflict.requested_api_name))].join(", ")
    return `Each api_name must be unique in the request and among all fields, archived ones included: ${names}`
  },
  extras: ({ conflicts }) => ({ conflicts }),
}) {}

export class FieldCapExceeded extends refusalClass<FieldCapExceeded>()("FieldCapExceeded", {
  code: "field_definition_cap_exceeded",
  fields: { current: Schema.Int, attempted: Schema.Int },
  message: ({ attempted, current }) =>
    `A workspace has at most ${active_fields_max} active custom fields. It has ${current}, so ${attempted} more can't be created. Archive some first`,
  extras: ({ attempted, current }) => ({
    limit: active_fields_max,
    current_active_count: current,
    attempted_count: attempted,
  }),
}) {}

/** All fields of the workspace, locked, and the current time. */
interface EditFacts {
  readonly existing: ReadonlyArray<CustomField>
  readonly now: DateTime.Utc
}

export interface EditedField {
  readonly field: CustomField
  readonly change: FieldChange
}

export type FieldChange = Change<
  "contact fields",
  {
    readonly creates: ReadonlyArray<CustomField>
    readonly updates: ReadonlyArray<{ readonly before: CustomField; readonly after: CustomField }>
  }
>

const fieldChange = changeOf("contact fields")

export const FieldChange = {
  /**
   * Creates all fields or none. `existing` has all fields of the workspace, locked; `ids` has one id for each new field;
   * `pathOf` returns the path of a field in the request (`items.3.`, or empty).
   */
  create(
    wanted: ReadonlyArray<NewField>,
    { existing, ids, now }: EditFacts & { readonly ids: ReadonlyArray<FieldDefinitionId> },
    { provenanceKind, pathOf }: { readonly provenanceKind: ProvenanceKind; readonly pathOf: (index: number) => string },
  ): Result.Result<FieldChange, Invalid | FieldCollision | FieldCapExceeded> {
    const issues = wanted.flatMap(({ apiName }, index) => {
      const message = reserved(apiName)
      return message === undefined ? [] : [{ path: `${pathOf(index)}api_name`, message }]
    })
    if (issues.length > 0) return Result.fail(new Invalid({ issues }))
    const conflicts = conflictsOf(wanted, existing)
    if (conflicts.length > 0) return Result.fail(new FieldCollision({ conflicts }))
    const creates = Array.zipWith(wanted, ids, (field, id) => newField(id, field, provenanceKind, now))
    return Result.map(checkCap(existing, wanted.length), () => fieldChange({ creates, updates: [] }))
  },

  /** Applies a patch. A restored field counts towards the limit of active fields. A patch without effect is no change. */
  update(
    id: FieldDefinitionId,
    patch: FieldPatch,
    { existing, now }: EditFacts,
  ): Result.Result<EditedField, NotFound | FieldCapExceeded> {
    return Result.gen(function* () {
      const before = yield* fieldOf(id, existing)
      if (before.status === "archived" && patch.status === "active") yield* checkCap(existing, 1)
      return patched(before, patch, now)
    })
  },

  /** Archives the field: its values are hidden, its id and name stay reserved. */
  archive(id: FieldDefinitionId, { existing, now }: EditFacts): Result.Result<EditedField, NotFound> {
    return Result.map(fieldOf(id, existing), (before) => patched(before, { status: "archived" }, now))
  },

  /** Records the import session that created the fields. Fields that name another session keep it. */
  recordImport(fields: ReadonlyArray<CustomField>, session: ImportSessionId, now: DateTime.Utc): FieldChange {
    const updates = fields
      .filter(({ createdFromImportSessionId }) => createdFromImportSessionId === null)
      .map((before) => ({ before, after: { ...before, createdFromImportSessionId: session, updatedAt: now } }))
    return fieldChange({ creates: [], updates })
  },
}

/** The keys of a patch that have an effect. Other keys are ignored. */
const patchKeys = ["displayName", "description", "isEditable", "showInPeopleListDefault", "status"] as const

const patched = (before: CustomField, patch: FieldPatch, now: DateTime.Utc): EditedField => {
  const said = patch.description === "" ? { ...patch, description: null } : patch
  const after: CustomField = { ...before, ...said, updatedAt: now }
  return patchKeys.some((key) => after[key] !== before[key])
    ? { field: after, change: fieldChange({ creates: [], updates: [{ before, after }] }) }
    : { field: before, change: fieldChange({ creates: [], updates: [] }) }
}

const fieldOf = (id: FieldDefinitionId, existing: ReadonlyArray<CustomField>): Result.Result<CustomField, NotFound> => {
  const field = existing.find((each) => each.id === id)
  return field === undefined ? Result.fail(new NotFound({ resource: "contact field" })) : Result.succeed(field)
}

const checkCap = (existing: ReadonlyArray<CustomField>, attempted: number): Result.Result<void, FieldCapExceeded> => {
  const current = existing.filter((field) => field.status === "active").length
  return current + attempted > active_fields_max
    ? Result.fail(new FieldCapExceeded({ current, attempted }))
    : Result.void
}

/** A conflict for each name that an existing field has, and one for each repetition of a name within the request. */
const conflictsOf = (
  wanted: ReadonlyArray<NewField>,
  existing: ReadonlyArray<CustomField>,
): ReadonlyArray<FieldConflict> => {
  const byName = new Map(existing.map((field) => [field.apiName, field]))
  const seen = new Set<string>()
  return wanted.flatMap(({ apiName }): ReadonlyArray<FieldConflict> => {
    const existingField = byName.get(apiName)
    const repeated = seen.has(apiName)
    seen.add(apiName)
    if (existingField === undefined && !repeated) return []
    return [
      {
        kind: existingField === undefined || repeated ? "duplicate_in_request" : `${existingField.status}_existing`,
        requested_api_name: apiName,
        existing_field_definition_id: existingField?.id ?? null,
        existing_display_name: existingField?.displayName ?? null,
      },
    ]
  })
}

const newField = (
  id: FieldDefinitionId,
  field: NewField,
  provenanceKind: ProvenanceKind,
  now: DateTime.Utc,
): CustomField => ({
  ...field,
  id,
  description: field.description === "" ? null : field.description,
  status: "active",
  managementMode: "org_managed",
  provenanceKind,
  provenanceProvider: null,
  provenanceReference: null,
  createdByUserId: null,
  createdFromImportSessionId: null,
  createdAt: now,
  updatedAt: now,
})

/** A contact's custom values for output: all active fields, null where there is no value. Archived fields are hidden. */
export const activeValues = (
  contact: Contact,
  fields: ReadonlyArray<CustomField>,
): Readonly<Record<string, CustomValue | null>> =>
  Object.fromEntries(
    fields
      .filter((field) => field.status === "active")
      .map((field) => [field.apiName, customValue(contact, field.apiName)]),
  )
