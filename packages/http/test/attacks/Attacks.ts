// Generator of bad requests from a valid request and the OpenAPI document. Each has the path of its fault.
import { gzipSync } from "node:zlib"
import { methods } from "../fixtures/Described.ts"
import type { Json, Sent } from "../fixtures/World.ts"

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly method: string
  /** With its parameters in braces: `/v1/contacts/{contact_id}`. */
  readonly path: string
  readonly query: ReadonlyArray<{
    readonly name: string
    readonly required: boolean
    readonly enum: ReadonlyArray<string> | null
    /** Of a number. */
    readonly maximum: number | null
  }>
  readonly takesJson: boolean
  /** Whether the body may be omitted. */
  readonly mayLackBody: boolean
  /** The body of the document's example; undefined without a body. */
  readonly example: Json
}

export interface Attack {
  /** The problem, for the failure message. */
  readonly what: string
  readonly path: string
  readonly sent: Sent
  /** The path in the request that the answer must name. Null if there is none. */
  readonly wrong: string | null
  /** `refused`: the request is invalid. `either`: it may be valid, but must never be an internal error. */
  readonly expected: "refused" | "either"
}

export const operationsOf = (description: Json, under: ReadonlyArray<string>): ReadonlyArray<Operation> =>
  Object.entries<Json>(description.paths)
    .filter(([path]) => under.some((root) => path === root || path.startsWith(`${root}/`)))
    .flatMap(([path, item]) =>
      methods.filter((method) => method in item).map((method) => operationOf(method, path, item[method])),
    )

const operationOf = (method: string, path: string, described: Json): Operation => {
  const content = described.requestBody?.content?.["application/json"]
  return {
    method: method.toUpperCase(),
    path,
    query: (described.parameters ?? [])
      .filter((parameter: Json) => parameter.in === "query")
      .map((parameter: Json) => ({
        name: parameter.name,
        required: parameter.required === true,
        enum: parameter.schema.enum ?? null,
        maximum: parameter.schema.maximum ?? null,
      })),
    takesJson: content !== undefined,
    mayLackBody: (content?.schema.anyOf ?? []).some((choice: Json) => choice.type === "null"),
    example: content?.example,
  }
}

export const parametersOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)

