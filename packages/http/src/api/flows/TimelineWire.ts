// Wire schema of an entry in a membership's or a simulation's timeline.
import { type TimelineEntry, timelineTypes } from "@tentpole/core/flows/members/Membership"
import { Schema } from "effect"
import { InstantWire, iso } from "../../Wire.ts"

export const TimelineEntryWire = Schema.Struct({
  type: Schema.Literals(timelineTypes),
  timestamp: InstantWire,
  step_id: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "FlowTimelineEntry" })

export const toTimelineEntryWire = ({ type, at, stepId, metadata }: TimelineEntry): typeof TimelineEntryWire.Type => ({
  type,
  timestamp: iso(at),
  step_id: stepId,
  metadata,
})
