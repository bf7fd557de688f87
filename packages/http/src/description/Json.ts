// Helpers to read and transform the JSON of an OpenAPI document.
import { Predicate } from "effect"

export type Json = Record<string, unknown>

export const isObject: (value: unknown) => value is Json = Predicate.isObject

export const objectIn = (value: unknown, key: string): Json => {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}

export const listIn = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const inner = isObject(value) ? value[key] : undefined
  return Array.isArray(inner) ? inner : []
}

export const mapped = (value: unknown, change: (key: string, inner: unknown) => unknown): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(key, inner)])) : {}

export const withOperations = (
  description: Json,
  change: (operation: Json, at: { readonly method: string; readonly path: string }) => unknown,
): Json => ({
  ...description,
  paths: mapped(description["paths"], (path, item) =>
    mapped(item, (method, operation) => (isObject(operation) ? change(operation, { method, path }) : operation)),
  ),
})

export const withComponents = (description: Json, kind: string, more: Json): Json => {
  const components = objectIn(description, "components")
  return { ...description, components: { ...components, [kind]: { ...objectIn(components, kind), ...more } } }
}
