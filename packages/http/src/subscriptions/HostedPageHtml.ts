// The HTML of the hosted pages for a sample, made by the functions that answer people.
import type { HostedPageName, HostedPageSamples } from "@tentpole/core/subscriptions/HostedPage"
import type { HttpServerResponse } from "effect/http"
import { thanks } from "../pages/PageAnswers.ts"
import { preferencesPage, preferencesSaved } from "../tracking/PreferenceAnswers.ts"
import { unsubscribedPage, unsubscribePage } from "../tracking/TrackingAnswers.ts"
import { shown } from "./ConfirmationAnswers.ts"

const htmlOf = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? (body.text ?? "") : ""

/** Links of the pages lead nowhere. */
const no_token = "sample"

export const hostedPageHtml = (samples: HostedPageSamples): { readonly [Name in HostedPageName]: string } => {
  const { confirmation, owner, preferences, subscribed, unsubscribed } = samples
  return {
    form_received: htmlOf(thanks(owner, "/", "consent")),
    confirmation: htmlOf(shown(confirmation.pending)),
    confirmed: htmlOf(shown(confirmation.confirmed)),
    confirmation_expired: htmlOf(shown(confirmation.expired)),
    preferences: htmlOf(preferencesPage(preferences)),
    preferences_saved: htmlOf(preferencesSaved(preferences)),
    unsubscribe: htmlOf(unsubscribePage(subscribed, no_token)),
    unsubscribed: htmlOf(unsubscribedPage(unsubscribed, no_token)),
  }
}
