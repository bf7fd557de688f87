// The fields of a trigger on a changed field: which field, and what its new value has to be.
import { NativeSelect, NumberInput, Stack, TagsInput, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { useWords } from "../../words/Words.tsx"
import type { Trigger } from "../draft/steps.ts"
import { type Fields, useTriggerFields } from "../editors/fields.tsx"

type Updated = Extract<Trigger, { readonly type: "contact_updated" }>

/** Operators that need no value. */
const valueless = ["changed", "is_empty", "is_not_empty", "is_true", "is_false"]

interface ValueProps {
  readonly of: Fields
  readonly type: "string" | "number" | "boolean" | "date" | "tags"
  readonly value: Updated["value"]
}

const Value = ({ of, type, value }: ValueProps) => {
  const { value: label } = useWords("flows").fields
  const common = { label, error: of.errorOf("value"), readOnly: of.isReadOnly } as const
  if (type === "tags") {
    return (
      <TagsInput
        {...common}
        value={typeof value === "object" && value !== null ? [...value] : []}
        onChange={(next) => of.set({ value: next }, "value")}
      />
    )
  }
  if (type === "number") {
    return (
      <NumberInput
        {...common}
        hideControls
        value={typeof value === "number" ? value : ""}
        onChange={(next) => of.set({ value: typeof next === "number" ? next : null }, "value")}
      />
    )
  }
  return (
    <TextInput
      {...common}
      type={type === "date" ? "date" : "text"}
      maxLength={1_000}
      value={typeof value === "string" ? value : ""}
      onChange={({ currentTarget }) =>
        of.set({ value: currentTarget.value === "" ? null : currentTarget.value }, "value")
      }
    />
  )
}

export const UpdatedFields = ({ at, trigger }: { readonly at: number; readonly trigger: Updated }) => {
  const words = useWords("flows")
  const of = useTriggerFields(at, trigger)
  const metadata = useQuery(queryOf("contactFields", "ruleMetadata"))
  const fields = [
    ...(metadata.data?.standard_fields ?? []).map((each) => ({ ...each, name: each.key })),
    ...(metadata.data?.custom_fields ?? []).map((each) => ({ ...each, name: each.api_name })),
  ]
  const { field = null, operator = "changed", value = null } = trigger
  const found = fields.find(({ name }) => name === field)
  const operators = ["changed", ...(found?.operators ?? (operator === "changed" ? [] : [operator]))]
  const labels: Readonly<Record<string, string>> = words.operators
  const group = (title: string, custom: boolean) => ({
    group: title,
    items: fields
      .filter((each) => "field_definition_id" in each === custom)
      .map(({ display_name, name }) => ({ value: name, label: display_name })),
  })
  return (
    <Stack gap="sm">
      <NativeSelect
        label={words.fields.field}
        disabled={of.isReadOnly}
        value={field ?? ""}
        error={of.errorOf("field")}
        data={[
          { value: "", label: words.chooseField },
          ...(field !== null && found === undefined ? [{ value: field, label: field }] : []),
          group(words.standardFields, false),
          group(words.customFields, true),
        ].filter((each) => !("items" in each) || each.items.length > 0)}
        onChange={({ currentTarget }) =>
          of.set({ field: currentTarget.value === "" ? null : currentTarget.value, operator: "changed", value: null })
        }
      />
      <NativeSelect
        label={words.newValue}
        disabled={of.isReadOnly}
        value={operator}
        error={of.errorOf("operator")}
        data={operators.map((each) => ({ value: each, label: labels[each] ?? each }))}
        onChange={({ currentTarget }) => of.set({ operator: currentTarget.value, value: null })}
      />
      {!valueless.includes(operator) && <Value of={of} type={found?.value_type ?? "string"} value={value} />}
    </Stack>
  )
}
