// Topics of an import: which ones a run names, and what the cells of a row say for them.
import { DateTime, Result, Schema } from "effect"
import { readDate } from "../contacts/values/FieldValue.ts"
import { TopicId } from "../kernel/Ids.ts"
import type { TopicStatus } from "../topics/Topic.ts"
import type { ImportConsent, Mapping } from "./Import.ts"

type Wanted = Exclude<TopicStatus, "pending">

/** What a row says for a topic. `column` null: the consent of the run says it for every row. */
export interface RowChoice {
  readonly topicId: TopicId
  readonly status: Wanted
  readonly column: Mapping | null
}

export interface RowConsent {
  readonly choices: ReadonlyArray<RowChoice>
  /** Null: the row has none. */
  readonly collectedAt: DateTime.Utc | null
}

const words: ReadonlyMap<string, Wanted> = new Map([
  ...["subscribed", "yes", "true", "1"].map((word) => [word, "subscribed"] as const),
  ...["unsubscribed", "no", "false", "0"].map((word) => [word, "unsubscribed"] as const),
])

export const statusMessage = "must be subscribed, yes, true or 1, or unsubscribed, no, false or 0"

/** The status that a cell says; undefined: none. */
export const statusOfCell = (text: string): Wanted | undefined => words.get(text.toLowerCase())

/** When the person agreed, null when the cell is empty, or what it must be. */
export const readCollectedAt = (text: string, now: DateTime.Utc): Result.Result<DateTime.Utc | null, string> => {
  if (text === "") return Result.succeed(null)
  return Result.flatMap(readDate(text, "text"), (day) => {
    const at = DateTime.makeUnsafe(day ?? text)
    return DateTime.isGreaterThan(at, now) ? Result.fail("must not be later than now") : Result.succeed(at)
  })
}

const isTopicId = Schema.is(TopicId)

/** The topic of a mapping; null: it has another target, or no id. */
export const topicOf = ({
  targetField,
  targetKind,
}: {
  readonly targetField: string | null
  readonly targetKind: string | null
}): TopicId | null => {
  const id = targetKind === "topic" ? (targetField ?? "").toLowerCase() : null
  return isTopicId(id) ? id : null
}

/** The topics that are named, each once. */
export const topicsNamed = ({
  consent,
  mappings,
}: {
  readonly consent: Pick<ImportConsent, "topicIds"> | null
  readonly mappings: ReadonlyArray<Parameters<typeof topicOf>[0]> | null
}): ReadonlyArray<TopicId> => [
  ...new Set([...(consent?.topicIds ?? []), ...(mappings ?? []).flatMap((mapping) => topicOf(mapping) ?? [])]),
]
