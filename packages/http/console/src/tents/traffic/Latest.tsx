// The newest views of a page, one by one.
import { Paper, Table, Text } from "@mantine/core"
import type { WorkspaceAnalytics } from "@tentpole/client"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { useCountries } from "./Breakdowns.tsx"

interface Props {
  readonly views: WorkspaceAnalytics["recent_pageviews"]
}

const height_max_px = 320

export const Latest = ({ views }: Props) => {
  const words = useWords("tents")
  const known: Readonly<Record<string, string>> = words.sources
  const named = (name: string): string => known[name] ?? name
  const countryOf = useCountries()
  if (views.length === 0) return null
  return (
    <Paper p="md" component="section" aria-label={words.latest}>
      <Text component="h2" fw={600} size="sm" m={0} mb="sm">
        {words.latest}
      </Text>
      <Table.ScrollContainer type="native" minWidth={560} mah={height_max_px} tabIndex={0} aria-label={words.latest}>
        <Table fz="sm" stickyHeader verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.time}</Table.Th>
              <Table.Th>{words.referrers}</Table.Th>
              <Table.Th>{words.countries}</Table.Th>
              <Table.Th>{words.devices}</Table.Th>
              <Table.Th>{words.browsers}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {views.map(({ browser, country, device, referrer, timestamp }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- views have no id, and two may be alike
              <Table.Tr key={index}>
                <Table.Td className="nowrap">
                  <Time at={timestamp} as="relative" />
                </Table.Td>
                <Table.Td>{named(referrer)}</Table.Td>
                <Table.Td>{countryOf(country)}</Table.Td>
                <Table.Td>{named(device)}</Table.Td>
                <Table.Td>{named(browser)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}
