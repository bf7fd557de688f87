// A dry run: what a send at this moment would do. It is repeated when the blast changes, and after ten minutes.
import { ActionIcon, Badge, Grid, Group, Paper, Skeleton, Stack, Table, Text } from "@mantine/core"
import type { Blast, BlastDryRun } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { LeftIcon, RightIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Preview } from "../../parts/Preview.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"

const fresh_ms = 600_000
const sample_height_px = 420
const domains_shown = 6

const callOf = (blastId: string, operational: boolean) =>
  ["blasts", "dryRun", { params: { blastId }, payload: { operational } }] as const

export const useDryRun = (blast: Blast, operational: boolean) =>
  useQuery({
    ...queryOf(...callOf(blast.blast_id, operational)),
    // Apart from the other reads of blasts: a send makes them stale, and what is sent has no dry run.
    queryKey: ["dryRun", blast.blast_id, operational, blast.updated_at],
    staleTime: fresh_ms,
    refetchInterval: fresh_ms,
    refetchOnMount: "always",
  })

const Figure = ({ label, value }: { readonly label: string; readonly value: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fw={650} size="xl">
      {value}
    </Text>
  </div>
)

const Blocked = ({ blocked }: Pick<BlastDryRun, "blocked">) => {
  const words = useWords("blasts")
  if (blocked.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {words.blockedWhy}
      </Text>
      <Table fz="sm" withRowBorders={false}>
        <Table.Tbody>
          {blocked.map(({ count, reason, sample }) => (
            <Table.Tr key={reason}>
              <Table.Td pl={0}>{words.reasons[reason]}</Table.Td>
              <Table.Td ta="end">{words.number(count)}</Table.Td>
              <Table.Td visibleFrom="sm">
                {sample.slice(0, 2).map(({ contact_id, email }) => (
                  <Link
                    key={contact_id}
                    to="/contacts/$contactId"
                    params={{ contactId: contact_id }}
                    className="link sample"
                  >
                    {email ?? words.noAddress}
                  </Link>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const Facts = ({ run }: { readonly run: BlastDryRun }) => {
  const words = useWords("blasts")
  const { number } = useFormat()
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Figure label={words.willGet} value={number(run.qualified_count)} />
        <Figure label={words.blocked} value={number(run.recipient_count - run.qualified_count)} />
        <Figure label={words.takes} value={words.duration(run.estimated_seconds)} />
      </Group>
      <Blocked blocked={run.blocked} />
      {run.domains.length > 0 && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            {words.domains}
          </Text>
          <Group gap={6}>
            {run.domains.slice(0, domains_shown).map(({ count, domain }) => (
              <Badge key={domain} color="gray">
                {domain} {number(count)}
              </Badge>
            ))}
          </Group>
        </div>
      )}
      {run.unresolved_tokens.length > 0 && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            {words.tokens}
          </Text>
          {run.unresolved_tokens.map(({ contact_count, token }) => (
            <Text key={token} size="sm">
              <code>{token}</code> {words.tokenMissing(contact_count)}
            </Text>
          ))}
        </div>
      )}
    </Stack>
  )
}

const Samples = ({ samples }: Pick<BlastDryRun, "samples">) => {
  const words = useWords("blasts")
  const [index, setIndex] = useState(0)
  const sample = samples[Math.min(index, samples.length - 1)]
  if (sample === undefined) return null
  return (
    <Paper p="md" component="section" aria-label={words.samples}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Text fw={600} className="break">
          {sample.subject}
        </Text>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.previousSample}
            disabled={index === 0}
            onClick={() => setIndex(index - 1)}
          >
            <LeftIcon size={16} />
          </ActionIcon>
          <Text size="sm" c="dimmed">
            {index + 1}/{samples.length}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.nextSample}
            disabled={index >= samples.length - 1}
            onClick={() => setIndex(index + 1)}
          >
            <RightIcon size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <Preview html={sample.html} height_px={sample_height_px} title={words.samples} />
    </Paper>
  )
}

interface Props {
  readonly blast: Blast
  readonly operational: boolean
}

export const DryRun = ({ blast, operational }: Props) => {
  const words = useWords("blasts")
  const run = useDryRun(blast, operational)
  if (run.isPending) return <Skeleton className="late" h={sample_height_px} radius="lg" />
  if (run.isError) return <Problem error={run.error} onRetry={run.refetch} />
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: run.data.samples.length === 0 ? 12 : 6 }}>
        <Paper p="md" component="section" aria-label={words.dryRun}>
          <Group justify="space-between" mb="sm">
            <Text component="h2" fw={600} size="sm" m={0}>
              {words.dryRun}
            </Text>
            <CurlButton call={callOf(blast.blast_id, operational)} />
          </Group>
          <Facts run={run.data} />
        </Paper>
      </Grid.Col>
      {run.data.samples.length > 0 && (
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Samples samples={run.data.samples} />
        </Grid.Col>
      )}
    </Grid>
  )
}
