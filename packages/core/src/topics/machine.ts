// The machine of topics: creating, changing, archiving and deleting them. Pure.
import { type DateTime, Result } from "effect"
import type { TopicId } from "../kernel/Ids.ts"
import { type AuditNote, type Change, changeOf } from "../kernel/changes/Change.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { fold, slugify } from "../kernel/Text.ts"
import { active_topics_max, type Topic } from "./Topic.ts"
import { TopicInUse, TopicLimitReached, TopicNameExists, topicNotFound, type TopicUses } from "./TopicErrors.ts"

/** A topic to create. Its parts are checked. */
export interface NewTopic extends Pick<
  Topic,
  "id" | "name" | "description" | "defaultSubscription" | "visibility" | "doubleOptIn"
> {
  /** Null: after the last one. */
  readonly position: number | null
}

/** An update of a topic. Absent keys stay. */
export type TopicEdit = Partial<
  Pick<Topic, "name" | "description" | "visibility" | "doubleOptIn" | "position" | "status">
>

export type TopicChange = Change<
  "topic",
  {
    readonly before: Topic | null
    /** Null: the topic is deleted. */
    readonly after: Topic | null
  }
>

interface TopicWithChange {
  readonly change: TopicChange
  readonly topic: Topic
}

const topicChange = changeOf("topic")

const noteOf = (before: Topic | null, after: Topic | null): ReadonlyArray<AuditNote> => {
  const topic = after ?? before
  if (topic === null) return []
  const note = (action: AuditNote["action"]) => [{ action, target: topic.id, details: { name: topic.name } }]
  if (before === null) return note("topic.created")
  if (after === null) return note("topic.deleted")
  if (before.status === after.status) return note("topic.updated")
  return note(after.status === "archived" ? "topic.archived" : "topic.unarchived")
}

const changeTo = (before: Topic | null, after: Topic | null): TopicChange =>
  topicChange({ before, after }, { audit: before === after ? [] : noteOf(before, after) })

/** The highest position of a topic. */
export const topic_position_max = 1_000_000

const positionAfter = (existing: ReadonlyArray<Topic>): number =>
  Math.min(topic_position_max, Math.max(-1, ...existing.map(({ position }) => position)) + 1)

/** The label of a host name in `List-Id` has at most 63 characters; a number has to fit, too. */
const slug_length_max = 56

/** Derived from the name, with a number if it is taken. Topics without Latin letters are `topic`, `topic-2` …. */
const freeSlug = (name: string, existing: ReadonlyArray<Topic>): string => {
  const base = slugify(name, slug_length_max) || "topic"
  const taken = new Set(existing.map(({ slug }) => slug))
  for (let number = 1; ; number++) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!taken.has(slug)) return slug
  }
}

/** All topics of the workspace, archived ones too. */
type Existing = ReadonlyArray<Topic>

const checkName = (name: string, others: Existing): Result.Result<void, TopicNameExists> => {
  const same = others.find((topic) => fold(topic.name) === fold(name))
  return same === undefined ? Result.void : Result.fail(new TopicNameExists({ name, existingId: same.id }))
}

const checkRoom = (others: Existing): Result.Result<void, TopicLimitReached> => {
  const current = others.filter(({ status }) => status === "active").length
  return current < active_topics_max
    ? Result.void
    : Result.fail(new TopicLimitReached({ limit: active_topics_max, current }))
}

const isUnchanged = (left: Topic, right: Topic): boolean =>
  left.name === right.name &&
  left.description === right.description &&
  left.visibility === right.visibility &&
  left.doubleOptIn === right.doubleOptIn &&
  left.position === right.position &&
  left.status === right.status

export const TopicChange = {
  create(
    { position, ...wanted }: NewTopic,
    existing: Existing,
    now: DateTime.Utc,
  ): Result.Result<TopicWithChange, TopicNameExists | TopicLimitReached> {
    return Result.gen(function* () {
      yield* checkName(wanted.name, existing)
      yield* checkRoom(existing)
      const topic: Topic = {
        ...wanted,
        slug: freeSlug(wanted.name, existing),
        position: position ?? positionAfter(existing),
        status: "active",
        createdAt: now,
        updatedAt: now,
      }
      return { topic, change: changeTo(null, topic) }
    })
  },

  /** An edit without effect is no change. The slug stays. */
  update(
    id: TopicId,
    edit: TopicEdit,
    existing: Existing,
    now: DateTime.Utc,
  ): Result.Result<TopicWithChange, NotFound | TopicNameExists | TopicLimitReached> {
    return Result.gen(function* () {
      const before = existing.find((topic) => topic.id === id)
      if (before === undefined) return yield* Result.fail(topicNotFound())
      const others = existing.filter((topic) => topic.id !== id)
      const edited = { ...before, ...edit }
      yield* checkName(edited.name, others)
      if (before.status === "archived" && edited.status === "active") yield* checkRoom(others)
      const topic = isUnchanged(before, edited) ? before : { ...edited, updatedAt: now }
      return { topic, change: changeTo(before, topic) }
    })
  },

  delete(topic: Topic, uses: TopicUses): Result.Result<TopicChange, TopicInUse> {
    return uses.count > 0
      ? Result.fail(new TopicInUse({ name: topic.name, ...uses }))
      : Result.succeed(changeTo(topic, null))
  },
}
