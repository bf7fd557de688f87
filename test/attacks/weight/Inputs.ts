// Inputs of an operation, derived from its description: each has one parameter at its maximum, filled with the worst characters or
// values of its kind, and the rest of the request valid.
import { type Place, withQuery } from "@tentpole/http/test/attacks/Attacks"
import { type DescribedOperation, parametersIn } from "@tentpole/http/test/fixtures/Described"
import { multipart, png } from "@tentpole/http/test/fixtures/Multipart"
import type { Sent } from "@tentpole/http/test/fixtures/World"
import { isObject, type Json, listIn, objectIn } from "@tentpole/http/description/Json"
import { copies, fillings, some, text, values } from "./Fillings.ts"

export interface Request {
  readonly path: string
  readonly sent: Sent
}

export interface Input {
  readonly parameter: string
  readonly filling: string
  readonly request: (right: Request) => Request
}

/** Below `JSON_BYTES_MAX`, so that the rest of the body fits. */
const body_bytes_max = 5 * 2 ** 20 - 2 ** 16
/** Below the limit of all headers. */
const head_bytes_max = 12_000

/** Fillings for text whose form is fixed: an id, a date, one of some words. */
const few = ["spaces", "dots", "letters", "marks", "double quotes"]

/** The schemas without references and unions. */
const plain = (description: Json, schema: unknown, depth = 0): ReadonlyArray<Json> => {
  if (!isObject(schema) || depth > 12) return []
  const { $ref } = schema
  if (typeof $ref === "string") {
    const schemas = objectIn(objectIn(description, "components"), "schemas")
    return plain(description, schemas[$ref.slice($ref.lastIndexOf("/") + 1)], depth + 1)
  }
  const forms = [...listIn(schema, "anyOf"), ...listIn(schema, "oneOf")]
  if (forms.length > 0) return forms.flatMap((form) => plain(description, form, depth + 1))
  const all = listIn(schema, "allOf")
  if (all.length === 0) return [schema]
  const parts = all.flatMap((each) => plain(description, each, depth + 1))
  return [Object.assign({}, ...parts, { ...schema, allOf: undefined })]
}

interface Spot {
  readonly at: Place
  readonly schemas: ReadonlyArray<Json>
  /** The valid value; undefined if the valid body lacks it. */
  readonly value: unknown
}

const elements_max = 8
const depth_max = 10

/** Every place of the body: those of the valid one, and the keys that the schema adds. */
const spotsIn = (
  description: Json,
  schemas: ReadonlyArray<Json>,
  value: unknown,
  at: Place = [],
): ReadonlyArray<Spot> => {
  const here: Spot = { at, schemas, value }
  if (at.length > depth_max) return [here]
  if (Array.isArray(value)) {
    const items = schemas.flatMap((each) => plain(description, each["items"]))
    const inner = value.slice(0, elements_max)
    return [here, ...inner.flatMap((each, index) => spotsIn(description, items, each, [...at, index]))]
  }
  if (!isObject(value)) return [here]
  const keys = new Set([...Object.keys(value), ...schemas.flatMap((each) => Object.keys(objectIn(each, "properties")))])
  const below = [...keys].flatMap((key) => {
    const inner = schemas.flatMap((each) => {
      const own = objectIn(each, "properties")[key] ?? each["additionalProperties"]
      return plain(description, own)
    })
    return spotsIn(description, inner, value[key], [...at, key])
  })
  return [here, ...below]
}

const marker = "the place of the parameter"

/** The JSON of a body with raw text in a place, which may be missing. */
const bodyWith = (body: unknown, at: Place, raw: string): string => {
  if (at.length === 0) return raw
  const changed: unknown = structuredClone(body)
  const within = at.slice(0, -1).reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), changed)
  Reflect.set(Object(within), at.at(-1) ?? "", marker)
  const [before = "", after = ""] = JSON.stringify(changed).split(JSON.stringify(marker))
  return before + raw + after
}

