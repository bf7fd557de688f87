// Decoding of JSON: every issue at once, each with its path.
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import type { Issue } from "./Refusal.ts"
import { hasTooManyUnknownKeys, unknown_keys_max } from "./UnknownKeys.ts"

export type Json = Readonly<Record<string, unknown>>

export const isObject: (value: unknown) => value is Json = Predicate.isObject

/** The most issues that one decoding reports. */
export const issues_max = 1000

export const below = (path: string, key: string | number): string => (path === "" ? String(key) : `${path}.${key}`)

/** The value, or null with what is wrong. */
export interface Decoded<Value> {
  readonly value: Value | null
  readonly issues: ReadonlyArray<Issue>
}

export type Decoder<Value> = (json: unknown, path: string) => Decoded<Value>

export const refused = (path: string, message: string): Decoded<never> => ({ value: null, issues: [{ path, message }] })

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

type Struct = Schema.Codec<unknown, unknown> & { readonly fields: Schema.Struct.Fields }

/** One issue a path. `absent`: null means an absent key. `hints` are the messages of keys that belong elsewhere. */
export const decoderOf = <S extends Struct>(
  schema: S,
  { absent = true, hints = {} }: { readonly absent?: boolean; readonly hints?: Readonly<Record<string, string>> } = {},
): Decoder<S["Type"]> => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const known = Object.keys(schema.fields).join(", ")
  const messageOf = (path: ReadonlyArray<string>, message: string) => {
    if (!message.startsWith("Expected no excess")) return message
    const hint = path.length === 1 && Object.hasOwn(hints, path[0] ?? "") ? hints[path[0] ?? ""] : undefined
    return hint ?? (path.length === 1 ? `is not a key here; known are ${known}` : "is not a key here")
  }
  return (json, at) => {
    if (!isObject(json)) return refused(at, "must be an object")
    if (hasTooManyUnknownKeys(schema, json)) return refused(at, `has more than ${unknown_keys_max} unknown keys`)
    const decoded = decode(absent ? withoutNulls(json, schema.fields) : json)
    if (Result.isSuccess(decoded)) return { value: decoded.success, issues: [] }
    const issues = new Map<string, Issue>()
    for (const { path: parts = [], message } of formatted(decoded.failure.issue).issues.slice(0, issues_max)) {
      const keys = parts.map((part) => String(typeof part === "object" ? part.key : part))
      const path = keys.reduce(below, at)
      if (!issues.has(path)) issues.set(path, { path, message: messageOf(keys, message) })
    }
    return { value: null, issues: [...issues.values()] }
  }
}

const withoutNulls = (json: Json, fields: Schema.Struct.Fields): Json =>
  Object.fromEntries(
    Object.entries(json).filter(
      ([key, value]) => (value !== null && value !== undefined) || !Object.hasOwn(fields, key),
    ),
  )
