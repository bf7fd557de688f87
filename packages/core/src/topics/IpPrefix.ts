// The part of an IP address that is stored: enough to say from where, too little to say who.

const ipv4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const ipv6_length_max = 45

/** `203.0.113.0/24`, `2001:db8:1::/48`; null for what is no address. */
export const ipPrefixOf = (address: string): string | null => {
  const text = address.trim().replace(/^::ffff:(?=\d)/i, "")
  const [, ...bytes] = ipv4.exec(text) ?? []
  if (bytes.length === 4)
    return bytes.every((byte) => Number(byte) < 256) ? `${bytes.slice(0, 3).join(".")}.0/24` : null
  const groups = text.length > ipv6_length_max ? null : groupsOf(text)
  return groups === null ? null : `${groups.slice(0, 3).join(":")}::/48`
}

/** The eight groups of an IPv6 address, without leading zeros. */
const groupsOf = (text: string): ReadonlyArray<string> | null => {
  const parts = text.split("::")
  if (parts.length > 2) return null
  const [head = [], tail = []] = parts.map((part) => (part === "" ? [] : part.split(":")))
  const named = [...head, ...tail]
  const missing = 8 - named.length
  if (parts.length === 2 ? missing < 1 : missing !== 0) return null
  if (!named.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  return [...head, ...Array.from({ length: missing }, () => "0"), ...tail].map((group) =>
    Number.parseInt(group, 16).toString(16),
  )
}
