// The canvas of a flow: boxes for triggers and steps, ways between them, and places for new steps. Loaded on demand.
import "@xyflow/react/dist/base.css"
import "./canvas.css"
import { useMantineColorScheme, VisuallyHidden } from "@mantine/core"
import { useReducedMotion } from "@mantine/hooks"
import {
  Background,
  ConnectionLineType,
  type Connection,
  type Edge,
  MiniMap,
  type Node,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react"
import { type DragEvent, type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from "react"
import { useWords } from "../../words/Words.tsx"
import { useAddStep, useEditing, useLit } from "../draft/editing.tsx"
import { connect, removeStep, removeTrigger } from "../draft/edits.ts"
import { type Place, stepOf, stepTypes, type Structure, type StepType, type Way } from "../draft/steps.ts"
import { DropProvider } from "./drop.ts"
import { EntryNode } from "./EntryNode.tsx"
import { nodeId, stepIdOf, wireId } from "./ids.ts"
import { type Direction, type Layout, layoutOf, nearestPlace, neighbourOf, shapeOf } from "./layout.ts"
import { OpenNode } from "./OpenNode.tsx"
import { Palette, stepMime } from "./Palette.tsx"
import { StepNode } from "./StepNode.tsx"
import { WireEdge } from "./WireEdge.tsx"
import { Zoom } from "./Zoom.tsx"

/** A flow with more steps has a map in the corner. */
const mapped_above = 20

const nodeTypes = { entry: EntryNode, step: StepNode, open: OpenNode }
const edgeTypes = { wire: WireEdge }

/** The layout of the last shape: texts of steps do not move the boxes. */
const useLayout = (structure: Structure): Layout => {
  const shape = shapeOf(structure)
  // oxlint-disable-next-line react/exhaustive-deps -- the shape says all that the layout depends on
  return useMemo(() => layoutOf(structure), [shape])
}

const nodesOf = ({ boxes }: Layout): Array<Node> =>
  [...boxes.values()].map(({ height, id, width, x, y }) => ({
    id,
    type: id === "entry" ? "entry" : stepIdOf(id) === null ? "open" : "step",
    position: { x, y },
    width,
    height,
    data: {},
    draggable: false,
    selectable: false,
    focusable: false,
    // A box that can neither be dragged nor selected would let clicks through.
    style: { pointerEvents: "all" },
  }))

const edgesOf = ({ wires }: Layout, isReadOnly: boolean): Array<Edge> =>
  wires.map((wire) => ({
    id: wire.id,
    type: "wire",
    source: wire.source,
    sourceHandle: wire.way,
    target: wire.target,
    data: { wire },
    selectable: false,
    focusable: false,
    reconnectable: isReadOnly || wire.isOpen ? false : "target",
  }))

const placeOf = (source: string, handle: string | null | undefined): Place => ({
  from: stepIdOf(source),
  way: (handle ?? "next") as Way,
})

const directions: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
}

const focusBox = (id: string): HTMLElement | null => {
  const box = document.querySelector<HTMLElement>(`[data-box="${CSS.escape(id)}"]`)
  box?.focus({ preventScroll: true })
  return box
}

/** Keys of the canvas: arrows move along ways, `a` adds a step after this one, Delete removes it. */
const useCanvasKeys = (layout: Layout, show: (id: string) => void) => {
  const { edit, isReadOnly } = useEditing()
  return (event: KeyboardEvent<HTMLElement>) => {
    const box = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-box]") : null
    const id = box?.dataset["box"]
    if (id === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const direction = directions[event.key]
    if (direction !== undefined) {
      const next = neighbourOf(layout, id, direction)
      event.preventDefault()
      if (next === null) return
      show(next)
      focusBox(next)
    }
    if (isReadOnly) return
    if (event.key === "a") {
      event.preventDefault()
      event.stopPropagation()
      const places = layout.wires.filter(({ source }) => source === id)
      const place = places.find(({ isOpen }) => isOpen) ?? places[0]
      if (place !== undefined) {
        document.querySelector<HTMLElement>(`[data-place="${CSS.escape(wireId(place))}"]`)?.click()
      }
    }
    if (event.key === "Delete" || event.key === "Backspace") {
      const trigger = box?.dataset["trigger"]
      const stepId = stepIdOf(id)
      event.preventDefault()
      if (trigger !== undefined) edit((before) => removeTrigger(before, Number(trigger)))
      else if (stepId !== null) edit((before) => removeStep(before, stepId))
      focusBox(neighbourOf(layout, id, "up") ?? "entry")
    }
  }
}

const isStepType = (value: string): value is StepType => stepTypes.some((each) => each === value)

/** A step that is dragged from the palette. `target` is the place where it would be added. */
const useDrop = (layout: Layout) => {
  const { isReadOnly } = useEditing()
  const { screenToFlowPosition } = useReactFlow()
  const add = useAddStep()
  const [target, setTarget] = useState<string | null>(null)
  const placeAt = ({ clientX: x, clientY: y }: DragEvent) => nearestPlace(layout, screenToFlowPosition({ x, y }))
  return {
    target,
    onDragOver: (event: DragEvent) => {
      if (isReadOnly || !event.dataTransfer.types.includes(stepMime)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = "copy"
      setTarget(wireId(placeAt(event)))
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Element && currentTarget.contains(relatedTarget))) setTarget(null)
    },
    onDrop: (event: DragEvent) => {
      const type = event.dataTransfer.getData(stepMime)
      event.preventDefault()
      setTarget(null)
      if (isStepType(type)) add(type, placeAt(event))
    },
  }
}

