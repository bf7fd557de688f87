// Validation of the topics and the consent of an import.
import { DateTime } from "effect"
import type { TopicId } from "../../kernel/Ids.ts"
import type { Issue } from "../../kernel/Refusal.ts"
import type { Topic } from "../../topics/Topic.ts"
import type { ImportConsent, ImportTarget } from "../Import.ts"
import { topicOf, topicsNamed } from "../ImportConsent.ts"
import type { WantedMapping } from "./Mapping.ts"

/** The maximum of topics that an import names: each adds a choice and a record to every row. */
export const import_topics_max = 20

interface Wanted {
  readonly as: ImportTarget
  readonly mappings: ReadonlyArray<WantedMapping> | null
  readonly consent: ImportConsent | null
}

/** Where a request names topics, in its order. */
export const namedTopics = ({
  consent,
  mappings,
}: Wanted): ReadonlyArray<{ readonly id: TopicId; readonly path: string }> => [
  ...(mappings ?? []).flatMap((mapping, at) => {
    const id = topicOf(mapping)
    return id === null ? [] : [{ id, path: `mappings.${at}.target_field` }]
  }),
  ...(consent?.topicIds ?? []).map((id, at) => ({ id, path: `consent.topic_ids.${at}` })),
]

interface Facts {
  readonly headers: ReadonlyArray<string>
  readonly topics: ReadonlyArray<Topic>
  readonly now: DateTime.Utc
}

/** All topics of the request exist. */
export const consentIssues = (wanted: Wanted, facts: Facts): ReadonlyArray<Issue> => {
  const { as, consent, mappings } = wanted
  const mapped = new Set(topicsNamed({ consent: null, mappings }))
  const count = topicsNamed(wanted).length
  const tooMany = count > import_topics_max
  const place = mapped.size > 0 ? "mappings" : "consent.topic_ids"
  return [
    ...(tooMany ? [{ path: place, message: `name ${count} topics: an import can have ${import_topics_max}` }] : []),
    ...(consent === null ? missingConsent(mapped, facts) : givenIssues(consent, mapped, facts)),
    ...(as === "suppressions" && consent !== null
      ? [{ path: "consent", message: "can't be given with suppressions: no contact subscribes" }]
      : []),
  ]
}

const missingConsent = (mapped: ReadonlySet<TopicId>, { topics }: Facts): ReadonlyArray<Issue> => {
  const needing = topics.find(({ doubleOptIn, id }) => doubleOptIn && mapped.has(id))
  if (needing === undefined) return []
  const message = `is required: subscriptions to the topic "${needing.name}" need a confirmation, so say what the people agreed to`
  return [{ path: "consent", message }]
}

const givenIssues = (
  { collectedAt, collectedAtHeader, topicIds }: ImportConsent,
  mapped: ReadonlySet<TopicId>,
  { headers, now }: Facts,
): ReadonlyArray<Issue> => {
  const unknown = collectedAtHeader !== null && !headers.includes(collectedAtHeader)
  const both = collectedAtHeader !== null && collectedAt !== null
  return [
    ...(topicIds.length + mapped.size === 0
      ? [{ path: "consent.topic_ids", message: "must name a topic, unless a column is mapped to one" }]
      : []),
    ...topicIds.flatMap((id, at) =>
      mapped.has(id)
        ? [{ path: `consent.topic_ids.${at}`, message: "can't be named here: a mapping says who subscribes to it" }]
        : [],
    ),
    ...(collectedAt !== null && DateTime.isGreaterThan(collectedAt, now)
      ? [{ path: "consent.collected_at", message: "must not be later than now" }]
      : []),
    ...(unknown
      ? [{ path: "consent.collected_at_header", message: `is not a column of the file: ${collectedAtHeader}` }]
      : []),
    ...(both
      ? [
          {
            path: "consent.collected_at_header",
            message: "can't be given beside collected_at: the column has the times",
          },
        ]
      : []),
  ]
}
