// SVG image of a flow. It has no scripts, follows the reader's light or dark mode, and has a text alternative.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { FlowStepCounts } from "@tentpole/core/flows/Flows"
import { edgesBetween, type EdgeKind, edgesOf } from "@tentpole/core/flows/definition/Graph"
import { durationOf, type Step, type StepType, type Duration, timeoutOf } from "@tentpole/core/flows/definition/Step"
import { laidOut, type Placed } from "./FlowLayout.ts"
import { widthOf, wrapped } from "./Lettering.ts"

const node_width = 230
const padding = 14
const line_height = 18
const title_lines_max = 3

/** Texts of a box. */
interface Box {
  readonly title: ReadonlyArray<string>
  readonly subtitle: string
  readonly kind: StepType | "entry"
  readonly count: number
}

const nouns: { readonly [Type in StepType]: string } = {
  send_email: "Send email",
  wait: "Wait",
  condition_check: "Condition",
  create_email: "Create email",
  create_tent: "Create page",
}

const durationText = ({ amount, unit }: Duration): string =>
  `${amount ?? "?"} ${amount === 1 ? (unit?.slice(0, -1) ?? "?") : (unit ?? "?")}`

const subtitleOf = (step: Step): string => {
  if (step.type !== "wait") return nouns[step.type]
  if (step.mode === "duration") return `Wait ${durationText(durationOf(step))}`
  const timeout = timeoutOf(step)
  return timeout.amount === null && timeout.unit === null
    ? "Wait until"
    : `Wait until, at most ${durationText(timeout)}`
}

