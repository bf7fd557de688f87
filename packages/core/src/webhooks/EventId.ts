// Public ids of events. They are made of the workspace and the position in the outbox, so that no column stores them.
import { Schema } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"

export const EventId = Schema.String.check(Schema.isUUID(undefined, { message: "must be a UUID" }))
  .pipe(Schema.brand("EventId"))
  .annotate({ identifier: "EventId", description: "Id of an event" })
export type EventId = typeof EventId.Type

/** The hexadecimal digits of a position in an id. An installation with a hundred workers needs more after 80 years. */
const position_digits = 15

/** The text order of sequences is the order of the events, also after a restore of a backup. */
export const sequenceOf = (position: string): string => BigInt(position).toString(16).padStart(32, "0")

/**
 * The id of an event: a UUID of version 8, of its position and of the last 16 digits of the workspace's id. No two events have
 * the same id, also after a restore, because positions are unique in a workspace (`tentpole_restored`).
 */
export const eventIdOf = (workspace: WorkspaceId, position: string): EventId => {
  const digits = BigInt(position).toString(16).padStart(position_digits, "0")
  return EventId.make(`${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(12)}-${workspace.slice(19)}`)
}

/** The position of an event; null: the id is not one of this workspace. */
export const positionOf = (workspace: WorkspaceId, id: EventId): string | null => {
  const lower = id.toLowerCase()
  const position = BigInt(`0x${lower.slice(0, 8)}${lower.slice(9, 13)}${lower.slice(15, 18)}`).toString()
  return eventIdOf(workspace, position) === lower ? position : null
}
