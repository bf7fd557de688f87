// Hosts that other machines on the internet can't reach: local names and private addresses.

/** Names of RFC 6761, RFC 6762 and RFC 8375, and names of one label. */
const localName = /^[^.:]+$|(^|\.)(localhost|local|internal|home\.arpa|test|invalid)$/i

/** RFC 1122 (this host, loopback), RFC 1918 (private), RFC 3927 (link-local), RFC 6598 (carriers). */
const privateIpv4 =
  /^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./

/** Loopback, unspecified, link-local (RFC 4291) and unique local addresses (RFC 4193). */
const privateIpv6 = /^(::1?|fe[89ab][0-9a-f]:.*|f[cd][0-9a-f]{2}:.*)$/i

/** Whether the host of a URL is local. IPv6 may be in brackets. */
export const isLocalHost = (host: string): boolean => {
  const name = host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  if (name.includes(":")) return privateIpv6.test(name)
  return /^\d+(\.\d+){3}$/.test(name) ? privateIpv4.test(name) : localName.test(name)
}
