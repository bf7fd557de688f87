// The event types that an endpoint takes: each by itself, a group such as `contact.*`, or all with `*`.

export type Patterns = ReadonlyArray<string>

/** What deliveries of several events have as their type. No event has it. */
export const batch_type = "event.batch"

/** A test is sent by a call only: no endpoint can choose its type. */
export const test_type = "webhook.test"

/** `flow` of `flow.member.entered`. */
export const groupOf = (type: string): string => type.slice(0, type.indexOf("."))

export const groupPattern = (group: string): string => `${group}.*`

export const matches = (pattern: string, type: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

/** The types that the patterns take. */
export const typesOf = (patterns: Patterns, types: ReadonlyArray<string>): ReadonlyArray<string> =>
  types.filter((type) => patterns.some((pattern) => matches(pattern, type)))

export const groupsOf = (types: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> =>
  Map.groupBy(types, groupOf)

const without = (patterns: Patterns, group: string): Patterns => patterns.filter((each) => groupOf(each) !== group)

/** All types of a group, also those that come later; or none. */
export const withGroup = (patterns: Patterns, group: string, isOn: boolean): Patterns => [
  ...without(patterns, group),
  ...(isOn ? [groupPattern(group)] : []),
]

/** The patterns with a type, or without it. A group that loses a type is its other types. */
export const withType = (
  patterns: Patterns,
  types: ReadonlyArray<string>,
  { isOn, type }: { readonly type: string; readonly isOn: boolean },
): Patterns => {
  const group = groupOf(type)
  const its = types.filter((each) => groupOf(each) === group)
  const chosen = typesOf(patterns, its)
  return [...without(patterns, group), ...its.filter((each) => (each === type ? isOn : chosen.includes(each)))]
}
