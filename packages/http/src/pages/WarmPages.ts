// Pages that lie ready, past the router: it costs a visit twice what the visit itself does. What is asked for otherwise, or is
// not ready, goes on to the router.
import { readHost } from "@tentpole/core/tents/pages/PageAddress"
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { atOnce, type Front } from "../edge/FastPath.ts"

/** Finds a page and takes note of its visit; null where there is none. */
export type Visit = (
  host: string,
  path: string,
  request: IncomingMessage,
) => Effect.Effect<HttpServerResponse.HttpServerResponse | null>

export const warmPages = (visit: Visit): Front =>
  atOnce((request) => {
    const path = request.url ?? ""
    const host = isPagePath(path) ? readHost(request.headers.host ?? "") : null
    return host === null ? null : visit(host, path, request)
  })

/** One segment without a query: other addresses are of other rooms as well. */
const isPagePath = (path: string): boolean => path.charCodeAt(0) === slash && !/[/?#]/.test(path.slice(1))
const slash = 0x2f
