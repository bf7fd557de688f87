// Layout of boxes and edges: by dagre, or in one column for large graphs.
import { Graph, layout } from "@dagrejs/dagre"

interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Placed extends Size {
  /** Centers of the boxes, in the order of the input. */
  readonly nodes: ReadonlyArray<Size & Point>
  readonly edges: ReadonlyArray<{ readonly points: ReadonlyArray<Point>; readonly label: Point | null }>
}

export interface Wire {
  /** Indexes of nodes. */
  readonly from: number
  readonly to: number
  /** 0 without a label. */
  readonly label_width: number
}

const label_height = 20
const margin = 24

/** Points from top to bottom. */
export const laidOut = (sizes: ReadonlyArray<Size>, wires: ReadonlyArray<Wire>): Placed =>
  tangle(wires) > tangle_max ? ladder(sizes, wires) : layered(sizes, wires)

/**
 * An estimate of dagre's running time: edges and the rows that they pass. 100 steps in a row have a cost of 200 and take 50 ms.
 * 100 steps with random edges have a cost of 10,000 and would block other requests for 5 seconds.
 */
const tangle = (wires: ReadonlyArray<Wire>): number =>
  wires.reduce((sum, { from, to }) => sum + 1 + Math.abs(to - from), 0)
const tangle_max = 300

/** Nodes are named by index, not by step id. */
const layered = (sizes: ReadonlyArray<Size>, wires: ReadonlyArray<Wire>): Placed => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: "TB", nodesep: 40, ranksep: 44, edgesep: 24, marginx: margin, marginy: margin })
  for (const [index, { width, height }] of sizes.entries()) graph.setNode(String(index), { width, height })
  for (const [index, { from, to, label_width }] of wires.entries()) {
    const label = label_width === 0 ? {} : ({ width: label_width, height: label_height, labelpos: "c" } as const)
    graph.setEdge({ v: String(from), w: String(to), name: String(index) }, label)
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const nodes = sizes.map((size, index) => ({ ...size, ...placeOf(graph.node(String(index))) }))
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes,
    edges: wires.map(({ from, to, label_width }, index) => {
      const edge = graph.edge({ v: String(from), w: String(to), name: String(index) })
      const { points = [] } = edge
      const joined = from === to ? joinedTo(nodes[from], points) : points
      return { points: joined, label: label_width === 0 ? null : placeOf(edge) }
    }),
  }
}

/** An edge from a box to itself, which dagre draws apart from the box. */
const joinedTo = (node: (Size & Point) | undefined, points: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  if (node === undefined) return points
  const [x, quarter] = [node.x + node.width / 2, node.height / 4]
  return [{ x, y: node.y - quarter }, ...points.slice(1, -1), { x, y: node.y + quarter }]
}

const placeOf = ({ x = 0, y = 0 }: Partial<Point>): Point => ({ x, y })

const rung_gap = 40
const lane_gap = 12
/** Labels are next to the source of their edge, one below the other. */
const labels_width = 84

/** All boxes in one column. Edges run down on the right and up on the left, each in its own lane. */
const ladder = (sizes: ReadonlyArray<Size>, wires: ReadonlyArray<Wire>): Placed => {
  const lanes = lanesOf(wires)
  const widest = Math.max(0, ...sizes.map(({ width }) => width))
  const room = (side: "left" | "right") =>
    labels_width +
    lane_gap * (1 + lanes.filter((lane) => lane.side === side).reduce((max, { at }) => Math.max(max, at), 0))
  const x = margin + room("left") + widest / 2
  let below = margin
  const nodes = sizes.map((size) => {
    const y = below + size.height / 2
    below += size.height + rung_gap
    return { ...size, x, y }
  })
  const left = new Map<number, number>()
  return {
    width: Math.ceil(x + widest / 2 + room("right") + margin),
    height: Math.ceil(below - rung_gap + margin),
    nodes,
    edges: wires.map(({ from, to, label_width }, index) => {
      const [start, end, lane] = [nodes[from], nodes[to], lanes[index]]
      if (start === undefined || end === undefined || lane === undefined) return { points: [], label: null }
      const sign = lane.side === "right" ? 1 : -1
      const many = left.get(from) ?? 0
      left.set(from, many + 1)
      const beside = x + (sign * widest) / 2
      const at = beside + sign * (labels_width + lane_gap * lane.at)
      // Edges enter at the top and leave below, so that no arrow ends under a label.
      const [out, into] = [start.y - 12 + many * label_height, end.y - end.height / 2 + 6]
      return {
        points: [
          { x: beside, y: out },
          { x: at, y: out },
          { x: at, y: into },
          { x: beside, y: into },
        ],
        label: label_width === 0 ? null : { x: beside + sign * (8 + label_width / 2), y: out },
      }
    }),
  }
}

interface Lane {
  readonly side: "left" | "right"
  readonly at: number
}

/** The innermost free lane; short edges choose first. */
const lanesOf = (wires: ReadonlyArray<Wire>): ReadonlyArray<Lane> => {
  const lanes = wires.map((): Lane => ({ side: "right", at: 0 }))
  const taken = {
    left: new Array<Array<readonly [number, number]>>(),
    right: new Array<Array<readonly [number, number]>>(),
  }
  const bySpan = [...wires.entries()].sort(([, a], [, b]) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from))
  for (const [index, { from, to }] of bySpan) {
    const side = to > from ? "right" : "left"
    const [low, high] = [Math.min(from, to), Math.max(from, to)]
    const free = taken[side].findIndex((ways) => ways.every(([a, b]) => b < low || a > high))
    const at = free < 0 ? taken[side].length : free
    ;(taken[side][at] ??= []).push([low, high])
    lanes[index] = { side, at }
  }
  return lanes
}
