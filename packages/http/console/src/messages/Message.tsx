// One single message: its status, what has happened to it, and its content.
import { Alert, Anchor, Grid, Paper, Skeleton, Text, Timeline } from "@mantine/core"
import type { EmailMessageWithEvents } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { queryOf } from "../api/queries.ts"
import { InfoIcon } from "../Icons.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { CopiedFact, Fact } from "../webhooks/Fact.tsx"
import { TopicName } from "../topics/TopicName.tsx"
import { useWords } from "../words/Words.tsx"
import { Actions } from "./Actions.tsx"
import { Content } from "./Content.tsx"
import { messageTones, readAgain_ms, tagTexts } from "./message.ts"

interface Props {
  readonly message: EmailMessageWithEvents
}

const Recipient = ({ message: { contact_id, to } }: Props) => {
  const words = useWords("messages")
  const text = to.email === null ? words.erased : to.name === null ? to.email : `${to.name} <${to.email}>`
  if (contact_id === null) return text
  return (
    <Anchor renderRoot={(props) => <Link {...props} to="/contacts/$contactId" params={{ contactId: contact_id }} />}>
      {text}
    </Anchor>
  )
}

const Source = ({ message: { approved_email_version, email_id, template_id } }: Props) => {
  const words = useWords("messages")
  if (email_id !== null) {
    return (
      <Anchor renderRoot={(props) => <Link {...props} to="/emails/$emailId" params={{ emailId: email_id }} />}>
        {words.ofEmail(approved_email_version ?? 0)}
      </Anchor>
    )
  }
  if (template_id === null) return words.ofItsOwn
  return (
    <Anchor
      renderRoot={(props) => <Link {...props} to="/templates/$templateId" params={{ templateId: template_id }} />}
    >
      {words.ofTemplate}
    </Anchor>
  )
}

const pairsOf = (pairs: Readonly<Record<string, string>>): string => tagTexts(pairs).join(", ")

const Facts = ({ message }: Props) => {
  const words = useWords("messages")
  const { attempts, client_item_id, expires_at, message_id, metadata, scheduled_at, status, tags, topic_id } = message
  const hasEnded = status === "sent" || status === "failed" || status === "blocked"
  return (
    <dl className="fields">
      <Fact label={words.to}>
        <Recipient message={message} />
      </Fact>
      <Fact label={words.source}>
        <Source message={message} />
      </Fact>
      <Fact label={words.kind}>{message.operational ? words.operational : words.marketing}</Fact>
      {topic_id !== null && (
        <Fact label={words.topic}>
          <Link to="/topics/$topicId" params={{ topicId: topic_id }} className="link">
            <TopicName topicId={topic_id} />
          </Link>
        </Fact>
      )}
      {scheduled_at !== null && (
        <Fact label={words.scheduledAt}>
          <Time at={scheduled_at} />
        </Fact>
      )}
      {!hasEnded && (
        <Fact label={words.expiresAt}>
          <Time at={expires_at} />
        </Fact>
      )}
      {attempts > 0 && <Fact label={words.attempts}>{attempts}</Fact>}
      {Object.keys(tags).length > 0 && <Fact label={words.tags}>{pairsOf(tags)}</Fact>}
      {Object.keys(metadata).length > 0 && <Fact label={words.metadata}>{pairsOf(metadata)}</Fact>}
      {client_item_id !== null && <CopiedFact label={words.clientItemId} value={client_item_id} />}
      <CopiedFact label={words.messageId} value={message_id} />
    </dl>
  )
}

const Events = ({ message: { events } }: Props) => {
  const words = useWords("messages")
  return (
    <Paper p="md" component="section" aria-label={words.timeline}>
      <Text component="h2" fw={600} size="sm" m={0} mb="sm">
        {words.timeline}
      </Text>
      <Timeline bulletSize={12} lineWidth={2} active={events.length}>
        {events.map(({ metadata, timestamp, type }) => (
          <Timeline.Item key={type} title={words.events[type]}>
            <Text size="sm" c="dimmed">
              <Time at={timestamp} />
            </Text>
            {metadata["url"] !== undefined && (
              <Text size="sm" className="break">
                {metadata["url"]}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </Paper>
  )
}

const Unresolved = ({ message: { unresolved_tokens } }: Props) => {
  const words = useWords("messages")
  if (unresolved_tokens.length === 0) return null
  return (
    <Alert color="yellow" icon={<InfoIcon />} mb="md" role="status">
      {words.unresolved(unresolved_tokens.join(", "))}
    </Alert>
  )
}

export const Message = () => {
  const words = useWords("messages")
  const { may } = useSession()
  const params = useParams({ from: "/messages/$messageId" })
  const found = useQuery({
    ...queryOf("emailMessages", "find", { params }),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : readAgain_ms(data, Date.now())),
  })
  const above = <BackLink to="/messages" label={words.title} />
  if (found.isPending) return <Skeleton className="late" h={420} radius="lg" />
  if (found.data === undefined) {
    return (
      <>
        <PageHeader above={above} title={words.message} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const message = found.data
  const { reason, status, subject } = message
  return (
    <>
      <PageHeader
        above={above}
        title={subject}
        beside={<StatusBadge tone={messageTones[status]} label={words.statuses[status]} />}
        {...(reason === null ? {} : { text: words.reasons[reason] })}
        actions={
          <>
            <CurlButton call={["emailMessages", "find", { params }]} />
            {may("sender") && <Actions message={message} />}
          </>
        }
      />
      <Unresolved message={message} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper p="md" mb="md" component="section" aria-label={words.facts}>
            <Facts message={message} />
          </Paper>
          <Events message={message} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Content message={message} />
        </Grid.Col>
      </Grid>
    </>
  )
}
