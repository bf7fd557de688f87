// The endpoints of exports of consent records.
import { TopicId } from "@tentpole/core/kernel/Ids"
import { DateTime, Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { DayOrInstant } from "../../Wire.ts"
import { exportEndpoints } from "./ExportEndpoints.ts"

export const BeginConsentExport = Schema.Struct({
  topic_id: Schema.optionalKey(TopicId).annotate({
    description: "Only records of this topic. Default: those of all topics, and of all marketing",
  }),
  since: Schema.optionalKey(DayOrInstant).annotateKey({ description: "Only records from then on" }),
  until: Schema.optionalKey(DayOrInstant).annotateKey({ description: "Only records from before then" }),
})
  .check(
    Schema.makeFilter(
      ({ since, until }) =>
        since === undefined ||
        until === undefined ||
        DateTime.isLessThan(since, until) || { path: ["until"], issue: "must be later than since" },
    ),
  )
  .annotate({ identifier: "BeginConsentRecordExport" })

export const ConsentExportsApi = Endpoint.group("consentExports", "Exports of consent records as CSV.").add(
  ...exportEndpoints({
    path: "/v1/consent-records/export",
    payload: BeginConsentExport,
    exported: "consent records",
  }),
)
