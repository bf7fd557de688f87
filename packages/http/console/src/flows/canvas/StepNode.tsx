// A step on the canvas, with the handles from which ways are drawn.
import { UnstyledButton } from "@mantine/core"
import { Handle, type NodeProps, Position } from "@xyflow/react"
import { useEditing } from "../draft/editing.tsx"
import { type Step, stepOf, waysOf } from "../draft/steps.ts"
import { StepContent, useStepLook } from "../parts/StepContent.tsx"
import { stepIdOf } from "./ids.ts"

/** Where the handles are, as a share of the width. */
const handlesOf = (step: Step) => {
  const ways = waysOf(step)
  return ways.map((way, index) => ({ way, left: `${((index + 1) / (ways.length + 1)) * 100}%` }))
}

const Box = ({ id, step }: { readonly id: string; readonly step: Step }) => {
  const { choose } = useEditing()
  return (
    <UnstyledButton
      {...useStepLook(step)}
      className="flow-step"
      data-box={id}
      onClick={({ detail }) => choose({ step: step.step_id }, detail === 0)}
    >
      <StepContent step={step} />
    </UnstyledButton>
  )
}

export const StepNode = ({ id }: NodeProps) => {
  const { isReadOnly, structure } = useEditing()
  const step = stepOf(structure, stepIdOf(id))
  if (step === undefined) return null
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectableStart={false} className="flow-target" />
      <Box id={id} step={step} />
      {handlesOf(step).map(({ left, way }) => (
        <Handle
          key={way}
          id={way}
          type="source"
          position={Position.Bottom}
          isConnectable={!isReadOnly}
          isConnectableEnd={false}
          className="flow-source"
          style={{ left }}
        />
      ))}
    </>
  )
}
