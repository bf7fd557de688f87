// Prints the TypeScript types of an OpenAPI document: an interface for each named schema, and a signature for each operation.

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly readOnly?: boolean
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
}

export type Schemas = Readonly<Record<string, JsonSchema>>

const width = 116

/** A doc comment in lines of limited width. */
export const comment = (text: string | undefined, indent = ""): string => {
  if (text === undefined || text === "") return ""
  const lines = text
    .replaceAll("*/", "*\\/")
    .split("\n")
    .flatMap((paragraph) => {
      const wrapped = [""]
      for (const word of paragraph.split(" ")) {
        const line = `${wrapped.at(-1)} ${word}`.trimStart()
        if (indent.length + line.length > width - 4 && wrapped.at(-1) !== "") wrapped.push(word)
        else wrapped[wrapped.length - 1] = line
      }
      return wrapped
    })
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A key that answers have and requests may not: its schema has no type. */
const isForbidden = ({ $ref, anyOf, readOnly, type }: JsonSchema): boolean =>
  readOnly === true && $ref === undefined && type === undefined && anyOf === undefined

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** A printer of types. It records which named schemas they use. */
export class TypePrinter {
  readonly #schemas: Schemas
  readonly #used = new Set<string>()

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  get(name: string): JsonSchema {
    const schema = this.#schemas[name]
    if (schema === undefined) throw new Error(`The document has no schema ${name}`)
    return schema
  }

  type(schema: JsonSchema, indent = ""): string {
    const { $ref, additionalProperties, allOf, anyOf, enum: values, items, type } = schema
    if ($ref !== undefined) return this.#reference(nameOf($ref))
    if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ")
    if (anyOf !== undefined) return [...new Set(anyOf.map((each) => this.type(each, indent)))].join(" | ")
    if (type === "array") {
      const entry = items === undefined ? "unknown" : this.type(items, indent)
      return `ReadonlyArray<${entry}>`
    }
    if (type === "object") return this.#object(schema, indent)
    if (type === "integer" || type === "number") return "number"
    if (type === "string" || type === "boolean" || type === "null") return type
    const [only, ...others] = allOf ?? []
    if (only !== undefined && others.length === 0) return this.type(only, indent)
    if (type === undefined && additionalProperties === undefined && allOf === undefined) return "unknown"
    throw new Error(`This schema has no type: ${JSON.stringify(schema)}`)
  }

  #reference(name: string): string {
    const schema = this.get(name)
    // Ids and texts: their names say nothing that the key does not.
    if (schema.type === "string" && schema.enum === undefined) return "string"
    this.#used.add(name)
    return name
  }

  #object({ additionalProperties, properties = {}, required = [] }: JsonSchema, indent: string): string {
    const fields = Object.entries(properties).filter(([, each]) => !isForbidden(each))
    const further =
      additionalProperties === false
        ? "never"
        : typeof additionalProperties === "object"
          ? this.type(additionalProperties, indent)
          : "unknown"
    if (fields.length === 0) return `Readonly<Record<string, ${further}>>`
    const inner = `${indent}  `
    const lines = fields.map(([name, each]) => {
      const optional = required.includes(name) ? "" : "?"
      return `${comment(each.description, inner)}${inner}readonly ${keyOf(name)}${optional}: ${this.type(each, inner)}\n`
    })
    return `{\n${lines.join("")}${indent}}`
  }

  /** The declarations of all schemas that were used, and of those that they use, by name. */
  declarations(): string {
    const printed = new Map<string, string>()
    while (printed.size < this.#used.size) {
      for (const name of this.#used) {
        if (!printed.has(name)) printed.set(name, this.#declaration(name))
      }
    }
    return [...printed]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, text]) => text)
      .join("\n")
  }

  #declaration(name: string): string {
    const schema = this.get(name)
    const type = this.type(schema)
    const text =
      type.startsWith("{") && !type.includes("} | {") ? `interface ${name} ${type}` : `type ${name} = ${type}`
    return `${comment(schema.description)}export ${text}\n`
  }
}