export const filled = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no value for ${name}`)

export const withQuery = (address: string, query: string): string =>
  `${address}${address.includes("?") ? "&" : "?"}${query}`

/** The path of an operation with its required query parameters, except `but`. */
export const addressOf = (
  { path, query }: Operation,
  values: Readonly<Record<string, string>>,
  but: string | null = null,
): string =>
  query
    .filter(({ name, required }) => required && name !== but)
    .reduce(
      (address, { name }) =>
        withQuery(address, `${name}=${encodeURIComponent(values[name] ?? `no value for ${name}`)}`),
      filled(path, values),
    )

const noIds = [
  "not-a-uuid",
  "%00",
  "'%20OR%201=1--",
  "__proto__",
  "1e309",
  "%F0%9F%98%80",
  "..%2f..%2fetc",
  "a".repeat(90),
]

/** Malformed ids. The name of a form is any text. */
export const inPath = (operation: Operation, values: Readonly<Record<string, string>>): ReadonlyArray<Attack> =>
  parametersOf(operation.path).flatMap((name) =>
    (name === "formId" ? [] : noIds).map((bad) => ({
      what: `${name} is ${bad}`,
      path: addressOf(operation, { ...values, [name]: bad }),
      sent: operation.takesJson ? { json: {} } : {},
      wrong: name,
      expected: "refused",
    })),
  )

const noNumbers = [
  "1e2",
  "0x10",
  " 5",
  "5 ",
  "-1",
  "0",
  "+1",
  "1.0",
  "9007199254740993",
  "1e309",
  "NaN",
  "٣",
  "'",
  "true",
]
const noWords = [
  "'; drop table contact; --",
  "1 or 1=1",
  "ASC ",
  "\0",
  ..."created_at;-- % _ __proto__ constructor".split(" "),
]
const noDates = "2026-02-30 2026-05-01T24:00:00Z 2026-05-01T10:00:00 0000-01-01 10000-01-01 now() 1e309".split(" ")

const alike = (names: string, values: ReadonlyArray<string>): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, values]))

/** Invalid values of each parameter, by name. A parameter that is missing here is an error. */
const wrongValues: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...alike("contact_id email_id flow_id tent_id topic_id workspace_id", ["no-uuid", "\0", "__proto__", "' or '1'='1"]),
  ...alike("updated_after since until from to created_after created_before", [...noDates, "\0"]),
  page: noNumbers,
  limit: noNumbers,
  version: noNumbers,
  cursor: ["\0", "x".repeat(201), "%21broken", "!broken", "AAAA", "MA", "__proto__"],
  tag: ["\0", "kind", ":receipt", "x".repeat(152)],
  domain: ["\0", "x".repeat(256)],
  // The first link has the index 0.
  link_index: noNumbers.filter((value) => value !== "0"),
  search: ["\0", "x".repeat(256)],
  q: ["\0", "x".repeat(256)],
  state: ["\0", "ready", "__proto__", "dead,ready"],
  actor: ["\0", "x".repeat(201)],
  confirm: ["\0", "x".repeat(64), "not the slug"],
  tentIdOrAlias: ["\0", "../etc", "a/../b"],
  daysBack: ["\0"],
  email: ["\0", "x".repeat(1001)],
  phone: ["\0", "x".repeat(1001)],
}

/** Values that fall back to the default when they are empty or out of range. */
const fallsBack: ReadonlySet<string> = new Set(["daysBack"])

/** Text that is valid in a search and must not be interpreted as SQL. */
export const hostileText = ["%", "_", "\\", "'", "' or '1'='1", "\\%", "*", "🙂", "\u202e", "$1", "); select 1 --"]

export const inQuery = (operation: Operation, values: Readonly<Record<string, string>>): ReadonlyArray<Attack> => {
  const attack = (query: string, wrong: string): Attack => ({
    what: `?${query}`,
    path: withQuery(addressOf(operation, values, wrong), query),
    sent: operation.takesJson ? { json: {} } : {},
    wrong,
    expected: "refused",
  })
  const unknown = ["bogus", "__proto__", "constructor", "workspace_id", "a[]"]
  const attacks = [
    ...unknown.map((name) => attack(`${encodeURIComponent(name)}=1`, name)),
    ...operation.query.flatMap(({ name, enum: words, maximum }) => {
      const bad = words === null ? wrongValues[name] : noWords
      if (bad === undefined) throw new Error(`${operation.path} takes ${name}: say in wrongValues what it must not be`)
      return [
        ...(fallsBack.has(name) ? [] : [attack(`${name}=`, name)]),
        attack(`${name}=1&${name}=1`, name),
        ...(maximum === null ? [] : [attack(`${name}=${maximum + 1}`, name)]),
        ...bad.map((value) => attack(`${name}=${encodeURIComponent(value)}`, name)),
      ]
    }),
  ]
  return sample(attacks, operation.path, 3)
}

export type Place = ReadonlyArray<string | number>

/** The JSON of a value with raw text in one place. Raw text can be what no value is: 1e309, or a key twice. */
export const textOf = (value: Json, at: Place, raw: string): string => {
  const [here, ...rest] = at
  if (here === undefined) return raw
  if (Array.isArray(value)) {
    return `[${value.map((each, index) => (index === here ? textOf(each, rest, raw) : JSON.stringify(each))).join()}]`
  }
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}:${key === here ? textOf(each, rest, raw) : JSON.stringify(each)}`,
  )
  return `{${members.join()}}`
}

