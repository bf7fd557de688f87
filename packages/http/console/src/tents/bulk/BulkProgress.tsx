// The progress of a bulk job: its pages, each with its state and address.
import { Group, Paper, Progress, Skeleton, Table, Text } from "@mantine/core"
import type { BulkJob, FollowedBulkItem } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useChanges } from "../../api/changes.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useWords } from "../../words/Words.tsx"
import { shortAddress, stateOf, tentTones } from "../tent.ts"

const Item = ({ item }: { readonly item: FollowedBulkItem }) => {
  const words = useWords("tents")
  const { error, publication, tent_id, tent_name, tent_status } = item
  const state =
    tent_status === "deleted"
      ? null
      : stateOf({ status: tent_status, ...(publication === undefined ? {} : { publication }) })
  const url = publication?.published_url
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/tents/$tentId" params={{ tentId: tent_id }} className="link">
          {tent_name ?? words.one}
        </Link>
      </Table.Td>
      <Table.Td>
        {state === null ? words.deletedOne : <StatusBadge tone={tentTones[state]} label={words.states[state]} />}
      </Table.Td>
      <Table.Td className="break">{error ?? (url === undefined ? "–" : shortAddress(url))}</Table.Td>
    </Table.Tr>
  )
}

const Shown = ({ job }: { readonly job: BulkJob }) => {
  const words = useWords("tents")
  const { accepted_count, completed_count, failed_count, items } = job
  const done = completed_count + failed_count
  return (
    <>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={600} role="status">
          {words.doneOf(done, accepted_count)}
        </Text>
        {failed_count > 0 && (
          <Text size="sm" c="var(--mantine-color-error)">
            {words.failedCount(failed_count)}
          </Text>
        )}
      </Group>
      <Progress
        value={accepted_count === 0 ? 0 : (done / accepted_count) * 100}
        mb="sm"
        aria-label={words.progress}
        color="pine.6"
      />
      <Table.ScrollContainer type="native" minWidth={420} tabIndex={0} aria-label={words.progress}>
        <Table fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.name}</Table.Th>
              <Table.Th>{words.status}</Table.Th>
              <Table.Th>{words.address}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((item) => (item.status === "accepted" ? <Item key={item.index} item={item} /> : null))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

export const BulkProgress = ({ jobId }: { readonly jobId: string }) => {
  const words = useWords("tents")
  const params = { bulkJobId: jobId }
  const found = useQuery(queryOf("bulkTents", "find", { params }))
  useChanges(found.data?.status === "completed" ? [] : [`bulk:${jobId}`])
  return (
    <Paper p="md" component="section" aria-label={words.progress}>
      {found.isPending && <Skeleton h={120} />}
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data !== undefined && <Shown job={found.data} />}
      <Group justify="flex-end">
        <CurlButton call={["bulkTents", "find", { params }]} />
      </Group>
    </Paper>
  )
}
