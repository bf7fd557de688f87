// Text as bytes. The encoders are part of every JavaScript runtime, and of none of the language's own type libraries.
declare const TextEncoder: new () => {
  readonly encode: (text: string) => Uint8Array
  readonly encodeInto: (text: string, into: Uint8Array) => { readonly read: number }
}
declare const TextDecoder: new () => { readonly decode: (bytes: Uint8Array) => string }

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** UTF-8. */
export const encodeText = (text: string): Uint8Array => encoder.encode(text)

/** Writes UTF-8; false when the text has not all found room: what is written then means nothing. */
export const writeText = (text: string, into: Uint8Array): boolean =>
  encoder.encodeInto(text, into).read === text.length

/** UTF-8; malformed sequences become U+FFFD. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

/** One array out of many. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Four characters of base64url (RFC 4648 §5) for three bytes, given as one number. */
export const base64UrlOf = (three: number): string => (pairs[three >> 12] ?? "") + (pairs[three & 0xfff] ?? "")

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
/** Two characters for every twelve bits. */
const pairs = Array.from(alphabet, (first) => Array.from(alphabet, (second) => first + second)).flat()
