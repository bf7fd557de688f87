// Phone numbers of contacts, as E.164.
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max"
import { trim } from "../Text.ts"

const written_length_max = 64
/** A plus sign and fifteen digits (ITU-T E.164 §6.2.1). National tables have longer ones, which nobody can dial from abroad. */
const e164_length_max = 16

/** Digits of any script and what people write between them. No letters: an extension would be lost on the way to E.164. */
const written = /^[+＋]?[\p{Nd}\p{Zs}()[\]./\-‐-―−－~]+$/u

/**
 * E.164, or null when the text is no number that could be dialled. A number without country code is read as one of
 * `defaultCountry` (ISO 3166 alpha-2, the workspace's). Numbers need not be assigned: ranges open faster than tables are
 * renewed.
 */
export const parsePhone = (text: string, defaultCountry: string): string | null => {
  const number = trim(text)
  if (number.length > written_length_max || !written.test(number)) return null
  const parsed = parsePhoneNumberFromString(number, {
    extract: false,
    ...(isSupportedCountry(defaultCountry) ? { defaultCountry } : {}),
  })
  if (parsed === undefined || !parsed.isPossible() || parsed.number.length > e164_length_max) return null
  // Some are read as another one when they are read again, without what looks like a prefix for dialling: then nobody knows
  // which of them was meant, and one contact would become two.
  return parsePhoneNumberFromString(parsed.number, { extract: false })?.number === parsed.number ? parsed.number : null
}
