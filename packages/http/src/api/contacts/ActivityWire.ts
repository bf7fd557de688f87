// Wire schemas of a contact's activities.
import { activityTypes } from "@tentpole/core/contacts/Activity"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import { Schema } from "effect"
import { InstantWire, iso, PaginationWire } from "../../Wire.ts"

const ActivityWire = Schema.Struct({
  activity_id: Schema.String,
  type: Schema.Literals(activityTypes),
  timestamp: InstantWire,
  metadata: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "Data of this type of activity. An update has `changes` with `field`, `from` and `to`",
    examples: [{ changes: [{ field: "city", from: null, to: "Bern" }] }],
  }),
}).annotate({ identifier: "Activity" })

export const ActivitiesAnswer = Schema.Struct({
  activities: Schema.Array(ActivityWire),
  pagination: PaginationWire,
}).annotate({ identifier: "Activities" })

export const toActivity = ({ at, id, metadata, type }: RecordedActivity): typeof ActivityWire.Type => ({
  activity_id: id,
  type,
  timestamp: iso(at),
  metadata,
})
