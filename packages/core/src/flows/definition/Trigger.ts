// What brings contacts into a flow. A part that is null has not been said yet: a flow may be written bit by bit, and what is
// missing is told when it is to be activated.
import { standardFieldByKey, type ValueType } from "../../contacts/ContactFields.ts"
import type { ListId, TentId } from "../../kernel/Ids.ts"
import { everyValueOperator } from "../../segments/Operators.ts"
import type { RuleField } from "../../segments/RuleFacts.ts"
import type { ValueOperator } from "../../segments/RuleTree.ts"

export const triggerTypes = [
  "added_to_static_list",
  "removed_from_static_list",
  "contact_created",
  "contact_updated",
  "date_based",
  "form_submitted",
  "service_api",
] as const
export type TriggerType = (typeof triggerTypes)[number]

export interface ListTrigger {
  readonly type: "added_to_static_list" | "removed_from_static_list"
  readonly listId: ListId | null
}

export interface ContactCreatedTrigger {
  readonly type: "contact_created"
}

/** Fires when the field changed and its new value satisfies the operator; `changed` is satisfied by any. */
export interface ContactUpdatedTrigger {
  readonly type: "contact_updated"
  /** A standard field's camelCase key, `leadStatus`, or a custom field's `api_name`: no name is both. */
  readonly field: string | null
  readonly operator: "changed" | ValueOperator
  readonly value: string | number | null
}

export const dateModes = ["on_date", "before_date", "after_date"] as const
export type DateMode = (typeof dateModes)[number]

/** Fires once for each contact and date, when the clocks of a zone read a certain time. */
export interface DateTrigger {
  readonly type: "date_based"
  /** `createdAt`, or the `api_name` of a custom field that holds dates. */
  readonly field: string | null
  readonly mode: DateMode | null
  /** Counts in mode `before_date` alone. */
  readonly daysBefore: number
  /** Counts in mode `after_date` alone. */
  readonly daysAfter: number
  /** Fires in every later year, too. */
  readonly includeAnniversaries: boolean
  /** `HH:00` or `HH:30`. */
  readonly triggerTime: string
  /** IANA. */
  readonly timezone: string
}

export interface FormTrigger {
  readonly type: "form_submitted"
  readonly tentId: TentId | null
  /** Null: any form of that page. */
  readonly formId: string | null
}

export const tokenTypes = ["string", "number", "boolean"] as const

/** A token that callers may pass, and what its value must be. */
export interface TokenDeclaration {
  readonly name: string
  readonly type: (typeof tokenTypes)[number]
}

export interface ApiTrigger {
  readonly type: "service_api"
  /** Empty: callers may pass any tokens. */
  readonly fields: ReadonlyArray<TokenDeclaration>
}

export type Trigger =
  | ListTrigger
  | ContactCreatedTrigger
  | ContactUpdatedTrigger
  | DateTrigger
  | FormTrigger
  | ApiTrigger

/** What a trigger may ask of a field besides the operators of rules. */
export const changeOperators: ReadonlyArray<"changed" | ValueOperator> = ["changed", ...everyValueOperator]

export const form_id_length_max = 200
export const token_declarations_max = 100
export const token_name_length_max = 100
/** A century. */
export const offset_days_max = 36_500

/** Tokens are called like this. `trigger` is a word of the service's own. */
export const isTokenName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name !== "trigger" && name.length <= token_name_length_max

/** What a trigger's field is: one of every contact's, or one of the workspace's own. */
export type NamedField =
  | { readonly kind: "standard"; readonly valueType: ValueType; readonly moves: boolean }
  | { readonly kind: "custom"; readonly field: RuleField }

/** The field of that name; undefined when there is none. Instants move with everything, and so no trigger waits for them. */
export const fieldNamed = (name: string, custom: ReadonlyArray<RuleField>): NamedField | undefined => {
  const standard = standardFieldByKey.get(name)
  if (standard !== undefined) {
    return { kind: "standard", valueType: standard.valueType, moves: standard.kind === "instant" }
  }
  const field = custom.find(({ apiName }) => apiName === name)
  return field && { kind: "custom", field }
}
