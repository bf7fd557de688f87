// Fields of steps and triggers: each reads and writes one part of the draft.
import { Group, NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { changeStep, changeTrigger } from "../draft/edits.ts"
import type { Issue } from "../draft/issues.ts"
import type { Step, Trigger, Way } from "../draft/steps.ts"
import { isUnit, issueText, useTexts, waitUnits } from "../parts/texts.ts"

type Values = Readonly<Record<string, unknown>>

/** The fields of one step or trigger. */
export interface Fields {
  readonly id: string
  readonly values: Values
  readonly isReadOnly: boolean
  /** `typed` names a field whose letters are one edit. */
  readonly set: (changes: Values, typed?: string) => void
  readonly errorOf: (name: string) => string | undefined
}

const useErrors = (issues: ReadonlyArray<Issue> | undefined) => {
  const words = useWords("flows")
  return (name: string): string | undefined => {
    const found = issues?.find(({ key }) => key === name || key.startsWith(`${name}.`))
    return found === undefined ? undefined : issueText(words, { ...found, key: "" })
  }
}

export const useStepFields = (step: Step): Fields => {
  const { edit, isReadOnly, issues } = useEditing()
  const { step_id: id } = step
  const errorOf = useErrors(issues.steps.get(id))
  return {
    id,
    values: step as unknown as Values,
    isReadOnly,
    errorOf,
    set: (changes, typed) =>
      edit(
        (before) => changeStep(before, id, (each) => ({ ...each, ...changes })),
        typed === undefined ? undefined : `${id}.${typed}`,
      ),
  }
}

export const useTriggerFields = (at: number, trigger: Trigger): Fields => {
  const { edit, isReadOnly, issues } = useEditing()
  const errorOf = useErrors(issues.triggers.get(at))
  return {
    id: `trigger-${at}`,
    values: trigger as unknown as Values,
    isReadOnly,
    errorOf,
    set: (changes, typed) =>
      edit(
        (before) => changeTrigger(before, at, (each) => ({ ...each, ...changes })),
        typed === undefined ? undefined : `trigger ${at}.${typed}`,
      ),
  }
}

const textIn = ({ values }: Fields, name: string): string => {
  const value = values[name]
  return typeof value === "string" ? value : ""
}

const orNull = (text: string): string | null => (text === "" ? null : text)

interface TextProps {
  readonly of: Fields
  readonly name: string
  readonly label: string
  readonly max: number
  readonly description?: string
  readonly placeholder?: string
  readonly type?: "text" | "email"
}

/** A text. An empty one is no value. */
export const TextPart = ({ max, name, of, type = "text", ...rest }: TextProps) => (
  <TextInput
    {...rest}
    type={type}
    size="sm"
    maxLength={max}
    readOnly={of.isReadOnly}
    value={textIn(of, name)}
    error={of.errorOf(name)}
    onChange={({ currentTarget }) => of.set({ [name]: orNull(currentTarget.value) }, name)}
  />
)

/** A text of several lines. */
export const AreaPart = ({ max, name, of, type: _type, ...rest }: TextProps) => (
  <Textarea
    {...rest}
    autosize
    minRows={3}
    maxRows={10}
    maxLength={max}
    readOnly={of.isReadOnly}
    value={textIn(of, name)}
    error={of.errorOf(name)}
    onChange={({ currentTarget }) => of.set({ [name]: orNull(currentTarget.value) }, name)}
  />
)

interface FlagProps {
  readonly of: Fields
  readonly name: string
  readonly label: string
  readonly description?: string
}

export const FlagPart = ({ name, of, ...rest }: FlagProps) => (
  <Switch
    {...rest}
    size="sm"
    disabled={of.isReadOnly}
    checked={of.values[name] === true}
    onChange={({ currentTarget }) => of.set({ [name]: currentTarget.checked })}
  />
)

interface NumberProps {
  readonly of: Fields
  readonly name: string
  readonly label: string
  readonly min: number
  readonly max: number
  readonly description?: string
}

export const NumberPart = ({ name, of, ...rest }: NumberProps) => {
  const value = of.values[name]
  return (
    <NumberInput
      {...rest}
      allowDecimal={false}
      hideControls
      readOnly={of.isReadOnly}
      value={typeof value === "number" ? value : ""}
      error={of.errorOf(name)}
      onChange={(next) => of.set({ [name]: typeof next === "number" ? next : null }, name)}
    />
  )
}

const amount_max = 5_256_000

interface DurationProps {
  readonly of: Fields
  readonly label: string
  /** Names of the two fields. */
  readonly amount: string
  readonly unit: string
  readonly description?: string
}

/** An amount and its unit. A cleared amount clears both. */
export const DurationPart = ({ amount, label, of, unit, ...rest }: DurationProps) => {
  const words = useWords("flows")
  const value = of.values[amount]
  const ofUnit = of.values[unit]
  const shown = isUnit(ofUnit) ? ofUnit : "days"
  return (
    <Group gap={6} align="flex-end" wrap="nowrap" className="flow-duration">
      <NumberInput
        {...rest}
        label={label}
        min={1}
        max={amount_max}
        allowDecimal={false}
        hideControls
        readOnly={of.isReadOnly}
        value={typeof value === "number" ? value : ""}
        error={of.errorOf(amount) ?? of.errorOf(unit)}
        inputWrapperOrder={["label", "description", "error", "input"]}
        onChange={(next) =>
          of.set(
            typeof next === "number" ? { [amount]: next, [unit]: shown } : { [amount]: null, [unit]: null },
            amount,
          )
        }
      />
      <NativeSelect
        aria-label={`${label}: ${words.unit}`}
        disabled={of.isReadOnly}
        value={shown}
        data={waitUnits.map((each) => ({ value: each, label: words.units[each] }))}
        onChange={({ currentTarget }) => {
          // Without an amount there is nothing to measure yet.
          if (typeof value === "number") of.set({ [unit]: currentTarget.value })
        }}
      />
    </Group>
  )
}

interface WayProps {
  readonly step: Step
  readonly way: Way
  readonly label: string
  /** What happens without a step. */
  readonly otherwise: string
  readonly description?: string
}

/** The step that a way leads to. */
export const WayPart = ({ label, otherwise, step, way, ...rest }: WayProps) => {
  const { names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  const of = useStepFields(step)
  const name = `${way}_step_id`
  return (
    <NativeSelect
      {...rest}
      label={label}
      disabled={of.isReadOnly}
      value={textIn(of, name)}
      error={of.errorOf(name)}
      data={[
        { value: "", label: otherwise },
        ...structure.steps
          .filter(({ step_id }) => step_id !== step.step_id)
          .map((each) => ({ value: each.step_id, label: `${titleOf(each)} (${each.step_id})` })),
      ]}
      onChange={({ currentTarget }) => of.set({ [name]: orNull(currentTarget.value) })}
    />
  )
}
