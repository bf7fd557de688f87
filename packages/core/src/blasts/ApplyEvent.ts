// applyEvent: decides an event of a blast and writes its change.
import { Effect } from "effect"
import type { DateTime } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Blast } from "./Blast.ts"
import type { BlastStore } from "./BlastStore.ts"
import { type BlastEvent, decide } from "./machine.ts"

/** For events that create no list, so that no list name can be taken. Returns the change. */
export const applyEvent = <T extends Exclude<BlastEvent["_tag"], "setAudience">>(
  store: BlastStore["Service"],
  workspace: WorkspaceId,
  blast: Blast,
  event: BlastEvent<T>,
  now: DateTime.Utc,
) =>
  Effect.tap(Effect.fromResult(decide(blast, event, now)), (change) =>
    Effect.catchTag(store.apply(workspace, change), "ListNameExists", Effect.die),
  )
