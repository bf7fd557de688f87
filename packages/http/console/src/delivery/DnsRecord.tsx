// A DNS record to set: its name and value to copy, and what DNS has there.
import { Code, Group, Paper, Stack, Text } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { CopyButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { useWords } from "../words/Words.tsx"
import { mx_priority } from "./zoneFile.ts"

type CheckedRecord = Admin.CheckedSendingDomain["dns_records"][number]

const Line = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div className="record-line">
    <dt>{label}</dt>
    <dd>
      <Code className="break">{value}</Code>
      <CopyButton value={value} label={label} />
    </dd>
  </div>
)

const Answers = ({ record: { answers } }: { readonly record: CheckedRecord }) => {
  const words = useWords("delivery")
  if (answers === null || answers.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {answers === null ? words.noAnswer : words.nothing}
      </Text>
    )
  }
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {words.answers}
      </Text>
      <Stack component="ul" gap={4} className="plain-list">
        {answers.map((answer) => (
          <li key={answer}>
            <Code className="break">{answer}</Code>
          </li>
        ))}
      </Stack>
    </div>
  )
}

export const DnsRecord = ({ record }: { readonly record: CheckedRecord }) => {
  const words = useWords("delivery")
  const { answers, name, purpose, type, value, verified } = record
  const texts = words.purposes[purpose]
  const state = verified ? "found" : answers === null ? "unanswered" : "missing"
  return (
    <Paper p="md" component="li">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <div>
          <Text component="h3" fw={600} size="sm" m={0}>
            {texts.name}{" "}
            <Text span c="dimmed" fw={400} size="sm">
              {type}
            </Text>
          </Text>
          <Text size="sm" c="dimmed">
            {texts.text}
          </Text>
        </div>
        <StatusBadge tone={verified ? "good" : "warning"} label={words[state]} />
      </Group>
      <Stack gap="xs" mt="sm">
        <dl className="record">
          <Line label={words.name} value={name} />
          <Line label={words.value} value={value} />
          {type === "MX" && <Line label={words.priority} value={String(mx_priority)} />}
        </dl>
        {!verified && <Answers record={record} />}
      </Stack>
    </Paper>
  )
}
