// Fast path for cached pages: the router costs twice as much as the answer itself. Other requests go to the router.
import { readHost } from "@tentpole/core/tents/pages/PageAddress"
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type FastPath, respondSync } from "../edge/FastPath.ts"

/** Finds a page and records the view; null if there is none. */
export type Visit = (
  host: string,
  path: string,
  request: IncomingMessage,
) => Effect.Effect<HttpServerResponse.HttpServerResponse | null>

export const warmPages = (visit: Visit): FastPath =>
  respondSync((request) => {
    const path = request.url ?? ""
    const host = isPagePath(path) ? readHost(request.headers.host ?? "") : null
    return host === null ? null : visit(host, path, request)
  })

/** Whether the path has one segment and no query. Other paths may belong to other routes. */
const isPagePath = (path: string): boolean => path.charCodeAt(0) === slash && !/[/?#]/.test(path.slice(1))
const slash = 0x2f
