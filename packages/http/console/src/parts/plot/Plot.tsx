// A plot over time, with a table of its figures behind one key. Its code is loaded when the browser is idle.
import { Button, Group, Paper, Skeleton, Table, Text } from "@mantine/core"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { useFormat } from "../../format.ts"
import { ChartIcon, TableIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

const Area = lazy(async () => ({ default: (await import("./PlotArea.tsx")).PlotArea }))

export interface Series {
  /** Key of the figure in a point. */
  readonly name: string
  readonly label: string
  /** A colour of the theme, such as `pine.6`. */
  readonly color: string
}

export interface PlotPoint {
  readonly at: string
  /** null: a gap. */
  readonly [figure: string]: number | string | null
}

interface Props {
  readonly title: string
  readonly points: ReadonlyArray<PlotPoint>
  readonly series: ReadonlyArray<Series>
  /** Default: day, of UTC. */
  readonly interval?: "day" | "hour" | "minute"
  readonly height_px?: number
  /** Below the title: one line. */
  readonly text?: string
  /** At the right of the title, such as a choice of the time. */
  readonly controls?: ReactNode
}

export const Plot = ({ controls, height_px = 240, interval = "day", points, series, text, title }: Props) => {
  const words = useWords("shell").plot
  const { dateTime, number, time, utcDay } = useFormat()
  const [isTable, setTable] = useState(false)
  const timeOf = { day: utcDay, hour: dateTime, minute: time }[interval]
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm">
        <div>
          <Text component="h2" fw={600} size="sm" m={0}>
            {title}
          </Text>
          {text !== undefined && (
            <Text size="xs" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {controls}
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={isTable ? <ChartIcon size={14} /> : <TableIcon size={14} />}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? words.asPlot : words.asTable}
          </Button>
        </Group>
      </Group>
      {isTable ? (
        <Table.ScrollContainer minWidth={320} mah={height_px} tabIndex={0} aria-label={title}>
          <Table stickyHeader withRowBorders={false} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.time}</Table.Th>
                {series.map(({ label, name }) => (
                  <Table.Th key={name} ta="end">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {points.map((point) => (
                <Table.Tr key={point.at}>
                  <Table.Td>{timeOf(point.at)}</Table.Td>
                  {series.map(({ name }) => (
                    <Table.Td key={name} ta="end">
                      {point[name] === null ? "–" : number(Number(point[name] ?? 0))}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : (
        <div aria-hidden="true">
          <Suspense fallback={<Skeleton h={height_px} />}>
            <Area points={points} series={series} height_px={height_px} timeOf={timeOf} />
          </Suspense>
        </div>
      )}
    </Paper>
  )
}
