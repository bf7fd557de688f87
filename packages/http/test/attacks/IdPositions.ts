// Positions of ids in the schemas of the OpenAPI document and in bodies.
import { isObject, type Json, listIn, objectIn } from "@tentpole/http/description/Json"

export interface IdPosition {
  /**
   * `items.*.contact_id`. Variants of a body follow in parentheses, by the values of their discriminators: `steps.*(create_tent).template_id`.
   * A recursive schema is one place: a rule's list is `rules(condition list_membership).listId` at every depth.
   */
  readonly place: string
  /** Whether the schema requires a uuid, or only the name is that of an id. */
  readonly isUuid: boolean
}

export interface FoundId extends IdPosition {
  readonly value: unknown
}

/** Every position that a body of the schema can have. */
export const idPositions = (description: Json, schema: Json): ReadonlyArray<IdPosition> => [
  ...new Map(walked(description, schema, undefined).map((found) => [found.place, found])).values(),
]

/** The ids of a body with their positions. */
export const idsIn = (description: Json, schema: Json, body: unknown): ReadonlyArray<FoundId> =>
  walked(description, schema, { value: body })

/** A present value, or undefined to search all variants. */
type Here = { readonly value: unknown } | undefined

const walked = (description: Json, whole: Json, body: Here): ReadonlyArray<FoundId> => {
  const found: Array<FoundId> = []
  const named = objectIn(objectIn(description, "components"), "schemas")

  const walk = (schema: Json, name: string, place: string, inside: ReadonlyMap<string, string>, here: Here): void => {
    const { $ref } = schema
    if (typeof $ref === "string") {
      const own = $ref.slice($ref.lastIndexOf("/") + 1)
      const before = inside.get(own)
      if (before !== undefined && here === undefined) return
      const at = before ?? place
      walk(objectIn(named, own), name, at, new Map([...inside, [own, at]]), here)
      return
    }
    if (schema["readOnly"] === true) return
    const isUuid = schema["format"] === "uuid"
    const isText = isUuid || [schema["type"], ...listIn(schema, "type")].includes("string")
    if (isText && (isUuid || isCalledId(name)) && (here === undefined || typeof here.value === "string")) {
      found.push({ place, isUuid, value: here?.value })
    }
    for (const form of formsOf(schema)) {
      const seen = resolved(named, form)
      if (here !== undefined && !fits(seen, here.value)) continue
      walk(form, name, place + labelOf(seen), inside, here)
    }
    for (const [key, inner] of Object.entries(objectIn(schema, "properties"))) {
      if (!isObject(inner)) continue
      const there =
        here === undefined ? undefined : isObject(here.value) && key in here.value ? here.value[key] : absent
      if (there !== absent) walk(inner, key, place === "" ? key : `${place}.${key}`, inside, here && { value: there })
    }
    const { items } = schema
    if (!isObject(items)) return
    const entries: ReadonlyArray<Here> =
      here === undefined
        ? [undefined]
        : Array.isArray(here.value)
          ? here.value.map((value: unknown) => ({ value }))
          : []
    for (const entry of entries) walk(items, name, `${place}.*`, inside, entry)
  }

  walk(whole, "", "", new Map(), body)
  return found
}

const absent: unique symbol = Symbol("no such key")

const isCalledId = (name: string): boolean => /(_id|_ids|Id|Ids)$/.test(name)

const resolved = (named: Json, schema: Json): Json => {
  const { $ref } = schema
  return typeof $ref === "string" ? resolved(named, objectIn(named, $ref.slice($ref.lastIndexOf("/") + 1))) : schema
}

const formsOf = (schema: Json): ReadonlyArray<Json> =>
  ["anyOf", "oneOf", "allOf"].flatMap((key) => listIn(schema, key)).filter(isObject)

/** The keys with one constant value, which discriminate the variants of a union. */
const words = (schema: Json): ReadonlyArray<readonly [key: string, word: unknown]> =>
  Object.entries(objectIn(schema, "properties")).flatMap(([key, inner]) => {
    const only = listIn(inner, "enum")
    return only.length === 1 ? [[key, only[0]] as const] : []
  })

const labelOf = (schema: Json): string => {
  const label = words(schema).map(([, word]) => String(word))
  return label.length === 0 ? "" : `(${label.join(" ")})`
}

const fits = (schema: Json, value: unknown): boolean =>
  words(schema).every(([key, word]) => isObject(value) && value[key] === word)
