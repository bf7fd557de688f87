// Views by referrer, country, device, browser and system.
import "../tents.css"
import { Anchor, Paper, Progress, SimpleGrid, Text } from "@mantine/core"
import type { WorkspaceAnalytics } from "@tentpole/client"
import type { ReactNode } from "react"
import { useFormat } from "../../format.ts"
import { useLanguage, useWords } from "../../words/Words.tsx"

const shown_max = 8

interface Entry {
  readonly name: string
  readonly views: number
}

interface BoxProps {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
  readonly total: number
  /** Below the entries. */
  readonly foot?: ReactNode
}

const Box = ({ entries, foot, title, total }: BoxProps) => {
  const words = useWords("tents")
  const { number } = useFormat()
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Text component="h2" fw={600} size="sm" m={0} mb="sm">
        {title}
      </Text>
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noViews}
        </Text>
      )}
      <ul className="shares">
        {entries.slice(0, shown_max).map(({ name, views }) => (
          <li key={name}>
            <Text size="sm" truncate title={name}>
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {number(views)}
            </Text>
            <Progress value={total === 0 ? 0 : (views / total) * 100} size={3} color="pine.5" aria-hidden="true" />
          </li>
        ))}
      </ul>
      {foot}
    </Paper>
  )
}

/** The name of a country by its code; what is not known has a word. */
export const useCountries = () => {
  const words = useWords("tents")
  const { language } = useLanguage()
  const names = new Intl.DisplayNames(language, { type: "region" })
  return (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : words.unknown)
}

export const Breakdowns = ({ figures }: { readonly figures: WorkspaceAnalytics }) => {
  const words = useWords("tents")
  const countryOf = useCountries()
  const { by_browser, by_country, by_device, by_os, by_referrer, pageviews } = figures
  const known: Readonly<Record<string, string>> = words.sources
  const named = (name: string): string => known[name] ?? name
  const boxes = [
    { title: words.referrers, entries: by_referrer.map(({ referrer, views }) => ({ name: named(referrer), views })) },
    {
      title: words.countries,
      entries: by_country.map(({ country, views }) => ({ name: countryOf(country), views })),
      foot: (
        <Anchor href="https://db-ip.com" target="_blank" rel="noreferrer" size="xs">
          {words.countrySource}
        </Anchor>
      ),
    },
    { title: words.devices, entries: by_device.map(({ device, views }) => ({ name: named(device), views })) },
    { title: words.browsers, entries: by_browser.map(({ browser, views }) => ({ name: named(browser), views })) },
    { title: words.systems, entries: by_os.map(({ os, views }) => ({ name: named(os), views })) },
  ]
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {boxes.map((box) => (
        <Box key={box.title} {...box} total={pageviews} />
      ))}
    </SimpleGrid>
  )
}
