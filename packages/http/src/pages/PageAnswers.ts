// Responses of the pages' origin: headers, content encodings and error pages.
import type { Accepted } from "@tentpole/core/forms/Forms"
import type { Issue } from "@tentpole/core/kernel/Refusal"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { PageOwner } from "@tentpole/core/tents/pages/PageHead"
import type { PageSite } from "@tentpole/core/tents/pages/PublishedPages"
import { HttpServerResponse } from "effect/http"
import { hostedHtml } from "./HostedHtml.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** Forbids scripts and external resources, except the images of the brand. */
export const contentSecurityPolicy = (site: Pick<PageSite, "logoUrl" | "iconUrl"> | null): string => {
  const origins = [site?.logoUrl, site?.iconUrl].flatMap((url) => {
    if (url === null || url === undefined || !URL.canParse(url)) return []
    const { host, origin, protocol } = new URL(url)
    // URL parsers accept `;`, `,` and quotes in hosts, which would end the directive.
    return ["http:", "https:"].includes(protocol) && /^[a-z0-9.:\-[\]]+$/.test(host) ? [origin] : []
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

/** Headers of all responses of a site; null: of no site. */
export const siteHeaders = (site: PageOwner | null): Headers => ({
  "content-security-policy": contentSecurityPolicy(site),
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
})

/** A page in its encodings. Null: too small to be compressed. */
export interface Representations {
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array | null
  readonly br: Uint8Array | null
}

interface Answer {
  readonly etag: string
  readonly whole: Response
  readonly notModified: Response
}

/** All responses of a page, prepared once. A request selects one of them. */
export interface PageAnswers {
  readonly plain: Answer
  readonly gzip: Answer | null
  readonly br: Answer | null
  /** Total size. */
  readonly bytes: number
}

export const pageAnswers = (always: Headers, contentType: string, { etag, ...forms }: Representations): PageAnswers => {
  const answer = (bytes: Uint8Array, encoding: "gzip" | "br" | null): Answer => {
    // Each encoding is another representation and has its own strong etag.
    const own = `"${etag}${encoding === null ? "" : `-${encoding}`}"`
    const headers = { "cache-control": "no-cache", ...always, etag: own, vary: "Accept-Encoding" }
    return {
      etag: own,
      whole: HttpServerResponse.uint8Array(bytes, {
        contentType,
        headers: encoding === null ? headers : { ...headers, "content-encoding": encoding },
      }),
      notModified: HttpServerResponse.empty({ status: 304, headers }),
    }
  }
  return {
    plain: answer(forms.plain, null),
    gzip: forms.gzip === null ? null : answer(forms.gzip, "gzip"),
    br: forms.br === null ? null : answer(forms.br, "br"),
    bytes: forms.plain.length + (forms.gzip?.length ?? 0) + (forms.br?.length ?? 0),
  }
}

export interface Wanted {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

export const choose = (answers: PageAnswers, { acceptEncoding, ifNoneMatch }: Wanted): Response => {
  const answer = smallest(answers, acceptEncoding)
  return matches(ifNoneMatch, answer.etag) ? answer.notModified : answer.whole
}

/** The smallest encoding that the visitor accepts. */
const smallest = ({ plain, gzip, br }: PageAnswers, accept: string | undefined): Answer => {
  if (br === null || accept === undefined || accept === "") return plain
  const taken = takenBy(accept)
  if (taken.br) return br
  return taken.gzip && gzip !== null ? gzip : plain
}

interface Taken {
  readonly br: boolean
  readonly gzip: boolean
}

/** Parses `Accept-Encoding`. Cached, because browsers send few different values. */
const takenBy = (accept: string): Taken => {
  const known = readBefore.get(accept)
  if (known !== undefined) return known
  const names = new Set(
    accept.split(",").flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      return parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [name]
    }),
  )
  const taken = { br: names.has("br"), gzip: names.has("gzip") || names.has("*") }
  if (readBefore.size < read_before_max && accept.length <= accept_length_max) readBefore.set(accept, taken)
  return taken
}

const readBefore = new Map<string, Taken>()
const read_before_max = 1_000
const accept_length_max = 100

/** Whether `If-None-Match` contains the etag, by weak comparison (RFC 9110 §13.1.2). */
const matches = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === "*") return true
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag)
}

