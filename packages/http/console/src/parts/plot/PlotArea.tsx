// The drawing of a plot. This module brings the library of charts and is loaded on demand.
import "@mantine/charts/styles.css"
import "@mantine/core/styles/ColorSwatch.css"
import { AreaChart } from "@mantine/charts"
import { useFormat } from "../../format.ts"
import type { PlotPoint, Series } from "./Plot.tsx"

interface Props {
  readonly points: ReadonlyArray<PlotPoint>
  readonly series: ReadonlyArray<Series>
  readonly height_px: number
  readonly timeOf: (at: string) => string
}

export const PlotArea = ({ height_px, points, series, timeOf }: Props) => {
  const { number } = useFormat()
  return (
    <AreaChart
      h={height_px}
      data={points.map((point) => ({ ...point, at: timeOf(point.at) }))}
      dataKey="at"
      series={series.map((each) => ({ ...each }))}
      curveType="monotone"
      withLegend={series.length > 1}
      withDots={false}
      gridAxis="x"
      tickLine="none"
      strokeWidth={1.75}
      fillOpacity={0.14}
      connectNulls={false}
      valueFormatter={number}
      // Labels at equal distances, with room for half of the last one.
      xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 16, padding: { right: 40 } }}
      // Counts and whole units.
      yAxisProps={{ allowDecimals: false }}
      // The plot is hidden from readers of screens, which get the table: nothing in it takes the focus.
      areaChartProps={{ accessibilityLayer: false }}
    />
  )
}
