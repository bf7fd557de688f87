import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  findTokens,
  isKnown,
  missingData,
  nearestName,
  parseToken,
  resolveToken,
  type TokenValues,
  unresolvedTokens,
} from "../../src/rendering/MergeTokens.ts"
import { ada, AnyText } from "../../contract/emails/emailSamples.ts"

const values: TokenValues = {
  contact: ada,
  dynamic: { page: "https://example.com/p", constructor: 3 },
  workspaceName: "Acme",
  links: { unsubscribe: "https://u", view: "https://v" },
}

const reads = (text: string): string => {
  let read = ""
  let at = 0
  for (const { start, end, token } of findTokens(text)) {
    read += text.slice(at, start) + resolveToken(token, values)
    at = end
  }
  return read + text.slice(at)
}

describe("Merge tokens", () => {
  it.each([
    ["contact.frist_name", "contact.first_name"],
    ["contact.firstName", "contact.first_name"],
    ["first_name", "contact.first_name"],
    ["contact.zipcod", "contact.zip_code"],
    ["contact.shoe_size", "contact.custom_fields.shoe_size"],
    ["contact.custom_fields.shoe_szie", "contact.custom_fields.shoe_size"],
    ["unsubscribe_ulr", "unsubscribe_url"],
    ["contact.nonsense", null],
    ["contact.nope", null],
    ["contact.nickname", null],
    ["foo.bar", null],
    ["api.order", null],
    ["campaign.dynamic", null],
    ["contact.first_name", null],
  ])("%s means %s", (name, nearest) => {
    const token = parseToken(name)
    assert.isNotNull(token)
    assert.strictEqual(token && nearestName(token, new Set(["shoe_size"])), nearest)
  })

  it.each([
    ["{{contact.first_name}}", "ada"],
    ["{{ contact.first_name }}", "ada"],
    ["{{contact.first_name:uppercase}}", "ADA"],
    ["{{contact.country:lowercase}}", "mcdonald"],
    ["{{contact.country:capitalize}}", "McDonald"],
    ["{{contact.job_title:capitalize}}", "Chief of éclairs"],
    ["{{contact.job_title:titlecase}}", "Chief Of Éclairs"],
    ["{{contact.job_title:uppercase:lowercase}}", "chief of éclairs"],
    ["{{contact.city}}", ""],
    ["{{contact.city|there}}", "there"],
    ["{{contact.city | there }}", "there"],
    ["{{contact.first_name|there}}", "ada"],
    ["{{contact.first_name:uppercase|there}}", "ADA"],
    ["{{contact.first_name|there:uppercase}}", "ADA"],
    ["{{contact.city|there:uppercase}}", "THERE"],
    ["{{contact.city:uppercase|there}}", "THERE"],
    ["{{contact.city|see: you}}", "see: you"],
    ["{{contact.city|see: you:uppercase}}", "SEE: YOU"],
    ["{{contact.city|new friend:titlecase:uppercase}}", "NEW FRIEND"],
    ["{{contact.city|a:b}}", "a:b"],
    ["{{contact.city|a|b}}", "a|b"],
    ["{{contact.city|uppercase}}", "uppercase"],
    ["{{contact.city|x:uppercases}}", "x:uppercases"],
    ["{{contact.city|dear friend, é!}}", "dear friend, é!"],
    ["{{contact.nope|fall}}", "fall"],
    ["{{contact.nope}}", ""],
    ["{{contact.first name|x}}", "x"],
    ["{{foo.bar|x y}}", "x y"],
    ["{{contact.first_name:shout}}", ""],
    ["{{contact.first_name:shout|x}}", "x"],
    ["{{contact.service_score}} {{contact.unsubscribed}} {{contact.custom_fields.size}}", "4.5 false 42"],
    ["{{contact.custom_fields.vip:capitalize}}", "True"],
    ["{{contact.custom_fields.interests|none}}", "wine, Bern, CH"],
    ["{{contact.custom_fields.constructor|none}} {{contact.constructor|none}}", "none none"],
    [
      "{{campaign.dynamic.page}} {{campaign.dynamic.constructor}} {{campaign.dynamic.toString|no}}",
      "https://example.com/p 3 no",
    ],
    ["{{workspace.name}} {{unsubscribe_url}} {{view_in_browser_url}}", "Acme https://u https://v"],
    ["{{contact.created_at}}", "1970-01-01T00:00:00.000Z"],
    ["{{{contact.first_name}}}", "{ada}"],
    ["{{contact.city|{{contact.first_name}}}}", "{{contact.city|ada}}"],
    [
      "{{#if x}} {{}} {{ }} {{1}} {contact.first_name} {{contact.first_name} {{",
      "{{#if x}} {{}} {{ }} {{1}} {contact.first_name} {{contact.first_name} {{",
    ],
  ])("%s reads %j", (text, expected) => {
    assert.strictEqual(reads(text), expected)
  })

  it("treat a blank value as unset", () => {
    const [found] = findTokens("{{contact.first_name|there}}")
    assert.isDefined(found)
    const blank = { ...values, contact: { ...ada, firstName: " \u00a0" } }
    if (found !== undefined) assert.strictEqual(resolveToken(found.token, blank), "there")
  })

  it("report unknown names once each, in order, without formats and fallbacks", () => {
    const texts = [
      "{{contact.nope}} {{foo.bar|x}}",
      null,
      "{{contact.nope:uppercase|y}} {{contact.first_name:shout}}",
      "{{contact.city}}",
    ]
    assert.deepStrictEqual(unresolvedTokens(texts), ["contact.nope", "foo.bar", "contact.first_name"])
  })

  it("are unknown for a custom field that the workspace does not have", () => {
    const text = "{{contact.custom_fields.size}} {{contact.custom_fields.other}}"
    assert.deepStrictEqual(unresolvedTokens([text], new Set(["size"])), ["contact.custom_fields.other"])
    assert.deepStrictEqual(unresolvedTokens([text]), [])
  })

  it("exist for every field of a contact", () => {
    const fields = Object.keys(ada).filter((key) => !["id", "emailNormalized", "customFields"].includes(key))
    for (const key of ["contactId", ...fields]) {
      const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const [found] = findTokens(`{{contact.${name}}}`)
      assert.isTrue(found !== undefined && isKnown(found.token), name)
    }
  })

  it.prop("are found in any surrounding text", [Schema.Array(AnyText)], ([texts]) => {
    const around = texts.map((text) => text.replace(/[{}]/g, ""))
    const found = findTokens(around.join("{{contact.first_name}}"))
    assert.strictEqual(found.length, Math.max(0, around.length - 1))
    for (const { start, end } of found) {
      assert.strictEqual(around.join("{{contact.first_name}}").slice(start, end), "{{contact.first_name}}")
    }
  })

  it("are searched in linear time in hostile text", { tags: ["attack/slow-input"] }, () => {
    for (const text of [
      "{{".repeat(500_000),
      "{".repeat(1_000_000),
      `{{${"a".repeat(1_000_000)}`,
      `${"{{a".repeat(300_000)}}}`,
    ]) {
      assert.isTrue(findTokens(text).length <= 1)
    }
  })
})

