// The fields that the JSON Schema of an event's data describes, in one list: a field of an object has a path.

export type Schema = Readonly<Record<string, unknown>>

/** What a field contains: a kind with words, or the values that it can have. */
export type Kind = "text" | "id" | "number" | "boolean" | "object" | "list" | "any"

export interface SchemaField {
  /** `contact.email`; `changes[].field` of the objects of a list. */
  readonly path: string
  readonly kinds: ReadonlyArray<Kind>
  readonly values: ReadonlyArray<string>
  readonly isNullable: boolean
  /** False: it may be absent. */
  readonly isAlways: boolean
  readonly description: string | null
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The schemas of which a value has one. */
const choicesOf = (schema: Schema): ReadonlyArray<Schema> => {
  const choices = schema["anyOf"] ?? schema["oneOf"]
  return Array.isArray(choices) ? choices.filter(isSchema).flatMap(choicesOf) : [schema]
}

const kinds: Readonly<Record<string, Kind>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "object",
  array: "list",
}

const valuesOf = (schema: Schema): ReadonlyArray<string> => {
  const values = "const" in schema ? [schema["const"]] : schema["enum"]
  return Array.isArray(values) ? values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))) : []
}

const kindOf = (schema: Schema): Kind => {
  if (schema["format"] === "uuid") return "id"
  const { type } = schema
  return (typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? "any"
}

/** The fields of an object or of the objects of a list, and those of what they contain. */
export const fieldsOf = (schema: Schema, above = ""): ReadonlyArray<SchemaField> => {
  const found = new Map<string, { readonly field: SchemaField; readonly below: ReadonlyArray<SchemaField> }>()
  const objects = choicesOf(schema).filter((each) => isSchema(each["properties"]))
  for (const object of objects) {
    const required = Array.isArray(object["required"]) ? object["required"] : []
    for (const [name, value] of Object.entries(object["properties"] as Schema)) {
      if (!isSchema(value)) continue
      const path = `${above}${name}`
      const field = fieldOf(path, value)
      const before = found.get(path)?.field
      const isAlways = required.includes(name) && (before?.isAlways ?? true)
      found.set(path, {
        field: { ...field, values: [...new Set([...(before?.values ?? []), ...field.values])], isAlways },
        below: belowOf(path, value),
      })
    }
  }
  // What only some of the choices have may be absent.
  return [...found.values()].flatMap(({ below, field }) => {
    const isEverywhere = objects.every((object) => Object.hasOwn(object["properties"] as Schema, lastOf(field.path)))
    return [{ ...field, isAlways: field.isAlways && isEverywhere }, ...below]
  })
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

const fieldOf = (path: string, schema: Schema): SchemaField => {
  const choices = choicesOf(schema)
  const filled = choices.filter((each) => each["type"] !== "null")
  const values = filled.flatMap(valuesOf)
  const { description } = schema
  return {
    path,
    kinds: values.length > 0 ? [] : [...new Set(filled.map(kindOf))],
    values,
    isNullable: filled.length < choices.length,
    isAlways: true,
    // Names of fields are in backticks.
    description: typeof description === "string" ? description.replaceAll("`", "") : null,
  }
}

const belowOf = (path: string, schema: Schema): ReadonlyArray<SchemaField> => {
  const objects = fieldsOf(schema, `${path}.`)
  if (objects.length > 0) return objects
  const lists = choicesOf(schema).filter((each) => isSchema(each["items"]))
  return lists.flatMap((each) => fieldsOf(each["items"] as Schema, `${path}[].`))
}
