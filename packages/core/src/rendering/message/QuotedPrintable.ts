// Quoted-printable (RFC 2045 §6.7) in pieces: each text and each value begins on its own line, so that pieces can be
// joined. This runs for every slot of every message, and allocates no memory.

/** Joins two lines when the text is decoded. */
export const soft_break = "=\r\n"

/** With the `=` of a soft break a line has 76 characters, the most that are allowed. */
const line_length_max = 75

/** The maximum of bytes for an encoded text of this length. */
export const roomFor = (length: number): number => {
  // Three octets of UTF-8 for each unit, three characters for each octet; then a soft break for every line of at least 73.
  const encoded = length * 9
  return encoded + (Math.ceil(encoded / 73) + 1) * soft_break.length
}

export const encodeQuotedPrintable = (text: string, ending: "" | typeof soft_break): Uint8Array => {
  const out = new Uint8Array(roomFor(text.length))
  return out.slice(0, writeQuotedPrintable(text, ending, out, 0))
}

/**
 * Writes a text as UTF-8 into `out` from `start`, and returns the end. Line breaks of every kind become CRLF, the canonical
 * form in MIME. `ending` follows a last line that is not empty. No line begins with a dot, which SMTP
 * would double, or with `From `.
 */
export const writeQuotedPrintable = (
  text: string,
  ending: "" | typeof soft_break,
  out: Uint8Array,
  start: number,
): number => {
  let length = start
  let column = 0
  for (let at = 0; at < text.length; at++) {
    if (column > 0) {
      // The fast path: most characters are neither special nor at the beginning or end of a line.
      const end = Math.min(text.length, at + line_length_max - column)
      const from = at
      while (at < end) {
        const unit = text.charCodeAt(at)
        if (unit > 127 || plainCharacters[unit] !== 1) break
        out[length++] = unit
        at++
      }
      column += at - from
      if (at === text.length) break
    }
    const unit = text.charCodeAt(at)
    if (isLineBreak(unit)) {
      if (unit === carriage_return && text.charCodeAt(at + 1) === line_feed) at++
      length = writeLineEnd(out, length)
      column = 0
      continue
    }
    const octets = unit < 128 ? unit : octetsOf(text, at)
    if (octets > 0xffffff) at++
    const bare = isPlain(unit) || (isBlank(unit) && !endsLine(text, at, ending))
    const begins = column === 0 || column === line_length_max
    if (bare && !(begins && (unit === full_stop || text.startsWith("From ", at)))) {
      if (column === line_length_max) {
        length = writeSoftBreak(out, length)
        column = 0
      }
      out[length++] = unit
      column++
      continue
    }
    for (let shift = octets > 0xffffff ? 24 : octets > 0xffff ? 16 : octets > 0xff ? 8 : 0; shift >= 0; shift -= 8) {
      if (column + 3 > line_length_max) {
        length = writeSoftBreak(out, length)
        column = 0
      }
      const octet = (octets >>> shift) & 0xff
      out[length] = equals_sign
      out[length + 1] = hexadecimal(octet >> 4)
      out[length + 2] = hexadecimal(octet & 15)
      length += 3
      column += 3
    }
  }
  return ending === "" || column === 0 ? length : writeSoftBreak(out, length)
}

const line_feed = 10
const carriage_return = 13
const full_stop = 46
const equals_sign = 61

const isLineBreak = (unit: number): boolean => unit === line_feed || unit === carriage_return

const writeLineEnd = (out: Uint8Array, at: number): number => {
  out[at] = carriage_return
  out[at + 1] = line_feed
  return at + 2
}

const writeSoftBreak = (out: Uint8Array, at: number): number => {
  out[at] = equals_sign
  return writeLineEnd(out, at + 1)
}

/** 1 for each ASCII character that needs no encoding. */
const plainCharacters = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 33 && unit <= 126 && unit !== equals_sign ? 1 : 0,
)
const isPlain = (unit: number): boolean => unit < 128 && plainCharacters[unit] === 1
const isBlank = (unit: number): boolean => unit === 32 || unit === 9

/** White space at the end of a line is removed in transport. */
const endsLine = (text: string, at: number, ending: string): boolean =>
  at + 1 === text.length ? ending === "" : isLineBreak(text.charCodeAt(at + 1))

const hexadecimal = (nibble: number): number => nibble + (nibble < 10 ? 48 : 55)

/** The octets of a character beyond ASCII in UTF-8 (RFC 3629 §3) as one number; a lone surrogate is U+FFFD. */
const octetsOf = (text: string, at: number): number => {
  const point = text.codePointAt(at) ?? 0
  const scalar = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
  const last = 0x80 | (scalar & 0x3f)
  if (scalar < 0x800) return ((0xc0 | (scalar >> 6)) << 8) | last
  const second = 0x80 | ((scalar >> 6) & 0x3f)
  if (scalar < 0x10000) return ((0xe0 | (scalar >> 12)) << 16) | (second << 8) | last
  const third = 0x80 | ((scalar >> 12) & 0x3f)
  return (((0xf0 | (scalar >> 18)) << 24) | (third << 16) | (second << 8) | last) >>> 0
}
