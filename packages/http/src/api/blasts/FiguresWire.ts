// Wire schemas of figures: the progress and the report of a blast, and the parts that email analytics share.
import type { BlastProgress, BlastReport } from "@tentpole/core/blasts/figures/BlastReports"
import { stalls } from "@tentpole/core/blasts/figures/Pace"
import { blastStatuses, countsOf, launchOf } from "@tentpole/core/blasts/Blast"
import { figureNames, type FigurePoint, type Figures } from "@tentpole/core/sending/Figures"
import { Schema, Struct } from "effect"
import { InstantWire, iso, isoOrNull } from "../../Wire.ts"

const figures = {
  sent: Schema.Int,
  failed: Schema.Int.annotate({ description: "Failed and not retried successfully, at the time of the failure" }),
  delivered: Schema.Int,
  opened: Schema.Int,
  clicked: Schema.Int,
  bounced: Schema.Int,
  complained: Schema.Int,
  unsubscribed: Schema.Int,
}

export const FiguresWire = Schema.Struct(figures).annotate({
  identifier: "EmailFigures",
  description: "Counts of recipients. Each first event counts at the time when it happened",
})

export const FigurePointWire = Schema.Struct({
  at: InstantWire.annotate({ description: "The beginning of the hour or day, UTC" }),
  ...figures,
}).annotate({ identifier: "EmailFiguresPoint" })

export const toFigures = (each: Figures): typeof FiguresWire.Type => Struct.pick(each, figureNames)

export const toFigurePoint = (point: FigurePoint): typeof FigurePointWire.Type => ({
  at: iso(point.at),
  ...toFigures(point),
})

export const BlastProgressWire = Schema.Struct({
  status: Schema.Literals(blastStatuses),
  paused: Schema.Boolean,
  held: Schema.Boolean.annotate({
    description: "True if nothing is sent until an operator releases it: `SENDING=held`, or a restored backup",
  }),
  recipient_count: Schema.Int.annotate({ description: "Recipients so far. It grows until the audience is complete" }),
  queued: Schema.Int,
  deferred: Schema.Int.annotate({
    description: "Queued recipients whose last attempt failed for a temporary reason. They are tried again",
  }),
  sent: Schema.Int,
  failed: Schema.Int,
  blocked: Schema.Int,
  per_second: Schema.NullOr(Schema.Finite).annotate({
    description: "Messages a second, over the last minute. null unless the status is `sending`",
  }),
  next_attempt_at: Schema.NullOr(InstantWire).annotate({
    description: "When the next deferred recipient is tried again. null without one that waits",
  }),
  estimated_end_at: Schema.NullOr(InstantWire).annotate({ description: "null if it can't be estimated" }),
  waiting: Schema.Array(
    Schema.Struct({
      domain: Schema.String,
      count: Schema.Int,
      per_second: Schema.NullOr(Schema.Finite).annotate({
        description: "The workspace's limit for one domain. null without a limit",
      }),
    }),
  ).annotate({ description: "The ten recipient domains with the most queued recipients" }),
  points: Schema.Array(Schema.Struct({ at: InstantWire, sent: Schema.Int })).annotate({
    description: "Messages sent in the last 20 minutes, in steps of ten seconds. The last step is not over",
  }),
  stalled: Schema.NullOr(Schema.Literals(stalls)).annotate({
    description:
      "Why nothing is sent. `held`: an operator holds it. `no_worker`: no worker has looked for messages for a minute. `refused`: all remaining recipients were refused temporarily and are tried again at `next_attempt_at`. `limit`: nothing was sent for a minute, because of the workspace's send rate limit",
  }),
}).annotate({ identifier: "BlastProgress" })

export const toBlastProgress = ({
  held,
  slots,
  stalled,
  view: { blast, pace, tally },
  waiting,
}: BlastProgress): typeof BlastProgressWire.Type => ({
  status: blast.status,
  paused: blast.status === "sending" && blast.paused,
  held,
  recipient_count: countsOf(launchOf(blast))?.recipientCount ?? 0,
  ...Struct.pick(tally, ["queued", "deferred", "sent", "failed", "blocked"]),
  per_second: pace.perSecond,
  next_attempt_at: isoOrNull(pace.nextAttemptAt),
  estimated_end_at: isoOrNull(pace.estimatedEndAt),
  waiting: waiting.map(({ perSecond, ...each }) => ({ ...each, per_second: perSecond })),
  points: slots.map(({ at, sent }) => ({ at: iso(at), sent })),
  stalled,
})

export const BlastReportWire = Schema.Struct({
  points: Schema.Array(FigurePointWire).annotate({
    description:
      "From the launch to the last event: by hour until the first midnight (UTC) after seven days, then by day. 1,000 at most",
  }),
  links: Schema.Array(
    Schema.Struct({
      link_index: Schema.Int.annotate({ description: "The place of the link in the email, from 0" }),
      url: Schema.NullOr(Schema.String).annotate({ description: "As it was written, with merge tokens" }),
      recipients: Schema.Int.annotate({ description: "People that clicked it" }),
      clicks: Schema.Int,
      machine_clicks: Schema.Int,
    }),
  ).annotate({ description: "All links of the email" }),
  domains: Schema.Array(
    Schema.Struct({
      domain: Schema.String,
      recipients: Schema.Int,
      ...figures,
    }),
  ).annotate({
    description:
      "The twenty largest recipient domains. A blast distinguishes 50; `other` is the rest, `unknown` are recipients without an address",
  }),
  reasons: Schema.Array(
    Schema.Struct({
      state: Schema.Literals(["failed", "blocked"]),
      reason: Schema.String,
      count: Schema.Int,
      sample_reply: Schema.NullOr(Schema.String).annotate({ description: "The reply of a mail server to one of them" }),
    }),
  ),
  flagged: Schema.Struct({ machine_opened: Schema.Int, machine_clicked: Schema.Int }).annotate({
    description: "Recipients whose message a bot opened or clicked. They are not in the other counts",
  }),
}).annotate({ identifier: "BlastReport" })

export const toBlastReport = (report: BlastReport): typeof BlastReportWire.Type => ({
  points: report.points.map(toFigurePoint),
  links: report.links.map(({ clicks, link, machineClicks, recipients, url }) => ({
    link_index: link,
    url,
    recipients,
    clicks,
    machine_clicks: machineClicks,
  })),
  domains: report.domains.map(({ domain, recipients, ...its }) => ({ domain, recipients, ...toFigures(its) })),
  reasons: report.reasons.map(({ sampleReply, ...each }) => ({ ...each, sample_reply: sampleReply })),
  flagged: { machine_opened: report.machineOpened, machine_clicked: report.machineClicked },
})
