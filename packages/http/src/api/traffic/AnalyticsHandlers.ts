// The handlers of figures over time.
import { DayAnalytics } from "@tentpole/core/figures/DayAnalytics"
import { conversionRate, readDaysBack, type TopTent, type TrafficReport } from "@tentpole/core/traffic/Analytics"
import { Traffic } from "@tentpole/core/traffic/Traffic"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, iso } from "../../Wire.ts"
import { toFigurePoint, toFigures } from "../blasts/FiguresWire.ts"
import { Effect } from "effect"
import { EmailAnalytics } from "@tentpole/core/blasts/figures/EmailAnalytics"
import type {
  ContactAnalyticsWire,
  CreditAnalyticsWire,
  EmailAnalyticsWire,
  TentAnalytics,
  TopicAnalyticsWire,
  WorkspaceAnalytics,
} from "./AnalyticsApi.ts"

export const layer = handlersOf(
  "analytics",
  Effect.all({ traffic: Traffic, emails: EmailAnalytics, days: DayAnalytics }),
  ({ days, emails, traffic }) => ({
    email: ({ query: { by = "none", from = null, interval = "day", to = null } }, { id }) =>
      emails.figures(id, { by, from, interval, to }).pipe(
        answer((found): typeof EmailAnalyticsWire.Type => ({
          interval,
          points: found.points.map(toFigurePoint),
          totals: toFigures(found.totals),
          before: toFigures(found.before),
          groups: found.groups.map(({ key, name, totals }) => ({ key, name, totals: toFigures(totals) })),
        })),
      ),
    contacts: ({ query: { from = null, to = null } }, { id }) =>
      days.contacts(id, { from, to }).pipe(
        answer((found): typeof ContactAnalyticsWire.Type => ({
          points: found.points.map(({ day: date, ...its }) => ({ date, ...its })),
          totals: found.totals,
          before: found.before,
          by_source: found.bySource,
        })),
      ),
    topic: ({ query: { from = null, to = null, topic_id } }, { id }) =>
      days.topic(id, topic_id, { from, to }).pipe(
        answer((found): typeof TopicAnalyticsWire.Type => ({
          topic_id: found.topicId,
          points: found.points.map(({ day: date, ...its }) => ({ date, ...its })),
          totals: found.totals,
          before: found.before,
        })),
      ),
    credits: ({ query: { from = null, to = null } }, { id }) =>
      days.credits(id, { from, to }).pipe(
        answer((found): typeof CreditAnalyticsWire.Type => ({
          balance: found.balance,
          points: found.points.map(({ day: date, returned, spent }) => ({ date, spent, returned })),
          by_kind: found.byKind,
        })),
      ),
    tent: ({ query }, { id }) =>
      traffic
        .ofTent(id, query.tentIdOrAlias, readDaysBack(query.daysBack))
        .pipe(answer((report): typeof TentAnalytics.Type => ({ tent_id: report.tentId, ...toReport(report) }))),
    workspace: ({ query }, { id }) =>
      traffic.ofWorkspace(id, readDaysBack(query.daysBack)).pipe(answer(toWorkspaceReport)),
    traffic: ({ query: { from = null, tent_id = null, to = null } }, { id }) =>
      traffic.between(id, { tent: tent_id, from, to }).pipe(answer(toWorkspaceReport)),
  }),
)

const toWorkspaceReport = (
  report: TrafficReport & { readonly topTents: ReadonlyArray<TopTent> },
): typeof WorkspaceAnalytics.Type => ({
  ...toReport(report),
  top_tents: report.topTents.map(({ tentId, name, views, visits }) => ({
    tent_id: tentId,
    name,
    pageviews: views,
    visits,
  })),
})

const toReport = ({ visits, views, submissions, range, days, groups, recent }: TrafficReport) => ({
  visits,
  pageviews: views,
  submissions,
  conversion_rate: conversionRate({ submissions, views }),
  date_range: { start_date: range.first, end_date: range.last, days: range.all.length },
  daily_pageviews: days.map((each) => ({
    date: each.day,
    pageviews: each.views,
    submissions: each.submissions,
    conversion_rate: conversionRate(each),
  })),
  by_country: groups.country.map((each) => ({ country: each.value, views: each.views })),
  by_device: groups.device.map((each) => ({ device: each.value, views: each.views })),
  by_browser: groups.browser.map((each) => ({ browser: each.value, views: each.views })),
  by_os: groups.os.map((each) => ({ os: each.value, views: each.views })),
  by_referrer: groups.referrer.map((each) => ({ referrer: each.value, views: each.views })),
  recent_pageviews: recent.map(({ at, ...view }) => ({ timestamp: iso(at), ...view })),
})
