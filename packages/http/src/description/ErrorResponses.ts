// What an operation refuses: each status with its codes, what each means and what to do about it, and an example of each.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { meanings } from "../edge/ErrorDocs.ts"
import { body, table } from "../edge/Errors.ts"
import { type Json, isObject, listIn, mapped, objectIn, withComponents, withOperations } from "./Json.ts"

const prefix = "#/components/schemas/Error_"

const isCode = (code: string): code is ErrorCode => code in table

/** The codes that a response's schema names. */
export const codesOf = (response: unknown): ReadonlyArray<ErrorCode> => {
  const schema = objectIn(objectIn(objectIn(response, "content"), "application/json"), "schema")
  const refs = "anyOf" in schema ? listIn(schema, "anyOf") : [schema]
  return refs
    .flatMap((each) => (isObject(each) && typeof each["$ref"] === "string" ? [each["$ref"]] : []))
    .map((ref) => ref.slice(prefix.length))
    .filter(isCode)
}

const told = (status: string, response: unknown): unknown => {
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

/** The body of an answer with this code, as the edge completes it. */
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

export const withRefusals = (description: Json): Json => {
  const named = new Set<ErrorCode>()
  const whole = withOperations(description, (operation) => {
    const responses = objectIn(operation, "responses")
    for (const response of Object.values(responses)) for (const code of codesOf(response)) named.add(code)
    return { ...operation, responses: mapped(responses, told) }
  })
  return withComponents(whole, "examples", Object.fromEntries([...named].map((code) => [code, exampleOf(code)])))
}
