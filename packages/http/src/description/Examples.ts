// Examples of bodies and parameters, derived from their schemas and from sample values by field name. Examples of requests have
// the required fields, those of responses have all fields.
import { type Json, isObject, listIn, mapped, objectIn, withOperations } from "./Json.ts"
import { bodies, day, id, instant, numbers, texts, truths, words } from "./ExampleValues.ts"

interface Making {
  readonly schemas: Json
  /** The schemas that the example is inside of: recursion ends here. */
  readonly within: ReadonlyArray<string>
  /** Whether optional fields are included. */
  readonly whole: boolean
}

const schemaPrefix = "#/components/schemas/"

const resolved = (schema: Json, making: Making): { readonly schema: Json; readonly making: Making } | null => {
  const ref = schema["$ref"]
  if (typeof ref !== "string") return { schema, making }
  const name = ref.slice(schemaPrefix.length)
  if (making.within.includes(name)) return null
  const within = [...making.within, name]
  return resolved(objectIn(making.schemas, name), { ...making, within })
}

const first = (list: ReadonlyArray<unknown>): unknown => list[0]

const textOf = (schema: Json, name: string): string => {
  if (schema["format"] === "uuid") return id
  if (schema["format"] === "date-time" || name.endsWith("_at")) return instant
  if (schema["format"] === "date") return day
  return words[name] ?? words[name.replace(/^(default|requested|applied|suggested)_/, "")] ?? "text"
}

const numberOf = (schema: Json): number => {
  const minimum = schema["minimum"]
  return typeof minimum === "number" ? Math.max(1, minimum) : 1
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null"

const objectOf = (schema: Json, name: string, making: Making): unknown => {
  const required = listIn(schema, "required")
  const properties = Object.entries(objectIn(schema, "properties"))
  const wanted = properties.filter(([key]) => making.whole || required.includes(key))
  // Without required fields, one optional field that has a sample value.
  const shown = wanted.length > 0 ? wanted : properties.filter(([key]) => key in words).slice(0, 1)
  const made = shown.flatMap(([key, inner]) => {
    const value = exampleOf(inner, key, making)
    return value === undefined ? [] : [[key, value] as const]
  })
  if (properties.length > 0 || name !== "custom_fields") return Object.fromEntries(made)
  return { shoe_size: 39 }
}

const arrayOf = (schema: Json, name: string, making: Making): unknown => {
  const value = exampleOf(schema["items"], name, making)
  return value === undefined ? [] : [value]
}

const choices = (schema: Json): ReadonlyArray<unknown> => [
  ...listIn(schema, "allOf"),
  ...listIn(schema, "anyOf"),
  ...listIn(schema, "oneOf"),
]

/** Undefined if the schema is recursive without end. */
export const exampleOf = (given: unknown, name: string, from: Making): unknown => {
  const at = isObject(given) ? resolved(given, from) : null
  if (at === null) return undefined
  const { schema, making } = at
  const named = bodies[making.within.at(-1) ?? ""]
  const own = first([...(named === undefined ? [] : [named]), ...listIn(schema, "examples"), ...listIn(schema, "enum")])
  if (own !== undefined) return own
  if ("const" in schema) return schema["const"]
  const several = choices(schema)
  if (several.length > 0) {
    const made = several.filter((each) => !isNull(each)).map((each) => exampleOf(each, name, making))
    return made.find((each) => each !== undefined) ?? (several.some(isNull) ? null : undefined)
  }
  switch (schema["type"]) {
    case "object":
      return objectOf(schema, name, making)
    case "array":
      return arrayOf(schema, name, making)
    case "integer":
    case "number":
      return numbers[name] ?? numberOf(schema)
    case "boolean":
      return truths.has(name)
    case "null":
      return null
    default:
      return textOf(schema, name)
  }
}

const plain = (type: string): string => type.split(";")[0] ?? type

const withExample = (schemas: Json, whole: boolean) => (type: string, media: unknown) => {
  if (!isObject(media) || "examples" in media || "example" in media) return media
  if (plain(type) === "application/json") {
    const example = exampleOf(media["schema"], "", { schemas, within: [], whole })
    return example === undefined ? media : { ...media, example }
  }
  const text = texts[plain(type)]
  return text === undefined ? media : { ...media, example: text }
}

const withContent = (message: unknown, schemas: Json, whole: boolean): unknown =>
  isObject(message) && "content" in message
    ? { ...message, content: mapped(message["content"], withExample(schemas, whole)) }
    : message

const parameter = (schemas: Json) => (given: unknown) => {
  if (!isObject(given) || "example" in given || "examples" in given) return given
  const example = exampleOf(given["schema"], String(given["name"]), { schemas, within: [], whole: false })
  return example === undefined ? given : { ...given, example }
}

export const withExamples = (description: Json): Json => {
  const schemas = objectIn(objectIn(description, "components"), "schemas")
  return withOperations(description, (operation) => ({
    ...operation,
    ...("parameters" in operation ? { parameters: listIn(operation, "parameters").map(parameter(schemas)) } : {}),
    ...("requestBody" in operation ? { requestBody: withContent(operation["requestBody"], schemas, false) } : {}),
    responses: mapped(operation["responses"], (_, response) => withContent(response, schemas, true)),
  }))
}
