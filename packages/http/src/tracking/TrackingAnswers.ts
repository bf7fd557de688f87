// What the links in messages are answered with: pixel, redirect, and plain pages without scripts. None is kept by anybody,
// and none tells the next site where its reader came from: the address holds the reader's token.
import type { Subscription } from "@tentpole/core/tracking/Tracking"
import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

const always = {
  "cache-control": "no-store, max-age=0",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
} as const

/** One transparent point. */
const point = Uint8Array.from(
  "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b".match(/../g) ?? [],
  (byte) => Number.parseInt(byte, 16),
)

export const pixel = (): Response => HttpServerResponse.uint8Array(point, { contentType: "image/gif", headers: always })

/** A header takes ASCII only: what the author wrote beyond it goes as the percent-escapes that a browser would make of it. */
export const redirect = (url: string): Response =>
  HttpServerResponse.empty({
    status: 302,
    headers: { ...always, location: url.toWellFormed().replace(/[^\x21-\x7e]+/gu, encodeURIComponent) },
  })

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (title: string, body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:16vh auto;padding:0 1.5rem}h1{font-size:1.6rem}
button{font:inherit;padding:.6rem 1.2rem;border:2px solid;border-radius:.4rem;cursor:pointer}</style>
</head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...always,
        "content-security-policy":
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ...headers,
      },
    },
  )

const whom = ({ address, workspaceName }: Subscription): string =>
  `${address === null ? "this address" : `<strong>${escaped(address)}</strong>`} from <strong>${escaped(workspaceName)}</strong>`

/** The field that our own form sends; a mail program sends `List-Unsubscribe=One-Click` (RFC 8058). */
export const form_field = "confirm"
export const form_value = "unsubscribe"

const form = `<form method="post"><input type="hidden" name="${form_field}" value="${form_value}"><button type="submit">Unsubscribe</button></form>`

export const unsubscribePage = (subscription: Subscription): Response =>
  subscription.unsubscribed
    ? unsubscribedPage(subscription)
    : page("Unsubscribe", `<p>Stop all marketing email to ${whom(subscription)}?</p>\n${form}`)

export const unsubscribedPage = (subscription: Subscription): Response =>
  page("You are unsubscribed", `<p>No more marketing email is sent to ${whom(subscription)}.</p>`)

/** A POST that no mail program and no form of ours has sent. */
export const notUnderstood = (subscription: Subscription): Response =>
  page(
    "Please confirm",
    `<p>Nothing has been changed. Stop all marketing email to ${whom(subscription)}?</p>\n${form}`,
    400,
  )

/** The message itself. It may show pictures and be styled; it can't run, send or frame anything. */
export const messagePage = (html: string): Response =>
  HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      ...always,
      "content-security-policy": [
        "default-src 'none'",
        "img-src http: https: data:",
        "style-src 'unsafe-inline' http: https:",
        "font-src http: https: data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "sandbox allow-popups allow-popups-to-escape-sandbox",
      ].join("; "),
    },
  })

/** The same for whatever is wrong with a link: nobody learns what it was. */
export const notFound = (): Response =>
  page("Page not found", "<p>This link does not lead anywhere. It may have been cut off, or be too old.</p>", 404)

export const methodNotAllowed = (allow: string): Response =>
  page("Not possible", "<p>This address does not take that.</p>", 405, { allow })

export const tooLarge = (): Response => page("Too much", "<p>Nothing has been changed.</p>", 413)

export const unavailable = (): Response =>
  page("Back in a moment", "<p>Please try again in a few seconds.</p>", 503, { "retry-after": "5" })

export const broken = (): Response =>
  page("Something went wrong", "<p>We have taken note of it. Please try again later.</p>", 500)
