// Tests of revisions by the fake AI: simple instructions are followed, others are refused, and none is printed.
import { pageFor, revisionFor } from "@tentpole/adapters/ai/fake/FakeAi"
import { clean } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { dangersOf } from "@tentpole/core/documents/Clean"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const prompt = "A landing page for our bakery's summer sale: 20 % off all sourdough, with a sign-up form"
const template = Result.getOrThrow(clean(pageFor({ prompt, name: "n", brand: null, template: null })))
const answered = (instruction: string, page = template) =>
  revisionFor({ prompt: instruction, name: "n", brand: null, template: page })
const changed = (instruction: string, page = template): string => {
  const answer = answered(instruction, page)
  return "html" in answer ? answer.html : assert.fail(answer.refused)
}
const h1 = (html: string) => /<h1[^>]*>([^<]*)<\/h1>/.exec(html)?.[1]

describe("A revision of the fake AI", () => {
  it("shortens the headline or sets it, also in the title", () => {
    assert.strictEqual(h1(template), "Our bakery's summer sale")
    assert.strictEqual(h1(changed("make the headline shorter")), "Bakery&#39;s summer sale")
    const set = changed("Please change the headline to “Bread & more”.")
    assert.strictEqual(h1(set), "Bread &amp; more")
    assert.include(set, "<title>Bread &amp; more</title>")
    assert.property(answered("make the headline shorter", "<h1>Hi</h1>"), "refused")
  })

  it("changes the colour in light and dark schemes, and keeps every text", () => {
    const blue = changed("Make it blue")
    assert.match(blue, /--accent:#1d4ed8/)
    assert.strictEqual(blue.slice(blue.indexOf("<body")), template.slice(template.indexOf("<body")))
    assert.include(changed("Use the colour #112233", "<head></head><h1>x</h1>"), "h1,h2,h3,a{color:#112233}")
  })

  it("adds a section before the form, and removes one with the links to it", () => {
    const added = changed("Add a section about parking: free behind the house")
    assert.match(added, /<h2>Parking<\/h2>\n<p class="lead">Free behind the house\.<\/p>[^]*<form/)
    const removed = changed("Remove the section What to expect")
    assert.notMatch(removed, /What to expect|href="#more"/)
    assert.notInclude(changed("remove the sign-up form"), "<form")
    assert.deepEqual(answered("remove the FAQ section"), { refused: 'The page has no section "faq"' })
  })

  it("replaces words in texts, not in tags or parts of words", () => {
    const page = `<h1 class="rye">Rye</h1><p>RYE &amp; ryegrass</p><style>.rye{}</style>`
    assert.strictEqual(
      changed("change rye to 'oats <b>'", page),
      `<h1 class="rye">oats &lt;b&gt;</h1><p>oats &lt;b&gt; &amp; ryegrass</p><style>.rye{}</style>`,
    )
    assert.property(answered("change wheat to rye"), "refused")
  })

  it.each(["Make the tone friendlier", "Translate to German", "Make the headline bigger", "Make it better", "?"])(
    "refuses what it can't do, and says so: %s",
    (instruction) => {
      const answer = answered(instruction)
      assert.isTrue("refused" in answer && answer.refused.startsWith("Sample text can't follow this instruction"))
    },
  )

  const Words = Schema.Literals([
    "change",
    "remove",
    "add",
    "a section about",
    "headline",
    "shorter",
    "to",
    "blue",
    "the",
    "<script>x()</script>",
    "mention",
    '"',
  ])
  it.prop("never makes a page dangerous", [Schema.Array(Words).check(Schema.isMaxLength(8))], ([words]) => {
    const answer = answered(words.join(" "))
    if ("html" in answer) assert.deepStrictEqual(dangersOf(answer.html), dangersOf(template))
  })
})
