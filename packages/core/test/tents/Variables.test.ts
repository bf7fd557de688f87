// Variables of tent templates and prompts: their values, and what is reported about those without one.
import {
  checkFilled,
  fillHtml,
  fillText,
  promptOf,
  shownVariables,
  unfilledIn,
  variablesOf,
} from "@tentpole/core/tents/Variables"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

describe("variables", () => {
  it("get their values from texts, numbers and booleans", () => {
    const data = { city: "Bern", seats: 40, open: true, blank: " ", none: null, deep: { a: 1 }, list: ["a"] }
    assert.deepStrictEqual(variablesOf(data), { city: "Bern", seats: "40", open: "true" })
    assert.strictEqual(
      promptOf(data, "Write"),
      'city: Bern\nseats: 40\nopen: true\nblank:  \nnone: null\ndeep: {"a":1}\nlist: ["a"]\n\nWrite',
    )
  })

  it("are filled as text, with formats and fallbacks, and leave other tokens alone", () => {
    const html = `<h1 title="{{api.city}}">{{ api.city:uppercase }}</h1>{{api.day|today}} {{api.opening hours}} {{contact.city}} {{api.gone}}`
    const variables = { city: '<Bern & "Thun">', "opening hours": "9 to 17 h" }
    assert.strictEqual(
      fillHtml(html, variables),
      `<h1 title="&lt;Bern &amp; &quot;Thun&quot;&gt;">&lt;BERN &amp; &quot;THUN&quot;&gt;</h1>today 9 to 17 h {{contact.city}} {{api.gone}}`,
    )
    assert.strictEqual(fillText("in {{api.city}}", variables), 'in <Bern & "Thun">')
  })

  it("are not filled again from a value, and have no inherited values", () => {
    assert.strictEqual(
      fillText("{{api.a}} {{api.toString}}", { a: "{{api.b}}", b: "no" }),
      "{{api.b}} {{api.toString}}",
    )
  })

  it("without a value or a fallback are reported once, by their names", () => {
    const texts = ["{{api.city}} {{api.city}} {{api.day|today}}", "{{api.street}} {{api.x:loud}} {{contact.city}}"]
    assert.deepStrictEqual(unfilledIn(texts, {}), ["api.city", "api.street", "api.x"])
    const refused = checkFilled(texts, { street: "a", x: "b" })
    if (Result.isSuccess(refused)) return assert.fail("api.city has no value")
    assert.strictEqual(refused.failure.message, "No value for {{api.city}}, {{api.x}}. Give it in input_data")
    assert.deepStrictEqual(
      refused.failure.details.issues.map(({ path }) => path),
      ["input_data.city", "input_data.x"],
    )
    assert.isTrue(Result.isSuccess(checkFilled(["{{contact.first_name}} {{ api"], {})))
  })

  it.prop(
    "leave nothing to fill when every one has a value",
    [
      Schema.Array(
        Schema.Literals(["{{api.a}}", "{{api.b:uppercase|x}}", "{{", "}}", "{", "a", "|", "{{api.c|y}}", "\n"]),
      ),
    ],
    ([parts]) => {
      const text = parts.join("")
      const variables = { a: "1", b: "2", c: "3" }
      assert.deepStrictEqual(unfilledIn([text], variables), [])
      assert.deepStrictEqual(shownVariables(fillHtml(text, variables)), [])
    },
  )
})
