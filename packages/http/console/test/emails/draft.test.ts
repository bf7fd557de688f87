// Tests of drafts: what is changed, what follows the stored state, and what a tab stores.
import { describe, expect, it } from "vitest"
import { begin, changesOf, fromStored, isChanged, rebased, saved, toStored } from "../../src/emails/draft.ts"

const fields = { name: "Sale", subject: "Hi", preview_text: "", from_name: "", from_address: "", reply_to_email: "" }
const base = { html: "<p>one</p>", design: null, fields }

describe("a draft", () => {
  it("has the parts that differ from the stored ones as its changes", () => {
    const draft = { ...begin(base), html: "<p>two</p>", fields: { ...fields, subject: "Hello" } }
    expect(changesOf(draft)).toEqual({ html: "<p>two</p>", design: null, fields: { subject: "Hello" } })
    expect([isChanged(draft), isChanged(begin(base))]).toEqual([true, false])
  })

  it("follows another stored state where the person changed nothing", () => {
    const draft = { ...begin(base), fields: { ...fields, subject: "Hello" } }
    const next = { html: "<p>new</p>", design: null, fields: { ...fields, name: "Autumn", subject: "Theirs" } }
    expect(rebased(draft, next)).toEqual({
      base: next,
      html: "<p>new</p>",
      design: null,
      fields: { ...next.fields, subject: "Hello" },
    })
    expect(rebased({ ...begin(base), html: "<p>mine</p>" }, next)).toMatchObject({ base: next, html: "<p>mine</p>" })
  })

  it("keeps what is typed while it is saved as a change", () => {
    const sent = { ...begin(base), html: "<p>two</p>" }
    const typed = { ...sent, html: "<p>two!</p>" }
    expect(isChanged(saved(sent, changesOf(sent)))).toBe(false)
    expect(changesOf(saved(typed, changesOf(sent)))).toEqual({ html: "<p>two!</p>", design: null, fields: {} })
  })

  it("comes back from the storage of the tab over the newest stored state", () => {
    const draft = { ...begin(base), html: "<p>two</p>", fields: { ...fields, subject: "" } }
    const newer = { ...base, fields: { ...fields, name: "Autumn" } }
    const back = fromStored(toStored(draft), newer)
    expect(back).toEqual({ base: newer, html: "<p>two</p>", design: null, fields: { ...newer.fields, subject: "" } })
    expect(toStored(begin(base))).toBeNull()
  })

  it("has the design with its HTML: a change of one is a change of both", () => {
    const design = { editor: "blocks", document: { type: "doc" } }
    const draft = { ...begin(base), html: "<p>built</p>", design }
    expect(changesOf(draft)).toEqual({ html: "<p>built</p>", design, fields: {} })
    expect(saved(draft, changesOf(draft)).base.design).toBe(design)
    expect(fromStored(toStored(draft), base)).toEqual(draft)
    const byHand = { ...begin({ ...base, design }), html: "<p>typed</p>", design: null }
    expect(changesOf(byHand).design).toBeNull()
    expect(rebased(begin(base), { ...base, design }).design).toBe(design)
  })

  it("ignores what is not readable in the storage", () => {
    for (const text of [null, "", "{", "[]", "null", '{"html":1,"fields":{"subject":2,"other":"x"}}']) {
      expect(fromStored(text, base)).toEqual(begin(base))
    }
  })
})
