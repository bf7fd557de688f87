// Refusal of requests with no, several or conflicting hosts (RFC 9112 §3.2), which a proxy and this service could interpret
// differently. The connection is closed.
import type { IncomingMessage } from "node:http"
import { rawErrorResponse } from "./RawErrorResponse.ts"
import type { FastPath } from "./FastPath.ts"

export const refuseAmbiguousHost: FastPath = (request, response) => {
  const fault = hostFaultOf(request)
  if (fault === null) return false
  const { headers, json, status } = rawErrorResponse("validation_failed", fault)
  response.writeHead(status, headers).end(json)
  return true
}

/** The problem with the host of a request, or null. Node has joined repeated headers with a comma. */
const hostFaultOf = ({ headers, httpVersionMajor, httpVersionMinor, url = "" }: IncomingMessage): string | null => {
  const { host } = headers
  if (host === undefined) {
    const isOld = httpVersionMajor === 1 && httpVersionMinor === 0
    return isOld ? null : "The Host header is required"
  }
  if (host.includes(",")) return "There must be one Host header with one host"
  // The absolute form of a URL is for proxies (RFC 9112 §3.2.2) and would be a second host.
  return url.startsWith("/") || url === "*"
    ? null
    : "The request target must be a path; the host belongs in the Host header"
}
