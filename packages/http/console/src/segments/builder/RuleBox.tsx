// A group of the builder: how its conditions are joined, the conditions, and the ways to add and remove.
import { Button, Group, Menu, SegmentedControl, Text } from "@mantine/core"
import { type RuleGroupProps, useRuleGroup } from "react-querybuilder"
import { BranchIcon, PlusIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { emptyQuery, numberOf, pathOf } from "../ruleTree.ts"
import { newRule } from "../vocabulary.ts"
import { RowActions } from "./RowActions.tsx"
import { RuleRow } from "./RuleRow.tsx"
import { RowIssues } from "./RowIssues.tsx"
import { useRows } from "./rows.ts"

const Actions = (props: RuleGroupProps) => {
  const { actions, path } = props
  const words = useWords("segments")
  const number = numberOf(pathOf(path))
  return (
    <RowActions
      {...props}
      labels={{ more: words.moreGroup(number), remove: words.removeGroup(number) }}
      onRemove={() => actions.onGroupRemove(path)}
    >
      <Menu.Item leftSection={<BranchIcon size={16} />} onClick={() => actions.ungroupRuleGroup(path)}>
        {words.ungroup}
      </Menu.Item>
    </RowActions>
  )
}

const Additions = ({ actions, path }: RuleGroupProps) => {
  const words = useWords("segments")
  const { nodes, vocabulary } = useRows()
  const { limits } = vocabulary.metadata
  return (
    <Group gap={6} mt={8}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<PlusIcon size={14} />}
        disabled={nodes >= limits.max_nodes}
        onClick={() => actions.onRuleAdd(newRule(), path)}
      >
        {words.addCondition}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<PlusIcon size={14} />}
        // The root is level 1, and a new group has a condition.
        disabled={path.length + 2 > limits.max_depth || nodes + 2 > limits.max_nodes}
        onClick={() => actions.onGroupAdd({ ...emptyQuery, combinator: "or", rules: [newRule()] }, path)}
      >
        {words.addGroup}
      </Button>
    </Group>
  )
}

/** Group and rows call each other, as the tree does. */
const Members = (props: RuleGroupProps) => {
  const { actions, disabled, path, schema, translations } = props
  const { pathsMemo, ruleGroup } = useRuleGroup(props)
  const rules = ruleGroup.rules.filter((node) => typeof node !== "string")
  return (
    <ul className="rules">
      {rules.map((node, index) => {
        const shared = {
          path: pathsMemo[index]?.path ?? [...path, index],
          schema,
          actions,
          translations,
          disabled: disabled ?? false,
          shiftUpDisabled: path.length === 0 && index === 0,
          shiftDownDisabled: path.length === 0 && index === rules.length - 1,
        }
        const id = node.id === undefined ? {} : { id: node.id }
        return (
          <li key={node.id ?? index}>
            {"rules" in node ? (
              <RuleBox {...shared} {...id} ruleGroup={node} />
            ) : (
              <RuleRow {...shared} {...id} rule={node} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

export const RuleBox = (props: RuleGroupProps) => {
  const { actions, path, ruleGroup } = props
  const words = useWords("segments")
  const { isReadOnly, marks } = useRows()
  const at = pathOf(path)
  const name = words.group(numberOf(at))
  const combinator = "combinator" in ruleGroup && ruleGroup.combinator === "or" ? "or" : "and"
  return (
    <div className="rule-box" role="group" aria-label={name} data-root={path.length === 0 || undefined}>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Group gap="xs" wrap="nowrap">
          {path.length > 0 && (
            <Text span className="rule-number">
              {numberOf(at)}
            </Text>
          )}
          <SegmentedControl
            size="xs"
            aria-label={words.joined}
            disabled={isReadOnly}
            value={combinator}
            data={[
              { value: "and", label: words.all },
              { value: "or", label: words.any },
            ]}
            onChange={(next) => actions.onPropChange("combinator", next, path)}
          />
        </Group>
        {path.length > 0 && !isReadOnly && <Actions {...props} />}
      </Group>
      <Members {...props} />
      {ruleGroup.rules.length === 0 && path.length > 0 && (
        <Text size="sm" c="dimmed">
          {words.emptyGroup}
        </Text>
      )}
      <RowIssues mark={marks.get(at)} />
      {!isReadOnly && <Additions {...props} />}
    </div>
  )
}
