// Phone numbers in E.164.
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max"
import { trim } from "../Text.ts"

const written_length_max = 64
/** A plus sign and up to fifteen digits (ITU-T E.164 §6.2.1). Longer national numbers cannot be dialled from abroad. */
const e164_length_max = 16

/** Digits of any script and usual separators. No letters: E.164 has no extensions. */
const written = /^[+＋]?[\p{Nd}\p{Zs}()[\]./\-‐-―−－~]+$/u

/**
 * E.164, or null if the text is not a dialable number. `defaultCountry` (ISO 3166 alpha-2, the workspace's) applies to
 * numbers without a country code. Unassigned numbers are accepted: ranges open faster than tables are updated.
 */
export const parsePhone = (text: string, defaultCountry: string): string | null => {
  const number = trim(text)
  if (number.length > written_length_max || !written.test(number)) return null
  const parsed = parsePhoneNumberFromString(number, {
    extract: false,
    ...(isSupportedCountry(defaultCountry) ? { defaultCountry } : {}),
  })
  if (parsed === undefined || !parsed.isPossible() || parsed.number.length > e164_length_max) return null
  // Some numbers change when they are parsed again, because a part looks like a dialling prefix. They are ambiguous and would
  // give one contact two identities.
  return parsePhoneNumberFromString(parsed.number, { extract: false })?.number === parsed.number ? parsed.number : null
}
