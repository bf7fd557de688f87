// The calls on the traffic of published pages.
import { TentId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { InstantWire } from "../../Wire.ts"

/** Anything else than 1 to 7 is 7: no value of it is refused. */
const daysBack = Schema.optionalKey(
  Schema.String.annotate({ description: "Days up to and with today, 1 to 7 (default); anything else is 7" }),
)

const day = Schema.String.annotate({ format: "date", examples: ["2026-05-01"] })
const views = { views: Schema.Int }

const report = {
  visits: Schema.Int.annotate({ description: "Distinct visitors a day, added up" }),
  pageviews: Schema.Int,
  date_range: Schema.Struct({ start_date: day, end_date: day, days: Schema.Int }),
  daily_pageviews: Schema.Array(Schema.Struct({ date: day, pageviews: Schema.Int })),
  by_country: Schema.Array(Schema.Struct({ country: Schema.String, ...views })).annotate({
    description: "ISO 3166 codes. IP geolocation by DB-IP, https://db-ip.com",
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

export const AnalyticsApi = HttpApiGroup.make("analytics")
  .add(
    HttpApiEndpoint.get("tent", "/v1/analytics/tent", {
      query: {
        tentIdOrAlias: Schema.String.annotate({ description: "A tent's id, its current alias, or / for the root" }),
        daysBack,
      },
      success: TentAnalytics,
      error: errors("not_found", "validation_failed"),
    })
      .annotate(OpenApi.Summary, "Read a tent's traffic")
      .annotate(
        OpenApi.Description,
        "Views and visits of one published tent over the last days, with where they came from. A view is a page served to somebody who is no bot; a visit is a visitor on a day.",
      ),
  )
  .add(
    HttpApiEndpoint.get("workspace", "/v1/analytics/workspace", { query: { daysBack }, success: WorkspaceAnalytics })
      .annotate(OpenApi.Summary, "Read the workspace's traffic")
      .annotate(
        OpenApi.Description,
        "The same for all of the workspace's tents together, and which of them were looked at most.",
      ),
  )
