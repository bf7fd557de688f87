// Tests of the checks beneath a preview.
import { describe, expect, it } from "vitest"
import {
  checksOf,
  type Facts,
  linksIn,
  offersUnsubscribe,
  picturesIn,
  shown_bytes_max,
} from "../../src/emails/checks.ts"

const facts: Facts = {
  bytes: 1_000,
  links: [{ url: "https://a.example/", text: "Shop" }],
  pictures: { all: 1, withoutAlt: 0 },
  unresolved: [],
  offersUnsubscribe: false,
  fromAddress: "ann@example.org",
}

const toneOf = (name: string, changed: Partial<Facts> = {}) =>
  checksOf({ ...facts, ...changed }).find((check) => check.name === name)?.tone

describe("the checks of an email", () => {
  it("warn of the size that Gmail hides, at its limit and shortly before", () => {
    expect([
      toneOf("size"),
      toneOf("size", { bytes: shown_bytes_max }),
      toneOf("size", { bytes: shown_bytes_max + 1 }),
    ]).toEqual(["good", "warning", "bad"])
  })

  it("count links that lead nowhere", () => {
    const links = ["#", "", "https://", "http://a.example/#b", "mailto:a@b.example"].map((url) => ({ url, text: "" }))
    const [, check] = checksOf({ ...facts, links })
    expect(check).toEqual({ name: "links", count: 5, empty: 3, tone: "warning" })
  })

  it("warn of pictures without alternative text, of tokens without a value, and of a missing sender", () => {
    expect([
      toneOf("pictures", { pictures: { all: 2, withoutAlt: 1 } }),
      toneOf("tokens", { unresolved: ["foo.bar"] }),
      toneOf("sender", { fromAddress: "" }),
    ]).toEqual(["warning", "warning", "warning"])
  })

  it("ask for no unsubscribe link and no sender where there is none", () => {
    const names = checksOf({ ...facts, offersUnsubscribe: null, fromAddress: null }).map(({ name }) => name)
    expect(names).toEqual(["size", "links", "pictures", "tokens"])
  })

  it("recognise the author's own unsubscribe link", () => {
    expect(
      ['<a href="{{unsubscribe_url}}">', "{{ unsubscribe_url | x }}", "unsubscribe_url"].map(offersUnsubscribe),
    ).toEqual([true, true, false])
  })

  it("find pictures without alternative text in the source", () => {
    const html = '<img src="a.png"><IMG alt="" src="b.png"/><img\nalt=c src=c.png><img data-alt="x">'
    expect(picturesIn(html)).toEqual({ all: 4, withoutAlt: 2 })
  })

  it("find links in the source", () => {
    const html = `<a href="https://a.example/">A</a><a name=x>B</a><A class=y href='#'>C</A><a href = /d>D</a><abbr href="e">`
    expect(linksIn(html).map(({ url }) => url)).toEqual(["https://a.example/", "#", "/d"])
  })
})
