// As much of dagre as is used here. Its own declarations import one another without file endings, which nothing finds.
declare module "@dagrejs/dagre" {
  interface Point {
    readonly x: number
    readonly y: number
  }
  interface GraphLabel {
    readonly rankdir?: "TB"
    readonly nodesep?: number
    readonly ranksep?: number
    readonly edgesep?: number
    readonly marginx?: number
    readonly marginy?: number
    readonly ranker?: "network-simplex" | "tight-tree" | "longest-path"
    /** Of the whole, once it is laid out. */
    readonly width?: number
    readonly height?: number
  }
  interface NodeLabel {
    readonly width: number
    readonly height: number
    /** Of its middle, once it is laid out. */
    readonly x?: number
    readonly y?: number
  }
  interface EdgeLabel {
    readonly width?: number
    readonly height?: number
    readonly labelpos?: "c"
    /** Once it is laid out. */
    readonly points?: ReadonlyArray<Point>
    /** Of its label's middle. */
    readonly x?: number
    readonly y?: number
  }
  interface Edge {
    readonly v: string
    readonly w: string
    readonly name: string
  }
  export class Graph {
    constructor(options: { readonly multigraph: boolean })
    setGraph(label: GraphLabel): this
    graph(): GraphLabel
    setNode(name: string, label: NodeLabel): this
    node(name: string): NodeLabel
    setEdge(edge: Edge, label: EdgeLabel): this
    edge(edge: Edge): EdgeLabel
  }
  /** Writes places into the graph's labels. */
  export function layout(graph: Graph): void
}
