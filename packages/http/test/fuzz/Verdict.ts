// Check of a response against the OpenAPI document.
import { type Json, objectIn } from "@tentpole/http/description/Json"
import { assert } from "@effect/vitest"
import { holdToShape } from "../attacks/AttackFixture.ts"
import { type DescribedOperation, judge } from "../fixtures/Described.ts"
import type { Answered } from "../fixtures/World.ts"

const mediaTypeOf = (text: string): string => text.split(";")[0]?.trim().toLowerCase() ?? ""

/** Throws if the document does not describe the answer. */
export type Verdict = (operation: DescribedOperation, answered: Answered) => void

export const verdictBy = (description: Json): Verdict => {
  const says = judge(description)
  return ({ described, method, path }, answered) => {
    const { headers, json, status, text } = answered
    holdToShape("the answer", answered)
    assert.isNotEmpty(headers.get("x-request-id"), "it has no x-request-id")
    const responses = objectIn(described, "responses")
    assert.include(Object.keys(responses), String(status), `${status} is not declared: ${text.slice(0, 500)}`)
    const content = objectIn(objectIn(responses, String(status)), "content")
    const [types, type] = [Object.keys(content), mediaTypeOf(headers.get("content-type") ?? "")]
    if (types.length === 0) return assert.strictEqual(text, "", `${status} must have no body`)
    const declared = types.find((each) => each === "*/*" || mediaTypeOf(each) === type)
    assert.isDefined(declared, `${status} has type ${type} instead of ${types.join(" or ")}`)
    if (declared === undefined || mediaTypeOf(declared) !== "application/json") return
    const place = ["paths", path, method.toLowerCase(), "responses", String(status), "content", declared, "schema"]
    const why = says(json, ...place)
    assert.isNull(why, `${status} is not as described: ${why}: ${text.slice(0, 1_000)}`)
  }
}
