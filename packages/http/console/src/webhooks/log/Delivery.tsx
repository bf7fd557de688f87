// One delivery: its status, the body of its requests, and each attempt with its answer.
import { Alert, Badge, Button, Grid, Group, Paper, Skeleton, Text } from "@mantine/core"
import type { LoggedWebhookDelivery } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { InfoIcon, RefreshIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CodeEditor } from "../../parts/code/CodeEditor.tsx"
import { CopyButton, CurlButton } from "../../parts/Copy.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { canReplay, deliveryTones, nameOf, readAgain_ms } from "../endpoint.ts"
import { Until } from "../endpoint/Until.tsx"
import { CopiedFact, Fact } from "../Fact.tsx"
import { batch_type } from "../patterns.ts"
import { Attempts } from "./Attempts.tsx"

const indent = 2
const payload_height_px = 420

interface Props {
  readonly delivery: LoggedWebhookDelivery
}

const Facts = ({ delivery }: Props) => {
  const words = useWords("webhooks")
  const { attempt_count, created_at, delivered_at, delivery_id, event_ids, next_attempt_at, reason, webhook_id } =
    delivery
  const [event_id] = event_ids
  return (
    <dl className="fields">
      {reason !== null && <Fact label={words.reason}>{words.reasonTexts[reason]}</Fact>}
      {next_attempt_at !== null && (
        <Fact label={words.nextAttempt}>
          <Until at={next_attempt_at} text={words.inTime} over={words.dueNow} />
        </Fact>
      )}
      {delivered_at !== null && (
        <Fact label={words.deliveredAt}>
          <Time at={delivered_at} />
        </Fact>
      )}
      <Fact label={words.attempts}>{attempt_count}</Fact>
      <Fact label={words.createdAt}>
        <Time at={created_at} />
      </Fact>
      <CopiedFact label={words.webhookId} value={webhook_id} />
      {event_ids.length > 1 ? (
        <Fact label={words.event}>{words.eventCount(event_ids.length)}</Fact>
      ) : (
        event_id !== undefined && event_id !== webhook_id && <CopiedFact label={words.eventId} value={event_id} />
      )}
      <CopiedFact label={words.deliveryId} value={delivery_id} />
    </dl>
  )
}

const Payload = ({ delivery: { payload, reason } }: Props) => {
  const words = useWords("webhooks")
  if (payload === null) {
    return (
      <Alert color="gray" icon={<InfoIcon />} role="status">
        {reason === "erased" ? words.payloadErased : words.payloadGone}
      </Alert>
    )
  }
  const text = JSON.stringify(payload, null, indent)
  return (
    <Paper p="md" component="section" aria-label={words.payloadSent}>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm" m={0}>
          {words.payloadSent}
        </Text>
        <CopyButton value={text} label={words.payloadSent} />
      </Group>
      <CodeEditor
        label={words.payloadSent}
        language="json"
        value={text}
        isReadOnly
        height_px={payload_height_px}
        onChange={() => undefined}
      />
    </Paper>
  )
}

const Replay = ({ delivery: { delivery_id, endpoint_id } }: Props) => {
  const words = useWords("webhooks")
  const replay = useMutationOf("webhookDeliveries", "replay", { done: () => words.replayedOne })
  return (
    <>
      <Button
        leftSection={<RefreshIcon size={16} />}
        loading={replay.isPending}
        onClick={() => replay.mutate({ params: { endpointId: endpoint_id, deliveryId: delivery_id } })}
      >
        {words.replayOne}
      </Button>
      {replay.isError && <Problem error={replay.error} />}
    </>
  )
}

export const Delivery = () => {
  const words = useWords("webhooks")
  const { may } = useSession()
  const params = useParams({ from: "/webhooks/$endpointId/deliveries/$deliveryId" })
  const { endpointId } = params
  const endpoint = useQuery(queryOf("webhookEndpoints", "find", { params: { endpointId } })).data
  const found = useQuery({
    ...queryOf("webhookDeliveries", "find", { params }),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : readAgain_ms(data, Date.now())),
  })
  const above = (
    <BackLink to={`/webhooks/${endpointId}`} label={endpoint === undefined ? words.endpoint : nameOf(endpoint)} />
  )
  if (found.isPending) return <Skeleton className="late" h={420} radius="lg" />
  if (found.data === undefined) {
    return (
      <>
        <PageHeader above={above} title={words.oneDelivery} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const delivery = found.data
  const { event_ids, event_type, status } = delivery
  return (
    <>
      <PageHeader
        above={above}
        title={event_type === batch_type ? words.batchOfEvents(event_ids.length) : event_type}
        beside={
          <>
            <StatusBadge tone={deliveryTones[status]} label={words.statuses[status]} />
            {delivery.test && (
              <Badge size="sm" color="gray">
                {words.isTest}
              </Badge>
            )}
          </>
        }
        actions={
          <>
            <CurlButton call={["webhookDeliveries", "find", { params }]} />
            {may("owner") && canReplay(delivery) && <Replay delivery={delivery} />}
          </>
        }
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Paper p="md" mb="md" component="section" aria-label={words.oneDelivery}>
            <Facts delivery={delivery} />
          </Paper>
          <Attempts delivery={delivery} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Payload delivery={delivery} />
        </Grid.Col>
      </Grid>
    </>
  )
}
