// The part of dagre that is used here. Its own declarations do not resolve: they import each other without file extensions.
declare module "@dagrejs/dagre" {
  /** The label of a node, an edge or the whole graph. `layout` adds positions. */
  interface Label {
    readonly width?: number
    readonly height?: number
    readonly labelpos?: "c"
    /** Of the middle. */
    readonly x?: number
    readonly y?: number
    /** Of an edge. */
    readonly points?: ReadonlyArray<{ readonly x: number; readonly y: number }>
  }
  interface Edge {
    readonly v: string
    readonly w: string
    readonly name: string
  }
  export class Graph {
    constructor(options: { readonly multigraph: boolean })
    setGraph(options: {
      readonly rankdir: "TB"
      readonly nodesep: number
      readonly ranksep: number
      readonly edgesep: number
      readonly marginx: number
      readonly marginy: number
    }): this
    graph(): Label
    setNode(name: string, label: Label): this
    node(name: string): Label
    setEdge(edge: Edge, label: Label): this
    edge(edge: Edge): Label
  }
  export function layout(graph: Graph): void
}
