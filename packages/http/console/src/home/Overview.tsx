// The overview of a workspace in use: cards, plots, what goes on, what needs the person, and the latest of each room.
import { Grid, Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import type { Blast, ContactAnalytics, CreditAnalytics, EmailAnalytics } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { goingOnQuery, useChanges } from "../api/changes.ts"
import { queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { Plot } from "../parts/plot/Plot.tsx"
import { useWords } from "../words/Words.tsx"
import { type Card, cardsOf, contactCard, growthOf, spentOf } from "./home.ts"
import { GoingOn } from "./GoingOn.tsx"
import { LatestBlasts, PagesWithTraffic, WaitingFlows } from "./Latest.tsx"
import { NeedsYou } from "./NeedsYou.tsx"

const plot_height_px = 230

interface FigureProps {
  readonly label: string
  readonly value: string
  readonly isBetter?: boolean | null
  /** A line below the value. */
  readonly children: ReactNode
}

const Figure = ({ children, isBetter, label, value }: FigureProps) => (
  <Paper p="md" role="group" aria-label={label}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fw={650} className="figure">
      {value}
    </Text>
    <Text size="xs" className="change" data-better={isBetter ?? undefined}>
      {children}
    </Text>
  </Paper>
)

const FigureCard = ({ card: { change, isGood, kind, name, value } }: { readonly card: Card }) => {
  const words = useWords("home")
  const { number, percent } = useFormat()
  const isCount = kind === "count"
  const shown = value === null ? "–" : isCount ? number(value) : percent(value)
  const isBetter = change === null || change === 0 ? null : change > 0 === isGood
  return (
    <Figure label={words.cards[name]} value={shown} isBetter={isBetter}>
      {change === null
        ? words.noBefore
        : isCount
          ? words.changed(percent(Math.abs(change)), Math.sign(change))
          : words.changedPoints(number(Math.round(Math.abs(change) * 1_000) / 10), Math.sign(change))}
    </Figure>
  )
}

const CreditCard = ({ credits }: { readonly credits: CreditAnalytics }) => {
  const words = useWords("home")
  const { number } = useFormat()
  return (
    <Figure label={words.credits} value={number(credits.balance)}>
      {words.creditsSpent(number(spentOf(credits)))}
    </Figure>
  )
}

interface Range {
  readonly from: string
  readonly to: string
}

/** New contacts, and submissions of forms on pages. */
const Growth = ({ contacts, range }: { readonly contacts: ContactAnalytics; readonly range: Range }) => {
  const words = useWords("home")
  const traffic = useQuery(queryOf("analytics", "traffic", { query: range }))
  return (
    <Plot
      title={words.growth}
      points={growthOf(contacts, traffic.data)}
      series={[
        { name: "created", label: words.cards.contacts, color: "pine.6" },
        { name: "submissions", label: words.signUps, color: "indigo.6" },
      ]}
      height_px={plot_height_px}
    />
  )
}

interface Props {
  readonly figures: EmailAnalytics | undefined
  readonly contacts: ContactAnalytics | undefined
  readonly credits: CreditAnalytics | undefined
  readonly latest: ReadonlyArray<Blast>
  readonly range: Range
}

export const Overview = ({ contacts, credits, figures, latest, range }: Props) => {
  const words = useWords("home")
  useChanges(["workspace"])
  const goingOn = useQuery(goingOnQuery)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
        {figures !== undefined &&
          cardsOf(figures.totals, figures.before).map((card) => <FigureCard key={card.name} card={card} />)}
        {contacts !== undefined && <FigureCard card={contactCard(contacts)} />}
        {credits !== undefined && <CreditCard credits={credits} />}
      </SimpleGrid>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            {goingOn.data !== undefined && <GoingOn goingOn={goingOn.data} />}
            {figures !== undefined && (
              <Plot
                title={words.messages}
                points={figures.points.map((point) => ({ ...point }))}
                series={[
                  { name: "sent", label: words.cards.sent, color: "gray.5" },
                  { name: "opened", label: words.cards.opened, color: "pine.6" },
                  { name: "clicked", label: words.cards.clicked, color: "indigo.6" },
                ]}
                height_px={plot_height_px}
              />
            )}
            {contacts !== undefined && <Growth contacts={contacts} range={range} />}
            <LatestBlasts blasts={latest} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack>
            <NeedsYou figures={figures} blasts={goingOn.data?.blasts ?? []} />
            <WaitingFlows />
            <PagesWithTraffic />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}
