// The client's address of a request. `X-Forwarded-For` is used only if it comes from a trusted proxy, because any client can
// send it.
import { Context, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BlockList, isIP, isIPv6 } from "node:net"

/** Trusted proxies of the API's listener. Default: none. */
export const ApiProxies = Context.Reference<BlockList>("tentpole/http/ApiProxies", {
  defaultValue: () => new BlockList(),
})

/** Parses addresses and networks (`10.0.0.0/8`, `::1`) of trusted proxies. Throws on other text. */
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

/** The nearest address that is not a trusted proxy. `remote` is the address of the connection. */
export const clientAddress = (trusted: BlockList, remote: string, forwardedFor: string | undefined): string => {
  if (forwardedFor === undefined) return plain(remote)
  const hops = [...forwardedFor.split(",").map((hop) => plain(hop.trim())), plain(remote)]
  let client = plain(remote)
  for (const hop of hops.reverse()) {
    const family = familyOf(hop)
    // Entries to the left of an invalid one are not trusted.
    if (family === null) break
    client = copy(hop)
    if (!trusted.check(hop, family)) break
  }
  return client
}

/** The client's address of a request to the API. Null for calls inside the process, which have none. */
export const callerAddress = Effect.map(
  ApiProxies,
  (proxies) =>
    ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): string | null =>
      Option.isNone(remoteAddress) ? null : clientAddress(proxies, remoteAddress.value, headers["x-forwarded-for"]),
)

/** The client's address of a request to the pages. Calls inside the process have the same one. */
export const visitorAddress =
  (trusted: BlockList) =>
  ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
    clientAddress(
      trusted,
      Option.getOrElse(remoteAddress, () => ""),
      headers["x-forwarded-for"],
    )

/** A copy of the text: a substring would keep the whole header in memory. */
const copy = (address: string): string => Buffer.from(address, "latin1").toString("latin1")

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

const familyOf = (address: string): "ipv4" | "ipv6" | null => {
  const version = isIP(address)
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : null
}

/** The /64 network of an IPv6 address, which belongs to one subscriber; an IPv4 address itself. */
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
