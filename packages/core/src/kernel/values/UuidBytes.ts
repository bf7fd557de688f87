// The 16 bytes of a UUID, and its text from them.

/** The 16 bytes of a UUID. Runs for every message: digit by digit, without an intermediate text. */
export const writeUuid = (uuid: string, bytes: Uint8Array, start: number): void => {
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

/** Each byte as two digits. */
const digitsOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The inverse of `writeUuid`. Runs for every open. */
export const uuidText = (bytes: Uint8Array, start: number): string => {
  let text = ""
  for (let at = 0; at < 16; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-"
    text += digitsOf[bytes[start + at] ?? 0]
  }
  return text
}
