// Responses to links in messages: pixel, redirect, and pages without scripts. They are not cached and send no referrer, because
// the URL contains the reader's token.
import { piece_length, textPieces } from "@tentpole/core/kernel/runtime/JsonPieces"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { preferences_end } from "@tentpole/core/rendering/message/Message"
import type { UnsubscribeScope } from "@tentpole/core/tracking/Engagement"
import type { LinkExpired, Subscription } from "@tentpole/core/tracking/Tracking"
import { HttpServerResponse } from "effect/http"
import type { PageOwner } from "@tentpole/core/tents/pages/PageHead"
import { publicNameOf } from "@tentpole/core/workspaces/Workspace"
import { hostedHtml } from "../pages/HostedHtml.ts"
import { bytesOf } from "../LargeAnswers.ts"
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
  /** HTML for the head. */
  readonly head?: string
}

/** A page that a link of a message opens. The title and the body are HTML. */
export const page = (title: string, body: string, { head, headers = {}, owner, status = 200 }: More = {}): Response =>
  HttpServerResponse.text(hostedHtml(owner ?? null, title, body, head), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...always, "content-security-policy": contentSecurityPolicy(owner ?? null), ...headers },
  })

export const recipientOf = ({ address, owner }: Pick<Subscription, "address" | "owner">): string => {
  const name = publicNameOf(owner)
  return (
    (address === null ? "this address" : `<strong>${escapeHtml(address)}</strong>`) +
    (name === null ? "" : ` from <strong>${escapeHtml(name)}</strong>`)
  )
}

/** The field of our own form. Mail programs send `List-Unsubscribe=One-Click` (RFC 8058). */
export const form_field = "confirm"
export const form_value = "unsubscribe"

/** Which button of our own form was used: of the topic of the message, or of all marketing. */
export const scope_field = "scope"

const formOf = (buttons: string): string =>
  `<form method="post"><input type="hidden" name="${form_field}" value="${form_value}">${buttons}</form>`

const form = formOf(`<button type="submit">Unsubscribe</button>`)

const scopeButton = (scope: UnsubscribeScope, text: string, style = ""): string =>
  `<button type="submit" name="${scope_field}" value="${scope}"${style}>${text}</button>`

const allButton = scopeButton("all", "Stop all marketing email", ` class="other"`)

/** `/u/<token>` is the address of the page. */
const preferencesLink = (token: string): string =>
  `<p><a href="${escapeHtml(token)}${preferences_end}">All your subscriptions</a></p>`

const asking = (subscription: Subscription, token: string): string => {
  const { topic } = subscription
  if (topic === null) return `<p>Stop all marketing email to ${recipientOf(subscription)}?</p>\n${form}`
  const name = escapeHtml(topic.name)
  const begins = topic.subscribed
    ? `<p>Stop “${name}”, or all marketing email, to ${recipientOf(subscription)}?</p>`
    : `<p>“${name}” is not sent to ${recipientOf(subscription)}.</p>`
  const buttons = topic.subscribed ? `${scopeButton("topic", `Stop “${name}”`)} ${allButton}` : allButton
  return `${begins}\n${formOf(buttons)}\n${preferencesLink(token)}`
}

export const unsubscribePage = (subscription: Subscription, token: string): Response =>
  subscription.unsubscribed
    ? unsubscribedPage(subscription, token)
    : page("Unsubscribe", asking(subscription, token), subscription)

/** What has been ended: the topic of the message, or all marketing. */
export const unsubscribedPage = (subscription: Subscription, token: string): Response => {
  const { topic, unsubscribed } = subscription
  const what = topic === null || unsubscribed ? "No marketing email" : `No more “${escapeHtml(topic.name)}”`
  const link = topic === null ? "" : `\n${preferencesLink(token)}`
  return page(
    "You are unsubscribed",
    `<p>${what} will be sent to ${recipientOf(subscription)}.</p>${link}`,
    subscription,
  )
}

/** The answer to a POST without a confirmation. */
export const notUnderstood = (subscription: Subscription, token: string): Response =>
  page("Please confirm", `<p>Nothing was changed.</p>\n${asking(subscription, token)}`, {
    owner: subscription.owner,
    status: 400,
  })

/** The message. The CSP allows images and styles, but no scripts, forms and frames. */
export const messagePage = (html: string): Response => {
  const options = {
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
  }
  return html.length > piece_length
    ? HttpServerResponse.stream(bytesOf(textPieces(html)), options)
    : HttpServerResponse.text(html, options)
}

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

export const tooLarge = ({ owner }: Pick<Subscription, "owner">): Response =>
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
