// The state of the installation in four cards: sending, messages, due work, and the database.
import { Paper, SimpleGrid, Text } from "@mantine/core"
import { useFormat } from "../../format.ts"
import { StatusBadge, type Tone } from "../../parts/StatusBadge.tsx"
import { useWords } from "../../words/Words.tsx"
import { lagOf, type Operations } from "./state.ts"

interface CardProps {
  readonly label: string
  readonly value: string
  readonly tone?: Tone
  /** Below the value. */
  readonly note: string
}

const Card = ({ label, note, tone, value }: CardProps) => (
  <Paper p="md" role="group" aria-label={label}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fw={650} className="figure" component="div">
      {value}
    </Text>
    <Text size="xs" className="change" component="div">
      {tone === undefined ? note : <StatusBadge tone={tone} label={note} />}
    </Text>
  </Paper>
)

/** Due work that waits for longer has too few workers, or none. */
const late_s = 60

export const Cards = ({ operations }: { readonly operations: Operations }) => {
  const words = useWords("operations").state
  const { bytes, duration, number } = useFormat()
  const { database, deliveries, due, mail, sending } = operations
  const lag_s = lagOf(operations)
  const workspaces = due.reduce((sum, each) => sum + each.workspaces, 0)
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
      <Card
        label={words.sending}
        value={words.sendings[sending]}
        {...(sending === "held" ? { tone: "warning" } : {})}
        note={words.mails[mail]}
      />
      <Card
        label={words.messages}
        value={number(deliveries.open)}
        note={words.messagesOf(number(deliveries.handed_over), number(deliveries.paused))}
      />
      <Card
        label={words.lag}
        value={workspaces > 0 && lag_s < 1 ? words.underSecond : duration(lag_s)}
        {...(lag_s > late_s ? { tone: "bad", note: words.late } : { note: words.due(workspaces) })}
      />
      <Card label={words.database} value={bytes(database.bytes)} note={words.connections(database.connections)} />
    </SimpleGrid>
  )
}
