// The value of a condition, by the kind of its field.
import { Group, Select, TagsInput, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { ListPicker } from "../../lists/ListPicker.tsx"
import { TopicSelect } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"
import type { TimeWindow } from "../ruleTree.ts"
import type { Field } from "../vocabulary.ts"
import { useRows } from "./rows.ts"

interface Props {
  readonly field: Field
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

type Plain = Pick<Props, "value" | "onChange">

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : ""

const TextField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  return (
    <TextInput
      size="xs"
      aria-label={words.value}
      placeholder={words.value}
      disabled={isReadOnly}
      maxLength={10_000}
      value={textOf(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The number of a text, with a point or a comma; otherwise the text itself, which is not finished. */
const numberOf = (text: string): number | string => {
  const plain = text.trim().replace(",", ".")
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text
}

/** Keeps what is typed: `1.` is a number that goes on. */
const NumberField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  const [typed, setTyped] = useState(textOf(value))
  const shown = numberOf(typed) === value ? typed : textOf(value)
  return (
    <TextInput
      size="xs"
      aria-label={words.number}
      placeholder={words.number}
      inputMode="decimal"
      disabled={isReadOnly}
      value={shown}
      error={typeof value === "string" && value.trim() !== ""}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(numberOf(currentTarget.value))
      }}
    />
  )
}

const day_length = "2026-05-01".length

/** A day, or a time that rules brought along. */
const DateField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  const text = textOf(value)
  const isTime = text.length > day_length
  const label = isTime ? words.time : words.day
  return (
    <TextInput
      size="xs"
      type={isTime ? "text" : "date"}
      aria-label={label}
      title={label}
      disabled={isReadOnly}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

const TagsField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  const tags = Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  return (
    <TagsInput
      size="xs"
      aria-label={words.words}
      placeholder={tags.length === 0 ? words.words : ""}
      disabled={isReadOnly}
      value={tags}
      onChange={onChange}
    />
  )
}

/** The number of the digits; null without any. */
const wholeOf = (text: string): number | null => {
  const digits = text.replace(/\D/g, "")
  return digits === "" ? null : Number(digits)
}

const usual_window: TimeWindow = { amount: 30, unit: "day" }

const WindowField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly, vocabulary } = useRows()
  const window = value === undefined || value === null ? null : (value as Partial<TimeWindow>)
  const unitLabels: Readonly<Record<string, string>> = words.units
  return (
    <Group gap={6} wrap="nowrap" className="rule-window">
      <Select
        size="xs"
        allowDeselect={false}
        disabled={isReadOnly}
        aria-label={words.window}
        value={window === null ? "ever" : "last"}
        data={[
          { value: "ever", label: words.ever },
          { value: "last", label: words.last },
        ]}
        onChange={(next) => onChange(next === "last" ? (window ?? usual_window) : undefined)}
      />
      {window !== null && (
        <>
          <TextInput
            size="xs"
            className="rule-amount"
            inputMode="numeric"
            maxLength={4}
            disabled={isReadOnly}
            aria-label={words.amount}
            value={window.amount ?? ""}
            onChange={({ currentTarget }) => onChange({ ...window, amount: wholeOf(currentTarget.value) })}
          />
          <Select
            size="xs"
            allowDeselect={false}
            disabled={isReadOnly}
            aria-label={words.unit}
            value={window.unit ?? null}
            data={vocabulary.metadata.activity.time_window_units.map((unit) => ({
              value: unit,
              label: unitLabels[unit] ?? unit,
            }))}
            onChange={(unit) => onChange({ ...window, unit })}
          />
        </>
      )}
    </Group>
  )
}

const ListField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  const id = textOf(value)
  const found = useQuery({ ...queryOf("lists", "find", { params: { listId: id } }), enabled: id !== "" })
  const name = found.isError ? words.unknownList : (found.data?.name ?? null)
  return (
    <ListPicker
      isCompact
      isDisabled={isReadOnly}
      label={words.list}
      kind="static"
      value={id === "" ? null : id}
      chosenLabel={name}
      onChange={(next) => onChange(next ?? "")}
    />
  )
}

const TopicField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly } = useRows()
  return (
    <TopicSelect
      size="xs"
      aria-label={words.topic}
      none={words.topic}
      disabled={isReadOnly}
      value={textOf(value) === "" ? null : textOf(value)}
      onChange={(next) => onChange(next ?? "")}
    />
  )
}

const StepField = ({ onChange, value }: Plain) => {
  const words = useWords("segments")
  const { isReadOnly, vocabulary } = useRows()
  return (
    <Select
      size="xs"
      allowDeselect={false}
      disabled={isReadOnly}
      aria-label={words.step}
      placeholder={words.step}
      value={textOf(value) === "" ? null : textOf(value)}
      data={[...vocabulary.steps]}
      onChange={onChange}
    />
  )
}

export const ValueField = ({ field, ...plain }: Props) => {
  switch (field.kind) {
    case "string":
      return <TextField {...plain} />
    case "number":
      return <NumberField {...plain} />
    case "date":
      return <DateField {...plain} />
    case "tags":
      return <TagsField {...plain} />
    case "activity":
      return <WindowField {...plain} />
    case "list":
      return <ListField {...plain} />
    case "topic":
      return <TopicField {...plain} />
    case "step":
      return <StepField {...plain} />
    case "boolean":
      return null
  }
}
