// Error responses of the OpenAPI document: the codes of each status with their meanings, and an example of each.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { meanings } from "../edge/ErrorDocs.ts"
import { body, isCode, table } from "../edge/Errors.ts"
import { type Json, isObject, listIn, mapped, objectIn, withComponents, withOperations } from "./Json.ts"

const prefix = "#/components/schemas/Error_"

export const codesOf = (response: unknown): ReadonlyArray<ErrorCode> => {
  const schema = objectIn(objectIn(objectIn(response, "content"), "application/json"), "schema")
  const refs = "anyOf" in schema ? listIn(schema, "anyOf") : [schema]
  return refs
    .flatMap((each) => (isObject(each) && typeof each["$ref"] === "string" ? [each["$ref"]] : []))
    .map((ref) => ref.slice(prefix.length))
    .filter(isCode)
}

export const schemaOf = (codes: ReadonlyArray<ErrorCode>): Json => ({
  anyOf: codes.map((code) => ({ $ref: `${prefix}${code}` })),
})

const withMeanings = (status: string, response: unknown): unknown => {
  const codes = codesOf(response)
  if (Number(status) < 400 || codes.length === 0 || !isObject(response)) return response
  const content = objectIn(objectIn(response, "content"), "application/json")
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  return {
    ...response,
    description: codes.map((code) => `\`${code}\`: ${meanings[code]}`).join("\n\n"),
    content: { "application/json": { ...content, examples } },
  }
}

const issues = [{ path: "items.3.email", message: "must be an email address" }]

/** An example of the error body of a code, with the request id that `Edge.ts` adds. */
const exampleOf = (code: ErrorCode): Json => {
  const details = { request_id: "0d1e6a52-53b4-4f0a-9c3e-2f1b7c0d9a11" }
  return {
    summary: table[code].title,
    value: {
      ...body(code, meanings[code].replaceAll("`", "")),
      details: code === "validation_failed" ? { ...details, issues } : details,
    },
  }
}

export const withErrorResponses = (document: Json): Json => {
  const used = new Set<ErrorCode>()
  const whole = withOperations(document, (operation) => {
    const responses = objectIn(operation, "responses")
    for (const response of Object.values(responses)) for (const code of codesOf(response)) used.add(code)
    return { ...operation, responses: mapped(responses, withMeanings) }
  })
  return withComponents(whole, "examples", Object.fromEntries([...used].map((code) => [code, exampleOf(code)])))
}
