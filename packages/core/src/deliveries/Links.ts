// The addresses that a message carries: open pixel, redirects, unsubscribe, view in browser, and the return path. A token
// is workspace, delivery and (for a redirect) the link's index, with a MAC that is bound to what the link is for. Nothing
// in it is secret, nothing in it can be changed, and it stays the same on every try.
import { Context, Effect, Layer, Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { concat } from "../Bytes.ts"
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

export class Links extends Context.Service<
  Links,
  {
    readonly of: (target: LinkTarget) => MessageLinks
    /** `b+<token>@bounce.<domain>`; its local part has 56 characters, of 64 allowed. */
    readonly returnPath: (target: LinkTarget, sendingDomain: string) => string
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

      const seal = (purpose: Purpose, payload: Uint8Array): string =>
        Base64Url.encode(concat([payload, secrets.mac(purposes[purpose], payload).slice(0, tag_bytes[purpose])]))

      const open = (purpose: Purpose, payload_bytes: number, token: string): Option.Option<Uint8Array> => {
        const bytes = canonical(token)
        if (bytes === undefined || bytes.length !== payload_bytes + tag_bytes[purpose]) return Option.none()
        const payload = bytes.slice(0, payload_bytes)
        return secrets.verifies(purposes[purpose], payload, bytes.slice(payload_bytes))
          ? Option.some(payload)
          : Option.none()
      }

      const address = (kind: LinkKind, payload: Uint8Array) => `${publicPagesUrl}/${paths[kind]}/${seal(kind, payload)}`

      return Links.of({
        of: (target) => {
          const named = payloadOf(target)
          return {
            click: (index) => address("click", concat([named, indexBytes(index)])),
            open: address("open", named),
            unsubscribe: address("unsubscribe", named),
            view: address("view", named),
          }
        },
        returnPath: (target, sendingDomain) =>
          `${return_path_prefix}${seal("returnPath", payloadOf(target))}@${returnPathDomain(sendingDomain)}`,
        read: (kind, token) => Option.map(open(kind, target_bytes, token), targetOf),
        readClick: (token) =>
          Option.map(open("click", target_bytes + index_bytes, token), (payload) => ({
            ...targetOf(payload),
            index: payload.slice(target_bytes).reduce((index, byte) => index * 256 + byte, 0),
          })),
        readReturnPath: (mailbox) => {
          const local = mailbox.slice(0, Math.max(0, mailbox.lastIndexOf("@")))
          return local.startsWith(return_path_prefix)
            ? Option.map(open("returnPath", target_bytes, local.slice(return_path_prefix.length)), targetOf)
            : Option.none()
        },
      })
    }),
  )
}

/** The path of each kind of link on the pages' listener. */
export const paths: { readonly [Kind in LinkKind]: string } = { open: "o", click: "c", unsubscribe: "u", view: "v" }

const return_path_prefix = "b+"

type Purpose = LinkKind | "returnPath"

const purposes: { readonly [Name in Purpose]: string } = {
  open: "link:open",
  click: "link:click",
  unsubscribe: "link:unsubscribe",
  view: "link:view",
  returnPath: "return path",
}

/** A local part has room for 8 bytes of MAC; the others have 16. */
const tag_bytes: { readonly [Name in Purpose]: number } = {
  open: 16,
  click: 16,
  unsubscribe: 16,
  view: 16,
  returnPath: 8,
}

const target_bytes = 32
/** More links than any HTML of the size allowed can hold. */
const index_bytes = 3

const indexBytes = (index: number): Uint8Array => Uint8Array.of(index >> 16, (index >> 8) & 0xff, index & 0xff)

const uuidBytes = (uuid: string): Uint8Array =>
  Uint8Array.from({ length: 16 }, (_, at) => {
    const hex = uuid.replaceAll("-", "")
    return Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16)
  })

const uuidText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const payloadOf = ({ workspaceId, deliveryId }: LinkTarget): Uint8Array =>
  concat([uuidBytes(workspaceId), uuidBytes(deliveryId)])

const targetOf = (payload: Uint8Array): LinkTarget => ({
  workspaceId: WorkspaceId.make(uuidText(payload.slice(0, 16))),
  deliveryId: DeliveryId.make(uuidText(payload.slice(16, target_bytes))),
})

/** The bytes of a token that is spelled as we spell it: base64 has unused bits, in which a forged twin could differ. */
const canonical = (token: string): Uint8Array | undefined => {
  const bytes = Result.getOrUndefined(Base64Url.decode(token))
  return bytes !== undefined && Base64Url.encode(bytes) === token ? bytes : undefined
}