const hasType = ({ schemas }: Spot, type: string): boolean =>
  schemas.some((each) => each["type"] === type || listIn(each, "type").includes(type))

const largest = (schemas: ReadonlyArray<Json>, keyword: string): number | null => {
  const all = schemas.flatMap((each) => (typeof each[keyword] === "number" ? [each[keyword]] : []))
  return all.length === 0 ? null : Math.max(...all)
}

/** From this length on, a text is tried with more fillings. */
const long_length = 1_000
/** Fillings of a text that is long, short, or refused for its length; and values of an object that is not the body. */
const long_fillings = 15
const short_fillings = 4
const refused_fillings = 2
const values_count = 3

/** Raw JSON for a place, by name. */
const rawIn = (spot: Spot): ReadonlyArray<readonly [filling: string, raw: () => string]> => {
  const { at, schemas, value } = spot
  const isText = hasType(spot, "string")
  const isFixed = schemas.every(
    (each) => each["enum"] !== undefined || ["uuid", "date-time"].includes(String(each["format"])),
  )
  const length_max = largest(schemas, "maxLength")
  const documented =
    !isText || length_max === null || isFixed
      ? []
      : some(fillings, length_max < long_length ? short_fillings : long_fillings, at.join()).map(
          (name) => [`${length_max} characters of ${name}`, { name, length_max }] as const,
        )
  const whole = isText
    ? some(isFixed ? few : fillings, length_max === null ? short_fillings : refused_fillings, at.join()).map(
        (name) => [`a body of ${name}`, { name, length_max: Infinity }] as const,
      )
    : []
  const texts = [...documented, ...whole].map(
    ([title, { name, length_max: longest }]) =>
      [title, () => JSON.stringify(text(name, { length_max: longest, bytes_max: body_bytes_max }))] as const,
  )
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  const item = JSON.stringify(first ?? "a")
  const items_max = largest(schemas, "maxItems") ?? Infinity
  const lists = hasType(spot, "array")
    ? ([
        ["as many items as documented", () => copies(item, items_max, body_bytes_max)],
        ["a body of items", () => copies(item, Infinity, body_bytes_max)],
        ["a body of many texts", () => values["many texts"]?.(body_bytes_max) ?? ""],
        ["a body of many objects", () => values["many objects"]?.(body_bytes_max) ?? ""],
      ] as const)
    : []
  const isFree = at.length === 0 || schemas.length === 0 || hasType(spot, "object")
  const free = isFree
    ? some(Object.entries(values), at.length === 0 ? Infinity : values_count, at.join()).map(
        ([name, make]) => [`a body of ${name}`, () => make(body_bytes_max)] as const,
      )
    : []
  return [...texts, ...lists, ...free]
}

const inBody = (description: Json, operation: DescribedOperation, right: Request): ReadonlyArray<Input> => {
  const content = objectIn(objectIn(objectIn(operation.described, "requestBody"), "content"), "application/json")
  const schemas = plain(description, content["schema"])
  if (schemas.length === 0) return []
  return spotsIn(description, schemas, right.sent.json ?? {}).flatMap((spot) =>
    rawIn(spot).map(([filling, raw]) => ({
      parameter: spot.at.join(".") || "the body",
      filling,
      request: ({ path, sent: { headers = {}, json = {} } }: Request) => ({
        path,
        sent: { headers, body: bodyWith(json, spot.at, raw()) },
      }),
    })),
  )
}

/** A text of at most so many UTF-16 units whose percent-encoded form fits into the head of a request. */
const inHead = (name: string, length_max: number): string => {
  const encoded = (longest: number) =>
    encodeURIComponent(text(name, { length_max: longest, bytes_max: Infinity })).replaceAll("'", "%27")
  const wanted = Math.min(length_max, head_bytes_max)
  return encoded(Math.min(wanted, Math.floor((wanted * head_bytes_max) / encoded(wanted).length)))
}

