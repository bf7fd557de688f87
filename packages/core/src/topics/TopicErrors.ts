// Refusals of topics and of what people chose.
import { Schema } from "effect"
import { TopicId } from "../kernel/Ids.ts"
import { existing, type NotFound, NotFound as Missing, refusalClass } from "../kernel/Refusal.ts"

export const topicNotFound = (): NotFound => new Missing({ resource: "topic" })

export class TopicNameExists extends refusalClass<TopicNameExists>()("TopicNameExists", {
  code: "topic_name_exists",
  fields: { name: Schema.String, existingId: Schema.NullOr(TopicId) },
  message: ({ name }) => `A topic with the name "${name}" already exists. Choose another name`,
  details: existing,
}) {}

export class TopicLimitReached extends refusalClass<TopicLimitReached>()("TopicLimitReached", {
  code: "topic_limit",
  fields: { limit: Schema.Int, current: Schema.Int },
  message: ({ current, limit }) => `The workspace has ${current} of ${limit} active topics. Archive one first`,
  extras: ({ current, limit }) => ({ limit, current }),
}) {}

/** What uses a topic. `contacts`: people with a recorded status; it has no id and no name. */
export const TopicUser = Schema.Struct({
  type: Schema.Literals(["blast", "flow", "form", "contacts"]),
  id: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  count: Schema.Int,
})
export type TopicUser = typeof TopicUser.Type

/** The most users that a refusal names. */
export const topic_users_max = 20

export interface TopicUses {
  /** Blasts, flows and forms, each sorted by name, then the contacts in one entry; at most `topic_users_max`. */
  readonly users: ReadonlyArray<TopicUser>
  /** The number of all entries. */
  readonly count: number
}

type NamedUser = Pick<TopicUser, "id" | "name">

/** `forms`: of each its name, and the tent that it is on. */
export const usesBy = ({
  blasts,
  contacts,
  flows,
  forms,
}: {
  readonly blasts: ReadonlyArray<NamedUser>
  readonly flows: ReadonlyArray<NamedUser>
  readonly forms: ReadonlyArray<NamedUser>
  readonly contacts: number
}): TopicUses => {
  const each = (type: "blast" | "flow" | "form", users: ReadonlyArray<NamedUser>) =>
    users.map(({ id, name }): TopicUser => ({ type, id, name, count: 1 }))
  const all: ReadonlyArray<TopicUser> = [
    ...each("blast", blasts),
    ...each("flow", flows),
    ...each("form", forms),
    ...(contacts === 0 ? [] : [{ type: "contacts", id: null, name: null, count: contacts } as const]),
  ]
  return { users: all.slice(0, topic_users_max), count: all.length }
}

const describeUser = ({ count, name, type }: TopicUser): string =>
  type === "contacts" ? `${count} contacts with a recorded status` : `the ${type} "${name ?? ""}"`

export class TopicInUse extends refusalClass<TopicInUse>()("TopicInUse", {
  code: "topic_in_use",
  fields: { name: Schema.String, users: Schema.Array(TopicUser), count: Schema.Int },
  message: ({ count, name, users }) => {
    const more = count - users.length
    const named = users.map(describeUser).join(", ") + (more > 0 ? ` and ${more} more` : "")
    return `"${name}" can't be deleted while it is used by ${named}. Archive it`
  },
  extras: ({ count, users }) => ({ used_by: users, used_by_count: count }),
}) {}

export class TopicArchived extends refusalClass<TopicArchived>()("TopicArchived", {
  code: "topic_archived",
  fields: { path: Schema.String },
  message: () => "The topic is archived: no contact can subscribe to it. Make it active again, or leave it out",
  details: ({ path }) => ({ issues: [{ path, message: "is an archived topic" }] }),
}) {}
