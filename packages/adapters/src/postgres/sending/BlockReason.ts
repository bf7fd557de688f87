// The block reason of a recipient as SQL, generated from the conditions of core.
import type { PgClient } from "@effect/sql-pg"
import type { TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { blockConditions, type RecipientFacts } from "@tentpole/core/sending/Suppression"
import type { RecipientTopic, TopicDefault } from "@tentpole/core/topics/Topic"
import type { Statement } from "effect/sql"

/** What the statement knows of the message. A text is an expression, all else is the value itself. */
interface MessageColumns {
  readonly operational: boolean | string
  /** Null: the message has no topic. */
  readonly topic: string | null
  readonly consentRequired: boolean | string
  /** Defaults to the address of contact `c`. */
  readonly address?: string
}

type Columns = { readonly [Fact in keyof RecipientFacts]: string | boolean | null }

const isValue = (column: string | boolean | null, value: string | boolean | null): string | boolean => {
  if (typeof column !== "string") return column === value
  return typeof value === "string" ? `${column} = '${value}'` : `${column} is ${value}`
}

/** True or false when the terms decide it without the row. */
const joined = (operator: "and" | "or", terms: ReadonlyArray<string | boolean>): string | boolean => {
  const decided = operator === "or"
  if (terms.includes(decided)) return decided
  const open = terms.filter((term): term is string => typeof term === "string")
  return open.length === 0 ? !decided : open.length === 1 ? (open[0] ?? "") : `(${open.join(` ${operator} `)})`
}

/**
 * The branches of a CASE whose value is the block reason. They read `contact c`, left joined to the `suppression s` of its
 * address.
 */
export const blockBranches = ({
  address = "c.email_normalized",
  consentRequired,
  operational,
  topic,
}: MessageColumns): string => {
  const columns: Columns = {
    emailNormalized: address,
    unsubscribed: "c.unsubscribed",
    marketingEmailSubscribed: "c.marketing_email_subscribed",
    marketingEmailInvalid: "c.marketing_email_invalid",
    suppression: "s.reason",
    topic,
    consentRequired,
  }
  return blockConditions
    .flatMap(({ marketingOnly, reason, when }) => {
      const facts = when.map((all) =>
        joined(
          "and",
          all.map(([fact, value]) => isValue(columns[fact], value)),
        ),
      )
      const marketing = typeof operational === "string" ? `not ${operational}` : !operational
      const holds = joined("and", [...(marketingOnly ? [marketing] : []), joined("or", facts)])
      return holds === false ? [] : [`when ${holds} then '${reason}'`]
    })
    .join(" ")
}

/** The block reason, or null. */
export const blockReasonOf = (sql: PgClient.PgClient, message: MessageColumns): Statement.Fragment =>
  sql.literal(`case ${blockBranches(message)} end`)

/** Whether the settings of workspace `w` require consent. */
export const consentRequiredColumn = "coalesce(w.consent ->> 'marketingConsent' = 'required', false)"

/** The topic of a message to many recipients. */
export interface MessageTopic {
  readonly topicId: TopicId
  /** Null: the topic was deleted. */
  readonly default: TopicDefault | null
}

/** A topic that was deleted has no subscribers. */
const byDefault = (standing: TopicDefault | null): RecipientTopic =>
  standing === "subscribed" ? "subscribed_by_default" : "unsubscribed_by_default"

/** What a statement reads of the topic of its message: a join to `contact c`, and the expression for `blockBranches`. */
export const topicParts = (sql: PgClient.PgClient, workspace: WorkspaceId, topic: MessageTopic | null) =>
  topic === null
    ? { join: sql``, topic: null }
    : {
        join: sql`left join topic_choice tc on tc.workspace_id = ${workspace} and tc.topic_id = ${topic.topicId}
        and tc.contact_id = c.contact_id`,
        topic: `coalesce(tc.status, '${byDefault(topic.default)}')`,
      }
