// The pages of confirmation links: what is confirmed, the confirmation, and a link that has expired. Without scripts, as the other
// pages of links in messages.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { Confirmation } from "@tentpole/core/subscriptions/Confirmations"
import { publicNameOf } from "@tentpole/core/workspaces/Workspace"
import type { HttpServerResponse } from "effect/http"
import { page } from "../tracking/TrackingAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse

export const form_field = "confirm"
/** The person subscribes. */
export const subscribe_value = "subscribe"
/** The person asks for a new mail. */
export const renew_value = "again"

const form = (value: string, label: string): string =>
  `<form method="post"><input type="hidden" name="${form_field}" value="${value}"><button type="submit">${label}</button></form>`

const addressIn = ({ email }: Confirmation): string => `<strong>${escapeHtml(email)}</strong>`

const senderIn = ({ owner }: Confirmation): string => {
  const name = publicNameOf(owner)
  return name === null ? "" : ` from <strong>${escapeHtml(name)}</strong>`
}

const topicList = ({ topics }: Confirmation): string =>
  `<ul>${topics
    .map(({ description, name }) => {
      const more = description === null || description === "" ? "" : `<br>${escapeHtml(description)}`
      return `<li><strong>${escapeHtml(name)}</strong>${more}</li>`
    })
    .join("")}</ul>`

const agreed = ({ text }: Confirmation): string =>
  text === null ? "" : `\n<p>You agreed to:</p>\n<blockquote>${escapeHtml(text).replaceAll("\n", "<br>")}</blockquote>`

const privacy = ({ privacyUrl }: Confirmation): string =>
  privacyUrl === null ? "" : `\n<p><a href="${escapeHtml(privacyUrl)}">How your data is used</a></p>`

const ignoring = "<p>If you did not ask for this, close this page: you will get nothing.</p>"

const question = (it: Confirmation): string =>
  [
    `<p>${addressIn(it)} will get${senderIn(it)}:</p>`,
    topicList(it) + agreed(it),
    form(subscribe_value, "Confirm the subscription"),
    ignoring + privacy(it),
  ].join("\n")

const question_title = "Confirm your subscription"

/** The topics that are confirmed, and one button. */
export const pending = (it: Confirmation): Response => page(question_title, question(it), { owner: it.owner })

/** It leads to the address of the request by itself, or by a click: the policy forbids the redirect of a form to another origin. */
export const confirmed = (it: Confirmation): Response => {
  const { owner, redirectUrl } = it
  const url = redirectUrl === null ? null : escapeHtml(redirectUrl)
  const onward = url === null ? "" : `\n<p><a href="${url}">Continue</a></p>`
  return page("You are subscribed", `<p>${addressIn(it)} gets${senderIn(it)}:</p>\n${topicList(it)}${onward}`, {
    owner,
    ...(url === null ? {} : { head: `<meta http-equiv="refresh" content="3;url=${url}">` }),
  })
}

const expired_text = "<p>This link was valid for some days only. Nothing was changed.</p>"

export const expired = ({ owner }: Confirmation): Response =>
  page("This link has expired", `${expired_text}\n${form(renew_value, "Send me a new mail")}`, { owner, status: 410 })

/** The same whether a mail is sent or not. */
export const renewed = ({ owner }: Confirmation): Response =>
  page(
    "Look into your mailbox",
    "<p>A new mail is on its way, unless there were several of them lately: then use the link of the last one, or try again tomorrow.</p>",
    { owner },
  )

export const shown = (it: Confirmation): Response => {
  switch (it.status) {
    case "pending":
      return pending(it)
    case "confirmed":
      return confirmed(it)
    case "expired":
      return expired(it)
  }
}

/** The answer to a POST that says nothing known. */
export const notUnderstood = (it: Confirmation): Response =>
  it.status === "pending"
    ? page(question_title, `<p>Nothing was changed.</p>\n${question(it)}`, { owner: it.owner, status: 400 })
    : page("Not understood", "<p>Nothing was changed.</p>", { owner: it.owner, status: 400 })

export const tooLarge = ({ owner }: Confirmation): Response =>
  page("Too much", "<p>Nothing was changed.</p>", { owner, status: 413 })
