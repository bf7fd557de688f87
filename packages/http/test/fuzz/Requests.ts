// Generator of random requests for every operation, from a seed: valid ones, ones with boundary values, and invalid ones.
import type { Draw } from "@tentpole/core/contract"
import { isObject, type Json, objectIn } from "@tentpole/http/description/Json"
import { filled, parametersOf, type Place, placesIn, textOf, textWith } from "../attacks/Attacks.ts"
import { type DescribedOperation, parametersIn } from "../fixtures/Described.ts"
import type { Sent } from "../fixtures/World.ts"
import { drawValues, type IdFor, strangeText } from "./Values.ts"

export interface Drawn {
  readonly path: string
  readonly sent: Sent
}

/** Raw JSON that is valid in few places. */
const strangeJson = [
  "null",
  "true",
  "5",
  "-1",
  "1.5",
  "-0",
  "1e309",
  "9007199254740993",
  "123456789012345678901234567890",
  `""`,
  `"\\u0000"`,
  `"a\\ud800"`,
  `"2026-02-30"`,
  `"9999-99-99T99:99:99Z"`,
  "[]",
  "[null]",
  "{}",
  `{"__proto__":{"polluted":true}}`,
  `{"a":{"b":{"c":[[[[]]]]}}}`,
  `[${"[".repeat(100)}${"]".repeat(100)}]`,
  JSON.stringify("x".repeat(70_000)),
]
const strangeKeys = ["bogus", "__proto__", "constructor", "workspace_id", "created_at", "", "status", "🙂"]
const noJson = [
  "",
  "{",
  "[]]",
  "{'a':1}",
  `{"a":1,}`,
  "NaN",
  "undefined",
  `"text"`,
  "null",
  "5",
  "\0",
  "{} {}",
  "\ufeff{}",
]
const contentTypes = [
  "application/json; charset=utf-16",
  "application/json;charset=latin1",
  "APPLICATION/JSON",
  "application/json, application/json",
  "application/problem+json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "",
  ";",
]
const oddHeaders: ReadonlyArray<Readonly<Record<string, string>>> = [
  { authorization: "" },
  { authorization: "Bearer" },
  { authorization: "Basic YTpi" },
  { authorization: "Bearer a, Bearer b" },
  { authorization: `Bearer ${"x".repeat(4_000)}` },
  { "x-request-id": "given-1" },
  { "x-request-id": "not one / of ours" },
  { "x-http-method-override": "DELETE" },
  { "x-forwarded-for": "127.0.0.1, 10.0.0.1" },
  { accept: "text/html" },
  { "accept-encoding": "br;q=nonsense" },
  { "content-encoding": "gzip" },
  { range: "bytes=0-" },
  { "if-none-match": "*" },
  { traceparent: "00-zz-zz-zz" },
  { cookie: "a=b; __proto__=c" },
  { "content-length": "5" },
]
const idempotencyKeys = ["one", "two", "three", "ключ".replace(/./g, "k"), "x".repeat(255), "x".repeat(256), " ", ""]
const strangeQueries = [
  "bogus=1",
  "page=1&page=2",
  "%E0%A4%A",
  "a[]=1",
  "=",
  "&&&",
  "__proto__=1",
  `q=${"x".repeat(4_000)}`,
]

/** The valid request of an operation, if a probe has one. */
export type RightFor = (operation: DescribedOperation) => ReadonlyArray<Drawn>

