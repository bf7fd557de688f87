// The activities of a contact, the newest first. Older ones come on request.
import { Skeleton, Stack, Text, Timeline as Line } from "@mantine/core"
import type { Activity } from "@tentpole/client"
import { useInfiniteQuery } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import { queryOf } from "../api/queries.ts"
import {
  BlastsIcon,
  ContactsIcon,
  EditIcon,
  EmailsIcon,
  FlowsIcon,
  LinkIcon,
  ListsIcon,
  SuppressionsIcon,
  TableIcon,
} from "../Icons.tsx"
import { MoreButton } from "../parts/table/MoreButton.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { useWords } from "../words/Words.tsx"

const TopicDetail = lazy(async () => ({ default: (await import("./TopicDetail.tsx")).TopicDetail }))

const page_size = 25

const icons: Readonly<Record<Activity["type"], typeof EmailsIcon>> = {
  contact_created: ContactsIcon,
  contact_updated: EditIcon,
  contact_merged: ContactsIcon,
  subscription_requested: EmailsIcon,
  subscription_confirmed: EmailsIcon,
  subscription_changed: EmailsIcon,
  email_sent: BlastsIcon,
  email_delivered: EmailsIcon,
  email_opened: EmailsIcon,
  email_clicked: LinkIcon,
  email_bounced: SuppressionsIcon,
  email_unsubscribed: SuppressionsIcon,
  email_complained: SuppressionsIcon,
  form_submission: TableIcon,
  list_added: ListsIcon,
  list_removed: ListsIcon,
  flow_entered: FlowsIcon,
  flow_completed: FlowsIcon,
  flow_dropped: FlowsIcon,
}

interface Change {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

const isChange = (value: unknown): value is Change =>
  typeof value === "object" && value !== null && "field" in value && "to" in value

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value)

/** Keys of the metadata that name the thing of an activity, the best first. */
const naming = ["blast_name", "flow_name", "list_name", "form_name", "email_name", "subject", "url", "name"]

const detailOf = ({ metadata }: Activity): string | null => {
  const { changes } = metadata
  if (Array.isArray(changes)) {
    return changes
      .filter(isChange)
      .map(({ field, from, to }) => `${field}: ${textOf(from)} → ${textOf(to)}`)
      .join(" · ")
  }
  const key = naming.find((each) => typeof metadata[each] === "string")
  return key === undefined ? null : textOf(metadata[key])
}

const Detail = ({ activity }: { readonly activity: Activity }) => {
  const { from, to, topic_id } = activity.metadata
  const detail = detailOf(activity)
  if (typeof topic_id !== "string" && detail === null) return null
  return (
    <Text size="sm" className="break">
      {typeof topic_id === "string" ? (
        <Suspense fallback="…">
          <TopicDetail topicId={topic_id} from={from} to={to} />
        </Suspense>
      ) : (
        detail
      )}
    </Text>
  )
}

interface Props {
  readonly contactId: string
}

export const Timeline = ({ contactId }: Props) => {
  const words = useWords("contacts")
  const pages = useInfiniteQuery({
    queryKey: ["contacts", "activities", contactId],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      queryOf("contacts", "activities", {
        params: { contact_id: contactId },
        query: { page: pageParam, limit: page_size },
      }).queryFn({ signal }),
    getNextPageParam: ({ pagination: { page, totalPages } }) => (page < totalPages ? page + 1 : undefined),
  })
  const activities = pages.data?.pages.flatMap((page) => page.activities) ?? []
  return (
    <>
      <Text component="h2" fw={600} size="sm" m={0} mb="md">
        {words.timeline}
      </Text>
      {pages.isPending && (
        <Stack className="late">
          <Skeleton h={14} w="60%" />
          <Skeleton h={14} w="45%" />
          <Skeleton h={14} w="50%" />
        </Stack>
      )}
      {pages.isError && <Problem error={pages.error} onRetry={pages.refetch} />}
      {pages.isSuccess && activities.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.timelineEmpty}
        </Text>
      )}
      <Line bulletSize={26} lineWidth={1} color="gray">
        {activities.map((activity) => {
          const Icon = icons[activity.type]
          return (
            <Line.Item key={activity.activity_id} bullet={<Icon size={14} />} title={words.activities[activity.type]}>
              <Detail activity={activity} />
              <Text size="xs" c="dimmed">
                <Time at={activity.timestamp} as="relative" />
              </Text>
            </Line.Item>
          )
        })}
      </Line>
      <MoreButton pages={pages}>{words.older}</MoreButton>
    </>
  )
}
