// Tests of the layout of the service's own pages.
import { hostedHtml } from "@tentpole/http/pages/HostedHtml"
import { contrastOf } from "@tentpole/core/rendering/Palette"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const brand = { name: "Brot & <Co>", primaryColor: "#ffcc00", logoUrl: null, iconUrl: null }

/** The value of a custom property, in light and in dark schemes. */
const valuesOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`--${name}:(#[0-9a-f]{6})`, "g"))].map(([, color = ""]) => color)

it("shows the brand's logo, else its name, else neither", () => {
  assert.include(hostedHtml(brand, "T", ""), '<p class="brand">Brot &amp; &lt;Co&gt;</p>')
  const logo = hostedHtml({ ...brand, logoUrl: 'https://cdn.test/l.png?a="' }, "T", "")
  assert.include(logo, '<img src="https://cdn.test/l.png?a=&quot;" alt="Brot &amp; &lt;Co&gt;"')
  for (const owner of [
    null,
    { ...brand, name: null },
    { ...brand, name: " " },
    { ...brand, name: null, logoUrl: "x:" },
  ]) {
    assert.notInclude(hostedHtml(owner, "T", ""), 'class="brand"')
  }
})

it.prop(
  "its texts are readable on every brand colour, in light and dark schemes",
  [Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/))],
  ([primaryColor]) => {
    const html = hostedHtml({ ...brand, primaryColor }, "T", "")
    for (const [one, other] of [
      ["text", "card"],
      ["accent", "card"],
      ["on-accent", "accent"],
    ] as const) {
      const [grounds, texts] = [valuesOf(html, other), valuesOf(html, one)]
      assert.deepStrictEqual([grounds.length, texts.length], [2, 2])
      texts.forEach((text, at) => assert.isAtLeast(contrastOf(text, grounds[at] ?? ""), 4.5, `${one} on ${other}`))
    }
  },
)
