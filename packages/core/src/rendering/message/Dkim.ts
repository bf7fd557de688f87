// DKIM (RFC 6376): RSA-SHA256 over relaxed headers and the simple body. An adapter hashes and signs.
import { Context, Effect } from "effect"
import { concat, encodeText, writeText } from "../../kernel/Bytes.ts"
import type { RenderedMessage } from "./Message.ts"

export interface DkimKey {
  /** `d=`: the domain of `From`. */
  readonly domain: string
  readonly selector: string
  /** PKCS #8. */
  readonly privateKeyPem: string
}

export class DkimSigner extends Context.Service<
  DkimSigner,
  {
    /** The value of a `DKIM-Signature` header for this message, folded. An unreadable key is a defect. */
    readonly sign: (headers: RenderedMessage["headers"], body: Uint8Array, key: DkimKey) => Effect.Effect<string>
  }
>()("tentpole/DkimSigner") {}

export const dkimSigned = Effect.fnUntraced(function* (message: RenderedMessage, key: DkimKey) {
  const signature = yield* (yield* DkimSigner).sign(message.headers, message.body, key)
  return toBytes({ ...message, headers: [["DKIM-Signature", signature], ...message.headers] })
})

/** The message as bytes. Headers go into the room in front of the body if they fit, so that the body is not copied. */
export const toBytes = ({ headers, body, headroom_bytes = 0 }: RenderedMessage): Uint8Array => {
  let lines = ""
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`
  lines += "\r\n"
  if (lines.length <= headroom_bytes) {
    const whole = new Uint8Array(body.buffer, body.byteOffset - lines.length, lines.length + body.length)
    // Headers are ASCII, one byte a character, except for an internationalized address.
    if (writeText(lines, whole.subarray(0, lines.length))) return whole
  }
  const head = encodeText(lines)
  if (head.length > headroom_bytes) return concat([head, body])
  const whole = new Uint8Array(body.buffer, body.byteOffset - head.length, head.length + body.length)
  whole.set(head)
  return whole
}

/**
 * The signed headers. Both unsubscribe headers must be signed (RFC 8058 §4). The first five are named once more than they
 * occur, so that none can be added without breaking the signature (RFC 6376 §8.15): they decide what is displayed, where
 * replies go, and how the body is decoded.
 */
const oversigned = ["from", "to", "subject", "reply-to", "content-type"]
const signed = [
  "date",
  "message-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-id",
  "feedback-id",
  "mime-version",
]

/** A signature header without the signature, and the bytes to sign. */
export interface UnsignedSignature {
  readonly value: string
  readonly bytes: Uint8Array
}

/** `bodyHash` is the SHA-256 of the body in base64. A body with exactly one final CRLF is its own simple form. */
export const unsignedSignature = (
  headers: RenderedMessage["headers"],
  bodyHash: string,
  { domain, selector }: Pick<DkimKey, "domain" | "selector">,
): UnsignedSignature => {
  const present = headers.map(([name, value]) => [name.toLowerCase(), value] as const)
  const covered = present.filter(([name]) => oversigned.includes(name) || signed.includes(name))
  const names = [...oversigned, ...covered.map(([name]) => name)]
  const value = [
    "v=1; a=rsa-sha256; c=relaxed/simple;",
    `d=${domain}; s=${selector};`,
    ...foldedNames(names),
    `bh=${bodyHash};`,
    "b=",
  ].join("\r\n ")
  // The extra names refer to missing headers, which add no bytes.
  const lines = [...lastFirst(names, covered).map(relaxed), relaxed(["dkim-signature", value])]
  return { value, bytes: encodeText(lines.join("\r\n")) }
}

/** The signature in base64, folded, after `b=`. */
export const withSignature = ({ value }: UnsignedSignature, signature: string): string =>
  value + (signature.match(/.{1,72}/g) ?? []).join("\r\n ")

type Header = readonly [name: string, value: string]

/** A name refers to its last header that is not yet used (RFC 6376 §5.4.2). */
const lastFirst = (names: ReadonlyArray<string>, headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const left = [...headers]
  return names.flatMap((name) => {
    const at = left.findLastIndex(([each]) => each === name)
    return at < 0 ? [] : left.splice(at, 1)
  })
}

/** RFC 6376 §3.4.2: unfolded, white space as one space, none at the ends. */
const relaxed = ([name, value]: Header): string =>
  `${name.toLowerCase()}:${value
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "")}`

const foldedNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = "h="
  for (const [at, name] of names.entries()) {
    const item = name + (at === names.length - 1 ? ";" : ":")
    if (line.length + item.length > 75) {
      lines.push(line)
      line = ""
    }
    line += item
  }
  return [...lines, line]
}
