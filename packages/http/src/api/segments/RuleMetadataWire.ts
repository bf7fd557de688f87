// What rule trees may ask, as the wire has it.
import { valueTypes } from "@tentpole/core/contacts/ContactFields"
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import type { RuleMetadata } from "@tentpole/core/segments/RuleMetadata"
import { Schema } from "effect"

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
  email_step: Schema.Struct({ operators: words, metrics: words }).annotate({
    description: "Only in the condition steps of flows",
  }),
  operator_aliases: Schema.Record(Schema.String, Schema.String).annotate({ description: "Canonical name by alias" }),
  limits: Schema.Struct({ max_depth: Schema.Int, max_nodes: Schema.Int }),
}).annotate({ identifier: "RuleMetadata", description: "What rule trees may ask" })

export const toRuleMetadataWire = (metadata: RuleMetadata): typeof RuleMetadataWire.Type => ({
  standard_fields: metadata.standardFields.map(({ key, ...field }) => ({ key, ...toComparable(field) })),
  custom_fields: metadata.customFields.map(({ id, ...field }) => ({
    field_definition_id: id,
    ...toComparable(field),
  })),
  activity: {
    activity_types: metadata.activityTypes,
    operators: metadata.activityOperators,
    time_window_units: metadata.timeWindowUnits,
  },
  list_membership: { operators: metadata.membershipOperators },
  email_step: { operators: metadata.emailStepOperators, metrics: metadata.emailStepMetrics },
  operator_aliases: Object.fromEntries(metadata.operatorAliases),
  limits: { max_depth: metadata.depth_max, max_nodes: metadata.nodes_max },
})

type Comparable = Omit<RuleMetadata["standardFields"][number], "key">

const toComparable = ({ apiName, displayName, valueType, operators }: Comparable) => ({
  api_name: apiName,
  display_name: displayName,
  value_type: valueType,
  operators,
})
