// The fields of a trigger on a date: which date, how far before or after it, and at what time of which zone.
import { Group, NativeSelect, Select, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { useWords } from "../../words/Words.tsx"
import type { Trigger } from "../draft/steps.ts"
import { FlagPart, NumberPart, useTriggerFields } from "../editors/fields.tsx"

type DateTrigger = Extract<Trigger, { readonly type: "date_based" }>

const offset_max = 36_500

const modes = ["on_date", "before_date", "after_date"] as const

/** Each half hour of a day. */
const times = Array.from(
  { length: 48 },
  (_, index) => `${String(Math.floor(index / 2)).padStart(2, "0")}:${index % 2 === 0 ? "00" : "30"}`,
)

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")]

export const DateFields = ({ at, trigger }: { readonly at: number; readonly trigger: DateTrigger }) => {
  const words = useWords("flows")
  const of = useTriggerFields(at, trigger)
  const metadata = useQuery(queryOf("contactFields", "ruleMetadata"))
  const dates = metadata.data?.custom_fields.filter(({ value_type }) => value_type === "date") ?? []
  const { field = null, mode = null, timezone = "UTC", trigger_time = "09:00" } = trigger
  const known = ["createdAt", ...dates.map(({ api_name }) => api_name)]
  return (
    <Stack gap="sm">
      <NativeSelect
        label={words.dateField}
        description={dates.length === 0 && metadata.isSuccess ? words.noDateFields : undefined}
        disabled={of.isReadOnly}
        value={field ?? ""}
        error={of.errorOf("field")}
        data={[
          { value: "", label: words.chooseField },
          { value: "createdAt", label: words.createdAt },
          ...dates.map(({ api_name, display_name }) => ({ value: api_name, label: display_name })),
          ...(field === null || known.includes(field) ? [] : [{ value: field, label: field }]),
        ]}
        onChange={({ currentTarget }) => of.set({ field: currentTarget.value === "" ? null : currentTarget.value })}
      />
      <NativeSelect
        label={words.dateMode}
        disabled={of.isReadOnly}
        value={mode ?? "on_date"}
        error={of.errorOf("mode")}
        data={modes.map((each) => ({ value: each, label: words.dateModes[each] }))}
        onChange={({ currentTarget }) => of.set({ mode: currentTarget.value })}
      />
      {mode === "before_date" && (
        <NumberPart of={of} name="days_before" label={words.daysBefore} min={0} max={offset_max} />
      )}
      {mode === "after_date" && (
        <NumberPart of={of} name="days_after" label={words.daysAfter} min={0} max={offset_max} />
      )}
      <Group grow align="flex-start" gap="sm">
        <NativeSelect
          label={words.atTime}
          disabled={of.isReadOnly}
          value={trigger_time}
          data={times}
          onChange={({ currentTarget }) => of.set({ trigger_time: currentTarget.value })}
        />
        <Select
          label={words.timeZone}
          searchable
          readOnly={of.isReadOnly}
          value={timezone}
          error={of.errorOf("timezone")}
          data={zones.includes(timezone) ? zones : [timezone, ...zones]}
          limit={60}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(next) => {
            if (next !== null) of.set({ timezone: next })
          }}
        />
      </Group>
      <FlagPart
        of={of}
        name="include_anniversaries"
        label={words.anniversaries}
        description={words.anniversariesText}
      />
    </Stack>
  )
}
