// The subscription requests of one topic.
import { Group, Text } from "@mantine/core"
import type { Topic } from "@tentpole/client"
import { useCursor } from "../../api/rows.ts"
import { TopicsIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { DataTable } from "../../parts/table/DataTable.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { exampleOf } from "./example.ts"
import { columnsOfTopic, pathOfRequest, useResend } from "./requests.tsx"

export const RequestsOfTopic = ({ topic: { topic_id } }: { readonly topic: Topic }) => {
  const words = useWords("topics")
  const { may } = useSession()
  const rows = useCursor("subscriptions", "list", { query: { topic_id } })
  const { actions, dialog } = useResend()
  if (rows.error !== null) return <Problem error={rows.error} onRetry={rows.refetch} />
  const curl = <CurlButton call={["subscriptions", "create", { payload: exampleOf(topic_id) }]} />
  if (!rows.isPending && rows.total === 0) {
    return (
      <Empty icon={<TopicsIcon size={22} />} title={words.noRequests} text={words.noRequestsText}>
        {curl}
      </Empty>
    )
  }
  return (
    <div>
      <Group justify="space-between" mb={6} mih={34}>
        <Text component="h2" fw={600} size="sm" m={0}>
          {words.requests}
        </Text>
        {curl}
      </Group>
      <DataTable
        label={words.requests}
        rows={rows}
        columns={columnsOfTopic(words)}
        keyOf={({ subscription_request_id }) => subscription_request_id}
        nameOf={({ email }) => email}
        pathOf={pathOfRequest}
        {...(may("editor") ? { actions } : {})}
      />
      {dialog}
    </div>
  )
}
