// The addresses that a message carries: open pixel, redirects, unsubscribe, view in browser, and the return path. A token
// is workspace, delivery, what it is for and (for a redirect) the link's index, with a MAC that is bound to all of that.
// Nothing in it is secret, nothing in it can be changed, and it stays the same on every try.
import { Context, Effect, Layer, Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { base64UrlOf } from "../Bytes.ts"
import type { MessageLinks } from "../emails/Message.ts"
import { DeliveryId, WorkspaceId } from "../Ids.ts"
import { Secrets } from "../Secrets.ts"
import { Settings } from "../Settings.ts"
import { returnPathDomain } from "../workspaces/SendingDomain.ts"

export type LinkKind = "open" | "click" | "unsubscribe" | "view"

export interface LinkTarget {
  readonly workspaceId: WorkspaceId
  readonly deliveryId: DeliveryId
}

/** The addresses of one message: whatever it carries of them, they take one HMAC (and another for every 32 links more). */
export interface DeliveryLinks extends MessageLinks {
  /** `b+<token>@bounce.<domain>`; its local part has 62 characters, of 64 allowed. */
  readonly returnPath: (sendingDomain: string) => string
}

export class Links extends Context.Service<
  Links,
  {
    readonly of: (target: LinkTarget) => DeliveryLinks
    /** What a token of this kind names; nothing when it was not made here, or for something else. */
    readonly read: (kind: "open" | "unsubscribe" | "view", token: string) => Option.Option<LinkTarget>
    readonly readClick: (token: string) => Option.Option<LinkTarget & { readonly index: number }>
    readonly readReturnPath: (address: string) => Option.Option<LinkTarget>
  }
>()("tentpole/Links") {
  static readonly layer = Layer.effect(
    Links,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const { publicPagesUrl } = yield* Settings

      const open = (kind: Kind, token: string): Option.Option<LinkTarget & { readonly index: number }> => {
        const tag_start = kind === "click" ? head_length + index_length : head_length
        if (token.length !== tag_start + tagLength(kind) || !/^[\w-]*$/.test(token)) return Option.none()
        const named = Base64Url.decode(token.slice(0, tag_start))
        if (Result.isFailure(named) || named.success[target_bytes] !== kinds[kind]) return Option.none()
        const index = named.success.slice(target_bytes + 1).reduce((sum, byte) => sum * 256 + byte, 0)
        const number = kinds[kind] + index
        const message = batchOf(named.success, Math.floor(number / batch_size))
        return secrets.verifiesPiece(purpose, message, startOf(number), token.slice(tag_start))
          ? Option.some({ ...targetOf(named.success), index })
          : Option.none()
      }

      const read = (kind: Kind, token: string): Option.Option<LinkTarget> =>
        Option.map(open(kind, token), ({ deliveryId, workspaceId }) => ({ deliveryId, workspaceId }))

      return Links.of({
        of: (target) => {
          const token = tokensOf(secrets, target)
          return {
            click: (index) => `${publicPagesUrl}/${paths.click}/${token("click", index)}`,
            open: `${publicPagesUrl}/${paths.open}/${token("open")}`,
            unsubscribe: `${publicPagesUrl}/${paths.unsubscribe}/${token("unsubscribe")}`,
            view: `${publicPagesUrl}/${paths.view}/${token("view")}`,
            returnPath: (domain) => `${return_path_prefix}${token("returnPath")}@${returnPathDomain(domain)}`,
          }
        },
        read,
        readClick: (token) => open("click", token),
        readReturnPath: (mailbox) => {
          const local = mailbox.slice(0, Math.max(0, mailbox.lastIndexOf("@")))
          return local.startsWith(return_path_prefix)
            ? read("returnPath", local.slice(return_path_prefix.length))
            : Option.none()
        },
      })
    }),
  )
}

/** The path of each kind of link on the pages' listener. */
export const paths: { readonly [Each in LinkKind]: string } = { open: "o", click: "c", unsubscribe: "u", view: "v" }

const return_path_prefix = "b+"
const purpose = "links"

type Kind = LinkKind | "returnPath"

/** The byte in the token, and the number of the MAC. Links have all numbers from theirs on, each its index further. */
const kinds: { readonly [Each in Kind]: number } = { open: 0, unsubscribe: 1, view: 2, returnPath: 3, click: 4 }

/**
 * A token is base64url of the target, the byte that says what it is for, for a redirect three bytes of index (more links than
 * any HTML of the size allowed can hold), and the MAC. Each part fills whole characters, and has one spelling only.
 */
const target_bytes = 32
const head_length = 44
const index_length = 4
const tag_length_max = 20
const tagLength = (kind: Kind): number => (kind === "returnPath" ? 16 : tag_length_max)

/** MACs are made so many at a time: most messages have fewer links than that. */
const batch_size = 32

const startOf = (number: number): number => (number % batch_size) * tag_length_max

/** What the MACs of a batch are made of: the target, and which batch it is. */
const batchOf = (named: Uint8Array, batch: number): Uint8Array => {
  const message = new Uint8Array(target_bytes + 3)
  message.set(named.subarray(0, target_bytes))
  message.set([batch >> 16, (batch >> 8) & 0xff, batch & 0xff], target_bytes)
  return message
}

/** Makes the tokens of one message. */
const tokensOf = (
  secrets: Secrets["Service"],
  { workspaceId, deliveryId }: LinkTarget,
): ((kind: Kind, index?: number) => string) => {
  const named = new Uint8Array(target_bytes)
  writeUuid(workspaceId, named, 0)
  writeUuid(deliveryId, named, 16)
  const threeAt = (at: number): number => ((named[at] ?? 0) << 16) | ((named[at + 1] ?? 0) << 8) | (named[at + 2] ?? 0)
  let beginning = ""
  for (let at = 0; at + 3 <= target_bytes; at += 3) beginning += base64UrlOf(threeAt(at))

  const batches: Array<string> = []
  const tagOf = (number: number, length: number): string => {
    const batch = Math.floor(number / batch_size)
    const macs = (batches[batch] ??= secrets.longMac(purpose, batchOf(named, batch), batch_size * tag_length_max))
    return macs.slice(startOf(number), startOf(number) + length)
  }

  return (kind, index) => {
    const head = beginning + base64UrlOf(threeAt(target_bytes - 2) | kinds[kind])
    const tag = tagOf(kinds[kind] + (index ?? 0), tagLength(kind))
    return index === undefined ? head + tag : head + base64UrlOf(index) + tag
  }
}

/** Runs for every message: digit by digit, without a text between. */
const writeUuid = (uuid: string, bytes: Uint8Array, start: number): void => {
  let digits = 0
  for (let at = 0; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at)
    if (code === hyphen) continue
    const digit = code < 58 ? code - 48 : (code | 32) - 87
    const byte = start + (digits >> 1)
    bytes[byte] = ((bytes[byte] ?? 0) << 4) | digit
    digits++
  }
}

const hyphen = 45

const uuidText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const targetOf = (payload: Uint8Array): LinkTarget => ({
  workspaceId: WorkspaceId.make(uuidText(payload.slice(0, 16))),
  deliveryId: DeliveryId.make(uuidText(payload.slice(16, target_bytes))),
})
