// The report of a blast: its rates, opens and clicks over time, links, domains, reasons, and the verdict of its audit.
import { Grid, Paper, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Plot } from "../../parts/plot/Plot.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { rates } from "../blast.ts"
import { DomainTable, LinkTable, ReasonTable } from "./ReportTables.tsx"
import { Verdict } from "./Verdict.tsx"

const hour_ms = 3_600_000

const Rates = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const { number, share } = useFormat()
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} spacing="sm">
      {rates(blast.details).map(({ name, part, whole }) => (
        <Paper key={name} p="sm">
          <Text size="xs" c="dimmed">
            {words.rates[name]}
          </Text>
          <Text fw={650} size="xl">
            {share(part, whole)}
          </Text>
          <Text size="xs" c="dimmed">
            {number(part)}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

/** Hours for the first week, then days. One unit for the whole plot. */
const intervalOf = (points: ReadonlyArray<{ readonly at: string }>): "hour" | "day" => {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return "hour"
  return Date.parse(last.at) - Date.parse(first.at) <= hour_ms * points.length ? "hour" : "day"
}

export const Report = ({ blast }: { readonly blast: Blast }) => {
  const words = useWords("blasts")
  const params = { blastId: blast.blast_id }
  const found = useQuery(queryOf("blasts", "report", { params }))
  return (
    <Stack>
      {blast.status !== "sending" && <Verdict blast={blast} />}
      <Rates blast={blast} />
      {found.isPending && <Skeleton className="late" h={260} radius="lg" />}
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data !== undefined && (
        <>
          {found.data.points.length > 1 && (
            <Plot
              title={words.overTime}
              points={found.data.points.map((point) => ({ ...point }))}
              interval={intervalOf(found.data.points)}
              series={[
                { name: "opened", label: words.opened, color: "pine.6" },
                { name: "clicked", label: words.clicked, color: "indigo.6" },
              ]}
            />
          )}
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 6 }}>
              <LinkTable links={found.data.links} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <ReasonTable reasons={found.data.reasons} />
            </Grid.Col>
            <Grid.Col span={12}>
              <DomainTable domains={found.data.domains} />
            </Grid.Col>
          </Grid>
          <Text size="xs" c="dimmed" component="div">
            {words.flagged(found.data.flagged.machine_opened, found.data.flagged.machine_clicked)}{" "}
            <CurlButton call={["blasts", "report", { params }]} />
          </Text>
        </>
      )}
    </Stack>
  )
}
