// The preference page: a form with a checkbox for each topic, without scripts, and what its answer means.
import { TopicId } from "@tentpole/core/kernel/Ids"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { PreferenceAnswer, ShownTopic } from "@tentpole/core/tracking/PreferenceChoices"
import type { PreferencePage } from "@tentpole/core/tracking/Preferences"
import { Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { page, recipientOf } from "./TrackingAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse

const box = ({ isSubscribed, topic }: ShownTopic, isEnded: boolean): string =>
  `<input type="hidden" name="shown" value="${topic.id}">` +
  `<label><input type="checkbox" name="topics" value="${topic.id}"${isSubscribed && !isEnded ? " checked" : ""}>` +
  `<span>${escapeHtml(topic.name)}` +
  (topic.description === null ? "" : `<small>${escapeHtml(topic.description)}</small>`) +
  `</span></label>`

const button = (action: "save" | "unsubscribe_all", text: string): string =>
  `<button type="submit" name="action" value="${action}"${action === "save" ? "" : ` class="other"`}>${text}</button>`

const formOf = ({ topics, unsubscribed }: PreferencePage): string => {
  const boxes =
    topics.length === 0
      ? ""
      : `<fieldset><legend>What you want to receive</legend>\n${topics.map((each) => box(each, unsubscribed)).join("\n")}\n</fieldset>\n`
  const buttons = [
    ...(topics.length === 0 ? [] : [button("save", "Save")]),
    ...(unsubscribed ? [] : [button("unsubscribe_all", "None of them: stop all marketing email")]),
  ]
  return buttons.length === 0 ? "" : `<form method="post">\n${boxes}${buttons.join(" ")}\n</form>`
}

const bodyOf = (shown: PreferencePage, words: string): string => {
  const state = shown.unsubscribed
    ? `No marketing email is sent to ${recipientOf(shown)}.`
    : `Marketing email to ${recipientOf(shown)}.`
  return `<p>${words}${state}</p>\n${formOf(shown)}`
}

export const preferencesPage = (shown: PreferencePage): Response =>
  page("Your subscriptions", bodyOf(shown, ""), { owner: shown.owner })

export const preferencesSaved = (shown: PreferencePage): Response =>
  page("Your choice is saved", bodyOf(shown, ""), { owner: shown.owner })

/** The answer to a POST that is not of the form. */
export const preferencesNotUnderstood = (shown: PreferencePage): Response =>
  page("Please choose", bodyOf(shown, "Nothing was changed. "), { owner: shown.owner, status: 400 })

const topicId = Schema.decodeUnknownOption(TopicId)

/** Texts that are no ids are ignored, as ids of other topics are. */
const idsIn = (fields: URLSearchParams, name: "shown" | "topics"): ReadonlySet<TopicId> =>
  new Set(fields.getAll(name).flatMap((text) => Option.toArray(topicId(text))))

/** Null: the fields are not those of the form. */
export const preferenceAnswer = (fields: URLSearchParams): PreferenceAnswer | "unsubscribe_all" | null => {
  if (fields.has("List-Unsubscribe")) return null
  switch (fields.get("action")) {
    case "save":
      return { ticked: idsIn(fields, "topics"), shown: idsIn(fields, "shown") }
    case "unsubscribe_all":
      return "unsubscribe_all"
    default:
      return null
  }
}
