// Variables of tent templates and prompts, `{{api.city}}`: their values come with the request for a tent.
import { Result, Schema } from "effect"
import { type Issue, refusalClass } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"
import { escapeHtml } from "../rendering/Escapes.ts"
import { apiTokens, findTokens, type MergeToken, withFormats } from "../rendering/MergeTokens.ts"

/** Texts by the name of the variable without `api.`. */
export type Variables = Readonly<Record<string, string>>

/** Any JSON. Only texts, numbers and booleans are values of variables. */
export type InputData = Readonly<Record<string, unknown>>

export const variablesOf = (data: InputData): Variables =>
  Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      const text = isScalar ? String(value) : ""
      return isBlank(text) || key === "__proto__" ? [] : [[key, text]]
    }),
  )

/** The prompt for the AI: a line for each key of the data, then the instructions. */
export const promptOf = (data: InputData, instructions: string): string => {
  const lines = Object.entries(data).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return [...(lines.length === 0 ? [] : [lines.join("\n")]), ...(isBlank(instructions) ? [] : [instructions])].join(
    "\n\n",
  )
}

const prefix = "api."

const isVariable = ({ name }: MergeToken): boolean => name.startsWith(prefix)

const valueOf = ({ name, fallback, malformed }: MergeToken, variables: Variables): string | null => {
  const key = name.slice(prefix.length)
  return !malformed && Object.hasOwn(variables, key) ? (variables[key] ?? null) : fallback
}

const filled = (text: string, variables: Variables, encode: (value: string) => string): string => {
  const parts: Array<string> = []
  let from = 0
  for (const { start, end, token } of findTokens(text)) {
    const value = isVariable(token) ? valueOf(token, variables) : null
    if (value === null) continue
    parts.push(text.slice(from, start), encode(withFormats(value, token)))
    from = end
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from)
}

/** Variables without a value stay. */
export const fillText = (text: string, variables: Variables): string => filled(text, variables, (value) => value)

/** The same for HTML; values become text. The caller cleans the result: a value may be part of an address. */
export const fillHtml = (html: string, variables: Variables): string => filled(html, variables, escapeHtml)

/** Names of variables that the values leave unfilled, each once: `api.city`. A fallback fills a variable. */
export const unfilledIn = (texts: ReadonlyArray<string>, variables: Variables): ReadonlyArray<string> => {
  const missing = texts
    .flatMap((text) => findTokens(text))
    .flatMap(({ token }) => (isVariable(token) && valueOf(token, variables) === null ? [token.name] : []))
  return [...new Set(missing)]
}

/** Variables that a page still shows. */
export const shownVariables = (html: string): ReadonlyArray<string> => apiTokens([html])

const listed = (names: ReadonlyArray<string>): string => names.map((name) => `{{${name}}}`).join(", ")

const named_max = 20

export class UnfilledVariables extends refusalClass<UnfilledVariables>()("UnfilledVariables", {
  code: "validation_failed",
  fields: { names: Schema.Array(Schema.String) },
  message: ({ names }) => `No value for ${listed(names.slice(0, named_max))}. Give it in input_data`,
  details: ({ names }) => ({ issues: issuesFor(names) }),
}) {}

const issuesFor = (names: ReadonlyArray<string>): ReadonlyArray<Issue> =>
  names.slice(0, named_max).map((name) => ({
    path: `input_data.${name.slice(prefix.length)}`,
    message: `is required: it is the value of {{${name}}}`,
  }))

export const checkFilled = (
  texts: ReadonlyArray<string>,
  variables: Variables,
): Result.Result<void, UnfilledVariables> => {
  const names = unfilledIn(texts, variables)
  return names.length === 0 ? Result.void : Result.fail(new UnfilledVariables({ names }))
}
