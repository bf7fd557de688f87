// Requests that two readers could take for two: a proxy that goes by one host and a service that goes by another would check
// the one and answer for the other. Who sends them is told so (RFC 9112 §3.2), and the connection ends.
import type { IncomingMessage } from "node:http"
import { byHand } from "./RawErrorResponse.ts"
import type { Front } from "./FastPath.ts"

export const refusedAmbiguity: Front = (request, response) => {
  const doubt = doubtOf(request)
  if (doubt === null) return false
  const { headers, json, status } = byHand("validation_failed", doubt)
  response.writeHead(status, headers).end(json)
  return true
}

/** What is wrong with how a request says whom it is for. Two lines of one name have been joined by a comma. */
const doubtOf = ({ headers, httpVersionMajor, httpVersionMinor, url = "" }: IncomingMessage): string | null => {
  const { host } = headers
  if (host === undefined) {
    const isOld = httpVersionMajor === 1 && httpVersionMinor === 0
    return isOld ? null : "Say in one Host header whom the request is for"
  }
  if (host.includes(",")) return "Send one Host header, with one host"
  // An address with a host of its own is for proxies (RFC 9112 §3.2.2), and would be a second host.
  return url.startsWith("/") || url === "*" ? null : "Send the path alone: the host stands in the Host header"
}
