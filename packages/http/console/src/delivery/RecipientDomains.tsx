// The figures of the last 30 days by recipient domain, with those that are above the limits of large providers.
import { Skeleton, Table } from "@mantine/core"
import type { EmailFigures } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { useFormat, useNow } from "../format.ts"
import { daysOf } from "../home/home.ts"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { FigureTable } from "../parts/table/FigureTable.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { isOverLimit } from "./rates.ts"

const days = 30

interface ShareProps {
  readonly of: "bounced" | "complained"
  readonly totals: EmailFigures
}

const Share = ({ of, totals }: ShareProps) => {
  const words = useWords("delivery")
  const { fineShare } = useFormat()
  const shown = fineShare(totals[of], of === "bounced" ? totals.sent : totals.delivered)
  return isOverLimit(of, totals) ? <StatusBadge tone="bad" label={`${shown} · ${words.tooMany}`} /> : shown
}

export const RecipientDomains = () => {
  const words = useWords("delivery")
  const { number, share } = useFormat()
  const { workspace } = useSession()
  const query = { by: "domain", interval: "day", ...daysOf(days, useNow()) } as const
  const found = useQuery(queryOf("analytics", "email", { query }))
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  if (found.data === undefined) return <Skeleton className="late" h={160} radius="lg" />
  const { groups } = found.data
  const speed = workspace?.sending_limits.per_domain_per_second ?? null
  return (
    <FigureTable
      title={words.figures}
      text={speed === null ? words.figuresText : `${words.figuresText} ${words.figuresLimit(speed)}`}
      none={words.noFigures}
      isEmpty={groups.length === 0}
      heads={[words.domain, words.sent, words.delivered, words.bounced, words.complained]}
      width_px={520}
    >
      {groups.map(({ key, name, totals }) => (
        <Table.Tr key={key}>
          <Table.Td>{key === "other" ? words.otherDomains : name}</Table.Td>
          <Table.Td ta="end">{number(totals.sent)}</Table.Td>
          <Table.Td ta="end">{share(totals.delivered, totals.sent)}</Table.Td>
          <Table.Td ta="end">
            <Share of="bounced" totals={totals} />
          </Table.Td>
          <Table.Td ta="end">
            <Share of="complained" totals={totals} />
          </Table.Td>
        </Table.Tr>
      ))}
    </FigureTable>
  )
}
