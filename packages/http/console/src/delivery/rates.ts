// Shares of bounces and complaints that endanger the delivery to large providers. Pure.
import type { EmailFigures } from "@tentpole/client"
import { bounce_sent_min, bounce_share_max } from "../home/home.ts"

/** Gmail and Yahoo filter senders above it. */
const complaint_share_max = 0.003

/** Fewer messages than `bounce_sent_min` say nothing about a share. */
export const isOverLimit = (of: "bounced" | "complained", figures: EmailFigures): boolean =>
  figures.sent >= bounce_sent_min &&
  (of === "bounced"
    ? figures.bounced / figures.sent > bounce_share_max
    : figures.complained / Math.max(1, figures.delivered) > complaint_share_max)