it("a token that can have no value is unresolved", () => {
  const texts = ["{{campaign.dynamic.page_2}}", "{{campaign.dynamic.__proto__}}", "{{contact.custom_fields.__proto__}}"]
  assert.deepStrictEqual(unresolvedTokens(texts), ["campaign.dynamic.__proto__", "contact.custom_fields.__proto__"])
})

describe("Tokens of data", () => {
  const data = {
    order: { id: 17, total: "19.90 €", paid: true, items: [{ name: "Tea" }, "x"] },
    empty: "",
    none: null,
  }
  const of = (inner: string) => parseToken(inner) ?? assert.fail()
  const resolved = (inner: string) => resolveToken(of(inner), { ...values, data })

  it("have the own scalars of the object", () => {
    assert.strictEqual(resolved("data.order.id"), "17")
    assert.strictEqual(resolved("data.order.total:uppercase"), "19.90 €")
    assert.strictEqual(resolved("data.order.paid"), "true")
    assert.strictEqual(resolved("data.order.items.0.name"), "Tea")
    assert.strictEqual(resolved("data.order.items.1"), "x")
    for (const inner of [
      "data.order",
      "data.order.items",
      "data.order.items.2",
      "data.order.items.length",
      "data.order.items.-1",
      "data.order.items.00",
      "data.order.constructor.name",
      "data.toString",
      "data.order.total.length",
      "data.none",
      "data",
    ]) {
      assert.strictEqual(resolved(`${inner}|no`), "no", inner)
    }
    assert.strictEqual(resolveToken(of("data.order.id|no"), values), "no")
  })

  it("are missing without a value and a fallback", () => {
    const tokens = ["data.order.id", "data.x", "data.x|", "data.none", "data.empty", "data.order", "contact.x"].map(of)
    assert.deepStrictEqual(missingData(tokens, data), ["data.x", "data.none", "data.order"])
  })
})
