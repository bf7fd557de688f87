// The beginning of a flow on the canvas: the triggers by which contacts enter.
import { Handle, type NodeProps, Position } from "@xyflow/react"
import { useWords } from "../../words/Words.tsx"
import { useEditing, useLit } from "../draft/editing.tsx"
import { AddTrigger, TriggerButton } from "./TriggerButton.tsx"

export const EntryNode = (_: NodeProps) => {
  const words = useWords("flows")
  const { flow, isReadOnly, structure } = useEditing()
  const lit = useLit()
  return (
    <>
      <div className="flow-entry" data-lit={lit.ways.length > 0 || undefined}>
        <p className="flow-entry-title">{words.entersBy}</p>
        {structure.triggers.map((trigger, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a trigger has no id: its place is its name
          <TriggerButton key={`${at} ${trigger.type}`} at={at} />
        ))}
        {structure.triggers.length === 0 && isReadOnly && (
          <p className="flow-entry-none">{flow.manual_membership_enabled ? words.byHand : words.noTrigger}</p>
        )}
        {!isReadOnly && <AddTrigger />}
      </div>
      <Handle
        id="next"
        type="source"
        position={Position.Bottom}
        isConnectable={!isReadOnly}
        isConnectableEnd={false}
        className="flow-source"
      />
    </>
  )
}
