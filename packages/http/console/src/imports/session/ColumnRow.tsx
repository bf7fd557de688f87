// A column of the file: where it goes, why, some of its values, and how its dates or numbers are written.
import { Button, Group, Select, SimpleGrid, Text, TextInput } from "@mantine/core"
import type { AvailableField, ImportPreview } from "@tentpole/client"
import { memo } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { Problem } from "../../parts/Problem.tsx"
import { apiNameOf } from "../../settings/fields/apiName.ts"
import { useWords } from "../../words/Words.tsx"
import { candidateOf, type Column, type NewField, none, type Target, typeOf, type ValueType } from "./draft.ts"
import { reasonsOf, useReasonText } from "./reasons.ts"
import { TargetSelect } from "./TargetSelect.tsx"

const date_formats = [
  "DD.MM.YYYY",
  "DD/MM/YYYY",
  "DD-MM-YYYY",
  "MM/DD/YYYY",
  "MM-DD-YYYY",
  "MM.DD.YYYY",
  "YYYY/MM/DD",
  "YYYY.MM.DD",
] as const

const value_types: ReadonlyArray<ValueType> = ["string", "number", "boolean", "date", "tags"]

interface Props {
  readonly column: Column
  readonly preview: ImportPreview
  readonly fields: ReadonlyMap<string, AvailableField>
  readonly isSuppressions: boolean
  readonly problem: "twice" | "api_name" | null
  /** Messages of the service about the column. */
  readonly issues: ReadonlyArray<string>
  readonly onColumn: (column: Column) => void
  /** Reads the preview again, after a field was restored. */
  readonly onReload: () => void
}

const Notation = ({
  column,
  onColumn,
  type,
}: Pick<Props, "column" | "onColumn"> & { readonly type: ValueType | null }) => {
  const words = useWords("imports")
  const { header, notation } = column
  const set = (change: Partial<Column["notation"]>) => onColumn({ ...column, notation: { ...notation, ...change } })
  if (type === "date") {
    return (
      <Select
        size="xs"
        w={190}
        allowDeselect={false}
        label={words.dates}
        aria-label={`${words.dates}: ${header}`}
        value={notation.date_format ?? "own"}
        data={[{ value: "own", label: words.datesOwn }, ...date_formats.map((value) => ({ value, label: value }))]}
        onChange={(next) => set({ date_format: date_formats.find((each) => each === next) ?? null })}
      />
    )
  }
  if (type !== "number") return null
  return (
    <Group gap="sm">
      <Select
        size="xs"
        w={150}
        allowDeselect={false}
        label={words.decimals}
        aria-label={`${words.decimals}: ${header}`}
        value={notation.decimal_separator ?? "own"}
        data={[
          { value: "own", label: words.decimalsOwn },
          { value: ".", label: words.decimalsPoint },
          { value: ",", label: words.decimalsComma },
        ]}
        onChange={(next) => set({ decimal_separator: next === "." || next === "," ? next : null })}
      />
      <TextInput
        size="xs"
        w={110}
        maxLength={4}
        label={words.currency}
        aria-label={`${words.currency}: ${header}`}
        value={notation.currency_sign ?? ""}
        onChange={({ currentTarget: { value } }) => set({ currency_sign: value === "" ? null : value })}
      />
    </Group>
  )
}

interface NewFieldProps {
  readonly header: string
  readonly field: NewField
  readonly isWrong: boolean
  readonly onField: (field: NewField) => void
}

const NewFieldForm = ({ field, header, isWrong, onField }: NewFieldProps) => {
  const words = useWords("imports")
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" verticalSpacing="xs" maw={560}>
      <TextInput
        size="xs"
        label={words.label}
        aria-label={`${words.label}: ${header}`}
        maxLength={255}
        value={field.display_name}
        onChange={({ currentTarget: { value } }) => {
          // The name follows the label until the person writes one.
          const follows = field.api_name === apiNameOf(field.display_name)
          onField({ ...field, display_name: value, ...(follows ? { api_name: apiNameOf(value) } : {}) })
        }}
      />
      <TextInput
        size="xs"
        label={words.apiName}
        aria-label={`${words.apiName}: ${header}`}
        maxLength={255}
        value={field.api_name}
        error={isWrong ? words.apiNameWrong : null}
        onChange={({ currentTarget: { value } }) => onField({ ...field, api_name: value })}
      />
      <Select
        size="xs"
        allowDeselect={false}
        label={words.type}
        aria-label={`${words.type}: ${header}`}
        value={field.value_type}
        data={value_types.map((value) => ({ value, label: words.types[value] }))}
        onChange={(next) => onField({ ...field, value_type: value_types.find((each) => each === next) ?? "string" })}
      />
    </SimpleGrid>
  )
}

