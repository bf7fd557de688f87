// The choice of event types: all, or groups and types of the catalogue.
import "../webhooks.css"
import { Checkbox, Group, Input, Radio, Stack, Text, UnstyledButton } from "@mantine/core"
import { useState } from "react"
import { DownIcon, UpIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { groupOf, groupPattern, groupsOf, matches, type Patterns, typesOf, withGroup, withType } from "../patterns.ts"
import { useGroupName } from "../useGroupName.ts"
import { useChoosableTypes } from "../useEventTypes.ts"

interface Props {
  readonly label: string
  readonly value: Patterns
  readonly error?: string | undefined
  /** What "all" means besides. */
  readonly allText?: string
  readonly onChange: (patterns: Patterns) => void
}

interface GroupProps extends Pick<Props, "onChange" | "value"> {
  readonly group: string
  readonly types: ReadonlyArray<{ readonly type: string; readonly description: string }>
}

const TypeGroup = ({ group, onChange, types, value }: GroupProps) => {
  const words = useWords("webhooks")
  const groupName = useGroupName()
  const names = types.map(({ type }) => type)
  const chosen = typesOf(value, names)
  const isWhole = value.some((pattern) => pattern === groupPattern(group))
  const [isOpen, setOpen] = useState(chosen.length > 0 && !isWhole)
  const name = groupName(group)
  return (
    <div className="event-group">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Checkbox
          checked={isWhole}
          indeterminate={!isWhole && chosen.length > 0}
          label={name}
          onChange={({ currentTarget }) => onChange(withGroup(value, group, currentTarget.checked))}
        />
        <UnstyledButton
          className="event-count"
          aria-expanded={isOpen}
          aria-label={words.typesOf(name, chosen.length, names.length)}
          onClick={() => setOpen(!isOpen)}
        >
          {words.chosenOf(chosen.length, names.length)}
          {isOpen ? <UpIcon size={14} /> : <DownIcon size={14} />}
        </UnstyledButton>
      </Group>
      {isOpen && (
        <Stack gap={8} pl={28} py={8} role="group" aria-label={name}>
          {types.map(({ description, type }) => (
            <Checkbox
              key={type}
              size="xs"
              checked={value.some((pattern) => matches(pattern, type))}
              label={<code>{type}</code>}
              description={<span lang="en">{description}</span>}
              onChange={({ currentTarget }) => onChange(withType(value, names, { type, isOn: currentTarget.checked }))}
            />
          ))}
        </Stack>
      )}
    </div>
  )
}

export const EventTypesField = ({ allText, error, label, onChange, value }: Props) => {
  const words = useWords("webhooks")
  const types = useChoosableTypes()
  const [chosen, setChosen] = useState<Patterns>(value.includes("*") ? [] : value)
  const isAll = value.includes("*")
  const change = (patterns: Patterns) => {
    setChosen(patterns)
    onChange(patterns)
  }
  const groups = groupsOf(types.map(({ type }) => type))
  return (
    <div>
      <Radio.Group
        label={label}
        value={isAll ? "all" : "chosen"}
        onChange={(next) => onChange(next === "all" ? ["*"] : chosen)}
      >
        <Stack gap={6} mt={6}>
          <Radio value="all" label={words.allEvents} description={allText} />
          <Radio value="chosen" label={words.chosenEvents} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <div className="event-groups">
          {[...groups.keys()].map((group) => (
            <TypeGroup
              key={group}
              group={group}
              types={types.filter(({ type }) => groupOf(type) === group)}
              value={value}
              onChange={change}
            />
          ))}
        </div>
      )}
      {error !== undefined && <Input.Error mt={6}>{error}</Input.Error>}
      {!isAll && value.length === 0 && (
        <Text size="xs" c="dimmed" mt={6}>
          {words.chooseSome}
        </Text>
      )}
    </div>
  )
}
