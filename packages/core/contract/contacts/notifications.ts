// All events of a workspace.
import { Effect } from "effect"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Outbox, type RecordedEvent } from "../../src/kernel/changes/Outbox.ts"
import { test_consumer } from "../kernel/fresh.ts"

const events_max = 1000

/** Every event of a fresh workspace, the oldest first. */
export const eventsOf = (workspace: WorkspaceId): Effect.Effect<ReadonlyArray<RecordedEvent>, never, Outbox> =>
  Effect.flatMap(Outbox, (outbox) => outbox.read(workspace, test_consumer, events_max))