export const drawRequests = (draw: Draw, description: Json, idFor: IdFor, rightFor: RightFor) => {
  const valueOf = drawValues(draw, description, idFor)

  /** Replaces the ids in a body: those in examples do not exist. */
  const withIds = (body: unknown, name: string): unknown => {
    if (Array.isArray(body)) return body.map((each) => withIds(each, name))
    if (isObject(body))
      return Object.fromEntries(Object.entries(body).map(([key, inner]) => [key, withIds(inner, key)]))
    return typeof body === "string" && /^[0-9a-f-]{36}$/.test(body) && draw.chance(0.7) ? idFor(name) : body
  }

  const bodyFor = (operation: DescribedOperation, content: Json): unknown => {
    const turn = draw.below(100)
    const rights = rightFor(operation).map(({ sent }) => sent.json)
    if (turn < 40 && rights.length > 0) return turn < 30 ? draw.of(rights) : withIds(draw.of(rights), "")
    if (turn < 55) return withIds(content["example"], "")
    return valueOf(objectIn(content, "schema"), "")
  }

  /** The JSON text of a body with one random invalid value. */
  const spoilt = (body: unknown): string => {
    const places = placesIn(body)
    const at: Place = draw.of(places)
    const within: unknown = at.reduce<unknown>(
      (inner, step) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : inner),
      body,
    )
    if (isObject(within) && draw.chance(0.5)) {
      const raw = draw.of(strangeJson)
      return textWith(body, at, JSON.stringify(draw.of([...strangeKeys, ...Object.keys(within)])), raw)
    }
    return textOf(body, at, draw.chance(0.3) ? JSON.stringify(draw.of(strangeText)) : draw.of(strangeJson))
  }

  const bytesOf = (text: string): Sent => {
    const turn = draw.below(100)
    if (turn < 20) return { body: draw.of(noJson) }
    if (turn < 35) return { body: `\ufeff${text}` }
    if (turn < 50) return { body: Uint8Array.from(Buffer.from(text, "utf16le")) }
    if (turn < 65) return { body: Uint8Array.from(Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc0])])) }
    if (turn < 80) return { body: text.slice(0, draw.below(text.length + 1)) }
    return { body: text, headers: { "content-type": draw.of(contentTypes) } }
  }

  const jsonFor = (operation: DescribedOperation, content: Json): Sent => {
    const body = bodyFor(operation, content)
    const text = JSON.stringify(body) ?? "null"
    const turn = draw.below(100)
    if (turn < 55) return { body: text }
    return turn < 92 ? { body: spoilt(body) } : bytesOf(text)
  }

  /** Files are sent unchanged, or with some bytes removed or changed. */
  const uploadFor = (operation: DescribedOperation): Sent => {
    const { sent } = draw.of(rightFor(operation))
    const { body } = sent
    if (!(body instanceof Uint8Array) || draw.chance(0.5)) return sent
    const bytes = body.slice(0, draw.chance(0.5) ? body.length : draw.below(body.length))
    if (bytes.length > 0 && draw.chance(0.7)) bytes[draw.below(bytes.length)] = draw.below(256)
    return draw.chance(0.9)
      ? { ...sent, body: bytes }
      : { body: bytes, headers: { "content-type": draw.of(contentTypes) } }
  }

  const sentTo = (operation: DescribedOperation): Sent => {
    const content = objectIn(objectIn(operation.described, "requestBody"), "content")
    if ("application/json" in content)
      return draw.chance(0.02) ? {} : jsonFor(operation, objectIn(content, "application/json"))
    if ("multipart/form-data" in content) return uploadFor(operation)
    // Operations without a body sometimes get one.
    return operation.method !== "GET" && draw.chance(0.05) ? { body: draw.of(noJson) } : {}
  }

  const queryFor = (operation: DescribedOperation): string => {
    const own = parametersIn(operation)
      .filter((each) => each["in"] === "query")
      .flatMap((each) => {
        const name = String(each["name"])
        if (!draw.chance(each["required"] === true ? 0.95 : 0.3)) return []
        const value = draw.chance(0.15)
          ? each["example"]
          : /id(OrAlias)?$/i.test(name)
            ? idFor(name)
            : valueOf(objectIn(each, "schema"), name)
        return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`]
      })
    return [...own, ...(draw.chance(0.04) ? [draw.of(strangeQueries)] : [])].join("&")
  }

  const pathFor = (operation: DescribedOperation): string => {
    const values = parametersOf(operation.path).map((name) => {
      const known = rightFor(operation)
        .map(({ path }) => path.split("?")[0]?.split("/")[operation.path.split("/").indexOf(`{${name}}`)])
        .filter((each) => each !== undefined)
      const right = draw.chance(0.5) && known.length > 0 ? draw.of(known) : encodeURIComponent(idFor(name) || "none")
      return [
        name,
        draw.chance(0.01) ? draw.of(["%00", "%E0%A4%A", "..%2f..", "%F0%9F%98%80", "a%20b"]) : right,
      ] as const
    })
    return filled(operation.path, Object.fromEntries(values))
  }

  return (operation: DescribedOperation): Drawn => {
    const query = queryFor(operation)
    const sent = sentTo(operation)
    const isRepeated = operation.method === "POST" && draw.chance(0.06)
    const headers = {
      ...sent.headers,
      ...(draw.chance(0.05) ? draw.of(oddHeaders) : {}),
      ...(isRepeated ? { "idempotency-key": draw.of(idempotencyKeys) } : {}),
    }
    return { path: pathFor(operation) + (query === "" ? "" : `?${query}`), sent: { ...sent, headers } }
  }
}
