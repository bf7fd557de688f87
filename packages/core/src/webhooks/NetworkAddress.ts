// Addresses that webhooks may go to. Pure: texts of addresses and networks, and the judgement of an address.

/** 32 bits, or 128 bits. */
export interface NetworkAddress {
  readonly family: 4 | 6
  readonly bits: bigint
}

/** A CIDR block. The bits after the prefix are 0. */
export interface Network extends NetworkAddress {
  readonly prefix: number
}

const sizes = { 4: 32, 6: 128 } as const

/** Four decimal numbers without leading zeros, as resolvers and URLs have them. */
const parseIpv4 = (text: string): bigint | null => {
  const parts = text.split(".")
  if (parts.length !== 4) return null
  let bits = 0n
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null
    bits = (bits << 8n) | BigInt(part)
  }
  return bits
}

/** Groups of one half of an IPv6 text; null: it is none. */
const groupsOf = (text: string): ReadonlyArray<bigint> | null => {
  if (text === "") return []
  const groups: Array<bigint> = []
  for (const part of text.split(":")) {
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return null
    groups.push(BigInt(`0x${part}`))
  }
  return groups
}

/** The last 32 bits may be written as IPv4. */
const withoutIpv4 = (text: string): string | null => {
  if (!text.includes(".")) return text
  const at = text.lastIndexOf(":") + 1
  const bits = parseIpv4(text.slice(at))
  return bits === null ? null : `${text.slice(0, at)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
}

const parseIpv6 = (text: string): bigint | null => {
  const plain = withoutIpv4(text)
  if (plain === null) return null
  const [before = "", after, ...others] = plain.split("::")
  const [head, tail] = [groupsOf(before), groupsOf(after ?? "")]
  if (head === null || tail === null || others.length > 0) return null
  const missing = 8 - head.length - tail.length
  if (after === undefined ? missing !== 0 : missing < 1) return null
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail]
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n)
}

/** Null: the text is no address. IPv6 with a zone, such as `fe80::1%eth0`, is none. */
export const parseAddress = (text: string): NetworkAddress | null => {
  const family = text.includes(":") ? 6 : 4
  const bits = family === 6 ? parseIpv6(text) : parseIpv4(text)
  return bits === null ? null : { family, bits }
}

/** `10.0.0.0/8`, or an address. Null: the text is no network, or bits after the prefix are set. */
export const parseNetwork = (text: string): Network | null => {
  const [address = "", length, ...others] = text.split("/")
  const parsed = parseAddress(address)
  if (parsed === null || others.length > 0) return null
  const size = sizes[parsed.family]
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return null
  const prefix = length === undefined ? size : Number(length)
  if (prefix > size) return null
  const network = { ...parsed, prefix }
  return (parsed.bits & ((1n << BigInt(size - prefix)) - 1n)) === 0n ? network : null
}

const contains = ({ bits, family, prefix }: Network, address: NetworkAddress): boolean => {
  const rest = BigInt(sizes[family] - prefix)
  return family === address.family && bits >> rest === address.bits >> rest
}

const networks = (texts: string): ReadonlyArray<Network> =>
  texts.split(" ").map((text) => {
    const network = parseNetwork(text)
    if (network === null) throw new Error(`${text} is no network`)
    return network
  })

/** Private, special and reserved networks: RFC 6890, RFC 8190, multicast, and 6to4 relays. */
const refused = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 " +
    "::/128 ::1/128 fc00::/7 fe80::/10 fec0::/10 ff00::/8 2001:db8::/32 100::/64",
)

/** The addresses at which clouds give out credentials. A network that contains them is no exception for them. */
const metadata = networks("169.254.169.254/32 fd00:ec2::254/128")

const ipv4 = (bits: bigint): NetworkAddress => ({ family: 4, bits: bits & 0xffff_ffffn })

/** Networks whose addresses carry IPv4 addresses, and all places where one may be. */
const carriers: ReadonlyArray<readonly [Network, (bits: bigint) => ReadonlyArray<NetworkAddress>]> = (
  [
    // IPv4-compatible and IPv4-mapped, and NAT64 (RFC 6052): the last 32 bits.
    ["::/96", (bits) => [ipv4(bits)]],
    ["::ffff:0:0/96", (bits) => [ipv4(bits)]],
    ["64:ff9b::/96", (bits) => [ipv4(bits)]],
    // NAT64 of one's own network (RFC 8215): a prefix of 48 bits skips the 8 bits after 64, one of 96 bits has the last 32.
    ["64:ff9b:1::/48", (bits) => [ipv4(((bits >> 64n) << 16n) | ((bits >> 40n) & 0xffffn)), ipv4(bits)]],
    // 6to4: after the first 16 bits.
    ["2002::/16", (bits) => [ipv4(bits >> 80n)]],
    // Teredo: the server, and the client with inverted bits.
    ["2001::/32", (bits) => [ipv4(bits >> 64n), ipv4(~bits)]],
  ] satisfies ReadonlyArray<readonly [string, (bits: bigint) => ReadonlyArray<NetworkAddress>]>
).flatMap(([text, carried]) => networks(text).map((network) => [network, carried] as const))

/**
 * Whether a webhook may go to an address. `exceptions`: networks of the operator. An IPv6 address that carries IPv4 is judged by
 * the IPv4 address, at every place where one may be.
 */
export const isPermitted = (address: NetworkAddress, exceptions: ReadonlyArray<Network>): boolean => {
  const carrier = carriers.find(([network]) => contains(network, address))
  const carried = carrier === undefined ? [] : carrier[1](address.bits)
  if ([address, ...carried].some((each) => isSecret(each, exceptions))) return false
  if (isException(address, exceptions)) return true
  if (refused.some((network) => contains(network, address))) return false
  return carried.every((each) => isPermitted(each, exceptions))
}

/** A metadata address that no exception names with its full length. */
const isSecret = (address: NetworkAddress, exceptions: ReadonlyArray<Network>): boolean => {
  const found = metadata.find((network) => contains(network, address))
  return (
    found !== undefined && !exceptions.some((network) => network.prefix === found.prefix && contains(network, found))
  )
}

/** Whether the operator has named a network with this address. */
export const isException = (address: NetworkAddress, exceptions: ReadonlyArray<Network>): boolean =>
  exceptions.some((network) => contains(network, address))
