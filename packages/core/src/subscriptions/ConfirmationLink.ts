// The token of a confirmation link: workspace and request, with a MAC over both. It is not secret by itself: who has the mail, has it.
import { Effect, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { concat } from "../kernel/Bytes.ts"
import { SubscriptionRequestId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import type { Secrets } from "../kernel/Secrets.ts"
import { uuidText, writeUuid } from "../rendering/Links.ts"

export interface ConfirmationTarget {
  readonly workspaceId: WorkspaceId
  readonly requestId: SubscriptionRequestId
}

/** The path on the pages' host: `/s/<token>`. */
export const confirmation_path = "s"

const purpose = "subscription"
const body_bytes = 32
/** Body and tag fill whole characters, so that a token has one spelling only. */
const tag_bytes = 16

export const confirmationToken = (secrets: Secrets["Service"], target: ConfirmationTarget): string => {
  const body = new Uint8Array(body_bytes)
  writeUuid(target.workspaceId, body, 0)
  writeUuid(target.requestId, body, 16)
  return Base64Url.encode(concat([body, secrets.mac(purpose, body).slice(0, tag_bytes)]))
}

/** Forged tokens and those of requests that do not exist look the same. */
export const notFound = new NotFound({ resource: "subscription request" })

export const readConfirmationToken = (
  secrets: Secrets["Service"],
  token: string,
): Effect.Effect<ConfirmationTarget, NotFound> => {
  const decoded = token.length > 100 ? null : Result.getOrElse(Base64Url.decode(token), () => null)
  if (decoded?.length !== body_bytes + tag_bytes) return Effect.fail(notFound)
  const body = decoded.subarray(0, body_bytes)
  return secrets.verifies(purpose, body, decoded.subarray(body_bytes)) && Base64Url.encode(decoded) === token
    ? Effect.succeed({
        workspaceId: WorkspaceId.make(uuidText(body, 0)),
        requestId: SubscriptionRequestId.make(uuidText(body, 16)),
      })
    : Effect.fail(notFound)
}
