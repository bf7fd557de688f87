// What the screens show of a flow: its tone, its figures, and what can be done with it.
import type { Flow, FlowMembership } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

type Status = Flow["status"]

export const flowTones: Readonly<Record<Status, Tone>> = {
  draft: "quiet",
  active: "good",
  paused: "warning",
  archived: "quiet",
}

export const memberTones: Readonly<Record<FlowMembership["status"], Tone>> = {
  active: "busy",
  waiting: "busy",
  completed: "good",
  dropped: "quiet",
  failed: "bad",
}

export type FlowAction = "activate" | "pause" | "archive" | "delete" | "edit"

/** Statuses that an action is possible in. The service decides; this only hides what it would refuse. */
const allowed: Readonly<Record<FlowAction, ReadonlyArray<Status>>> = {
  activate: ["draft", "paused"],
  pause: ["active"],
  archive: ["draft", "paused"],
  delete: ["draft", "paused", "archived"],
  /** Of its steps and triggers. */
  edit: ["draft", "paused"],
}

export const can = (action: FlowAction, { status }: Pick<Flow, "status">): boolean => allowed[action].includes(status)

/** Members who are in the flow now. */
export const presentIn = ({ details }: Pick<Flow, "details">): number => details.active_count + details.waiting_count
