// Prints the modules of `@tentpole/client` that follow from an API value: its types, and the table of its routes.
import { errorCodes } from "@tentpole/core/kernel/ErrorCode"
import { listingOf } from "@tentpole/http/client/Listing"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { comment, type JsonSchema, type Schemas, TypePrinter } from "./ClientTypes.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly components: { readonly schemas: Schemas }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}

interface Route {
  readonly operation: Operation
  /** The method, the path and marks, such as `GET /v1/emails cursor:emails`. `packages/client/src/Routes.ts` reads them. */
  readonly line: string
  readonly codes: ReadonlyArray<string>
  readonly isListing: boolean
}

const answersOf = ({ responses }: Operation): ReadonlyArray<readonly [string, JsonSchema] | null> =>
  Object.entries(responses).flatMap(([status, { content }]) => {
    if (status >= "400") return []
    return content === undefined ? [null] : Object.entries(content).map(([type, { schema }]) => [type, schema] as const)
  })

/** JSON is the rule; a format of bytes is a file, other content is text. */
const kindOf = (answer: readonly [string, JsonSchema] | null): "json" | "text" | "bytes" =>
  answer === null || answer[0] === "application/json" ? "json" : answer[1].format === "binary" ? "bytes" : "text"

const errorsIn = (schema: JsonSchema): ReadonlyArray<JsonSchema> => schema.anyOf ?? [schema]

const codesOf = (printer: TypePrinter, { responses }: Operation): ReadonlyArray<string> =>
  Object.entries(responses)
    .filter(([status]) => status >= "400")
    .flatMap(([, { content = {} }]) => Object.values(content).flatMap(({ schema }) => errorsIn(schema)))
    .map((each) => (each.$ref === undefined ? each : printer.get(each.$ref.slice(each.$ref.lastIndexOf("/") + 1))))
    .flatMap(({ properties }) => (properties?.["code"]?.enum ?? []).map(String))

/** Numbers and dates are accepted as values and as text. */
const parameterType = (printer: TypePrinter, { schema }: Parameter): string => {
  const type = printer.type(schema)
  return type === "number" ? "number | string" : schema.format?.endsWith("date-time") ? "Date | string" : type
}

const parametersIn = (printer: TypePrinter, { parameters }: Operation, place: string, indent: string): string => {
  const lines = parameters
    .filter((each) => each.in === place)
    .map(
      (each) =>
        `${comment(place === "query" ? each.description : undefined, `${indent}  `)}${indent}  readonly ${each.name}${each.required === true ? "" : "?"}: ${parameterType(printer, each)}\n`,
    )
  return lines.length === 0 ? "" : `{\n${lines.join("")}${indent}}`
}

const bodyType = (printer: TypePrinter, { requestBody }: Operation, indent: string): string => {
  const [content] = Object.entries(requestBody?.content ?? {})
  if (content === undefined) return ""
  if (content[0] === "multipart/form-data") return "FormData"
  return printer.type(content[1].schema, indent).replace(/ \| null$/, " | undefined")
}

/** Whether a part can be left out: the body may be absent, or every key is optional. */
const isOptional = (printer: TypePrinter, schema: JsonSchema | undefined): boolean => {
  if (schema === undefined) return true
  if (schema.$ref !== undefined)
    return isOptional(printer, printer.get(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)))
  if (schema.anyOf !== undefined) return schema.anyOf.some((each) => each.type === "null" || isOptional(printer, each))
  return schema.type === "object" && (schema.required ?? []).length === 0
}

const requestType = (printer: TypePrinter, operation: Operation, indent: string): string => {
  const inner = `${indent}  `
  const params = parametersIn(printer, operation, "path", inner)
  const query = parametersIn(printer, operation, "query", inner)
  const body = bodyType(printer, operation, inner)
  const needsQuery = operation.parameters.some((each) => each.in === "query" && each.required === true)
  const [content] = Object.values(operation.requestBody?.content ?? {})
  const parts = [
    params === "" ? "" : `${inner}readonly params: ${params}\n`,
    query === "" ? "" : `${inner}readonly query${needsQuery ? "" : "?"}: ${query}\n`,
    body === "" ? "" : `${inner}readonly payload${isOptional(printer, content?.schema) ? "?" : ""}: ${body}\n`,
  ].join("")
  return parts === "" ? "{}" : `{\n${parts}${indent}}`
}

