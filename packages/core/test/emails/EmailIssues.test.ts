import { issueParser, linkParser } from "@tentpole/core/emails/EmailIssues"
import { describe, expect, it } from "vitest"

const issues = (html: string, isCleaned = false) =>
  issueParser
    .run({ html, isCleaned, customFields: ["size"] })
    .map(({ line, column, message }) => [line, column, message])

describe("issueParser", () => {
  it("places unknown tokens by line and column, and names the nearest known one", () => {
    const html =
      "<p>\n{{contact.first_name}} {{contact.frist_name}}\n\n  {{foo.bar|x}}{{contact.custom_fields.size}}</p>"
    expect(issues(html)).toEqual([
      [2, 24, "{{contact.frist_name}} has no value. Probably {{contact.first_name}}"],
      [4, 3, "{{foo.bar}} has no value. It renders as its fallback or empty"],
    ])
  })

  it("reports unknown formats", () => {
    expect(issues("{{contact.city:upper}}")).toEqual([
      [1, 1, "{{contact.city}} has an unknown format. Use uppercase, lowercase, capitalize, titlecase"],
    ])
  })

  it("places active content that the cleaner removes, and no other", () => {
    const html = "<p>a</p>\n<p onclick='x()'>b</p><script>y()</script>"
    expect(issues(html, true)).toEqual([
      [2, 4, "Active content is removed: onclick of <p>"],
      [2, 23, "Active content is removed: <script>"],
    ])
    expect(issues(html)).toEqual([])
  })

  it("reports at most 100 issues", () => {
    expect(issues("{{foo.bar}}".repeat(1_000))).toHaveLength(100)
  })
})

describe("linkParser", () => {
  it("lists links with their text or the alternative text of their picture", () => {
    const html = `<a href="https://a.example/?x=1&amp;y=2"> To <b>the
      shop</b></a><a name="top">x</a><a href="#"><img src="x.png" alt="Our shop"></a>`
    expect(linkParser.run(html)).toEqual([
      { url: "https://a.example/?x=1&y=2", text: "To the shop" },
      { url: "#", text: "Our shop" },
    ])
  })

  it("lists at most 500 links with texts of at most 200 characters", () => {
    const links = linkParser.run(`<a href="/">${"x".repeat(300)}</a>`.repeat(501))
    expect([links.length, links[0]?.text.length]).toEqual([500, 200])
  })
})
