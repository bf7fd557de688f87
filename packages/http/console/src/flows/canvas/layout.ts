// Places of a flow's boxes and ways on the canvas. They are computed and never stored.
import { Graph, layout } from "@dagrejs/dagre"
import { edgesOf, entry, openPlacesOf, type Place, type Structure } from "../draft/steps.ts"
import { entry_id, nodeId, openId, wireId } from "./ids.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

/** A box; `x` and `y` are its upper left corner. */
export interface Box extends Point {
  readonly id: string
  readonly width: number
  readonly height: number
}

export interface Wire extends Place {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly points: ReadonlyArray<Point>
  /** Where its label and its button are. */
  readonly label: Point
  /** The way ends the flow: there is a place for a step. */
  readonly isOpen: boolean
}

export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>
  readonly wires: ReadonlyArray<Wire>
  readonly width: number
  readonly height: number
}

export const step_width = 236
export const step_height = 68
const trigger_height = 34
const entry_padding = 44
const open_size = 28
const label_width = 72
const label_height = 26

type Drawn = Pick<Wire, "from" | "way" | "source" | "target" | "isOpen">

const boxesOf = ({ steps, triggers }: Structure): ReadonlyArray<Omit<Box, "x" | "y">> => [
  {
    id: entry_id,
    width: step_width + 24,
    height: entry_padding + Math.max(1, triggers.length + 1) * trigger_height,
  },
  ...steps.map(({ step_id }) => ({ id: nodeId(step_id), width: step_width, height: step_height })),
  ...openPlacesOf({ steps, triggers }).map((place) => ({ id: openId(place), width: open_size, height: open_size })),
]

const drawnOf = (structure: Structure): ReadonlyArray<Drawn> => [
  ...edgesOf(structure).map(({ from, to, way }) => ({
    from,
    way,
    source: nodeId(from),
    target: nodeId(to),
    isOpen: false,
  })),
  ...openPlacesOf(structure).map((place) => ({
    ...place,
    source: nodeId(place.from),
    target: openId(place),
    isOpen: true,
  })),
]

/**
 * Dagre's time grows with the rows that ways pass. 100 steps in a row take 50 ms; with ways at random, seconds: such a flow is
 * drawn in one column.
 */
const tangle_max = 400

const tangleOf = (structure: Structure): number => {
  const at = new Map<string | null, number>([
    [null, 0],
    ...structure.steps.map((step, index) => [step.step_id, index] as const),
  ])
  return edgesOf(structure).reduce(
    (sum, { from, to }) => sum + 1 + Math.abs((at.get(to) ?? 0) - (at.get(from) ?? 0)),
    0,
  )
}

interface Found extends Partial<Point> {
  readonly width?: number
  readonly height?: number
  readonly points?: ReadonlyArray<Point>
}

/** What dagre says of a box, a way, or all. Its own types are open. */
const found = (label: unknown): Found => label ?? {}

const layered = (structure: Structure): Layout => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 20, edgesep: 20, marginx: 24, marginy: 24 })
  for (const { height, id, width } of boxesOf(structure)) graph.setNode(id, { width, height })
  const drawn = drawnOf(structure)
  for (const { source, target, way } of drawn) {
    graph.setEdge({ v: source, w: target, name: way }, { width: label_width, height: label_height, labelpos: "c" })
  }
  layout(graph)
  const { height = 0, width = 0 } = found(graph.graph())
  const boxes = boxesOf(structure).map((box) => {
    const { x = 0, y = 0 } = found(graph.node(box.id))
    return { ...box, x: x - box.width / 2, y: y - box.height / 2 }
  })
  return {
    width,
    height,
    boxes: new Map(boxes.map((box) => [box.id, box])),
    wires: drawn.map((wire) => {
      const { points = [], x = 0, y = 0 } = found(graph.edge({ v: wire.source, w: wire.target, name: wire.way }))
      return { ...wire, id: wireId(wire), points: points.map((point) => ({ ...point })), label: { x, y } }
    }),
  }
}

const rung_gap = 56
const lane_gap = 14

