import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { escapeHtml } from "../../src/rendering/Escapes.ts"
import { scan, withPreheader } from "../../src/rendering/Markup.ts"
import { AnyText } from "../../contract/emails/emailSamples.ts"

const odd = `<!doctype html>\r\n<HTML><head><style>p{color:red}</style></head>\r\n<BODY  bgcolor=white>\n<p TITLE='a"b'>é &nbsp;&amp; <br>$& $1 \\n</p>\t</BODY></HTML>\n`
const hosts = [
  odd,
  "<p>x</p>",
  "just text",
  "",
  "<html><head><title>t</title></head>\n\n<p>no body tag",
  "<table>foster<tr><td>x</table>",
  "<!-- c --><meta charset=utf-8><h1>x</h1>",
  `<body class="preheader"><p class="preheader big">in <b>bold</b></p></body>`,
  "🦊<body>é",
] as const
const Host = Schema.Literals(hosts)

describe("Preheader", () => {
  it.prop(
    "is inserted at the start of the body, replaced in place, and removed",
    [Host, AnyText, AnyText],
    ([html, one, two]) => {
      const with1 = withPreheader(html, one)
      const with2 = withPreheader(html, two)
      assert.strictEqual(withPreheader(with1, two), with2)
      assert.strictEqual(withPreheader(with1, null), html)
      assert.strictEqual(withPreheader(html, null), html)
      const { preheader } = scan(with1)
      assert.isNotNull(preheader)
      if (preheader !== null)
        assert.strictEqual(with1.slice(preheader.contentStart, preheader.contentEnd), escapeHtml(one))
    },
  )

  it("follows the body's opening tag, and the rest stays byte for byte", () => {
    const html = withPreheader(odd, "MarkerOne")
    const at = odd.indexOf("<BODY  bgcolor=white>") + "<BODY  bgcolor=white>".length
    assert.strictEqual(html.slice(0, at), odd.slice(0, at))
    assert.isTrue(html.endsWith(odd.slice(at)))
    assert.match(html.slice(at), /^<div data-preheader [^>]*>MarkerOne<\/div>\n<p/)
  })

  it("of the author, known by its class, is rewritten and emptied, not removed", () => {
    const html = `<body><table><tr><td><span class="x preheader">old</span></td></tr></table>`
    assert.strictEqual(withPreheader(html, "new & <b>"), html.replace("old", "new &amp; &lt;b&gt;"))
    assert.strictEqual(withPreheader(html, null), html.replace("old", ""))
  })

  it("keeps its tokens", () => {
    assert.include(withPreheader("<p>", "Hi {{contact.first_name|you}}"), ">Hi {{contact.first_name|you}}</div>")
  })
})
