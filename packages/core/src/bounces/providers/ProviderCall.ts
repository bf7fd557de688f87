// A provider's call, and what all four have in common: which messages it speaks of, and in what words.
import { Option, Schema } from "effect"
import { type BounceKind, codeIn } from "../../sending/EnhancedCode.ts"
import { kindOf } from "../DeliveryStatus.ts"
import type { Links } from "../../rendering/Links.ts"
import { legible } from "../../sending/Settlement.ts"
import { DeliveryId, type WorkspaceId } from "../../kernel/Ids.ts"
import type { BounceReport } from "../Report.ts"

export const providers = ["ses", "sendgrid", "postmark", "mailgun"] as const
export type Provider = (typeof providers)[number]

export interface HookCall {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** By what a provider names a message; the first that is one of ours counts. */
export interface MessageReference {
  /** The `Message-ID` that it went out with. */
  readonly messageId?: string | null | undefined
  /** The address that it was sent from, on the envelope. */
  readonly returnPath?: string | null | undefined
  /** What we gave along, where a provider hands that back. */
  readonly deliveryId?: string | null | undefined
}

/** One thing that a provider says, of one message. */
export interface ProviderEvent {
  readonly message: MessageReference
  readonly what: BounceReport | { readonly _tag: "unsubscribed" }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The delivery that is meant, as far as the workspace may know of it. Whether there is one, the store says. */
export const deliveryOf = (
  { deliveryId, messageId, returnPath }: MessageReference,
  workspace: WorkspaceId,
  links: Links["Service"],
): DeliveryId | undefined => {
  const target = links.readReturnPath(returnPath ?? "")
  if (Option.isSome(target)) return target.value.workspaceId === workspace ? target.value.deliveryId : undefined
  const named = [deliveryId ?? "", /^<?([^@<>]*)@/.exec(messageId ?? "")?.[1] ?? ""].find((id) => uuid.test(id))
  return named === undefined ? undefined : DeliveryId.make(named.toLowerCase())
}

/**
 * A bounce in a provider's words. Its own verdict counts where the server gave no code, or one that says nothing; else what
 * the code says, as for returned mail.
 */
export const bounced = (said: {
  readonly status?: string | null | undefined
  readonly words?: string | null | undefined
  readonly hard: boolean
}): BounceReport => {
  const code = [said.status, said.words]
    .map((text) => codeIn(text ?? ""))
    .find((each) => each !== undefined && each.class !== 2 && each.subject !== 0)
  const kind: BounceKind = code === undefined ? (said.hard ? "hard" : "soft") : kindOf(code)
  return { _tag: "bounced", kind, words: said.words == null ? null : legible(said.words) }
}

/** Text where there should be some; providers leave out, or send null or numbers. */
export const Text = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Number])))

export const textOf = (value: string | number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value)
