// The answers of the pages' origin: its headers, which encoding a visitor takes, and the plain pages that say no.
import type { PageSite } from "@tentpole/core/tents/PublishedPages"
import { HttpServerResponse } from "effect/http"
import type { CachedPage } from "./PageCache.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** No scripts, nothing from elsewhere but the brand's own pictures. */
export const contentSecurityPolicy = (site: PageSite | null): string => {
  const origins = [site?.logoUrl, site?.iconUrl].flatMap((url) => {
    if (url === null || url === undefined || !URL.canParse(url)) return []
    const { protocol, origin } = new URL(url)
    return protocol === "https:" || protocol === "http:" ? [origin] : []
  })
  const pictures = ["'self'", "data:", ...new Set(origins)].join(" ")
  return [
    "default-src 'none'",
    `img-src ${pictures}`,
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "media-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}

const always = (site: PageSite | null): Headers => ({
  "content-security-policy": contentSecurityPolicy(site),
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
})

type Encoding = "plain" | "gzip" | "br"

/** The smallest form that a visitor takes. */
export const encodingFor = (accept: string | undefined, page: CachedPage): Encoding => {
  const taken = new Set(
    (accept ?? "").split(",").flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      return parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [name]
    }),
  )
  if (page.br !== null && taken.has("br")) return "br"
  return page.gzip !== null && (taken.has("gzip") || taken.has("*")) ? "gzip" : "plain"
}

/** Whether a visitor has one of these already (RFC 9110 §13.1.2): the comparison is the weak one. */
const hasOne = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === "*") return true
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag)
}

export interface Asked {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

export const pageAnswer = (site: PageSite, page: CachedPage, asked: Asked): Response => {
  const encoding = encodingFor(asked.acceptEncoding, page)
  // Each form is another representation, so each has its own strong etag.
  const etag = `"${page.etag}${encoding === "plain" ? "" : `-${encoding}`}"`
  const headers = { ...always(site), etag, vary: "Accept-Encoding", "cache-control": "no-cache" }
  if (hasOne(asked.ifNoneMatch, etag)) return HttpServerResponse.empty({ status: 304, headers })
  return HttpServerResponse.uint8Array(page[encoding] ?? page.plain, {
    contentType: "text/html; charset=utf-8",
    headers: encoding === "plain" ? headers : { ...headers, "content-encoding": encoding },
  })
}

/** A page of our own: a title and a sentence. Both are ours, and need no escaping. */
export const plainPage = (
  status: number,
  title: string,
  text: string,
  more: { readonly headers?: Headers; readonly site?: PageSite } = {},
): Response =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}h1{font-size:1.6rem}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...always(more.site ?? null), "cache-control": "no-store", ...more.headers },
    },
  )

export const notFound = (): Response =>
  plainPage(404, "Page not found", "There is no page at this address. It may have been moved or taken down.")

export const methodNotAllowed = (): Response =>
  plainPage(405, "Not possible", "This address only shows a page.", { headers: { allow: "GET, HEAD" } })

/** A page that could install itself between visitors and this origin would outlive its own deletion. */
export const serviceWorkerRefused = (): Response =>
  plainPage(403, "Not possible", "Pages of this origin have no service workers.")

export const unavailable = (): Response =>
  plainPage(503, "Back in a moment", "The page can't be shown right now. Please try again in a few seconds.", {
    headers: { "retry-after": "5" },
  })

export const broken = (): Response =>
  plainPage(500, "Something went wrong", "The page can't be shown. We have taken note of it.")

/** Everything may be found; what acts on behalf of one person is nobody else's. */
export const robots = (): Response =>
  HttpServerResponse.text(
    "User-agent: *\nDisallow: /c/\nDisallow: /f/\nDisallow: /o/\nDisallow: /u/\nDisallow: /v/\n",
    {
      headers: { "x-content-type-options": "nosniff", "cache-control": "public, max-age=3600" },
    },
  )
