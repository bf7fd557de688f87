// The settings of an endpoint, to read.
import { Button, Grid, Group, Paper, Text } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { KeyIcon } from "../../Icons.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { CopiedFact, Fact } from "../Fact.tsx"
import { type Filter, filter_keys } from "../form/draft.ts"
import { FilterFields } from "../form/FilterFields.tsx"

interface Props {
  readonly endpoint: WebhookEndpoint
  readonly onRotate: () => void
}

const Nothing = ({ children }: { readonly children: string }) => <span className="nothing">{children}</span>

const Facts = ({ endpoint }: Pick<Props, "endpoint">) => {
  const words = useWords("webhooks")
  const { batch, created_at, description, endpoint_id, event_types, headers, max_in_flight, mode, url } = endpoint
  const names = Object.keys(headers)
  return (
    <dl className="fields">
      <CopiedFact label={words.url} value={url} />
      <Fact label={words.description}>{description ?? <Nothing>–</Nothing>}</Fact>
      <Fact label={words.events}>{event_types.includes("*") ? words.allEvents : event_types.join(", ")}</Fact>
      <Fact label={words.payload}>{words.payloads[endpoint.payload]}</Fact>
      <Fact label={words.mode}>{words.modes[mode]}</Fact>
      {mode === "parallel" && <Fact label={words.inFlight}>{max_in_flight}</Fact>}
      <Fact label={words.batches}>
        {batch === null ? <Nothing>{words.noBatch}</Nothing> : words.batchOf(batch.max_events, batch.max_wait_ms)}
      </Fact>
      <Fact label={words.headers}>
        {names.length === 0 ? <Nothing>{words.noHeaders}</Nothing> : names.map((name) => `${name}: •••`).join(", ")}
      </Fact>
      <Fact label={words.createdAt}>
        <Time at={created_at} />
      </Fact>
      <CopiedFact label={words.id} value={endpoint_id} />
    </dl>
  )
}

const Title = ({ children }: { readonly children: string }) => (
  <Text component="h2" fw={600} size="sm" m={0} mb="xs">
    {children}
  </Text>
)

const Secret = ({ endpoint, onRotate }: Pick<Props, "endpoint" | "onRotate">) => {
  const words = useWords("webhooks")
  const { may } = useSession()
  return (
    <Paper p="md" component="section" aria-label={words.secret}>
      <Title>{words.secret}</Title>
      <Group justify="space-between" gap="xs">
        <code>{endpoint.secret_prefix}…</code>
        {may("owner") && (
          <Button size="compact-sm" variant="default" leftSection={<KeyIcon size={14} />} onClick={onRotate}>
            {words.rotateStart}
          </Button>
        )}
      </Group>
    </Paper>
  )
}

const Filtered = ({ filter }: { readonly filter: Filter }) => {
  const known: ReadonlyArray<string> = filter_keys
  const others = Object.entries(filter).filter(([key]) => !known.includes(key))
  return (
    <>
      <FilterFields filter={filter} />
      {others.map(([key, value]) => (
        <div key={key}>
          <Text size="xs" c="dimmed" mt="sm">
            {key}
          </Text>
          <Text size="sm" className="break">
            {JSON.stringify(value)}
          </Text>
        </div>
      ))}
    </>
  )
}

export const Settings = ({ endpoint, onRotate }: Props) => {
  const words = useWords("webhooks")
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Paper p="md" component="section" aria-label={words.tabs.settings}>
          <Facts endpoint={endpoint} />
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Secret endpoint={endpoint} onRotate={onRotate} />
        <Paper p="md" mt="md" component="section" aria-label={words.filter}>
          <Title>{words.filter}</Title>
          {endpoint.filter === null ? (
            <Text size="sm" c="dimmed">
              {words.noFilter}
            </Text>
          ) : (
            <Filtered filter={endpoint.filter} />
          )}
        </Paper>
      </Grid.Col>
    </Grid>
  )
}