/** A name that is taken: the way out is one button. */
const Conflict = ({ column, onColumn, onReload, preview }: Props) => {
  const words = useWords("imports")
  const candidate = candidateOf(preview, column.header)
  const restore = useMutationOf("contactFields", "edit", { done: () => words.restored, onDone: onReload })
  const conflict = candidate?.conflicts[0]
  if (
    candidate === null ||
    conflict === undefined ||
    column.target.kind === "field" ||
    column.target.kind === "topic"
  ) {
    return null
  }
  const { conflict_key, existing_field_definition_id, existing_field_display_name, kind, resolution } = conflict
  const taken = column.target.kind === "new" ? column.target.field.api_name === conflict_key : true
  if (!taken) return null
  const put = (target: Target) => onColumn({ ...column, target })
  const solve = () => {
    if (resolution === "archive_others") return put(none)
    if (resolution === "map_to_existing") return put({ kind: "field", name: conflict_key })
    if (resolution === "rename") {
      const api_name = `${conflict_key}_2`
      const { suggested_display_name: display_name, suggested_value_type: value_type } = candidate
      return put({ kind: "new", field: { display_name, api_name, value_type } })
    }
    put({ kind: "field", name: conflict_key })
    if (existing_field_definition_id === null) return undefined
    return restore.mutate({
      params: { fieldDefinitionId: existing_field_definition_id },
      payload: { status: "active" },
    })
  }
  return (
    <>
      <Group gap="sm">
        <Text size="xs">{words.conflicts[kind](existing_field_display_name ?? conflict_key)}</Text>
        <Button size="compact-xs" variant="default" loading={restore.isPending} onClick={solve}>
          {words.resolutions[resolution]}
        </Button>
      </Group>
      {restore.isError && <Problem error={restore.error} />}
    </>
  )
}

const samplesOf = (preview: ImportPreview, header: string): string => {
  const cells = preview.sample_rows.map((row) => row[header] ?? "").filter((cell) => cell !== "")
  return [...new Set(cells)].slice(0, 3).join(" · ")
}

const Row = (props: Props) => {
  const { column, fields, isSuppressions, issues, onColumn, preview, problem } = props
  const words = useWords("imports")
  const contacts = useWords("contacts")
  const { header, target } = column
  const reason = useReasonText(fields)(reasonsOf(preview, column))
  const type = isSuppressions ? null : typeOf(target, fields)
  const labels: Readonly<Record<string, string>> = contacts.fields
  const name =
    target.kind === "field" ? (labels[target.name] ?? target.name) : target.kind === "topic" ? target.name : ""
  const own = target.kind === "new" ? target.field.api_name : name
  return (
    <li className="column">
      <div className="column-line">
        <Text size="sm" fw={550} className="break">
          {header}
        </Text>
        <TargetSelect
          header={header}
          target={target}
          candidate={candidateOf(preview, header)}
          fields={fields}
          isSuppressions={isSuppressions}
          error={problem === "twice" ? words.twice(own) : null}
          onTarget={(next) => onColumn({ ...column, target: next })}
        />
        <Text size="xs" c="dimmed" className="column-sample">
          {samplesOf(preview, header)}
        </Text>
        <Text size="xs" c="dimmed" className="break">
          {reason}
        </Text>
      </div>
      <div className="column-more">
        {target.kind === "new" && !isSuppressions && (
          <NewFieldForm
            header={header}
            field={target.field}
            isWrong={problem === "api_name"}
            onField={(field) => onColumn({ ...column, target: { kind: "new", field } })}
          />
        )}
        {target.kind === "topic" && !isSuppressions && (
          <Text size="xs" c="dimmed">
            {words.topicCells}
          </Text>
        )}
        <Notation column={column} onColumn={onColumn} type={type} />
        {!isSuppressions && <Conflict {...props} />}
        {issues.map((message) => (
          <Text key={message} size="xs" c="var(--mantine-color-error)" role="alert">
            {message}
          </Text>
        ))}
      </div>
    </li>
  )
}

/** Files may have many columns: a change of one leaves the others alone. */
export const ColumnRow = memo(
  Row,
  (before, after) =>
    before.column === after.column &&
    before.preview === after.preview &&
    before.isSuppressions === after.isSuppressions &&
    before.problem === after.problem &&
    before.issues.join() === after.issues.join(),
)