interface More {
  readonly headers?: Headers
  /** Owner of the site of the requested host. */
  readonly site?: PageOwner | null
  /** HTML for the head. */
  readonly head?: string
}

/** A page of the service with a title and a text in HTML. */
export const plainPage = (status: number, title: string, text: string, more: More = {}): Response =>
  HttpServerResponse.text(hostedHtml(more.site ?? null, title, `<p>${text}</p>`, more.head), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...siteHeaders(more.site ?? null), "cache-control": "no-store", ...more.headers },
  })

export const notFound = (site: PageSite | null): Response =>
  plainPage(404, "Page not found", "There is no page at this address. It may have been moved or taken down.", { site })

export const methodNotAllowed = (site: PageSite, allow = "GET, HEAD"): Response =>
  plainPage(405, "Not possible", "This address does not support this method.", { site, headers: { allow } })

/** A service worker could intercept requests after its page was deleted. */
export const serviceWorkerRefused = (): Response =>
  plainPage(403, "Not possible", "Pages on this host cannot install service workers.")

export const unavailable = (): Response =>
  plainPage(503, "Back in a moment", "The page can't be shown right now. Please try again in a few seconds.", {
    headers: { "retry-after": "5" },
  })

export const broken = (): Response =>
  plainPage(500, "Something went wrong", "The page can't be shown. The error was logged.")

/** A cacheable text, such as robots.txt. */
export const plainText = (text: string): Response =>
  HttpServerResponse.text(text, {
    headers: { "x-content-type-options": "nosniff", "cache-control": "public, max-age=3600" },
  })

/** Redirects /favicon.ico to the icon of the brand. */
export const icon = (site: PageSite): Response => {
  const { iconUrl } = site
  return iconUrl !== null && URL.canParse(iconUrl) && /^https?:$/.test(new URL(iconUrl).protocol)
    ? HttpServerResponse.empty({
        status: 302,
        headers: { ...siteHeaders(null), location: new URL(iconUrl).href, "cache-control": "public, max-age=3600" },
      })
    : notFound(site)
}

const back = (path: string, label: string): string => `<a href="${escapeHtml(path)}">${label}</a>`

/** After a consent, the same whether a mail is sent or not: no visitor learns of an address whether it is known. */
const receivedTexts: { readonly [Each in Accepted]: string } = {
  submission: "Your message was received.",
  consent: "Your message was received. If you have to confirm your address, a mail to it is on its way.",
}

export const thanks = (site: PageOwner, path: string, accepted: Accepted): Response =>
  plainPage(200, "Thank you", `${receivedTexts[accepted]} ${back(path, "Back to the page")}`, { site })

/** The CSP forbids a redirect of the form to another origin, so this page redirects by itself or by a click. */
export const onward = (site: PageSite, url: string, accepted: Accepted): Response =>
  plainPage(200, "Thank you", `${receivedTexts[accepted]} ${back(url, "Continue")}`, {
    site,
    head: `<meta http-equiv="refresh" content="0;url=${escapeHtml(url)}">`,
  })

/** Redirects after a POST to a page of the same origin, so that a reload does not submit again. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...siteHeaders(null), "cache-control": "no-store", location } })

/** `html` is the page with the refused form; null: a page of its own shows the messages. */
export const refusedForm = (
  site: PageSite,
  html: string | null,
  path: string,
  issues: ReadonlyArray<Issue>,
): Response =>
  html === null
    ? plainPage(
        400,
        "Please check what you entered",
        `${issues.map(({ message }) => `${escapeHtml(message)}.<br>`).join("")}Nothing was sent. ${back(path, "Back to the page")}`,
        { site },
      )
    : HttpServerResponse.text(html, {
        status: 400,
        contentType: "text/html; charset=utf-8",
        headers: { ...siteHeaders(site), "cache-control": "no-store" },
      })

export const formTooLarge = (site: PageSite): Response =>
  plainPage(413, "Too much", "The submission exceeds the limit of this form. Nothing was sent.", { site })

export const unknownFormType = (site: PageSite): Response =>
  plainPage(415, "Not possible", "The form must be sent as application/x-www-form-urlencoded or multipart/form-data.", {
    site,
  })

export const tooOften = (site: PageSite, retry_after_s: number): Response =>
  plainPage(429, "One moment, please", "There were many submissions from your address. Please try again in a moment.", {
    site,
    headers: { "retry-after": String(retry_after_s) },
  })
