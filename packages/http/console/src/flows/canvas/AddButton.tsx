// The `+` on a way: a menu of the kinds of steps that can be added there.
import { Menu, UnstyledButton } from "@mantine/core"
import type { Ref } from "react"
import { PlusIcon } from "../../Icons.tsx"
import { OnDemand, useOpening } from "../../parts/OnDemand.tsx"
import { useWords } from "../../words/Words.tsx"
import { steps_max, useAddStep, useEditing } from "../draft/editing.tsx"
import { type Place, stepTypes } from "../draft/steps.ts"
import { stepIcons } from "../parts/icons.ts"
import { useTexts } from "../parts/texts.ts"
import { useDropTarget } from "./drop.ts"
import { wireId } from "./ids.ts"

interface Props {
  readonly place: Place
  /** Nothing follows yet. */
  readonly isEnd?: boolean
}

interface TargetProps extends Props {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

const Target = ({ isEnd = false, place, ...props }: TargetProps) => {
  const words = useWords("flows")
  const { names, structure } = useEditing()
  const { nameOf } = useTexts(structure, names)
  const target = useDropTarget()
  const after = place.from === null ? words.atStart : words.addAfter(nameOf(place.from), words.ways[place.way])
  return (
    <UnstyledButton
      {...props}
      className="flow-add"
      data-end={isEnd || undefined}
      data-place={wireId(place)}
      data-drop={target === wireId(place) || undefined}
      aria-label={after}
      title={after}
      aria-haspopup="menu"
      disabled={structure.steps.length >= steps_max}
    >
      <PlusIcon size={isEnd ? 16 : 14} />
    </UnstyledButton>
  )
}

const AddMenu = (props: Props) => {
  const words = useWords("flows")
  const { isOpen, setOpen, target } = useOpening()
  const add = useAddStep()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom" withinPortal>
      <Menu.Target>
        <Target {...props} ref={target} onClick={() => setOpen(!isOpen)} />
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

export const AddButton = (props: Props) => (
  <OnDemand button={(open) => <Target {...props} onClick={open} />}>
    <AddMenu {...props} />
  </OnDemand>
)
