// A way on the canvas: its line, its name, and the `+` for a step.
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react"
import { useWords } from "../../words/Words.tsx"
import { useEditing, useLit } from "../draft/editing.tsx"
import { AddButton } from "./AddButton.tsx"
import { wireId } from "./ids.ts"
import { pathThrough, type Wire } from "./layout.ts"

export const WireEdge = ({ data, markerEnd }: EdgeProps) => {
  const words = useWords("flows")
  const { isReadOnly } = useEditing()
  const lit = useLit()
  const { wire } = data as { readonly wire: Wire }
  const { from, isOpen, label, points, way } = wire
  const path = pathThrough(points)
  const isLit = lit.ways.some((each) => each.from === from && each.way === way)
  const isMoving = lit.moving !== null && wireId(lit.moving) === wireId(wire)
  return (
    <>
      <BaseEdge
        path={path}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        className="flow-wire"
        data-lit={isLit || undefined}
        data-open={isOpen || undefined}
        data-way={way}
      />
      {isMoving && (
        <circle key={lit.ways.length} r={7} className="flow-walker" style={{ offsetPath: `path("${path}")` }} />
      )}
      <EdgeLabelRenderer>
        <div
          className="flow-label nodrag nopan"
          data-wire={wireId(wire)}
          style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
        >
          {way !== "next" && <span className="flow-way">{words.ways[way]}</span>}
          {!isOpen && !isReadOnly && <AddButton place={{ from, way }} />}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}
