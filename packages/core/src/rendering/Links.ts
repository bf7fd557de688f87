// The addresses in a message: open pixel, redirects, unsubscribe, view in browser, and the return path. A link token has
// workspace, delivery, purpose and (for a redirect) the link's index, with a MAC over all of them. A token is not secret,
// can't be changed, and is the same in every attempt.
import { Context, Effect, Layer, Option, Record, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { base64UrlOf } from "../kernel/Bytes.ts"
import type { Addresses, LinkKind, MessageLinks } from "./message/Message.ts"
import { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { uuidText, writeUuid } from "../kernel/values/UuidBytes.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { returnPathDomain } from "../workspaces/SendingDomain.ts"

export interface LinkTarget {
  readonly workspaceId: WorkspaceId
  readonly deliveryId: DeliveryId
}

/** The addresses of one message. They need one HMAC, and another for every 32 further links. */
export interface DeliveryLinks extends MessageLinks {
  /** `b+<token>@bounce.<domain>`. Its local part has 62 characters; 64 are allowed. */
  readonly returnPath: (sendingDomain: string) => string
}

export class Links extends Context.Service<
  Links,
  {
    readonly addresses: Addresses
    /** `clicks_expected`: the likely number of redirects. It only saves time. */
    readonly of: (target: LinkTarget, clicks_expected?: number) => DeliveryLinks
    /** The target of a token of this kind; none when the token is forged or of another kind. */
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
      const addresses: Addresses = Record.map(paths, (path) => `${publicPagesUrl}/${path}/`)

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
        addresses,
        of: (target, clicks_expected = Number.POSITIVE_INFINITY) =>
          new OwnLinks(secrets, addresses, target, clicks_expected),
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

/** The byte in the token, and the number of the MAC. A redirect's MAC has this number plus the link's index. */
const kinds: { readonly [Each in Kind]: number } = { open: 0, unsubscribe: 1, view: 2, returnPath: 3, click: 4 }

/**
 * A token is base64url of the target, one byte for the kind, three bytes of index for a redirect (more than the links of
 * any allowed HTML), and the MAC. Each part fills whole characters, so that a token has one spelling only.
 */
const target_bytes = 32
const head_length = 44
const index_length = 4

/** The greatest index of a link in a token. */
export const link_index_max = 2 ** 24 - 1
const tag_length_max = 20
const tagLength = (kind: Kind): number => (kind === "returnPath" ? 16 : tag_length_max)

/** MACs are computed in batches of this size. Most messages have fewer links. */
const batch_size = 32

const startOf = (number: number): number => (number % batch_size) * tag_length_max

/** The input of a batch's MACs: the target and the number of the batch. */
const batchOf = (named: Uint8Array, batch: number): Uint8Array => {
  const message = new Uint8Array(target_bytes + 3)
  message.set(named.subarray(0, target_bytes))
  message[target_bytes] = batch >> 16
  message[target_bytes + 1] = batch >> 8
  message[target_bytes + 2] = batch
  return message
}

class OwnLinks implements DeliveryLinks {
  readonly #secrets: Secrets["Service"]
  readonly #addresses: Addresses
  readonly #named = new Uint8Array(target_bytes)
  /** The constant part of a token's head, for all kinds. */
  readonly #beginning: string
  readonly #clicks_expected: number
  readonly #batches: Array<string> = []

  constructor(
    secrets: Secrets["Service"],
    addresses: Addresses,
    { deliveryId, workspaceId }: LinkTarget,
    clicks_expected: number,
  ) {
    this.#secrets = secrets
    this.#addresses = addresses
    this.#clicks_expected = clicks_expected
    writeUuid(workspaceId, this.#named, 0)
    writeUuid(deliveryId, this.#named, 16)
    let beginning = ""
    for (let at = 0; at + 3 <= target_bytes; at += 3) beginning += base64UrlOf(this.#threeAt(at))
    this.#beginning = beginning
  }

  token(kind: Kind, index: number | null): string {
    const head = this.#beginning + base64UrlOf(this.#threeAt(target_bytes - 2) | kinds[kind])
    const tag = this.#tagOf(kinds[kind] + (index ?? 0), tagLength(kind))
    return index === null ? head + tag : head + base64UrlOf(index) + tag
  }

  click(index: number): string {
    return this.#addresses.click + this.token("click", index)
  }

  get open(): string {
    return this.#addresses.open + this.token("open", null)
  }

  get unsubscribe(): string {
    return this.#addresses.unsubscribe + this.token("unsubscribe", null)
  }

  get view(): string {
    return this.#addresses.view + this.token("view", null)
  }

  returnPath(sendingDomain: string): string {
    return `${return_path_prefix}${this.token("returnPath", null)}@${returnPathDomain(sendingDomain)}`
  }

  #threeAt(at: number): number {
    const named = this.#named
    return ((named[at] ?? 0) << 16) | ((named[at + 1] ?? 0) << 8) | (named[at + 2] ?? 0)
  }

  #tagOf(number: number, length: number): string {
    const batch = Math.floor(number / batch_size)
    const end = startOf(number) + length
    let macs = this.#batches[batch] ?? ""
    if (macs.length < end) {
      // Computes only as many MACs as the message is likely to need.
      const wanted = Math.max(number + 1, kinds.click + this.#clicks_expected) - batch * batch_size
      macs = this.#secrets.longMac(purpose, batchOf(this.#named, batch), Math.min(wanted, batch_size) * tag_length_max)
      this.#batches[batch] = macs
    }
    return macs.slice(end - length, end)
  }
}

const targetOf = (payload: Uint8Array): LinkTarget => ({
  workspaceId: WorkspaceId.make(uuidText(payload, 0)),
  deliveryId: DeliveryId.make(uuidText(payload, 16)),
})
