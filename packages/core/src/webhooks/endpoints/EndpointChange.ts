// The state machine of webhook endpoints. Pure.
import type { DateTime } from "effect"
import type { AuditAction } from "../../kernel/changes/AuditLog.ts"
import { type Change, changeOf } from "../../kernel/changes/Change.ts"
import type { Job } from "../../kernel/changes/Jobs.ts"
import type { WebhookReplayId } from "../../kernel/Ids.ts"
import type { DisabledReason, WebhookEndpoint, WebhookReplay } from "./WebhookEndpoint.ts"

/** A write: of a new endpoint (no `before`), of a changed one, or the deletion of one (no `after`). */
export type EndpointChange = Change<
  "webhook_endpoint",
  {
    readonly before: WebhookEndpoint | null
    readonly after: WebhookEndpoint | null
    /** Whether an endpoint that is enabled does without what it missed. */
    readonly skipsMissed: boolean
  }
>

const change = changeOf("webhook_endpoint")

/** An endpoint in the audit log: by the host of its URL, because paths and queries can have secrets. */
const details = ({ settings: { url } }: WebhookEndpoint) => ({ host: /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? "" })

type EndpointAction = Extract<AuditAction, `webhook_endpoint.${string}`>

const note = (action: EndpointAction, endpoint: WebhookEndpoint, more: object = {}) => ({
  audit: [{ action, target: endpoint.id, details: { ...details(endpoint), ...more } }],
})

export const create = (after: WebhookEndpoint): EndpointChange =>
  change({ before: null, after, skipsMissed: false }, note("webhook_endpoint.created", after))

export const update = (before: WebhookEndpoint, to: Partial<WebhookEndpoint>, now: DateTime.Utc): EndpointChange => {
  const after = { ...before, ...to, updatedAt: now }
  return change({ before, after, skipsMissed: false }, note("webhook_endpoint.updated", after))
}

/** The job that goes on with the rows of an endpoint that one transaction can't write. */
const cleanup = ({ id: endpointId }: WebhookEndpoint, now: DateTime.Utc) => ({
  jobs: [
    { job: { type: "webhook_cleanup", endpointId }, id: `webhook_cleanup:${endpointId}:${now.epochMilliseconds}` },
  ] as const,
})

/** Null: it is enabled already. */
export const enable = (
  before: WebhookEndpoint,
  { now, skipsMissed }: { readonly now: DateTime.Utc; readonly skipsMissed: boolean },
): EndpointChange | null => {
  if (before.status === "enabled") return null
  const after = { ...before, status: "enabled", disabledReason: null, disabledAt: null, updatedAt: now } as const
  const effects = note("webhook_endpoint.enabled", after)
  return change({ before, after, skipsMissed }, skipsMissed ? { ...effects, ...cleanup(after, now) } : effects)
}

/** Null: it is disabled already. */
export const disable = (before: WebhookEndpoint, reason: DisabledReason, now: DateTime.Utc): EndpointChange | null => {
  if (before.status === "disabled") return null
  const after = { ...before, status: "disabled", disabledReason: reason, disabledAt: now, updatedAt: now } as const
  const data = { endpoint_id: before.id, disabled_reason: reason }
  return change(
    { before, after, skipsMissed: false },
    {
      ...note("webhook_endpoint.disabled", after, { reason }),
      events: [{ type: "webhook_endpoint_disabled", contactId: null, at: now, data }],
    },
  )
}

/** The new secret signs from now on; the one before signs beside it until `overlapEnd`. A third one goes. */
export const rotateSecret = (
  before: WebhookEndpoint,
  secret: Pick<WebhookEndpoint, "sealedSecret" | "secretPrefix">,
  { now, overlapEnd }: { readonly now: DateTime.Utc; readonly overlapEnd: DateTime.Utc },
): EndpointChange => {
  const previousSecret = { sealed: before.sealedSecret, expiresAt: overlapEnd }
  const after = { ...before, ...secret, previousSecret, updatedAt: now }
  return change({ before, after, skipsMissed: false }, note("webhook_endpoint.secret_rotated", after))
}

/** What a replay sends again. */
export type ReplayJob = Omit<Extract<Job, { readonly type: "webhook_replay" }>, "workspaceId">

/** Starts a replay of many deliveries; null: one is in progress. */
export const startReplay = (before: WebhookEndpoint, job: ReplayJob, matched_count: number): EndpointChange | null => {
  if (before.replay !== null) return null
  const { replayId: id, status } = job
  return change(
    { before, after: { ...before, replay: { id, after: null, position: null } }, skipsMissed: false },
    {
      audit: [
        {
          action: "webhook.replayed",
          target: before.id,
          details: { ...details(before), replay_id: id, status, matched_count },
        },
      ],
      jobs: [{ job, id: `webhook_replay:${id}` }],
    },
  )
}

/** How far a replay is. */
export type ReplayCursor = Omit<WebhookReplay, "id">

/** The replay has come so far, or to its end (null). Null: it is not in progress any more. */
export const continueReplay = (
  before: WebhookEndpoint,
  id: WebhookReplayId,
  to: ReplayCursor | null,
): EndpointChange | null =>
  before.replay?.id === id
    ? change({ before, after: { ...before, replay: to === null ? null : { id, ...to } }, skipsMissed: false })
    : null

export const remove = (before: WebhookEndpoint, now: DateTime.Utc): EndpointChange =>
  change(
    { before, after: null, skipsMissed: false },
    { ...note("webhook_endpoint.deleted", before), ...cleanup(before, now) },
  )
