// The overview of a workspace in use: cards, plot, what goes on, what needs the person, and the latest of each room.
import { Grid, Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import type { Blast, EmailAnalytics } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { goingOnQuery, useChanges } from "../api/changes.ts"
import { useFormat } from "../format.ts"
import { Plot } from "../parts/plot/Plot.tsx"
import { useWords } from "../words/Words.tsx"
import { type Card, cardsOf } from "./home.ts"
import { GoingOn } from "./GoingOn.tsx"
import { LatestBlasts, PagesWithTraffic, WaitingFlows } from "./Latest.tsx"
import { NeedsYou } from "./NeedsYou.tsx"

const plot_height_px = 230

const FigureCard = ({ card: { change, isGood, name, value } }: { readonly card: Card }) => {
  const words = useWords("home")
  const { number, percent } = useFormat()
  const isCount = name === "sent"
  const shown = value === null ? "–" : isCount ? number(value) : percent(value)
  const isBetter = change === null || change === 0 ? null : change > 0 === isGood
  return (
    <Paper p="md">
      <Text size="sm" c="dimmed">
        {words.cards[name]}
      </Text>
      <Text fw={650} className="figure">
        {shown}
      </Text>
      <Text size="xs" className="change" data-better={isBetter ?? undefined}>
        {change === null
          ? words.noBefore
          : isCount
            ? words.changed(percent(Math.abs(change)), Math.sign(change))
            : words.changedPoints(number(Math.round(Math.abs(change) * 1_000) / 10), Math.sign(change))}
      </Text>
    </Paper>
  )
}

interface Props {
  readonly figures: EmailAnalytics | undefined
  readonly latest: ReadonlyArray<Blast>
}

export const Overview = ({ figures, latest }: Props) => {
  const words = useWords("home")
  useChanges(["workspace"])
  const goingOn = useQuery(goingOnQuery)
  return (
    <Stack>
      {figures !== undefined && (
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          {cardsOf(figures.totals, figures.before).map((card) => (
            <FigureCard key={card.name} card={card} />
          ))}
        </SimpleGrid>
      )}
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
