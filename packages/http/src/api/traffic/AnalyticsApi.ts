// The endpoints of figures over time: email, contacts, topics, credits, and the traffic of published pages.
import { groupings } from "@tentpole/core/blasts/figures/FigureStore"
import { countedSources, creditKinds } from "@tentpole/core/figures/DayFigures"
import { intervals } from "@tentpole/core/sending/Figures"
import { TentId, TopicId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { DayOrInstant, InstantWire, oneOf } from "../../Wire.ts"
import { FigurePointWire, FiguresWire } from "../blasts/FiguresWire.ts"

/** Values other than 1 to 7 mean 7; none is refused. */
const daysBack = Schema.optionalKey(
  Schema.String.annotate({ description: "Number of days including today, 1 to 7. Default: 7, also for other values" }),
)

const day = Schema.String.annotate({ format: "date", examples: ["2026-05-01"] })
const views = { views: Schema.Int }

const conversionRate = Schema.NullOr(Schema.Finite).annotate({
  description: "Submissions for each page view, such as 0.05. null without views. Bots count in neither",
})

const report = {
  visits: Schema.Int.annotate({ description: "Sum of the distinct visitors of each day" }),
  pageviews: Schema.Int,
  submissions: Schema.Int.annotate({ description: "Submissions of forms" }),
  conversion_rate: conversionRate,
  date_range: Schema.Struct({ start_date: day, end_date: day, days: Schema.Int }),
  daily_pageviews: Schema.Array(
    Schema.Struct({ date: day, pageviews: Schema.Int, submissions: Schema.Int, conversion_rate: conversionRate }),
  ),
  by_country: Schema.Array(Schema.Struct({ country: Schema.String, ...views })).annotate({
    description: "By ISO 3166 code. IP geolocation by DB-IP, https://db-ip.com",
  }),
  by_device: Schema.Array(Schema.Struct({ device: Schema.String, ...views })),
  by_browser: Schema.Array(Schema.Struct({ browser: Schema.String, ...views })),
  by_os: Schema.Array(Schema.Struct({ os: Schema.String, ...views })),
  by_referrer: Schema.Array(Schema.Struct({ referrer: Schema.String, ...views })),
  recent_pageviews: Schema.Array(
    Schema.Struct({
      timestamp: InstantWire,
      country: Schema.String,
      device: Schema.String,
      browser: Schema.String,
      os: Schema.String,
      referrer: Schema.String,
    }),
  ),
}

export const TentAnalytics = Schema.Struct({ tent_id: TentId, ...report }).annotate({ identifier: "TentAnalytics" })

export const WorkspaceAnalytics = Schema.Struct({
  ...report,
  top_tents: Schema.Array(
    Schema.Struct({ tent_id: TentId, name: Schema.String, pageviews: Schema.Int, visits: Schema.Int }),
  ),
}).annotate({ identifier: "WorkspaceAnalytics" })

export const EmailAnalyticsWire = Schema.Struct({
  interval: Schema.Literals(intervals),
  points: Schema.Array(FigurePointWire).annotate({
    description: "Without gaps: hours or days without an event are zero",
  }),
  totals: FiguresWire,
  before: FiguresWire.annotate({ description: "The totals of as long a time before `from`" }),
  groups: Schema.Array(Schema.Struct({ key: Schema.String, name: Schema.String, totals: FiguresWire })).annotate({
    description: "The twenty with the most sent messages. `key` is the id of the blast or flow, or the domain",
  }),
}).annotate({ identifier: "EmailAnalytics" })

const contactTotals = {
  created: Schema.Int,
  deleted: Schema.Int,
  unsubscribed: Schema.Int.annotate({
    description: "Contacts that were subscribed before: by a link, a complaint, an import or the API",
  }),
}

const ContactTotalsWire = Schema.Struct(contactTotals).annotate({ identifier: "ContactTotals" })

export const ContactAnalyticsWire = Schema.Struct({
  points: Schema.Array(
    Schema.Struct({
      date: day,
      ...contactTotals,
      total: Schema.Int.annotate({ description: "Contacts at the end of the day" }),
    }),
  ).annotate({ description: "One for each day" }),
  totals: ContactTotalsWire,
  before: ContactTotalsWire.annotate({ description: "The totals of as long a time before `from`" }),
  by_source: Schema.Array(Schema.Struct({ source: oneOf(...countedSources), created: Schema.Int })).annotate({
    description: "By `original_source` at the creation, most frequent first. `other` is each other text",
  }),
}).annotate({ identifier: "ContactAnalytics" })

const topicTotals = {
  subscribed: Schema.Int.annotate({ description: "Contacts that subscribed, or confirmed that they do" }),
  unsubscribed: Schema.Int.annotate({ description: "Contacts that were subscribed and left the topic" }),
}

const TopicTotalsWire = Schema.Struct(topicTotals).annotate({ identifier: "TopicTotals" })

export const TopicAnalyticsWire = Schema.Struct({
  topic_id: TopicId,
  points: Schema.Array(Schema.Struct({ date: day, ...topicTotals })).annotate({ description: "One for each day" }),
  totals: TopicTotalsWire,
  before: TopicTotalsWire.annotate({ description: "The totals of as long a time before `from`" }),
}).annotate({ identifier: "TopicAnalytics" })

export const CreditAnalyticsWire = Schema.Struct({
  balance: Schema.Int.annotate({ description: "Credits that are left now" }),
  points: Schema.Array(
    Schema.Struct({
      date: day,
      spent: Schema.Int,
      returned: Schema.Int.annotate({
        description: "Credits that were refunded: the generation failed, or was deleted before its end",
      }),
    }),
  ).annotate({ description: "One for each day" }),
  by_kind: Schema.Array(Schema.Struct({ kind: oneOf(...creditKinds), spent: Schema.Int })).annotate({
    description: "What the AI generated, most frequent first",
  }),
}).annotate({ identifier: "CreditAnalytics" })

const days = { from: Schema.optionalKey(DayOrInstant), to: Schema.optionalKey(DayOrInstant) }

export const AnalyticsApi = Endpoint.group(
  "analytics",
  "Figures of email, contacts, topics and credits, and traffic of published pages.",
).add(
  Endpoint.get("email", "/v1/analytics/email", {
    needs: "viewer",
    summary: "Get email figures",
    description:
      "Returns the messages of all blasts and flows over time, with totals and those of as long a time before. `from` and `to` are days or timestamps; `to` is exclusive. Both are extended to whole hours or days (UTC). At most 31 days by the hour, 400 days by the day. With `by=domain` the groups cover whole days. Messages of deleted blasts and flows are not counted.",
    query: {
      ...days,
      interval: Schema.optionalKey(oneOf(...intervals)),
      by: Schema.optionalKey(oneOf(...groupings)),
    },
    success: EmailAnalyticsWire,
    errors: ["validation_failed"],
  }),
  Endpoint.get("contacts", "/v1/analytics/contacts", {
    needs: "viewer",
    summary: "Get contact figures",
    description:
      "Returns how many contacts were created, deleted and unsubscribed on each day of a range of up to 400 days, and how many there were. `from` and `to` are days or timestamps; `to` is exclusive. Both are extended to whole days (UTC). Contacts that were deleted later count too.",
    query: days,
    success: ContactAnalyticsWire,
    errors: ["validation_failed"],
  }),
  Endpoint.get("topic", "/v1/analytics/topic", {
    needs: "viewer",
    summary: "Get a topic's figures",
    description:
      "Returns how many contacts subscribed to a topic and left it on each day of a range of up to 400 days. A change counts on the day of its consent record: of an import, when the person agreed. A consent of a contact that is subscribed already does not count, and neither does one that waits for its confirmation. Contacts that end all marketing count in the contact figures. `from` and `to` are days or timestamps; `to` is exclusive. Both are extended to whole days (UTC).",
    query: { topic_id: TopicId, ...days },
    success: TopicAnalyticsWire,
    errors: ["not_found", "validation_failed"],
  }),
  Endpoint.get("credits", "/v1/analytics/credits", {
    needs: "viewer",
    summary: "Get credit figures",
    description:
      "Returns the credits that the workspace has left, and those that it spent on generations of the AI on each day of a range of up to 400 days. `from` and `to` are days or timestamps; `to` is exclusive. Both are extended to whole days (UTC).",
    query: days,
    success: CreditAnalyticsWire,
    errors: ["validation_failed"],
  }),
  Endpoint.get("tent", "/v1/analytics/tent", {
    needs: "viewer",
    summary: "Get a tent's traffic",
    description:
      "Returns the views and visits of one published tent over the last days, with their sources. A view is one page load by a visitor who is not a bot. A visit is one visitor on one day.",
    query: {
      tentIdOrAlias: Schema.String.annotate({
        description: "A tent id, its current alias, or `/` for the page at the root",
      }),
      daysBack,
    },
    success: TentAnalytics,
    errors: ["not_found", "validation_failed"],
  }),
  Endpoint.get("workspace", "/v1/analytics/workspace", {
    needs: "viewer",
    summary: "Get the workspace's traffic",
    description:
      "Returns the views and visits of all tents of the workspace together, and the tents with the most views.",
    query: { daysBack },
    success: WorkspaceAnalytics,
  }),
  Endpoint.get("traffic", "/v1/analytics/traffic", {
    needs: "viewer",
    summary: "Get traffic over time",
    description:
      "Returns the traffic of the workspace, or of one tent, in a range of up to 400 days. `from` and `to` are days or timestamps; `to` is exclusive. Both are extended to whole days (UTC). Single views and visitors are stored for days only: older ranges have totals.",
    query: { tent_id: Schema.optionalKey(TentId), ...days },
    success: WorkspaceAnalytics,
    errors: ["not_found", "validation_failed"],
  }),
)
