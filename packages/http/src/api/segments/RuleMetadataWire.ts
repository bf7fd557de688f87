// Wire schema of the vocabulary of rules, for rule editors.
import { ruleActivityTypes } from "@tentpole/core/contacts/Activity"
import { type StandardField, standardFields, valueTypes } from "@tentpole/core/contacts/ContactFields"
import type { CustomField } from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import {
  activityOperators,
  emailStepMetrics,
  emailStepOperators,
  membershipOperators,
  operatorAliases,
  rule_depth_max,
  rule_nodes_max,
  timeWindowUnits,
  topicOperators,
  valueOperators,
} from "@tentpole/core/segments/Operators"
import { Schema } from "effect"
import { toSnakeCase } from "../../Wire.ts"

const words = Schema.Array(Schema.String)

const comparable = {
  api_name: Schema.String.annotate({ examples: ["lead_status"] }),
  display_name: Schema.String,
  value_type: Schema.Literals(valueTypes),
  operators: words.annotate({ description: "Canonical names" }),
}

const StandardRuleField = Schema.Struct({
  key: Schema.String.annotate({ description: "What a condition's `field` names", examples: ["leadStatus"] }),
  ...comparable,
}).annotate({ identifier: "StandardRuleField" })

const CustomRuleField = Schema.Struct({
  field_definition_id: FieldDefinitionId.annotate({ description: "What a condition's `fieldDefinitionId` names" }),
  ...comparable,
}).annotate({ identifier: "CustomRuleField" })

export const RuleMetadataWire = Schema.Struct({
  standard_fields: Schema.Array(StandardRuleField),
  custom_fields: Schema.Array(CustomRuleField).annotate({ description: "Active ones" }),
  activity: Schema.Struct({ activity_types: words, operators: words, time_window_units: words }),
  list_membership: Schema.Struct({ operators: words }),
  topic: Schema.Struct({ operators: words }),
  email_step: Schema.Struct({ operators: words, metrics: words }).annotate({
    description: "Only in the condition steps of flows",
  }),
  operator_aliases: Schema.Record(Schema.String, Schema.String).annotate({ description: "Canonical name by alias" }),
  limits: Schema.Struct({ max_depth: Schema.Int, max_nodes: Schema.Int }),
}).annotate({ identifier: "RuleMetadata", description: "What rule trees may ask" })

/** The vocabulary of rules with the custom fields of a workspace, from the tables that the parser uses. */
export const toRuleMetadata = (fields: ReadonlyArray<CustomField>): typeof RuleMetadataWire.Type => ({
  standard_fields: standardFields.map((field) => ({ key: field.key, ...toComparable(field) })),
  custom_fields: fields.map((field) => ({ field_definition_id: field.id, ...toComparable(field) })),
  activity: { activity_types: ruleActivityTypes, operators: activityOperators, time_window_units: timeWindowUnits },
  list_membership: { operators: membershipOperators },
  topic: { operators: topicOperators },
  email_step: { operators: emailStepOperators, metrics: emailStepMetrics },
  operator_aliases: Object.fromEntries(operatorAliases),
  limits: { max_depth: rule_depth_max, max_nodes: rule_nodes_max },
})

const toComparable = ({ apiName, displayName, valueType }: CustomField | StandardField) =>
  toSnakeCase({ apiName, displayName, valueType, operators: valueOperators[valueType] })
