// The token of a confirmation link. It has no end: the request says whether it can still be confirmed.
import { DateTime, Effect } from "effect"
import { SubscriptionRequestId, type WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import type { Secrets } from "../kernel/Secrets.ts"
import { endless, linkOf, signLink } from "../ports/SignedLink.ts"

export interface ConfirmationTarget {
  readonly workspaceId: WorkspaceId
  readonly requestId: SubscriptionRequestId
}

/** The path on the pages' host: `/s/<token>`. */
export const confirmation_path = "s"

export const confirmationToken = (
  secrets: Secrets["Service"],
  { requestId, workspaceId }: ConfirmationTarget,
): string => signLink(secrets, "subscription", { workspaceId, id: requestId, expiresAt: endless })

/** Forged tokens and those of requests that do not exist look the same. */
export const notFound = new NotFound({ resource: "subscription request" })

export const readConfirmationToken = Effect.fnUntraced(function* (secrets: Secrets["Service"], token: string) {
  const link = linkOf(secrets, "subscription", token, yield* DateTime.now)
  if (link === null) return yield* notFound
  const target: ConfirmationTarget = {
    workspaceId: link.workspaceId,
    requestId: SubscriptionRequestId.make(link.id),
  }
  return target
})