/** A way may end anywhere on a box. */
const connection_radius_px = 125

const move_ms = 250
const zoom_min = 0.8
const margin_px = 24

/** Shows the beginning of the flow, as large as it fits and at least readable. */
const useFirstView = (layout: Layout) => {
  const { setViewport } = useReactFlow()
  const place = useRef<HTMLDivElement>(null)
  const show = () => {
    const { clientHeight = 0, clientWidth = 0 } = place.current ?? {}
    if (clientWidth === 0) return
    const zoom = Math.max(zoom_min, Math.min(1, clientWidth / layout.width, clientHeight / layout.height))
    const entry = layout.boxes.get("entry")
    const middle =
      layout.width * zoom <= clientWidth ? layout.width / 2 : entry === undefined ? 0 : entry.x + entry.width / 2
    const isWhole = layout.height * zoom <= clientHeight
    void setViewport({
      zoom,
      x: clientWidth / 2 - middle * zoom,
      y: isWhole ? (clientHeight - layout.height * zoom) / 2 : margin_px / 2,
    })
  }
  return { place, show }
}

/** Brings a box into sight, if it is not: the chosen one, and the one that a simulation lights. */
const useSight = (layout: Layout, place: RefObject<HTMLDivElement | null>) => {
  const { chosen } = useEditing()
  const { stepId } = useLit()
  const { getViewport, setCenter } = useReactFlow()
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false })
  const show = (id: string) => {
    const [box, area] = [layout.boxes.get(id), place.current]
    if (box === undefined || area === null) return
    const { x, y, zoom } = getViewport()
    const [left, top] = [box.x * zoom + x, box.y * zoom + y]
    const [right, bottom] = [left + box.width * zoom, top + box.height * zoom]
    const isSeen = left >= 0 && top >= 0 && right <= area.clientWidth && bottom <= area.clientHeight
    if (isSeen) return
    void setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom, duration: isStill ? 0 : move_ms })
  }
  const latest = useRef(show)
  useEffect(() => {
    latest.current = show
  })
  const chosenId = chosen === null ? null : nodeId("step" in chosen ? chosen.step : null)
  useEffect(() => {
    if (chosenId !== null) latest.current(chosenId)
  }, [chosenId, layout])
  useEffect(() => {
    if (stepId !== null) latest.current(nodeId(stepId))
  }, [stepId])
  return show
}

/** Everything is done by the boxes themselves, and by the keys of the canvas. */
const still = {
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  panActivationKeyCode: null,
  disableKeyboardA11y: true,
  nodesDraggable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  zoomOnDoubleClick: false,
} as const

const Drawn = () => {
  const words = useWords("flows")
  const { choose, edit, isReadOnly, structure } = useEditing()
  const { colorScheme } = useMantineColorScheme()
  const layout = useLayout(structure)
  const nodes = useMemo(() => nodesOf(layout), [layout])
  const edges = useMemo(() => edgesOf(layout, isReadOnly), [layout, isReadOnly])
  const { place, show: showAll } = useFirstView(layout)
  const drop = useDrop(layout)
  const onKeyDown = useCanvasKeys(layout, useSight(layout, place))
  const link = ({ source, sourceHandle, target }: Connection) =>
    edit((before) => connect(before, placeOf(source, sourceHandle), stepIdOf(target)))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it hears the keys of the boxes in it
    <div
      ref={place}
      className="flow-canvas"
      role="group"
      aria-label={words.canvasOf}
      onKeyDown={onKeyDown}
      onDragOver={drop.onDragOver}
      onDragLeave={drop.onDragLeave}
      onDrop={drop.onDrop}
    >
      <VisuallyHidden>{words.canvasText}</VisuallyHidden>
      <DropProvider value={drop.target}>
        <ReactFlow
          {...still}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          colorMode={colorScheme === "auto" ? "system" : colorScheme}
          minZoom={0.2}
          maxZoom={1.5}
          nodesConnectable={!isReadOnly}
          connectionRadius={connection_radius_px}
          connectionLineType={ConnectionLineType.SmoothStep}
          isValidConnection={({ source, target }) =>
            source !== target && stepOf(structure, stepIdOf(target)) !== undefined
          }
          onConnect={link}
          onReconnect={(_, next) => link(next)}
          onInit={showAll}
          onPaneClick={() => choose(null)}
        >
          <Background gap={18} size={1} />
          <Zoom onAll={showAll} />
          {!isReadOnly && (
            <Panel position="top-left">
              <Palette layout={layout} />
            </Panel>
          )}
          {structure.steps.length > mapped_above && (
            <MiniMap pannable zoomable position="bottom-left" ariaLabel={words.map} nodeBorderRadius={8} />
          )}
        </ReactFlow>
      </DropProvider>
    </div>
  )
}

export const Canvas = () => (
  <ReactFlowProvider>
    <Drawn />
  </ReactFlowProvider>
)