const valueType = (printer: TypePrinter, operation: Operation, indent: string): string => {
  const types = answersOf(operation).map((answer) =>
    answer === null
      ? "void"
      : { json: printer.type(answer[1], indent), text: "string", bytes: "ReadableStream<Uint8Array>" }[kindOf(answer)],
  )
  return [...new Set(types)].join(" | ")
}

/** The routes of an API in the order of its groups. */
const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  operations: ReadonlyMap<string, Operation>,
  printer: TypePrinter,
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      const operation = operations.get(id)
      if (operation === undefined) throw new Error(`The document lacks ${id}`)
      const listing = listingOf(endpoint)
      const kinds = new Set(
        answersOf(operation)
          .map(kindOf)
          .filter((kind) => kind !== "json"),
      )
      const isKeyed = operation.parameters.some(({ name }) => name === "Idempotency-Key")
      const marks = [
        ...(isKeyed ? ["key"] : []),
        ...kinds,
        ...(listing === null ? [] : [`${listing.by}:${listing.entries}`]),
      ]
      routes.push({
        operation,
        line: [endpoint.method, endpoint.path, ...marks].join(" "),
        codes: codesOf(printer, operation),
        isListing: listing !== null,
      })
    },
  })
  return routes
}

const groupsOf = (routes: ReadonlyArray<Route>): ReadonlyMap<string, ReadonlyArray<readonly [string, Route]>> =>
  new Map(
    [...Map.groupBy(routes, ({ operation }) => operation.operationId.split(".")[0] ?? "")].map(([group, members]) => [
      group,
      members.map((route) => [route.operation.operationId.slice(group.length + 1), route] as const),
    ]),
  )

const union = (codes: ReadonlyArray<string>): string => codes.map((code) => JSON.stringify(code)).join(" | ")

const signature = (printer: TypePrinter, common: ReadonlySet<string>, name: string, route: Route): string => {
  const { codes, isListing, operation } = route
  const own = union([...new Set(codes)].filter((code) => !common.has(code)))
  const parts = [
    requestType(printer, operation, "    "),
    valueType(printer, operation, "    "),
    own === "" ? "CommonCode" : `CommonCode | ${own}`,
  ]
  return `${comment(`${operation.summary}. ${operation.description}`, "    ")}    readonly ${name}: ${isListing ? "Listing" : "Method"}<${parts.join(", ")}>\n`
}

/** The module of the error codes. */
export const errorCodeModule = (): string => `// The error codes. Generated by \`npm run docs\`.
${comment("All error codes of the API. See docs/errors.md.")}export type ErrorCode = ${union(errorCodes)}
`

/** The module of an API. `client` is the name of its interface. */
export const clientModule = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  client: string,
  of: string,
): string => {
  // The library's type of documents has no shapes of operations.
  const document = OpenApi.fromApi(api) as unknown as Document & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const operations = new Map(
    Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((each) => [each.operationId, each] as const),
    ),
  )
  const printer = new TypePrinter(document.components.schemas)
  const routes = routesOf(api, operations, printer)
  const [first, ...others] = routes.map(({ codes }) => new Set(codes))
  const common = new Set([...(first ?? [])].filter((code) => others.every((codes) => codes.has(code))))
  const about = new Map(document.tags.map(({ description, name }) => [name, description]))
  const groups = [...groupsOf(routes)]
  const methods = groups.map(
    ([group, members]) =>
      `${comment(about.get(group), "  ")}  readonly ${group}: {\n${members.map(([name, route]) => signature(printer, common, name, route)).join("")}  }\n`,
  )
  const table = groups.map(
    ([group, members]) =>
      `  ${group}: {\n${members.map(([name, { line }]) => `    ${name}: ${JSON.stringify(line)},\n`).join("")}  },\n`,
  )
  return `// The ${of}: its types and its routes. Generated by \`npm run docs\`: change the API's schemas instead.
import type { ${routes.some(({ isListing }) => isListing) ? "Listing, Method" : "Method"} } from "../Methods.ts"

${comment("Error codes of every call.")}export type CommonCode = ${union([...common])}

${comment(`The methods of the ${of}, by group and name.`)}export interface ${client} {
${methods.join("")}}

${comment("Method, path and marks of each call: `key` for an idempotency key, `text` and `bytes` for answers that are not JSON, and how a listing is paged.")}export const routes = {
${table.join("")}}

${printer.declarations()}`
}
