// Tests of the SVG image of flows.
import { readStructure } from "@tentpole/core/flows/definition/FlowInput"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { drawing } from "@tentpole/http/api/flows/drawing/FlowDrawing"
import { laidOut } from "@tentpole/http/api/flows/drawing/FlowLayout"
import { widthOf, wrapped } from "@tentpole/http/api/flows/drawing/Lettering"
import { DateTime, Result } from "effect"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { assert, describe, it } from "vitest"

const counted = (body: object, counts: ReadonlyMap<string, number> = new Map()) => {
  const { name = "Welcome", ...parts }: { readonly name?: string } = body
  const structure = Result.getOrThrow(readStructure(parts))
  const at = DateTime.makeUnsafe(0)
  const id = FlowId.make("00000000-0000-4000-8000-000000000000")
  const lifecycle = { status: "draft" } as const
  const flow = { id, name, description: null, structure, revision: 1, lifecycle, createdAt: at, updatedAt: at }
  return { flow, counts }
}

const wait = (step_id: string, next_step_id: string | null, label: string | null = null) => ({
  type: "wait",
  step_id,
  label,
  duration_amount: 1,
  duration_unit: "days",
  next_step_id,
})
const check = (step_id: string, edges: object) => ({ type: "condition_check", step_id, ...edges })

/** All elements with their attributes, and all texts, as an HTML parser reads them. */
const elementsOf = (svg: string) => {
  const found: Array<{ readonly name: string; readonly attributes: ReadonlyMap<string, string>; text: string }> = []
  const visit = (node: DefaultTreeAdapterTypes.ChildNode, above?: (typeof found)[number]) => {
    if (node.nodeName === "#text" && "value" in node && above !== undefined) above.text += node.value
    if (!("attrs" in node)) return
    const element = {
      name: node.nodeName,
      attributes: new Map(node.attrs.map((each) => [each.name, each.value])),
      text: "",
    }
    found.push(element)
    for (const child of node.childNodes) visit(child, element)
  }
  for (const node of parseFragment(svg).childNodes) visit(node)
  return found
}

describe("drawing of a flow", () => {
  it("shows every step with its label, action, edges and members", () => {
    const svg = drawing(
      counted(
        {
          triggers: [{ type: "contact_created" }],
          steps: [
            wait("rest", "which", "A rest"),
            check("which", { true_step_id: "end", false_step_id: "rest", default_step_id: "nowhere" }),
            wait("end", null),
          ],
        },
        new Map([["rest", 12_345]]),
      ),
    )
    const elements = elementsOf(svg)
    const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text)
    assert.deepStrictEqual([...texts].sort(), [
      "12,345",
      "A rest",
      "Condition",
      "Entry",
      "Wait 1 day",
      "Wait 1 day",
      "contact created, by hand",
      "end",
      "false",
      "true",
      "which",
    ])
    const [root, title, desc] = elements
    assert.strictEqual(root?.attributes.get("role"), "img")
    assert.strictEqual(root?.attributes.get("aria-labelledby"), "title desc")
    assert.deepStrictEqual([title?.attributes.get("id"), title?.text], ["title", "Flow: Welcome"])
    assert.include(desc?.text, "which: Condition, true: end, false: rest, default: nowhere; 0 here.")
  })

  it("escapes texts and replaces characters that XML can't contain", () => {
    const hostile = `</text><script>alert(1)</script>"'& \u0001\ufffe`
    const svg = drawing(counted({ name: hostile, steps: [wait(hostile, hostile, hostile), wait("__proto__", null)] }))
    const elements = elementsOf(svg)
    assert.notInclude(svg, "<script")
    // oxlint-disable-next-line no-control-regex -- the test looks for them
    assert.notMatch(svg, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
    assert.deepStrictEqual(
      new Set(elements.map(({ name }) => name)),
      new Set(["svg", "title", "desc", "style", "defs", "marker", "path", "g", "rect", "text"]),
    )
    for (const { attributes } of elements) {
      for (const [name, value] of attributes) {
        assert.notMatch(name, /^on|href/)
        assert.notMatch(value, /NaN|undefined|alert/)
      }
    }
    assert.include(elements.find(({ name }) => name === "title")?.text, `</text><script>alert(1)</script>"'& `)
  })

  it("draws a flow without steps", () => {
    assert.include(drawing(counted({ manual_membership_enabled: false })), "no trigger")
  })
})

