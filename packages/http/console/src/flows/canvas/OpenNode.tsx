// An end of the flow on the canvas: a step can be added there.
import { Handle, type NodeProps, Position } from "@xyflow/react"
import { useEditing } from "../draft/editing.tsx"
import { openPlacesOf } from "../draft/steps.ts"
import { AddButton } from "./AddButton.tsx"
import { openId } from "./ids.ts"

export const OpenNode = ({ id }: NodeProps) => {
  const { isReadOnly, structure } = useEditing()
  const place = openPlacesOf(structure).find((each) => openId(each) === id)
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} className="flow-target" />
      {place !== undefined && !isReadOnly ? (
        <AddButton place={place} isEnd />
      ) : (
        <span className="flow-end" aria-hidden="true" />
      )}
    </>
  )
}