/** Text for XML, without control characters, which XML can't contain. */
const xml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  escapeHtml(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd"))

const heightOf = ({ title }: Box): number => 2 * padding + (title.length + 1) * line_height

const boxOf = (step: Step, count: number): Box => ({
  title: wrapped(step.label ?? step.step_id, node_width - 2 * padding, title_lines_max),
  subtitle: subtitleOf(step),
  kind: step.type,
  count,
})

const entryOf = ({ structure }: FlowStepCounts["flow"]): Box => {
  const types = [...new Set(structure.triggers.map(({ type }) => type.replaceAll("_", " ")))]
  const ways = [...types, ...(structure.manual_membership_enabled ? ["by hand"] : [])]
  return {
    title: wrapped(ways.join(", ") || "no trigger", node_width - 2 * padding, title_lines_max),
    subtitle: "Entry",
    kind: "entry",
    count: 0,
  }
}

/** The SVG document. */
export const drawing = ({ flow, counts }: FlowStepCounts): string => {
  const { steps } = flow.structure
  const boxes = [entryOf(flow), ...steps.map((step) => boxOf(step, counts.get(step.step_id) ?? 0))]
  const places = new Map(steps.map(({ step_id: id }, index) => [id, index + 1]))
  const wires = [
    ...(steps.length === 0 ? [] : [{ from: 0, to: 1, kind: "next" as const }]),
    ...edgesBetween(steps).map(({ from, to, kind }) => ({
      from: places.get(from) ?? 0,
      to: places.get(to) ?? 0,
      kind,
    })),
  ]
  const placed = laidOut(
    boxes.map((box) => ({ width: node_width, height: heightOf(box) })),
    wires.map(({ from, to, kind }) => ({ from, to, label_width: kind === "next" ? 0 : widthOf(kind) + 12 })),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" lang="en"`,
    ` width="${placed.width}" height="${placed.height}" viewBox="0 0 ${placed.width} ${placed.height}">`,
    `<title id="title">${xml(`Flow: ${flow.name}`)}</title>`,
    `<desc id="desc">${xml(inWords({ flow, counts }))}</desc>`,
    `<style>${style}</style>`,
    `<defs>${arrowhead}</defs>`,
    ...placed.edges.map((edge, index) => edgeSvg(edge, wires[index]?.kind ?? "next")),
    ...placed.nodes.map((node, index) => {
      const box = boxes[index]
      return box === undefined ? "" : boxSvg(box, node)
    }),
    `</svg>`,
  ].join("\n")
}

/** The text alternative for screen readers. */
const inWords = ({ flow, counts }: FlowStepCounts): string => {
  const { steps } = flow.structure
  if (steps.length === 0) return "The flow has no steps."
  const lines = steps.map((step) => {
    const ways = edgesOf(step).map(({ kind, to }) => (kind === "next" ? `then ${to}` : `${kind}: ${to}`))
    const members = counts.get(step.step_id) ?? 0
    return `${step.step_id}: ${subtitleOf(step)}${ways.length === 0 ? ", the end" : `, ${ways.join(", ")}`}; ${members} here.`
  })
  return `Members enter at ${steps[0]?.step_id ?? ""}. ${lines.join(" ")}`
}

const round = (value: number): number => Math.round(value * 10) / 10

const boxSvg = ({ title, subtitle, kind, count }: Box, { x, y, width, height }: Placed["nodes"][number]): string => {
  const [left, top] = [round(x - width / 2), round(y - height / 2)]
  const line = (text: string, index: number, of: string) =>
    `<text class="${of}" x="${left + padding}" y="${round(top + padding + (index + 0.75) * line_height)}">${xml(text)}</text>`
  return [
    `<g class="node ${kind}">`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="10"/>`,
    line(subtitle, 0, "kind"),
    ...title.map((text, index) => line(text, index + 1, "title")),
    ...(count === 0 ? [] : [countSvg(count, left + width, top)]),
    `</g>`,
  ].join("")
}

/** The number of members at the step, at the corner of its box. */
const countSvg = (count: number, right: number, top: number): string => {
  const text = count.toLocaleString("en-US")
  const width = widthOf(text) + 18
  const left = round(right - width - padding / 2)
  return `<g class="count"><rect x="${left}" y="${top - 11}" width="${width}" height="22" rx="11"/><text x="${round(left + width / 2)}" y="${round(top + 4.5)}" text-anchor="middle">${text}</text></g>`
}

const edgeSvg = ({ points, label }: Placed["edges"][number], kind: EdgeKind): string => {
  const path = `<path class="${kind}" d="${smooth(points)}" marker-end="url(#arrow)"/>`
  if (kind === "next" || label === null) return path
  const width = widthOf(kind) + 12
  const { x, y } = label
  return `${path}<g class="label ${kind}"><rect x="${round(x - width / 2)}" y="${round(y - 10)}" width="${width}" height="20" rx="5"/><text x="${round(x)}" y="${round(y + 4)}" text-anchor="middle">${kind}</text></g>`
}

/** A path through the middles of the segments, with curves at the points between them. */
const smooth = (points: ReadonlyArray<{ readonly x: number; readonly y: number }>): string => {
  const at = ({ x, y }: { readonly x: number; readonly y: number }) => `${round(x)} ${round(y)}`
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ""
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last
    return ` Q${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`
  })
  return `M${at(first)}${bends.join("")} L${at(last)}`
}

const arrowhead = `<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0 L10 5 L0 10 z"/></marker>`

const style = `
svg { color-scheme: light dark; background: #ffffff; font: 13px system-ui, sans-serif; }
text { unicode-bidi: isolate; }
path { fill: none; stroke: #64748b; stroke-width: 1.5; }
path.true { stroke: #15803d; } path.false { stroke: #b91c1c; } path.default, path.timeout { stroke-dasharray: 5 4; }
path.head { fill: #64748b; stroke: none; }
.node > rect { fill: #f8fafc; stroke: #94a3b8; }
.node.entry > rect { fill: #ecfdf5; stroke: #34d399; } .node.condition_check > rect { fill: #fffbeb; stroke: #f59e0b; }
.node.send_email > rect { fill: #eff6ff; stroke: #60a5fa; }
.kind { fill: #475569; font-size: 12px; } .title { fill: #0f172a; font-weight: 600; }
.label rect { fill: #ffffff; } .label text { fill: #334155; font-size: 12px; }
.count rect { fill: #1d4ed8; stroke: none; } .count text { fill: #ffffff; font-size: 12px; font-weight: 600; }
@media (prefers-color-scheme: dark) {
svg { background: #0f172a; }
path { stroke: #94a3b8; } path.true { stroke: #4ade80; } path.false { stroke: #f87171; } path.head { fill: #94a3b8; }
.node > rect { fill: #1e293b; stroke: #64748b; }
.node.entry > rect { fill: #064e3b; } .node.condition_check > rect { fill: #422006; } .node.send_email > rect { fill: #172554; }
.kind { fill: #cbd5e1; } .title { fill: #f8fafc; }
.label rect { fill: #0f172a; } .label text { fill: #e2e8f0; }
.count rect { fill: #93c5fd; } .count text { fill: #0f172a; }
}
`
