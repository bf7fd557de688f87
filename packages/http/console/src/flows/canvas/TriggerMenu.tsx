// The kinds of triggers that can be added. Only `TriggerButton.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import { useOpening } from "../../parts/OnDemand.tsx"
import { useTimeZone } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { addTrigger } from "../draft/edits.ts"
import { emptyTrigger, triggerTypes } from "../draft/steps.ts"
import { triggerIcons } from "../parts/icons.ts"
import { AddTriggerTarget } from "./TriggerButton.tsx"

export const TriggerMenu = () => {
  const words = useWords("flows")
  const timezone = useTimeZone()
  const { isOpen, setOpen, target } = useOpening()
  const { choose, edit, structure } = useEditing()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start" withinPortal>
      <Menu.Target>
        <AddTriggerTarget ref={target} onClick={() => setOpen(!isOpen)} />
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
