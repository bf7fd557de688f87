// A condition of the builder: field, comparison and value, its number, and what is known about it.
import { Group, Loader, Select, Text } from "@mantine/core"
import { useEffect, useRef } from "react"
import type { RuleProps } from "react-querybuilder"
import { useFormat } from "../../format.ts"
import { CheckIcon, CrossIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { numberOf, pathOf, takesValue } from "../ruleTree.ts"
import { type Field, operatorLabel } from "../vocabulary.ts"
import { RowActions } from "./RowActions.tsx"
import { RowIssues } from "./RowIssues.tsx"
import { type Mark, useRows } from "./rows.ts"
import { ValueField } from "./ValueField.tsx"

/** A change of the field keeps what suits the new one. */
const suits = (before: Field | undefined, after: Field): boolean => before?.kind === after.kind

const FieldSelect = ({ actions, path, rule }: RuleProps) => {
  const words = useWords("segments")
  const { isReadOnly, vocabulary } = useRows()
  const { byName, fields } = vocabulary
  const select = useRef<HTMLInputElement>(null)
  const isNew = useRef(rule.field === "")
  // A frame later: the field has to know its list, which is mounted with it, before the focus opens it.
  useEffect(() => {
    const frame = requestAnimationFrame(() => isNew.current && select.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  const found = byName.get(rule.field)
  const groups = [...new Set(fields.map(({ group }) => group))]
  const old = found?.isArchived === true ? [{ value: found.name, label: found.label, disabled: true }] : []
  const unknown = found === undefined && rule.field !== "" ? [{ value: rule.field, label: words.unknownField }] : []
  const choose = (name: string | null) => {
    const next = name === null ? undefined : byName.get(name)
    if (next === undefined) return
    actions.onPropChange("field", next.name, path)
    if (suits(found, next)) return
    actions.onPropChange("operator", next.operators[0] ?? "", path)
    actions.onPropChange("value", undefined, path)
  }
  return (
    <Select
      size="xs"
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      disabled={isReadOnly}
      ref={select}
      aria-label={words.field}
      placeholder={words.chooseField}
      nothingFoundMessage={words.unknownField}
      maxDropdownHeight={320}
      value={rule.field === "" ? null : rule.field}
      data={[
        ...old,
        ...unknown,
        ...groups.map((group) => ({
          group: words.groups[group],
          items: fields.filter((each) => each.group === group).map(({ label, name }) => ({ value: name, label })),
        })),
      ]}
      onChange={choose}
    />
  )
}

const OperatorSelect = ({ actions, path, rule }: RuleProps) => {
  const words = useWords("segments")
  const { isReadOnly, vocabulary } = useRows()
  const field = vocabulary.byName.get(rule.field)
  if (field === undefined || field.operators.length < 2) return <span className="rule-gap" />
  return (
    <Select
      size="xs"
      allowDeselect={false}
      disabled={isReadOnly}
      aria-label={words.operator}
      value={rule.operator}
      data={field.operators.map((operator) => ({
        value: operator,
        label: operatorLabel(words, field.kind, operator),
      }))}
      onChange={(next) => {
        if (next !== null) actions.onPropChange("operator", next, path)
      }}
    />
  )
}

const Known = ({ mark }: { readonly mark: Mark | undefined }) => {
  const words = useWords("segments")
  const { number } = useFormat()
  if (mark === undefined) return null
  const { count, held } = mark
  return (
    <Group gap={6} wrap="nowrap" className="rule-known">
      {count === null && <Loader size={12} role="img" aria-label={words.counting} />}
      {typeof count === "number" && (
        <Text size="xs" c="dimmed" title={words.people(count)}>
          {number(count)}
        </Text>
      )}
      {held !== undefined && (
        <span className="held" data-held={held} role="img" aria-label={held ? words.yes : words.no}>
          {held ? <CheckIcon size={14} /> : <CrossIcon size={14} />}
        </span>
      )}
    </Group>
  )
}

export const RuleRow = (props: RuleProps) => {
  const { actions, path, rule } = props
  const words = useWords("segments")
  const { isReadOnly, marks, vocabulary } = useRows()
  const at = pathOf(path)
  const mark = marks.get(at)
  const field = vocabulary.byName.get(rule.field)
  return (
    <div role="group" aria-label={words.condition(numberOf(at))} data-path={at}>
      <div className="rule">
        <Text span className="rule-number">
          {numberOf(at)}
        </Text>
        <div className="rule-parts">
          <FieldSelect {...props} />
          <OperatorSelect {...props} />
          {field !== undefined && takesValue(rule.operator) ? (
            <ValueField
              field={field}
              value={rule.value as unknown}
              onChange={(value) => actions.onPropChange("value", value, path)}
            />
          ) : (
            <span className="rule-gap" />
          )}
        </div>
        <Known mark={mark} />
        {!isReadOnly && (
          <RowActions
            {...props}
            labels={{ more: words.more(numberOf(at)), remove: words.removeCondition(numberOf(at)) }}
            onRemove={() => actions.onRuleRemove(path)}
          />
        )}
      </div>
      <RowIssues mark={mark} />
    </div>
  )
}
