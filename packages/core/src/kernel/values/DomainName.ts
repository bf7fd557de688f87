// Domain names, as people write them and as DNS has them.
import { Result } from "effect"
import { parse } from "tldts"
import { toASCII } from "tr46"
import { Invalid } from "../Refusal.ts"
import { normalForm, trim } from "../Text.ts"

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The A-label form in lower case, or null if the text is not a host name with at least two labels. */
export const toDomain = (text: string): string | null => {
  const name = trim(normalForm("NFC", text))
  // IDNA would decode or drop `%` and zero-width characters: the stored name must be the visible one.
  if (name === "" || name.length > 253 || /[%\p{Cc}\p{Cf}\s]/u.test(name)) return null
  const ascii = isPlain(name) ? name : idnaToAscii(name)
  if (ascii === null) return null
  const labels = ascii.toLowerCase().split(".")
  return labels.length >= 2 && labels.every((each) => label.test(each)) ? labels.join(".") : null
}

/** Plain ASCII, which IDNA leaves unchanged. Most domains are; this skips the mapping. (`--` may begin an A-label.) */
const isPlain = (name: string): boolean => /^[a-z0-9.-]+$/i.test(name) && !name.includes("--")

const idnaToAscii = (name: string): string | null =>
  toASCII(name, {
    checkHyphens: true,
    checkBidi: true,
    checkJoiners: true,
    useSTD3ASCIIRules: true,
    verifyDNSLength: true,
  })

/** A domain that can have an owner: a public suffix is refused. */
export const checkDomain = (path: string, text: string): Result.Result<string, Invalid> => {
  const domain = toDomain(text)
  if (domain === null) return Result.fail(Invalid.at(path, "must be a domain name, such as example.com"))
  const { publicSuffix, isIcann } = parse(domain)
  if (isIcann === true && publicSuffix === domain) {
    return Result.fail(Invalid.at(path, `${domain} is a public suffix: name a domain below it`))
  }
  return Result.succeed(domain)
}