describe("layout of a flow", () => {
  const size = { width: 100, height: 64 }
  const sizes = (count: number) => Array.from({ length: count }, () => size)
  const wire = (from: number, to: number) => ({ from, to, label_width: 40 })

  /** Boxes do not overlap, the drawing fits the page, and every edge connects its boxes. */
  const holds = (
    { width, height, nodes, edges }: ReturnType<typeof laidOut>,
    wires: ReadonlyArray<ReturnType<typeof wire>>,
  ) => {
    for (const [index, a] of nodes.entries()) {
      assert.isTrue(a.x - a.width / 2 >= 0 && a.x + a.width / 2 <= width, "on the page")
      assert.isTrue(a.y - a.height / 2 >= 0 && a.y + a.height / 2 <= height, "on the page")
      for (const b of nodes.slice(index + 1)) {
        assert.isTrue(Math.abs(a.x - b.x) >= 100 || Math.abs(a.y - b.y) >= 64, "beside one another")
      }
    }
    for (const [index, { points, label }] of edges.entries()) {
      const { from = 0, to = 0 } = wires[index] ?? {}
      assert.isNotNull(label)
      for (const [node, point] of [
        [nodes[from], points[0]],
        [nodes[to], points.at(-1)],
      ] as const) {
        assert(node !== undefined && point !== undefined)
        const [dx, dy] = [Math.abs(node.x - point.x) - node.width / 2, Math.abs(node.y - point.y) - node.height / 2]
        assert.isTrue(Math.max(dx, dy) <= 1, `at its box: ${dx} ${dy}`)
      }
      for (const { x, y } of points) assert.isTrue(x >= 0 && x <= width && y >= 0 && y <= height, "on the page")
    }
  }

  it("places boxes without overlap and connects edges, in layers and in one column", () => {
    const some = [wire(0, 1), wire(0, 2), wire(1, 3), wire(2, 3), wire(3, 0), wire(3, 3), wire(0, 1)]
    holds(laidOut(sizes(4), some), some)
    const tangled = Array.from({ length: 300 }, (_, n) => wire(n % 100, (n * 37 + 11) % 100))
    const ladder = laidOut(sizes(100), tangled)
    assert.strictEqual(new Set(ladder.nodes.map(({ x }) => x)).size, 1)
    holds(ladder, tangled)
  })

  it("separates the edges of a column layout", () => {
    const tangled = Array.from({ length: 60 }, (_, n) => wire(n % 30, (n * 17 + 5) % 30))
    const stretches = laidOut(sizes(30), tangled).edges.map(({ points }) => {
      const [, a, b] = points
      assert(a !== undefined && b !== undefined)
      return { x: a.x, low: Math.min(a.y, b.y), high: Math.max(a.y, b.y) }
    })
    for (const [index, a] of stretches.entries()) {
      for (const b of stretches.slice(index + 1)) {
        assert.isTrue(a.x !== b.x || a.high < b.low || b.high < a.low)
      }
    }
  })
})

describe("lettering of a flow", () => {
  it("fits lines to the width and marks omitted text", () => {
    for (const text of ["short", "a ".repeat(200), "x".repeat(500), "世界".repeat(80), "👩‍👩‍👧".repeat(40), "", " \n "]) {
      const lines = wrapped(text, 200, 3)
      assert.isAtMost(lines.length, 3)
      for (const line of lines) assert.isAtMost(widthOf(line), 200)
      const whole = text.trim().replaceAll(/\s+/gu, "")
      const shown = lines.join("").replaceAll(/\s+/gu, "")
      assert.strictEqual(shown.endsWith("…"), shown !== whole)
      assert.isTrue(whole.startsWith(shown.replace(/…$/u, "")))
    }
  })
})
