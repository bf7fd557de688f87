// Email addresses: which texts are accepted, and when two spellings are the same address.
import { toUnicode } from "tr46"
import isEmailModule from "validator/lib/isEmail.js"
import { encodeText } from "../Bytes.ts"
import { fold, normalForm, trim } from "../Text.ts"
import { toDomain } from "./DomainName.ts"

export interface EmailAddress {
  /** As given, without surrounding white space. */
  readonly written: string
  /** NFC, folded local part, domain as lower-case A-labels: equal for all spellings of one address. */
  readonly normalized: string
}

const written_length_max = 320
/** RFC 5321 §4.5.3.1.1. */
const local_octets_max = 64

/**
 * Parses an address: a dot-atom before the `@` (RFC 5321 §4.1.2) and a domain with at least two labels after it. Quoted
 * local parts, comments, display names, routes and address literals are refused, so that the text names exactly one mailbox
 * and cannot end a header or a command.
 */
export const parseEmail = (text: string): EmailAddress | null => {
  const written = trim(text)
  const at = written.lastIndexOf("@")
  if (at < 1 || written.length > written_length_max) return null
  const domain = plainDomain(written.slice(at + 1))
  const local = fold(written.slice(0, at))
  if (domain === null || !atom.test(local)) return null
  // The written form is mailed, and folding may shorten it: `ẞ` has three octets, `ß` two.
  if (encodeText(normalForm("NFC", written.slice(0, at))).length > local_octets_max) return null
  const normalized = `${local}@${domain}`
  return isEmail(normalized, { allow_utf8_local_part: true }) ? { written, normalized } : null
}

/** No controls, white space or invisible characters, and no `%`, which once routed mail. */
const atom = /^[\p{L}\p{M}\p{N}!#$&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$&'*+/=?^_`{|}~-]+)*$/u

/**
 * The A-labels of a domain that IDNA does not change visibly. IDNA maps full-width letters, circled digits and other full
 * stops to plain ones; such a domain is refused because mail would go to another name than the visible one.
 */
const plainDomain = (text: string): string | null => {
  const ascii = toDomain(text)
  const folded = fold(text)
  if (ascii === null || ascii === folded) return ascii
  const seen = folded.split(".")
  const alabels = ascii.split(".")
  const ulabels = toUnicode(ascii).domain.split(".").map(fold)
  const same = seen.length === alabels.length && seen.every((it, at) => it === alabels[at] || it === ulabels[at])
  return same ? ascii : null
}

// A CommonJS module whose export is the function; its types declare an object with a default.
const isEmail = isEmailModule as unknown as (text: string, options: { allow_utf8_local_part: boolean }) => boolean
