// The check of an endpoint's URL when it is written. What its name means is judged at each connection.
import { Result } from "effect"
import { Invalid } from "../kernel/Refusal.ts"
import { isLocalHost } from "../kernel/values/LocalHost.ts"
import { isException, isPermitted, type Network, parseAddress } from "./NetworkAddress.ts"

// Every JavaScript runtime has it, but the language's type library does not.
declare const URL: {
  readonly canParse: (text: string) => boolean
  new (text: string): {
    readonly href: string
    readonly protocol: string
    readonly hostname: string
    readonly port: string
    readonly username: string
    readonly password: string
  }
}

export const url_length_max = 2_048

/** Where webhooks of an installation may go. */
export interface Reach {
  /** Networks of the operator (`WEBHOOK_ALLOWED_NETWORKS`). */
  readonly exceptions: ReadonlyArray<Network>
  /** The listeners of the service itself, as `host:port` in lower case. */
  readonly own: ReadonlySet<string>
}

const ports: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" }

/** The URL as it is called. The WHATWG parser reads it: `http://2130706433` is `http://127.0.0.1`. */
export const checkEndpointUrl = (path: string, text: string, reach: Reach): Result.Result<string, Invalid> => {
  const refuse = (message: string) => Result.fail(Invalid.at(path, message))
  if (text.length > url_length_max) return refuse(`must have at most ${url_length_max} characters`)
  if (!URL.canParse(text)) return refuse("must be a URL, such as https://example.org/hooks")
  const { hostname, href, password, port, protocol, username } = new URL(text)
  if (protocol !== "https:" && protocol !== "http:") return refuse("must begin with https://")
  if (username !== "" || password !== "") return refuse("must not have a user and password: use a header")
  if (href.includes("#")) return refuse("must not have a fragment")
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  if (reach.own.has(`${host}:${port === "" ? (ports[protocol] ?? "") : port}`)) {
    return refuse("must not be an address of this service")
  }
  const message = judge(host, protocol === "http:", reach.exceptions)
  return message === null ? Result.succeed(href) : refuse(message)
}

/** The reason to refuse the host; null: there is none. */
const judge = (host: string, isPlain: boolean, exceptions: ReadonlyArray<Network>): string | null => {
  const address = parseAddress(host)
  if (address !== null) {
    if (!isPermitted(address, exceptions)) return "must not be a private or reserved address"
    return isPlain && !isException(address, exceptions) ? "must begin with https://" : null
  }
  if (exceptions.length > 0) return null
  if (isPlain) return "must begin with https://"
  return isLocalHost(host) ? "must not be a local name" : null
}
