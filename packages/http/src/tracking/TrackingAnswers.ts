// Responses to links in messages: pixel, redirect, and pages without scripts. They are not cached and send no referrer, because
// the URL contains the reader's token.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { LinkExpired, Subscription } from "@tentpole/core/tracking/Tracking"
import { HttpServerResponse } from "effect/http"
import type { PageOwner } from "@tentpole/core/tents/pages/PageHead"
import { publicNameOf } from "@tentpole/core/workspaces/Workspace"
import { hostedHtml } from "../pages/HostedHtml.ts"
import { contentSecurityPolicy } from "../pages/PageAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse

const always = {
  "cache-control": "no-store, max-age=0",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
} as const

/** A transparent GIF of one pixel. */
const point = Uint8Array.from(
  "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b".match(/../g) ?? [],
  (byte) => Number.parseInt(byte, 16),
)

export const pixel = (): Response => HttpServerResponse.uint8Array(point, { contentType: "image/gif", headers: always })

/** Headers are ASCII: other characters of the URL are percent-encoded as browsers do. */
export const redirect = (url: string): Response =>
  HttpServerResponse.empty({
    status: 302,
    headers: { ...always, location: url.toWellFormed().replace(/[^\x21-\x7e]+/gu, encodeURIComponent) },
  })

interface More {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The workspace that sent the message. Absent: unknown. */
  readonly owner?: PageOwner
}

const page = (title: string, body: string, { headers = {}, owner, status = 200 }: More = {}): Response =>
  HttpServerResponse.text(hostedHtml(owner ?? null, title, body), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...always, "content-security-policy": contentSecurityPolicy(owner ?? null), ...headers },
  })

const recipientOf = ({ address, owner }: Subscription): string => {
  const name = publicNameOf(owner)
  return (
    (address === null ? "this address" : `<strong>${escapeHtml(address)}</strong>`) +
    (name === null ? "" : ` from <strong>${escapeHtml(name)}</strong>`)
  )
}

/** The field of our own form. Mail programs send `List-Unsubscribe=One-Click` (RFC 8058). */
export const form_field = "confirm"
export const form_value = "unsubscribe"

const form = `<form method="post"><input type="hidden" name="${form_field}" value="${form_value}"><button type="submit">Unsubscribe</button></form>`

export const unsubscribePage = (subscription: Subscription): Response =>
  subscription.unsubscribed
    ? unsubscribedPage(subscription)
    : page("Unsubscribe", `<p>Stop all marketing email to ${recipientOf(subscription)}?</p>\n${form}`, subscription)

export const unsubscribedPage = (subscription: Subscription): Response =>
  page("You are unsubscribed", `<p>No marketing email will be sent to ${recipientOf(subscription)}.</p>`, subscription)

/** The answer to a POST without a confirmation. */
export const notUnderstood = (subscription: Subscription): Response =>
  page(
    "Please confirm",
    `<p>Nothing was changed. Stop all marketing email to ${recipientOf(subscription)}?</p>\n${form}`,
    { owner: subscription.owner, status: 400 },
  )

/** The message. The CSP allows images and styles, but no scripts, forms and frames. */
export const messagePage = (html: string): Response =>
  HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      ...always,
      "content-security-policy": [
        "default-src 'none'",
        "img-src http: https: data:",
        "style-src 'unsafe-inline'",
        "font-src http: https: data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "sandbox allow-popups allow-popups-to-escape-sandbox",
      ].join("; "),
    },
  })

/** The answer to all invalid links. It does not reveal the reason. */
export const notFound = (): Response =>
  page("Page not found", "<p>This link is not valid. It may be incomplete or too old.</p>", { status: 404 })

export const expired = ({ owner }: LinkExpired): Response =>
  page("No longer available", "<p>This message can't be shown any more: it was sent too long ago.</p>", {
    owner,
    status: 410,
  })

export const methodNotAllowed = (allow: string): Response =>
  page("Not possible", "<p>This address does not support this method.</p>", { status: 405, headers: { allow } })

export const tooLarge = ({ owner }: Subscription): Response =>
  page("Too much", "<p>Nothing was changed.</p>", { owner, status: 413 })

export const tooOften = (retryAfter_s: number): Response =>
  page("One moment, please", "<p>There were many requests from your address. Please try again in a moment.</p>", {
    status: 429,
    headers: { "retry-after": String(retryAfter_s) },
  })

export const unavailable = (): Response =>
  page("Back in a moment", "<p>Please try again in a few seconds.</p>", {
    status: 503,
    headers: { "retry-after": "5" },
  })

export const broken = (): Response =>
  page("Something went wrong", "<p>The error was logged. Please try again later.</p>", { status: 500 })
