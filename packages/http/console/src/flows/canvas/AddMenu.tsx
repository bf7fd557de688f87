// The kinds of steps that can be added at a place. Only `AddButton.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import { useOpening } from "../../parts/OnDemand.tsx"
import { useWords } from "../../words/Words.tsx"
import { useAddStep } from "../draft/editing.tsx"
import { stepTypes } from "../draft/steps.ts"
import { stepIcons } from "../parts/icons.ts"
import { type AddProps, AddTarget } from "./AddButton.tsx"

export const AddMenu = (props: AddProps) => {
  const words = useWords("flows")
  const { isOpen, setOpen, target } = useOpening()
  const add = useAddStep()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom" withinPortal>
      <Menu.Target>
        <AddTarget {...props} ref={target} onClick={() => setOpen(!isOpen)} />
      </Menu.Target>
      <Menu.Dropdown>
        {stepTypes.map((type) => {
          const Icon = stepIcons[type]
          return (
            <Menu.Item key={type} leftSection={<Icon size={16} />} onClick={() => add(type, props.place)}>
              {words.stepTypes[type]}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
