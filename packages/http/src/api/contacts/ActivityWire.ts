// A contact's timeline on the wire.
import { activityTypes } from "@tentpole/core/contacts/Activity"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import type { Paged, PageRequest } from "@tentpole/core/kernel/Page"
import { Schema } from "effect"
import { InstantWire, iso, pagination, PaginationWire } from "../../Wire.ts"

const ActivityWire = Schema.Struct({
  activity_id: Schema.String,
  type: Schema.Literals(activityTypes),
  timestamp: InstantWire,
  metadata: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "What the type has to tell: of a change, `changes` with `field`, `from` and `to`",
    examples: [{ changes: [{ field: "city", from: null, to: "Bern" }] }],
  }),
}).annotate({ identifier: "Activity" })

export const ActivitiesAnswer = Schema.Struct({
  activities: Schema.Array(ActivityWire),
  pagination: PaginationWire,
}).annotate({ identifier: "Activities" })

const toActivity = ({ at, id, metadata, type }: RecordedActivity): typeof ActivityWire.Type => ({
  activity_id: id,
  type,
  timestamp: iso(at),
  metadata,
})

export const toActivitiesAnswer = (
  query: PageRequest,
  { items, total }: Paged<RecordedActivity>,
): typeof ActivitiesAnswer.Type => ({ activities: items.map(toActivity), pagination: pagination(query, total) })
