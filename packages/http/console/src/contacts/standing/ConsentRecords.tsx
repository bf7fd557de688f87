// The consent records of a contact, the newest first: what was agreed to, when, where, and in which words.
import { Paper, Skeleton, Text, Timeline } from "@mantine/core"
import type { ConsentRecord } from "@tentpole/client"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { PanelHead } from "../../parts/PageHeader.tsx"
import { MoreButton } from "../../parts/table/MoreButton.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Time } from "../../parts/Time.tsx"
import { TopicName } from "../../topics/TopicName.tsx"
import { useWords } from "../../words/Words.tsx"

const page_size = 10

interface RecordProps {
  readonly record: ConsentRecord
  /** Names of the contact's topics by id. */
  readonly names: ReadonlyMap<string, string>
}

const Details = ({ record: { at, ip_prefix, source, source_detail, text } }: Pick<RecordProps, "record">) => {
  const { records: words, sources } = useWords("topics")
  return (
    <>
      {text !== null && (
        <Text component="blockquote" size="sm" m={0} className="break">
          {`“${text}”`}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="break">
        <Time at={at} /> · {sources[source]}
        {source_detail !== null && ` (${source_detail})`}
        {ip_prefix !== null && ` · ${words.network} ${ip_prefix}`}
      </Text>
    </>
  )
}

const Title = ({ names, record: { action, topic_id } }: RecordProps) => {
  const { records: words } = useWords("topics")
  return (
    <>
      {words.actions[action]} ·{" "}
      {topic_id === null ? words.allMarketing : (names.get(topic_id) ?? <TopicName topicId={topic_id} />)}
    </>
  )
}

export const ConsentRecords = ({ contactId }: { readonly contactId: string }) => {
  const { records: words } = useWords("topics")
  const params = { contact_id: contactId }
  const topics = useQuery(queryOf("topics", "listByContact", { params }))
  const pages = useInfiniteQuery({
    queryKey: ["consentRecords", "list", contactId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      queryOf("consentRecords", "list", {
        params,
        query: { limit: page_size, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      }).queryFn({ signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  const names = new Map((topics.data?.items ?? []).map(({ name, topic_id }) => [topic_id, name]))
  const records = pages.data?.pages.flatMap((page) => page.consent_records) ?? []
  return (
    <Paper p="md" component="section" aria-label={words.title}>
      <PanelHead title={words.title} beside={<CurlButton call={["consentRecords", "list", { params }]} />} />
      {pages.isPending || topics.isPending ? <Skeleton className="late" h={60} /> : null}
      {pages.isError && <Problem error={pages.error} onRetry={pages.refetch} />}
      {pages.isSuccess && records.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.empty}
        </Text>
      )}
      {!topics.isPending && records.length > 0 && (
        <Timeline bulletSize={12} lineWidth={1} color="gray">
          {records.map((record) => (
            <Timeline.Item key={record.consent_record_id} title={<Title record={record} names={names} />}>
              <Details record={record} />
            </Timeline.Item>
          ))}
        </Timeline>
      )}
      <MoreButton pages={pages}>{words.more}</MoreButton>
    </Paper>
  )
}
