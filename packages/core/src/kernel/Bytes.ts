// Text as bytes. Every JavaScript runtime has these encoders, but the language's type library does not.
declare const TextEncoder: new () => {
  readonly encode: (text: string) => Uint8Array
  readonly encodeInto: (text: string, into: Uint8Array) => { readonly read: number }
}
declare const TextDecoder: new () => { readonly decode: (bytes: Uint8Array) => string }

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** UTF-8. */
export const encodeText = (text: string): Uint8Array => encoder.encode(text)

/** Writes UTF-8. False if the text does not fit; what was written is then useless. */
export const writeText = (text: string, into: Uint8Array): boolean =>
  encoder.encodeInto(text, into).read === text.length

/** UTF-8; malformed sequences become U+FFFD. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Four characters of base64url (RFC 4648 §5) for three bytes that are given as one number. */
export const base64UrlOf = (three: number): string => (pairs[three >> 12] ?? "") + (pairs[three & 0xfff] ?? "")

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
/** Two characters for each twelve bits. */
const pairs = Array.from(alphabet, (first) => Array.from(alphabet, (second) => first + second)).flat()
