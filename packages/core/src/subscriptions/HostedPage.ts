// Samples of the hosted pages: what they show to a person who is not stored, in the brand of a workspace. Pure.
import type { PageOwner } from "../tents/pages/PageHead.ts"
import type { Topic } from "../topics/Topic.ts"
import type { PreferencePage } from "../tracking/Preferences.ts"
import { shownTopics } from "../tracking/PreferenceChoices.ts"
import type { Subscription } from "../tracking/Tracking.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import type { Confirmation } from "./Confirmations.ts"

/** In the order in which a person sees them, from the form on. */
export const hostedPageNames = [
  "form_received",
  "confirmation",
  "confirmed",
  "confirmation_expired",
  "preferences",
  "preferences_saved",
  "unsubscribe",
  "unsubscribed",
] as const
export type HostedPageName = (typeof hostedPageNames)[number]

export interface HostedPageSamples {
  readonly owner: PageOwner
  readonly confirmation: { readonly [Status in Confirmation["status"]]: Confirmation }
  readonly preferences: PreferencePage
  /** Before and after the person leaves the topic, or all marketing in a workspace without topics. */
  readonly subscribed: Subscription
  readonly unsubscribed: Subscription
}

const address = "ann@example.org"
const sampleTopic = { name: "Monthly news", description: "One letter a month." }

/** `wanted`: the topic that the person subscribes to and leaves; null: the first active one, or a sample. */
export const hostedPageSamples = (
  { brand: owner, consent: { privacyUrl } }: Pick<Workspace, "brand" | "consent">,
  topics: ReadonlyArray<Topic>,
  wanted: Topic | null,
): HostedPageSamples => {
  const topic = wanted ?? topics.find(({ status }) => status === "active") ?? null
  const asked = topic ?? sampleTopic
  const confirmation = (status: Confirmation["status"]): Confirmation => ({
    owner,
    status,
    email: address,
    topics: [asked],
    text: `Yes, send me “${asked.name}”.`,
    privacyUrl,
    redirectUrl: null,
  })
  const subscription = (subscribed: boolean): Subscription => ({
    owner,
    address,
    unsubscribed: topic === null && !subscribed,
    topic: topic === null ? null : { name: topic.name, subscribed },
  })
  const shown = shownTopics(
    topics.map((each) => ({ topic: each, choice: each.id === topic?.id ? { status: "subscribed" } : null })),
  )
  return {
    owner,
    confirmation: {
      pending: confirmation("pending"),
      confirmed: confirmation("confirmed"),
      expired: confirmation("expired"),
    },
    preferences: { owner, address, unsubscribed: false, topics: shown },
    subscribed: subscription(true),
    unsubscribed: subscription(false),
  }
}
