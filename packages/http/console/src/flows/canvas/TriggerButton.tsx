// A trigger of a flow, and the button that adds one.
import { Menu, UnstyledButton } from "@mantine/core"
import { PlusIcon, WarningIcon } from "../../Icons.tsx"
import { useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { triggers_max, useEditing } from "../draft/editing.tsx"
import { addTrigger } from "../draft/edits.ts"
import { emptyTrigger, triggerTypes } from "../draft/steps.ts"
import { triggerIcons } from "../parts/icons.ts"
import { useTexts } from "../parts/texts.ts"

export const AddTrigger = () => {
  const words = useWords("flows")
  const timezone = useTimeZone()
  const { choose, edit, structure } = useEditing()
  if (structure.triggers.length >= triggers_max) return null
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className="flow-trigger flow-trigger-add">
          <PlusIcon size={15} />
          {words.addTrigger}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {triggerTypes.map((type) => {
          const Icon = triggerIcons[type]
          return (
            <Menu.Item
              key={type}
              leftSection={<Icon size={16} />}
              onClick={() => {
                edit((before) => addTrigger(before, emptyTrigger(type, timezone)))
                choose({ trigger: structure.triggers.length }, true)
              }}
            >
              {words.triggerTypes[type]}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

export const TriggerButton = ({ at }: { readonly at: number }) => {
  const words = useWords("flows")
  const { choose, chosen, issues, names, structure } = useEditing()
  const { triggerOf } = useTexts(structure, names)
  const trigger = structure.triggers[at]
  if (trigger === undefined) return null
  const Icon = triggerIcons[trigger.type]
  const isChosen = chosen !== null && "trigger" in chosen && chosen.trigger === at
  const count = issues.triggers.get(at)?.length ?? 0
  return (
    <UnstyledButton
      className="flow-trigger"
      data-box="entry"
      data-node={`trigger:${at}`}
      data-trigger={at}
      data-chosen={isChosen || undefined}
      aria-pressed={isChosen}
      onClick={({ detail }) => choose({ trigger: at }, detail === 0)}
    >
      <Icon size={15} />
      <span className="flow-title">{triggerOf(trigger)}</span>
      {count > 0 && (
        <span className="flow-mark" role="img" aria-label={words.toMend(count)}>
          <WarningIcon size={14} />
        </span>
      )}
    </UnstyledButton>
  )
}
