// The addresses that a message carries: open pixel, redirects, unsubscribe, view in browser, and the return path. A token
// is workspace, delivery, what it is for and (for a redirect) the link's index, with a MAC that is bound to all of that.
// Nothing in it is secret, nothing in it can be changed, and it stays the same on every try.
import { Context, Effect, Layer, Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
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

      /** What the token is for is known by its last byte before the index: a MAC for one purpose never passes for another. */
      const open = (kind: Kind, token: string): Option.Option<LinkTarget & { readonly index: number }> => {
        const bytes = canonical(token)
        const payload_bytes = kind === "click" ? head_bytes + index_bytes : head_bytes
        if (bytes?.length !== payload_bytes + tagBytes(kind) || bytes[target_bytes] !== kinds[kind]) return Option.none()
        const index = bytes.slice(head_bytes, payload_bytes).reduce((sum, byte) => sum * 256 + byte, 0)
        const target = bytes.slice(0, target_bytes)
        return secrets.verifiesNumbered(purpose, target, kinds[kind] + index, bytes.slice(payload_bytes))
          ? Option.some({ ...targetOf(target), index })
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

const target_bytes = 32
/** The target, and the byte that says what the token is for. */
const head_bytes = 33
/** More links than any HTML of the size allowed can hold. */
const index_bytes = 3
/** Each part of a token fills whole characters of base64, so that a token is its parts laid side by side. */
const tagBytes = (kind: Kind): number => (kind === "returnPath" ? 12 : 15)

/** MACs are made so many at a time: most messages have fewer links than that. */
const batch_size = 32
const mac_bytes = 16

/** Makes the tokens of one message. */
const tokensOf = (secrets: Secrets["Service"], target: LinkTarget): ((kind: Kind, index?: number) => string) => {
  const named = bytesOf(target)
  const beginning = Base64Url.encode(named.subarray(0, 30))
  const [last = 0, but_one = 0] = [named[31], named[30]]
  const batches = new Map<number, Uint8Array>()

  const macOf = (number: number, length_bytes: number): Uint8Array => {
    const from = number - (number % batch_size)
    let macs = batches.get(from)
    if (macs === undefined) batches.set(from, (macs = secrets.macs(purpose, named, from, batch_size)))
    const start = (number - from) * mac_bytes
    return macs.subarray(start, start + length_bytes)
  }

  return (kind, index) => {
    const head = beginning + Base64Url.encode(Uint8Array.of(but_one, last, kinds[kind]))
    const tag = Base64Url.encode(macOf(kinds[kind] + (index ?? 0), tagBytes(kind)))
    return index === undefined ? head + tag : head + Base64Url.encode(indexBytes(index)) + tag
  }
}

const indexBytes = (index: number): Uint8Array => Uint8Array.of(index >> 16, (index >> 8) & 0xff, index & 0xff)

const bytesOf = ({ workspaceId, deliveryId }: LinkTarget): Uint8Array => {
  const bytes = new Uint8Array(target_bytes)
  writeUuid(workspaceId, bytes, 0)
  writeUuid(deliveryId, bytes, 16)
  return bytes
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

/** The bytes of a token that is spelled as we spell it: base64 has unused bits, in which a forged twin could differ. */
const canonical = (token: string): Uint8Array | undefined => {
  const bytes = Result.getOrUndefined(Base64Url.decode(token))
  return bytes !== undefined && Base64Url.encode(bytes) === token ? bytes : undefined
}
