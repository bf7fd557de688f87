// The tables of a report. Each row leads to its recipients.
import { Table, Text } from "@mantine/core"
import type { BlastReport } from "@tentpole/client"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useFormat } from "../../format.ts"
import { FigureTable } from "../../parts/table/FigureTable.tsx"
import { useWords } from "../../words/Words.tsx"
import { type BlastSearch, isReason } from "../search.ts"

/** A link to the recipients that these filters find. */
const ToRecipients = ({ children, filters }: { readonly filters: BlastSearch; readonly children: ReactNode }) => (
  <Link from="/blasts/$blastId" to="/blasts/$blastId" search={{ view: "recipients", ...filters }} className="link">
    {children}
  </Link>
)

export const LinkTable = ({ links }: Pick<BlastReport, "links">) => {
  const words = useWords("blasts")
  const { number } = useFormat()
  return (
    <FigureTable
      title={words.links}
      none={words.noLinks}
      isEmpty={links.length === 0}
      heads={[words.link, words.people_, words.clicks]}
      width_px={280}
    >
      {links.map(({ clicks, link_index, recipients, url }) => (
        <Table.Tr key={link_index}>
          <Table.Td className="break">
            <ToRecipients filters={{ link: link_index }}>{url ?? words.linkAt(link_index + 1)}</ToRecipients>
          </Table.Td>
          <Table.Td ta="end">{number(recipients)}</Table.Td>
          <Table.Td ta="end">{number(clicks)}</Table.Td>
        </Table.Tr>
      ))}
    </FigureTable>
  )
}

export const ReasonTable = ({ reasons }: Pick<BlastReport, "reasons">) => {
  const words = useWords("blasts")
  const { number } = useFormat()
  return (
    <FigureTable
      title={words.notDelivered}
      none={words.noReasons}
      isEmpty={reasons.length === 0}
      heads={[words.reason, words.people_]}
      width_px={240}
    >
      {reasons.map(({ count, reason, sample_reply, state }) => (
        <Table.Tr key={`${state} ${reason}`}>
          <Table.Td>
            {isReason(reason) ? (
              <ToRecipients filters={{ category: state, reason }}>{words.reasons[reason]}</ToRecipients>
            ) : (
              reason
            )}
            {sample_reply !== null && (
              <Text size="xs" c="dimmed" className="break">
                {sample_reply}
              </Text>
            )}
          </Table.Td>
          <Table.Td ta="end">{number(count)}</Table.Td>
        </Table.Tr>
      ))}
    </FigureTable>
  )
}

export const DomainTable = ({ domains }: Pick<BlastReport, "domains">) => {
  const words = useWords("blasts")
  const { number, share } = useFormat()
  return (
    <FigureTable
      title={words.domains}
      none={words.noDomains}
      isEmpty={domains.length === 0}
      heads={[words.domain, words.people_, words.rates.delivered, words.opened, words.clicked, words.rates.bounced]}
      width_px={560}
    >
      {domains.map(({ bounced, clicked, delivered, domain, opened, recipients, sent }) => (
        <Table.Tr key={domain}>
          <Table.Td>
            {domain === "other" ? words.otherDomains : <ToRecipients filters={{ domain }}>{domain}</ToRecipients>}
          </Table.Td>
          <Table.Td ta="end">{number(recipients)}</Table.Td>
          <Table.Td ta="end">{share(delivered, sent)}</Table.Td>
          <Table.Td ta="end">{share(opened, delivered)}</Table.Td>
          <Table.Td ta="end">{share(clicked, delivered)}</Table.Td>
          <Table.Td ta="end">{share(bounced, sent)}</Table.Td>
        </Table.Tr>
      ))}
    </FigureTable>
  )
}
