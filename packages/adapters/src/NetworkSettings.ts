// What the configuration says of the network: the addresses of the service itself, and name servers.
import { parseAddress } from "@tentpole/core/webhooks/NetworkAddress"

export interface Listeners {
  readonly host: string
  /** Null and 0: no listener. */
  readonly ports: ReadonlyArray<number | null>
  readonly publicUrls: ReadonlyArray<string>
}

const portOf = ({ port, protocol }: URL): string => (port === "" ? (protocol === "https:" ? "443" : "80") : port)

/** The names and addresses under which the service answers, as `host:port`. */
export const ownAddresses = ({ host, ports, publicUrls }: Listeners): ReadonlyArray<string> => {
  const used = ports.filter((port) => port !== null && port !== 0)
  const local = [host.toLowerCase(), "localhost", "127.0.0.1", "::1"]
  const named = publicUrls.map((url) => new URL(url))
  return [
    ...new Set([
      ...local.flatMap((each) => used.map((port) => `${each}:${port}`)),
      ...named.map((url) => `${url.hostname.replace(/^\[(.*)\]$/, "$1")}:${portOf(url)}`),
    ]),
  ]
}

/** An address with a port: `10.0.0.2:53`, `[fd00::2]:53`. */
export const isNameServer = (text: string): boolean => {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const address = parseAddress(inBrackets ?? plain ?? "")
  const isWritten = address !== null && (address.family === 6) === (inBrackets !== undefined)
  return isWritten && Number(port) >= 1 && Number(port) <= 65_535
}