/** All boxes one below the other; ways go down on the right and up on the left, each in a lane of its own. */
const inColumn = (structure: Structure): Layout => {
  const [, ...steps] = boxesOf(structure).filter(({ id }) => !id.startsWith("open:"))
  const drawn = drawnOf(structure)
  const side_px = 60 + lane_gap * drawn.length
  const middle = side_px + step_width / 2
  const boxes = new Map<string, Box>()
  let y = 24
  for (const box of [...boxesOf(structure).slice(0, 1), ...steps]) {
    boxes.set(box.id, { ...box, x: middle - box.width / 2, y })
    y += box.height + rung_gap
  }
  const wires = drawn.flatMap((wire, lane) => {
    const source = boxes.get(wire.source)
    if (source === undefined) return []
    if (wire.isOpen) {
      const [x, below] = [source.x + source.width + 34, source.y + source.height - 8]
      boxes.set(wire.target, { id: wire.target, width: open_size, height: open_size, x, y: below - open_size / 2 })
      const from = { x: source.x + source.width, y: below }
      return [{ ...wire, id: wireId(wire), points: [from, { x, y: below }], label: { x: x - 16, y: below } }]
    }
    const target = boxes.get(wire.target)
    if (target === undefined) return []
    const side = target.y > source.y ? 1 : -1
    const beside = (box: Box) => (side === 1 ? box.x + box.width : box.x)
    const x = middle + side * (step_width / 2 + 44 + lane_gap * lane)
    const [out, into] = [source.y + source.height - 12, target.y + 12]
    const points = [
      { x: beside(source), y: out },
      { x, y: out },
      { x, y: into },
      { x: beside(target), y: into },
    ]
    return [{ ...wire, id: wireId(wire), points, label: { x: beside(source) + side * 26, y: out } }]
  })
  return { boxes, wires, width: 2 * side_px + step_width, height: y }
}

export const layoutOf = (structure: Structure): Layout =>
  tangleOf(structure) > tangle_max ? inColumn(structure) : layered(structure)

/** What the places depend on. Texts and fields of steps do not move them. */
export const shapeOf = (structure: Structure): string =>
  JSON.stringify([
    structure.triggers.length,
    structure.steps.map(({ step_id }) => step_id),
    edgesOf(structure).map(({ from, to, way }) => [from, way, to]),
    openPlacesOf(structure).map(({ from, way }) => [from, way]),
  ])

/** The place for a new step that is nearest to a point. */
export const nearestPlace = ({ wires }: Layout, { x, y }: Point): Place => {
  const [nearest] = [...wires].sort(
    (left, right) => Math.hypot(left.label.x - x, left.label.y - y) - Math.hypot(right.label.x - x, right.label.y - y),
  )
  return nearest === undefined ? entry : { from: nearest.from, way: nearest.way }
}

const radius = 10

/** An SVG path through the points with round corners. */
export const pathThrough = (points: ReadonlyArray<Point>): string => {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const parts = rest.map((corner, index) => {
    const next = rest[index + 1]
    const before = index === 0 ? first : (rest[index - 1] ?? first)
    if (next === undefined) return `L${corner.x},${corner.y}`
    const [start, end] = [toward(corner, before), toward(corner, next)]
    return `L${start.x},${start.y}Q${corner.x},${corner.y} ${end.x},${end.y}`
  })
  return [`M${first.x},${first.y}`, ...parts].join("")
}

/** A point on the line from a corner to another one, at most `radius` away. */
const toward = (corner: Point, other: Point): Point => {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y)
  const share = length === 0 ? 0 : Math.min(radius, length / 2) / length
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share }
}

export type Direction = "up" | "down" | "left" | "right"

/** The box to which an arrow key moves: along a way up or down, else the nearest one on that side. */
export const neighbourOf = ({ boxes, wires }: Layout, id: string, direction: Direction): string | null => {
  const ways = wires.filter(({ isOpen }) => !isOpen)
  const along =
    direction === "down"
      ? ways.find(({ source }) => source === id)?.target
      : direction === "up"
        ? ways.find(({ target }) => target === id)?.source
        : undefined
  if (along !== undefined) return along
  const from = boxes.get(id)
  if (from === undefined) return null
  const sign = direction === "right" || direction === "down" ? 1 : -1
  const [middleX, middleY] = [from.x + from.width / 2, from.y + from.height / 2]
  const others = [...boxes.values()].flatMap((box) => {
    if (box.id === id || box.id.startsWith("open:")) return []
    const [dx, dy] = [box.x + box.width / 2 - middleX, box.y + box.height / 2 - middleY]
    const [along_px, across_px] = direction === "left" || direction === "right" ? [dx, dy] : [dy, dx]
    return along_px * sign > 1 ? [{ id: box.id, cost: Math.abs(along_px) + 3 * Math.abs(across_px) }] : []
  })
  return others.sort((left, right) => left.cost - right.cost)[0]?.id ?? null
}