/** The JSON of a value with an additional member at the end of one of its objects. */
export const textWith = (value: Json, at: Place, key: string, raw: string): string => {
  const object = at.reduce<Json>((inner, step) => inner[step], value)
  const members = Object.entries(object).map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`)
  return textOf(value, at, `{${[...members, `${key}:${raw}`].join()}}`)
}

export const placesIn = (value: Json, at: Place = []): ReadonlyArray<Place> => [
  at,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        placesIn(inner, [...at, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
]

const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`

/** Values that are invalid in every place of a body. */
const impossible = [
  `"\\u0000"`,
  `"a\\ud800"`,
  `{"__proto__":{"polluted":true}}`,
  `{"constructor":{"prototype":{"polluted":true}}}`,
]
/** Values that are valid in some places. */
const unlikely = [
  "null",
  "true",
  "5",
  "-1",
  "1.5",
  "9007199254740993",
  `""`,
  `"5"`,
  `"' OR 1=1; drop table contact; --"`,
  `"%_\\\\"`,
  `"2026-02-30"`,
  `"__proto__"`,
  "[]",
  "{}",
  "[[]]",
]
/** Keys that every object inherits. */
const byBirth = ["__proto__", "constructor"]
/** Keys that no body accepts: unknown, columns of the database, or read-only. */
const others = [
  "bogus",
  "toString",
  "",
  "workspace_id",
  "created_at",
  "updated_at",
  "last_activity_at",
  "marketing_email_invalid",
  "member_count",
  "owner_campaign_id",
  "rule_issues",
  "provenance_kind",
  "credits",
  "plan",
  "default_secret",
]

/** A different part of a pool at each turn, so that every value is tried somewhere without trying all of them everywhere. */
const someOf = <A>(pool: ReadonlyArray<A>, count: number, turn: number): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => pool[(turn * count + index) % pool.length]).filter(
    (each) => each !== undefined,
  )

/** All attacks in a campaign (`npm run test:attacks`); otherwise every n-th, always the same ones. */
const sample = <A>(attacks: ReadonlyArray<A>, path: string, each: number): ReadonlyArray<A> =>
  process.env["ATTACKS"] === "all" ? attacks : attacks.filter((_, index) => index % each === path.length % each)

/** Bodies with one invalid value, in every place. Each starts from a new valid body, because requests change the estate. */
export const inBody = (
  { mayLackBody }: Operation,
  path: string,
  make: () => Json,
  foreignKey: string,
): ReadonlyArray<Attack> => {
  /** An update may be empty: that is not an issue of the body. */
  const harmless = (raw: string): boolean => raw === "{}" || (raw === "null" && mayLackBody)
  const attack = (what: string, body: string, at: Place, expected: Attack["expected"]): Attack => ({
    what: `${at.join(".") || "the body"} ${what}`,
    path,
    sent: { body },
    wrong: at.join("."),
    expected,
  })
  const attacks = placesIn(make()).flatMap((at, turn) => {
    const here: Json = at.reduce<Json>((inner, step) => inner[step], make())
    const tried = at.length < 2 ? unlikely : someOf(unlikely, 4, turn)
    const instead = (raw: string, expected: Attack["expected"]) =>
      attack(`is ${raw}`, textOf(make(), at, raw), at, expected)
    const isObject = typeof here === "object" && here !== null && !Array.isArray(here)
    return [
      ...(at.length < 2 ? impossible : someOf(impossible, 2, turn)).map((raw) => instead(raw, "refused")),
      instead("1e309", "refused"),
      ...tried.map((raw) => instead(raw, at.length > 0 || harmless(raw) ? "either" : "refused")),
      ...(isObject
        ? [...byBirth, foreignKey, ...(at.length < 2 ? others : someOf(others, 3, turn))].map((key) =>
            attack(`has ${key}`, textWith(make(), at, JSON.stringify(key), `"x"`), [...at, key], "refused"),
          )
        : []),
      ...(isObject
        ? Object.keys(here).map((key) =>
            attack(`has ${key} twice`, textWith(make(), at, JSON.stringify(key), `"\\u0000"`), [...at, key], "refused"),
          )
        : []),
      ...(isObject ? [attack("has NUL in a key", textWith(make(), at, `"a\\u0000"`, `"x"`), at, "refused")] : []),
    ]
  })
  return sample(attacks, path, 10)
}