const inQuery = (operation: DescribedOperation): ReadonlyArray<Input> =>
  parametersIn(operation)
    .filter((each) => each["in"] === "query")
    .flatMap((each) =>
      some(fillings, short_fillings, String(each["name"])).flatMap((filling) => {
        const schema = objectIn(each, "schema")
        const sizes = typeof schema["maxLength"] === "number" ? [schema["maxLength"], head_bytes_max] : [head_bytes_max]
        return sizes.map((length_max) => ({
          parameter: `?${String(each["name"])}`,
          filling: `${length_max} characters of ${filling}`,
          request: ({ path, sent }: Request) => ({
            path: withQuery(path, `${String(each["name"])}=${inHead(filling, length_max)}`),
            sent,
          }),
        }))
      }),
    )

const inPath = (operation: DescribedOperation): ReadonlyArray<Input> =>
  operation.path.split("/").flatMap((segment, index) =>
    segment.startsWith("{")
      ? some(fillings, short_fillings, operation.path).map((filling) => ({
          parameter: segment,
          filling,
          request: ({ path, sent }: Request) => {
            const [before = "", query] = path.split("?")
            const segments = before.split("/").with(index, inHead(filling, head_bytes_max))
            return { path: segments.join("/") + (query === undefined ? "" : `?${query}`), sent }
          },
        }))
      : [],
  )

/** Below `ASSET_BYTES_MAX`. */
const file_bytes_max = 25 * 2 ** 20 - 2 ** 16

const files: Readonly<Record<string, () => Uint8Array | string>> = {
  ...Object.fromEntries(
    ["spaces", "lines", "nested tags", "formatting tags", "comments", "marks", "letters"].map((name) => [
      `a file of ${name}`,
      () => text(name, { length_max: Infinity, bytes_max: file_bytes_max }),
    ]),
  ),
  "an SVG of groups": () => `<svg xmlns="http://www.w3.org/2000/svg">${"<g>".repeat(file_bytes_max / 3)}`,
  "a PNG with a long end": () => Buffer.concat([png, Buffer.alloc(file_bytes_max)]),
}

const inFile = (operation: DescribedOperation): ReadonlyArray<Input> => {
  const content = objectIn(objectIn(operation.described, "requestBody"), "content")
  if (!("multipart/form-data" in content)) return []
  const sent = (filling: string, make: () => Sent): Input => ({
    parameter: "file",
    filling,
    request: ({ path }) => ({ path, sent: make() }),
  })
  return [
    ...Object.entries(files).flatMap(([filling, bytes]) => [
      sent(filling, () => multipart([{ fileName: "brief.txt", bytes: bytes() }])),
      sent(`${filling}, as an image`, () => multipart([{ fileName: "logo.svg", bytes: bytes() }])),
    ]),
    ...fillings
      .filter((name) => !["lines", "CRLF", "double quotes"].includes(name))
      .map((name) =>
        sent(`a file name of ${name}`, () => {
          const fileName = text(name, { length_max: head_bytes_max, bytes_max: head_bytes_max })
          return multipart([{ fileName, bytes: "x" }])
        }),
      ),
    sent("many parts", () => multipart(Array.from({ length: 50_000 }, () => ({ bytes: "x", fileName: null })))),
    sent("many files", () => multipart(Array.from({ length: 50_000 }, () => ({ bytes: "x" })))),
  ]
}

/** All inputs of an operation. `rights`: its valid requests; without one, parameters of the path and query only. */
export const inputsOf = (
  description: Json,
  operation: DescribedOperation,
  rights: ReadonlyArray<Request>,
): ReadonlyArray<Input & { readonly right: number }> =>
  rights.flatMap((right, index) =>
    [
      ...(index === 0 ? [...inPath(operation), ...inQuery(operation), ...inFile(operation)] : []),
      ...inBody(description, operation, right),
    ].map((input) => ({ ...input, right: index })),
  )
