// The `+` on a way: a menu of the kinds of steps that can be added there.
import { UnstyledButton } from "@mantine/core"
import { lazy, type Ref } from "react"
import { PlusIcon } from "../../Icons.tsx"
import { OnDemand } from "../../parts/OnDemand.tsx"
import { useWords } from "../../words/Words.tsx"
import { steps_max, useEditing } from "../draft/editing.tsx"
import type { Place } from "../draft/steps.ts"
import { useTexts } from "../parts/texts.ts"
import { useDropTarget } from "./drop.ts"
import { wireId } from "./ids.ts"

const AddMenu = lazy(async () => ({ default: (await import("./AddMenu.tsx")).AddMenu }))

export interface AddProps {
  readonly place: Place
  /** Nothing follows yet. */
  readonly isEnd?: boolean
}

interface TargetProps extends AddProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const AddTarget = ({ isEnd = false, place, ...props }: TargetProps) => {
  const words = useWords("flows")
  const { names, structure } = useEditing()
  const { nameOf } = useTexts(structure, names)
  const target = useDropTarget()
  const way = place.way === "next" ? null : words.ways[place.way]
  const after = place.from === null ? words.atStart : words.addAfter(nameOf(place.from), way)
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

export const AddButton = (props: AddProps) => (
  <OnDemand button={(open) => <AddTarget {...props} onClick={open} />}>
    <AddMenu {...props} />
  </OnDemand>
)
