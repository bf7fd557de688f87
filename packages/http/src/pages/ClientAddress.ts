// Whose request it is. What a proxy says of its client is believed only when the proxy is one of ours: anybody can write an
// `X-Forwarded-For`.
import { Context } from "effect"
import { BlockList, isIP, isIPv6 } from "node:net"

/** The proxies that the API's listener believes; none, where nobody says which. */
export const ApiProxies = Context.Reference<BlockList>("tentpole/http/ApiProxies", {
  defaultValue: () => new BlockList(),
})

/** Addresses and networks (`10.0.0.0/8`, `::1`) of proxies that are believed. Throws at what is neither. */
export const trustedProxies = (texts: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const text of texts) {
    const [address = "", bits] = text.split("/")
    const family = familyOf(address)
    if (family === null) throw new Error(`"${text}" is neither an address nor a network`)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** The nearest address that is no proxy of ours. `remote` is who holds the connection. */
export const clientAddress = (trusted: BlockList, remote: string, forwardedFor: string | undefined): string => {
  if (forwardedFor === undefined) return plain(remote)
  const hops = [...forwardedFor.split(",").map((hop) => plain(hop.trim())), plain(remote)]
  let client = plain(remote)
  for (const hop of hops.reverse()) {
    const family = familyOf(hop)
    // What stands left of something unreadable was written by somebody we don't know.
    if (family === null) break
    client = copy(hop)
    if (!trusted.check(hop, family)) break
  }
  return client
}

/** A piece of a text holds on to all of it, and an address may be kept for longer than the header that it stands in. */
const copy = (address: string): string => Buffer.from(address, "latin1").toString("latin1")

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

const familyOf = (address: string): "ipv4" | "ipv6" | null => {
  const version = isIP(address)
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : null
}

/** Whoever has one address of IPv6 has the 2^64 of its network. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = "", tail = ""] = address.split("::", 2)
  const [before, after] = [head, tail].map((part) => (part === "" ? [] : part.split(":")))
  const zeros = Array.from({ length: Math.max(0, 8 - (before?.length ?? 0) - (after?.length ?? 0)) }, () => "0")
  const groups = address.includes("::") ? [...(before ?? []), ...zeros, ...(after ?? [])] : (before ?? [])
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
