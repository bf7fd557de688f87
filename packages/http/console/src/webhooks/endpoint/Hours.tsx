// The last 24 hours of an endpoint: what was delivered, and what failed.
import type { WebhookEndpointWithHours } from "@tentpole/client"
import { Plot } from "../../parts/plot/Plot.tsx"
import { useWords } from "../../words/Words.tsx"

const plot_height_px = 140

export const Hours = ({ hours }: Pick<WebhookEndpointWithHours["stats"], "hours">) => {
  const words = useWords("webhooks")
  return (
    <Plot
      title={words.lastHours}
      points={hours.map((hour) => ({ ...hour }))}
      series={[
        { name: "delivered_count", label: words.statuses.delivered, color: "pine.6" },
        { name: "failed_count", label: words.statuses.failed, color: "red.6" },
      ]}
      interval="minute"
      height_px={plot_height_px}
    />
  )
}
