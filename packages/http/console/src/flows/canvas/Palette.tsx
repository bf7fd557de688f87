// The kinds of steps, to be dragged to a way, or added after the chosen step by a click.
import { Stack, UnstyledButton } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"
import { steps_max, useAddStep, useEditing } from "../draft/editing.tsx"
import { stepTypes } from "../draft/steps.ts"
import { stepIcons } from "../parts/icons.ts"
import { nodeId } from "./ids.ts"
import type { Layout } from "./layout.ts"

/** The kind of a dragged step. */
export const stepMime = "application/x-tentpole-step"

interface Props {
  readonly layout: Layout
}

export const Palette = ({ layout }: Props) => {
  const words = useWords("flows")
  const { chosen, structure } = useEditing()
  const add = useAddStep()
  const isFull = structure.steps.length >= steps_max
  const after = chosen !== null && "step" in chosen ? nodeId(chosen.step) : null
  /** After the chosen step, else at the first end of the flow. */
  const place = () => {
    const places = layout.wires.filter(({ source }) => after === null || source === after)
    return places.find(({ isOpen }) => isOpen) ?? places[0] ?? layout.wires[0]
  }
  return (
    <Stack gap={4} className="flow-palette" role="group" aria-label={words.addStep}>
      {stepTypes.map((type) => {
        const Icon = stepIcons[type]
        return (
          <UnstyledButton
            key={type}
            className="flow-kind"
            data-kind={type}
            disabled={isFull}
            draggable={!isFull}
            title={words.stepTexts[type]}
            onDragStart={({ dataTransfer }) => {
              dataTransfer.setData(stepMime, type)
              dataTransfer.effectAllowed = "copy"
            }}
            onClick={() => {
              const at = place()
              if (at !== undefined) add(type, { from: at.from, way: at.way })
            }}
          >
            <Icon size={15} />
            {words.stepTypes[type]}
          </UnstyledButton>
        )
      })}
    </Stack>
  )
}
