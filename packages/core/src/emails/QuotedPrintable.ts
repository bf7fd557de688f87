// Quoted-printable (RFC 2045 §6.7) in pieces: a text and the values between its parts are encoded one by one, each from the
// start of a line, and laid side by side. This runs for every spot of every message, and allocates nothing by itself.
import { encodeText } from "../Bytes.ts"

/** Joins two lines when the text is decoded. */
export const soft_break = "=\r\n"

/** With the `=` of a soft break a line has 76 characters, the most that are allowed. */
const line_length_max = 75

/** The bytes of a text's UTF-8 as characters of a string, line breaks of every kind as LF. */
export const octetsOf = (text: string): string => {
  // oxlint-disable-next-line no-control-regex -- ASCII without CR is what it is to be
  if (/^[\0-\x0c\x0e-\x7f]*$/.test(text)) return text
  const lines = text.replace(/\r\n?/g, "\n")
  let octets = ""
  for (const byte of encodeText(lines)) octets += String.fromCharCode(byte)
  return octets
}

/** The most bytes that so many octets can become: three for one, and a soft break for every line of at least 73. */
export const roomFor = (length: number): number => length * 3 + (Math.ceil((length * 3) / 73) + 1) * 3

/** Encodes a text by itself. */
export const encodeQuotedPrintable = (text: string, ending: "" | typeof soft_break): Uint8Array => {
  const octets = octetsOf(text)
  const out = new Uint8Array(roomFor(octets.length))
  return out.slice(0, writeQuotedPrintable(octets, ending, out, 0))
}

/**
 * Writes octets into `out` from `start`, and answers where they end. Line breaks become CRLF, the canonical form of text
 * in MIME. `ending` is set behind them when their last line has begun. No line begins with a dot, so that SMTP has none to
 * double, or with `From `.
 */
export const writeQuotedPrintable = (
  octets: string,
  ending: "" | typeof soft_break,
  out: Uint8Array,
  start: number,
): number => {
  let length = start
  let column = 0
  for (let at = 0; at < octets.length; at++) {
    if (column > 0) {
      // Most of what there is, by far, is neither special nor at a line's begin or end.
      const end = Math.min(octets.length, at + line_length_max - column)
      const from = at
      while (at < end) {
        const octet = octets.charCodeAt(at)
        if (plainOctets[octet] !== 1) break
        out[length++] = octet
        at++
      }
      column += at - from
      if (at === octets.length) break
    }
    const octet = octets.charCodeAt(at)
    if (octet === line_feed) {
      length = writeLineEnd(out, length)
      column = 0
      continue
    }
    const plain = plainOctets[octet] === 1 || (isBlank(octet) && !endsLine(octets, at, ending))
    if (column + (plain ? 1 : 3) > line_length_max) {
      out[length++] = equals_sign
      length = writeLineEnd(out, length)
      column = 0
    }
    if (plain && !(column === 0 && (octet === full_stop || octets.startsWith("From ", at)))) {
      out[length++] = octet
      column += 1
    } else {
      out[length++] = equals_sign
      out[length++] = hexadecimal(octet >> 4)
      out[length++] = hexadecimal(octet & 15)
      column += 3
    }
  }
  if (ending === "" || column === 0) return length
  out[length++] = equals_sign
  return writeLineEnd(out, length)
}

const line_feed = 10
const full_stop = 46
const equals_sign = 61

const writeLineEnd = (out: Uint8Array, at: number): number => {
  out[at] = 13
  out[at + 1] = 10
  return at + 2
}

/** 1 for each octet that may stand for itself. */
const plainOctets = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 33 && octet <= 126 && octet !== equals_sign ? 1 : 0,
)
const isBlank = (octet: number): boolean => octet === 32 || octet === 9

/** White space at the end of a line is taken away in transport. */
const endsLine = (octets: string, at: number, ending: string): boolean =>
  at + 1 === octets.length ? ending === "" : octets.charCodeAt(at + 1) === line_feed

const hexadecimal = (nibble: number): number => nibble + (nibble < 10 ? 48 : 55)
