// One topic: how many contacts are subscribed, how that changed, its settings, its subscription requests, and its pages.
import { Grid, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { Topic as TopicType } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { queryOf } from "../api/queries.ts"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { CopiedFact, Fact } from "../webhooks/Fact.tsx"
import { useWords } from "../words/Words.tsx"
import { TopicMenu } from "./form/TopicMenu.tsx"
import { RequestsOfTopic } from "./requests/RequestsOfTopic.tsx"
import { topicTones } from "./topic.ts"

const Trend = lazy(async () => ({ default: (await import("./Trend.tsx")).Trend }))
const HostedPages = lazy(async () => ({ default: (await import("./pages/HostedPages.tsx")).HostedPages }))

const Facts = ({ topic }: { readonly topic: TopicType }) => {
  const words = useWords("topics")
  return (
    <Paper p="md" component="section" aria-label={words.facts}>
      <Text size="xs" c="dimmed">
        {words.subscribedNow}
      </Text>
      <Text className="figure" fw={600}>
        {words.number(topic.subscribed_count)}
      </Text>
      <Text size="xs" c="dimmed" mb="md">
        {words.subscribedNowText}
      </Text>
      <dl className="fields">
        <Fact label={words.default}>{words.defaults[topic.default_subscription]}</Fact>
        <Fact label={words.visibility}>{words.visibilityTexts[topic.visibility]}</Fact>
        <Fact label={words.confirmation}>{words.confirmationTexts[topic.double_opt_in ? "yes" : "no"]}</Fact>
        <Fact label={words.createdAt}>
          <Time at={topic.created_at} as="date" />
        </Fact>
        <CopiedFact label={words.slug} value={topic.slug} />
        <CopiedFact label={words.id} value={topic.topic_id} />
      </dl>
    </Paper>
  )
}

export const Topic = () => {
  const words = useWords("topics")
  const { may } = useSession()
  const params = useParams({ from: "/topics/$topicId" })
  const found = useQuery(queryOf("topics", "find", { params }))
  const above = <BackLink to="/topics" label={words.title} />
  if (found.isPending) return <Skeleton className="late" h={360} radius="lg" />
  if (found.data === undefined) {
    return (
      <>
        <PageHeader above={above} title={words.topic} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const topic = found.data
  return (
    <>
      <PageHeader
        above={above}
        title={topic.name}
        beside={<StatusBadge tone={topicTones[topic.status]} label={words.statuses[topic.status]} />}
        {...(topic.description === null ? {} : { text: topic.description })}
        actions={
          <>
            <CurlButton call={["topics", "find", { params }]} />
            {may("editor") && <TopicMenu topic={topic} />}
          </>
        }
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Facts topic={topic} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            <Suspense fallback={<Skeleton className="late" h={280} radius="lg" />}>
              <Trend topicId={topic.topic_id} />
            </Suspense>
            <RequestsOfTopic topic={topic} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={12}>
          <Suspense fallback={null}>
            <HostedPages topicId={topic.topic_id} />
          </Suspense>
        </Grid.Col>
      </Grid>
    </>
  )
}
