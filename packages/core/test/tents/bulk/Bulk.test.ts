import { assert, it } from "@effect/vitest"
import { ApprovalId, BulkJobId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { BulkChange, type BulkRequest, progressOf } from "@tentpole/core/tents/bulk/Bulk"
import { readBulkItem } from "@tentpole/core/tents/bulk/BulkItem"
import { page_prompt_length_max } from "@tentpole/core/tents/Tent"
import { Schema } from "effect"
import { at, completed, generating, queued } from "../TentFixture.ts"

const some = "3f0a1b52-9c1e-4d55-8a77-0123456789"
const tentIds = Array.from({ length: 25 }, (_, index) => TentId.make(`${some}${String(index).padStart(2, "0")}`))

const admit = (
  items: ReadonlyArray<unknown>,
  {
    credits = 100,
    html = "<p>x</p>",
    ...over
  }: Omit<Partial<BulkRequest>, "items"> & { readonly credits?: number; readonly html?: string } = {},
) => {
  const request: BulkRequest = {
    template: { id: TentTemplateId.make(`${some}ff`), approvalId: ApprovalId.make(`${some}fe`) },
    clientJobDescriptor: null,
    defaultTentNamePrefix: null,
    startIndex: 1,
    autoPublish: false,
    reasoning: null,
    metadata: null,
    createdByName: "a key",
    ...over,
    items: items.map((item) => readBulkItem(item, { autoPublish: over.autoPublish ?? false })),
  }
  return BulkChange.admit({ id: BulkJobId.make(`${some}fd`), request, html, credits, tentIds, now: at(5) })
}

const faultOf = (item: unknown, autoPublish = true): string => {
  const read = readBulkItem(item, { autoPublish })
  return read.read === null ? read.fault : ""
}

it("Bulk items that leave a variable of the template without a value are rejected by its name", () => {
  const items = [
    { input_data: { city: "Bern" } },
    { input_data: { town: "Bern" } },
    { instructions: "for {{api.day}}" },
  ]
  const { items: results } = admit(items, { html: "<h1>{{api.city}}</h1>" }).job
  assert.deepStrictEqual(
    results.map((item) => (item.status === "rejected" ? item.message : item.status)),
    [
      "accepted",
      "No value for {{api.city}}. Give it in input_data",
      "No value for {{api.city}}, {{api.day}}. Give it in input_data",
    ],
  )
})

it("Bulk names come from the prefix, else the descriptor, and number every item", () => {
  const names = (over: Parameters<typeof admit>[1]) =>
    admit(
      [{ instructions: "x" }, {}, { instructions: "x", tent_name: "Own" }, { instructions: "x" }],
      over,
    ).job.items.map(({ tentName }) => tentName)
  assert.deepStrictEqual(names({}), ["Bulk Tent (1)", "Bulk Tent (2)", "Own", "Bulk Tent (4)"])
  assert.strictEqual(names({ clientJobDescriptor: "Job" })[0], "Job (1)")
  const both = { clientJobDescriptor: "Job", defaultTentNamePrefix: "City", startIndex: 9 }
  assert.deepStrictEqual(names(both), ["City (9)", "City (10)", "Own", "City (12)"])
})

it("Bulk prompts have the data first, line by line, then the instructions", () => {
  const item = { input_data: { city: "Ulm", floors: [1, 2], note: null }, instructions: "Use blue" }
  const { read } = readBulkItem(item, { autoPublish: false })
  assert.strictEqual(read?.prompt, "city: Ulm\nfloors: [1,2]\nnote: null\n\nUse blue")
  assert.strictEqual(readBulkItem({ instructions: "Only" }, { autoPublish: false }).read?.prompt, "Only")
})

it("Bulk items report all faults at once with their place", () => {
  for (const [item, ...words] of [
    [{}, "input_data or instructions is needed"],
    [{ input_data: {}, instructions: " \n" }, "input_data or instructions is needed"],
    [{ input_data: "text", colour: 1, include_brand: "yes" }, "input_data", "colour is not a field", "include_brand"],
    [{ input_data: [1] }, "input_data"],
    [{ instructions: "x", custom_page_alias: "Not OK", tent_name: " " }, "custom_page_alias must", "tent_name must"],
    [{ instructions: "x".repeat(page_prompt_length_max), input_data: { a: 1 } }, "together"],
    ["text", "the item"],
    [null, "the item"],
    [[], "the item"],
  ] as const) {
    const fault = faultOf(item)
    for (const word of words) assert.include(fault, word)
  }
  assert.include(faultOf({ instructions: "x", custom_page_alias: "ok" }, false), "needs auto_publish")
  assert.strictEqual(faultOf({ instructions: "x", custom_page_alias: "ok" }), "")
})

it("A rejected item includes its client_item_id", () => {
  const [item] = admit([{ client_item_id: "ö", custom_page_alias: "A", colour: 1 }]).job.items
  assert.deepInclude(item, { status: "rejected", clientItemId: "ö", customPageAlias: "A", code: "INVALID_ITEM" })
  assert.strictEqual(readBulkItem({ client_item_id: 5 }, { autoPublish: false }).clientItemId, null)
})

it("Bulk items with one alias each get an alias of their own, in the order of the request", () => {
  const items = ["a", "b", "a", "a", "/", "/"].map((alias) => ({ instructions: "x", custom_page_alias: alias }))
  const { job, tents } = admit(items, { autoPublish: true })
  assert.deepStrictEqual(
    job.items.map(({ customPageAlias }) => customPageAlias),
    ["a", "b", "a-2", "a-3", "/", null],
  )
  assert.deepStrictEqual(
    tents.map(({ after }) => [String(after?.publication?.requestedAlias), after?.request?.aliasTurn]),
    [
      ["a", 1],
      ["b", 1],
      ["a", 2],
      ["a", 3],
      ["/", 1],
      ["/", 2],
    ],
  )
})

const Draw = Schema.Literals(["right", "wrong", "aliased"])

it.prop(
  "Bulk jobs have a result for each item in its place, and take as many credits as they create tents",
  [
    Schema.Array(Draw).check(Schema.isMinLength(1), Schema.isMaxLength(25)),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
  ],
  ([draws, credits]) => {
    const items = draws.map(
      (draw) =>
        ({
          right: { instructions: "x" },
          wrong: { colour: 1 },
          aliased: { instructions: "x", custom_page_alias: "same" },
        })[draw],
    )
    const change = admit(items, { credits, autoPublish: true })
    const results = change.job.items
    assert.deepStrictEqual(
      results.map(({ index }) => index),
      draws.map((_, index) => index),
    )
    const fit = draws.filter((draw) => draw !== "wrong").length
    const made = results.flatMap((item) => (item.status === "accepted" ? [item.tentId] : []))
    assert.strictEqual(made.length, Math.min(fit, credits))
    assert.strictEqual(change.credits_taken, made.length)
    assert.deepStrictEqual(
      change.tents.map(({ after }) => after?.id),
      made,
    )
    assert.strictEqual(new Set(change.tents.flatMap(({ jobs }) => jobs.map(({ id }) => id))).size, made.length)
    // Credits go to the first items that can have them.
    const codes = results.flatMap((item) =>
      item.status === "rejected" && item.code === "INSUFFICIENT_CREDITS" ? [item.index] : [],
    )
    const last = results.findLast((item) => item.status === "accepted")?.index ?? -1
    for (const index of codes) assert.isAbove(index, last)
    const wanted = results.flatMap((item) => (item.status === "accepted" ? (item.customPageAlias ?? []) : []))
    assert.strictEqual(new Set(wanted).size, wanted.length)
  },
)

it("A bulk job is accepted until a tent is started, and completed when none is left", () => {
  assert.deepStrictEqual(progressOf([]), { status: "completed", completed_count: 0, failed_count: 0 })
  assert.strictEqual(progressOf([queued(), queued()]).status, "accepted")
  assert.strictEqual(progressOf([queued(), completed()]).status, "running")
  assert.strictEqual(progressOf([generating()]).status, "running")
  assert.deepStrictEqual(progressOf([completed(), completed()]), {
    status: "completed",
    completed_count: 2,
    failed_count: 0,
  })
})
