// The answers of the pages' origin: its headers, which encoding a visitor takes, and the plain pages that say no.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { PageSite } from "@tentpole/core/tents/pages/PublishedPages"
import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** No scripts, nothing from elsewhere but the brand's own pictures. */
export const contentSecurityPolicy = (site: Pick<PageSite, "logoUrl" | "iconUrl"> | null): string => {
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

/** The same bytes as they may be sent, and what names them. Null: too few to be worth compressing. */
export interface Representations {
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array | null
  readonly br: Uint8Array | null
}

interface Answer {
  readonly etag: string
  readonly whole: Response
  /** For who has it already. */
  readonly held: Response
}

/** Every answer that there is to a page, made once: what a request brings only chooses among them. */
export interface PageAnswers {
  readonly plain: Answer
  readonly gzip: Answer | null
  readonly br: Answer | null
  /** Of all of them together. */
  readonly bytes: number
}

export const pageAnswers = (site: PageSite, contentType: string, { etag, ...forms }: Representations): PageAnswers => {
  const answer = (bytes: Uint8Array, encoding: "gzip" | "br" | null): Answer => {
    // Each form is another representation, so each has its own strong etag.
    const own = `"${etag}${encoding === null ? "" : `-${encoding}`}"`
    const headers = { ...always(site), etag: own, vary: "Accept-Encoding", "cache-control": "no-cache" }
    return {
      etag: own,
      whole: HttpServerResponse.uint8Array(bytes, {
        contentType,
        headers: encoding === null ? headers : { ...headers, "content-encoding": encoding },
      }),
      held: HttpServerResponse.empty({ status: 304, headers }),
    }
  }
  return {
    plain: answer(forms.plain, null),
    gzip: forms.gzip === null ? null : answer(forms.gzip, "gzip"),
    br: forms.br === null ? null : answer(forms.br, "br"),
    bytes: forms.plain.length + (forms.gzip?.length ?? 0) + (forms.br?.length ?? 0),
  }
}

export interface Asked {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

export const choose = (answers: PageAnswers, { acceptEncoding, ifNoneMatch }: Asked): Response => {
  const answer = smallest(answers, acceptEncoding)
  return hasOne(ifNoneMatch, answer.etag) ? answer.held : answer.whole
}

/** The smallest form that a visitor takes. */
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

/** What browsers say of encodings is one of a few texts: each is read once. */
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

/** Whether a visitor has one of these already (RFC 9110 §13.1.2): the comparison is the weak one. */
const hasOne = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === "*") return true
  return ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag)
}

interface More {
  readonly headers?: Headers
  readonly site?: PageSite
  /** HTML for the head. */
  readonly head?: string
}

/** A page of our own: a title and a sentence or more, as HTML. */
export const plainPage = (status: number, title: string, text: string, more: More = {}): Response =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">${more.head ?? ""}<title>${title}</title><style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}h1{font-size:1.6rem}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...always(more.site ?? null), "cache-control": "no-store", ...more.headers },
    },
  )

export const notFound = (): Response =>
  plainPage(404, "Page not found", "There is no page at this address. It may have been moved or taken down.")

export const methodNotAllowed = (allow = "GET, HEAD"): Response =>
  plainPage(405, "Not possible", "This address does not take that.", { headers: { allow } })

/** A page that could install itself between visitors and this origin would outlive its own deletion. */
export const serviceWorkerRefused = (): Response =>
  plainPage(403, "Not possible", "Pages of this origin have no service workers.")

export const unavailable = (): Response =>
  plainPage(503, "Back in a moment", "The page can't be shown right now. Please try again in a few seconds.", {
    headers: { "retry-after": "5" },
  })

export const broken = (): Response =>
  plainPage(500, "Something went wrong", "The page can't be shown. We have taken note of it.")

/** Robots' rules, and whatever else of a site is small and the same for a while. */
export const plainText = (text: string): Response =>
  HttpServerResponse.text(text, {
    headers: { "x-content-type-options": "nosniff", "cache-control": "public, max-age=3600" },
  })

/** The brand's own picture, for browsers that ask for one where they always have. */
export const icon = ({ iconUrl }: PageSite): Response =>
  iconUrl !== null && URL.canParse(iconUrl) && /^https?:$/.test(new URL(iconUrl).protocol)
    ? HttpServerResponse.empty({
        status: 302,
        headers: { ...always(null), location: new URL(iconUrl).href, "cache-control": "public, max-age=3600" },
      })
    : notFound()

const back = (path: string, label: string): string => `<a href="${escapeHtml(path)}">${label}</a>`

export const thanks = (site: PageSite, path: string): Response =>
  plainPage(200, "Thank you", `What you sent has arrived. ${back(path, "Back to the page")}`, { site })

/** The policy stops a form from being redirected to another origin: a page goes on there, by itself or by a click. */
export const onward = (site: PageSite, url: string): Response =>
  plainPage(200, "Thank you", `What you sent has arrived. ${back(url, "Go on")}`, {
    site,
    head: `<meta http-equiv="refresh" content="0;url=${escapeHtml(url)}">`,
  })

/** After a POST, to a page of the same origin: a reload there sends nothing again. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.empty({ status: 303, headers: { ...always(null), "cache-control": "no-store", location } })

export const refusedForm = (site: PageSite, path: string, faults: ReadonlyArray<string>): Response =>
  plainPage(
    400,
    "Please check what you entered",
    `${faults.map((fault) => escapeHtml(fault)).join("<br>")}<br>Nothing was sent. ${back(path, "Back to the page")}`,
    { site },
  )

export const formTooLarge = (): Response =>
  plainPage(413, "Too much", "That is more than this form takes. Nothing was sent.")

export const unknownFormType = (): Response =>
  plainPage(415, "Not possible", "A form is sent as application/x-www-form-urlencoded or multipart/form-data.")

export const tooOften = (retry_after_s: number): Response =>
  plainPage(429, "One moment, please", "There were many from you just now. Please try again in a moment.", {
    headers: { "retry-after": String(retry_after_s) },
  })