/** Bodies that are not JSON, too deep, or without a JSON content type. */
export const noJson = ({ mayLackBody }: Operation, path: string, right: Json): ReadonlyArray<Attack> => {
  const attack = (what: string, sent: Sent, expected: Attack["expected"] = "refused"): Attack => ({
    what,
    path,
    sent,
    wrong: null,
    expected,
  })
  const lacking = mayLackBody ? "either" : "refused"
  const places = placesIn(right)
  const attacks = [
    ...["{", "{]", "{'a':1}", `{"a":1,}`, "NaN", "\0", `{"a":01}`, `{"items":[`, "undefined", "{} {}"].map((body) =>
      attack(`the body is ${body}`, { body }),
    ),
    attack("there is no body", {}, lacking),
    attack("the body is empty", { body: "" }, lacking),
    attack("the body is a form", {
      body: "a=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
    // The server does not decompress bodies: a few kilobytes could be gigabytes.
    attack("the body is compressed", {
      body: Uint8Array.from(gzipSync(JSON.stringify(right))),
      headers: { "content-encoding": "gzip" },
    }),
    attack("the body has no content type", { body: JSON.stringify(right), headers: { "content-type": "" } }),
    ...[places[0], places.at(-1)].flatMap((at) =>
      at === undefined
        ? []
        : [attack(`${at.join(".")} is ten thousand levels deep`, { body: textOf(right, at, deep) })],
    ),
  ]
  return sample(attacks, path, 3)
}

const leaf = { kind: "condition", source: "contact", field: "city", operator: "is_empty" }
const nested = (levels: number): Json => (levels === 0 ? leaf : { kind: "group", conditions: [nested(levels - 1)] })

/** Rule trees beyond the limits, where a body has one. */
export const inRules = (path: string, right: Json): ReadonlyArray<Attack> =>
  placesIn(right)
    .filter((at) => at.at(-1) === "rules")
    .flatMap((at) =>
      [
        ["has 101 nodes", { kind: "group", conditions: Array.from({ length: 100 }, () => leaf) }],
        ["is six levels deep", nested(6)],
        ["is sixty levels deep", nested(30)],
        ["names an inherited key as field", { ...leaf, field: "__proto__" }],
        [
          "has an email_step condition outside a flow",
          { kind: "condition", source: "email_step", nodeId: "a", operator: "has_activity" },
        ],
        ["has a day that does not exist", { ...leaf, field: "createdAt", operator: "lt", value: "2026-02-30" }],
        ["has a number as text", { ...leaf, field: "serviceScore", operator: "lt", value: "5" }],
      ].map(([what, rules]): Attack => ({
        what: `${at.join(".")} ${what}`,
        path,
        sent: { body: textOf(right, at, JSON.stringify(rules)) },
        wrong: at.join("."),
        expected: "refused",
      })),
    )

/** The same body for each id in it: once with an id of another workspace, once with an unknown id. */
export const withForeignIds = (
  right: Json,
  ids: ReadonlyArray<{ readonly ours: string; readonly theirs: string }>,
  unknown: string,
): ReadonlyArray<{ readonly what: string; readonly id: string; readonly theirs: string; readonly unknown: string }> =>
  placesIn(right).flatMap((at) => {
    const here: Json = at.reduce<Json>((inner, step) => inner[step], right)
    const id = ids.find(({ ours }) => ours === here)
    if (id === undefined) return []
    const body = (other: string) => textOf(right, at, JSON.stringify(other))
    return [{ what: at.join("."), id: id.theirs, theirs: body(id.theirs), unknown: body(unknown) }]
  })
