// The lists and flows that use a custom field.
import { Schema } from "effect"

/** The most users that are named. `count` includes all. */
export const field_users_max = 20

/** A dynamic list whose rules name the field, or a flow, not archived, whose triggers or rules do. */
export const FieldUser = Schema.Struct({
  type: Schema.Literals(["contact_list", "flow"]),
  id: Schema.String.annotate({ format: "uuid" }),
  name: Schema.String,
}).annotate({ identifier: "ContactFieldUser" })
export type FieldUser = typeof FieldUser.Type

export interface FieldUses {
  /** Lists, then flows, each sorted by name; at most `field_users_max`. */
  readonly users: ReadonlyArray<FieldUser>
  /** The number of all users. */
  readonly count: number
}
