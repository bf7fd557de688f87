// Fixtures of the attacks on forms, traffic and subscription requests: a tent with a form and a submission, a topic and a request for it.
import { Forms } from "@tentpole/core/forms/Forms"
import { TentId } from "@tentpole/core/kernel/Ids"
import { mail_interval_s } from "@tentpole/core/subscriptions/MailLimits"
import { Subscriptions } from "@tentpole/core/subscriptions/Subscriptions"
import { Tents } from "@tentpole/core/tents/Tents"
import { Clock, Context, Effect } from "effect"
import { posting, verifiedSender } from "./AttackFixture.ts"
import type { Estate, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"

interface FormsEstate extends Estate {
  readonly tentId: string
  readonly formId: string
  readonly topic_id: string
}

interface TrafficEstate extends FormsEstate {
  readonly tentIdOrAlias: string
  readonly tent_id: string
  readonly q: string
}

const settleForms: Room<FormsEstate>["settle"] = Effect.fnUntraced(function* ({ call, workspace }, field, context) {
  const tents = Context.get(context, Tents)
  const prompt = "A landing page for a bakery with a sign-up form for first name and email"
  const asked = { name: field, prompt, includeBrand: false, autoPublish: false, assetIds: [] }
  const {
    tent: { id },
  } = yield* tents.create(workspace, asked, "a key")
  yield* tents.runGeneration(workspace, id)
  yield* tents.publish(workspace, id, {})
  const form = {
    tentId: TentId.make(id),
    formId: "sign-up",
    fields: ["email", "first_name"],
    successUrl: null,
    consent: null,
    checkboxes: new Map(),
    text: "",
  }
  const sent = [
    ["email", `${field}@example.com`],
    ["first_name", field],
  ] as const
  yield* Context.get(context, Forms).submit(workspace, form, sent, { ipPrefix: null, userAgent: null })
  const { topic_id } = yield* posting(call)("/v1/topics", { name: field, default_subscription: "unsubscribed" })
  return { tentId: id, formId: "sign-up", topic_id, field }
}, Effect.orDie)

const readable = ({ field, tentId, topic_id }: FormsEstate) => [
  `/v1/tents/${tentId}/submissions`,
  `/v1/tents/${tentId}/forms`,
  `/v1/analytics/tent?tentIdOrAlias=${tentId}`,
  `/v1/analytics/traffic?tent_id=${tentId}`,
  "/v1/analytics/email",
  "/v1/analytics/contacts",
  "/v1/analytics/credits",
  `/v1/analytics/topic?topic_id=${topic_id}`,
  `/v1/hosted-pages?topic_id=${topic_id}`,
  "/v1/analytics/workspace",
  "/v1/workspace",
  `/v1/search?q=${field}`,
  "/v1/contacts",
]

export const submissions: Room<FormsEstate> = {
  name: "submissions",
  operations: operationsOf(tenants, ["/v1/tents/{tentId}/submissions", "/v1/tents/{tentId}/forms"]),
  probes: {
    "PUT /v1/tents/{tentId}/forms/{formId}/consent": [
      ({ topic_id }) => ({ topic_ids: [topic_id], consent_field: null, double_opt_in: true }),
    ],
  },
  settle: settleForms,
  readable,
  ids: ["tentId", "topic_id"],
}

/** Traffic, hosted pages, search and the overview of the workspace are read-only in the API. */
export const traffic: Room<TrafficEstate> = {
  name: "traffic",
  operations: operationsOf(tenants, ["/v1/analytics", "/v1/hosted-pages", "/v1/search", "/v1/workspace"]),
  probes: {},
  settle: (side, field, context, operation) =>
    Effect.map(settleForms(side, field, context, operation), (estate) => ({
      ...estate,
      tentIdOrAlias: estate.tentId,
      tent_id: estate.tentId,
      q: field,
    })),
  found: (json) => json.results.length,
  readable,
  ids: ["tentId"],
}

interface SubscriptionEstate extends Estate {
  readonly subscriptionRequestId: string
  readonly topic_id: string
  readonly contact_id: string
  readonly email_id: string
}

const root = "/v1/subscriptions"

/** The request is older than the pause between two of its mails. */
const earlier = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const real = yield* Clock.Clock
  const shifted: Clock.Clock = Object.create(real, {
    currentTimeMillis: { value: Effect.map(real.currentTimeMillis, (ms) => ms - 2 * mail_interval_s * 1000) },
  })
  return yield* Effect.provideService(effect, Clock.Clock, shifted)
})

const settle: Room<SubscriptionEstate>["settle"] = Effect.fnUntraced(function* ({ call, workspace }, field, context) {
  yield* verifiedSender(workspace, context)
  const post = posting(call)
  const { topic_id: topic } = yield* post("/v1/topics", { name: field, default_subscription: "unsubscribed" })
  const sender = { from_name: "Acme", from_address: "news@example.test", reply_to_email: "help@example.test" }
  const html = `<p>${field} <a href="{{confirm_url}}">Confirm</a></p>`
  const { email_id } = yield* post("/v1/emails", { name: field, subject: "Hello", html, ...sender })
  yield* post(`/v1/emails/${email_id}/approve`)
  const request = yield* earlier(
    Context.get(context, Subscriptions).create(workspace, {
      email: `${field}@example.com`,
      topicIds: [topic],
      consent: { text: field, source: "test" },
      confirmationEmailId: email_id,
    }),
  )
  return { subscriptionRequestId: request.id, topic_id: topic, contact_id: request.contactId ?? "", email_id, field }
}, Effect.orDie)

export const subscriptions: Room<SubscriptionEstate> = {
  name: "subscriptions",
  operations: operationsOf(tenants, [root]),
  probes: {
    [`POST ${root}`]: [
      ({ email_id, field, topic_id }) => ({
        email: `new_${field}@example.com`,
        topic_ids: [topic_id],
        contact: { first_name: field },
        consent: {
          text: field,
          source: "checkout",
          ip: "203.0.113.77",
          user_agent: "Browser",
          collected_at: "2026-05-01T10:00:00.000Z",
        },
        confirmation_email_id: email_id,
        redirect_url: "https://example.org/welcome",
      }),
    ],
  },
  settle,
  renewed: (side, { field }, context, operation) => settle(side, `${field}x`, context, operation),
  readable: ({ contact_id, subscriptionRequestId }) => [
    root,
    `${root}/${subscriptionRequestId}`,
    `/v1/contacts/${contact_id}`,
  ],
  found: (json) => json.subscriptions.length,
  ids: ["topic_id", "email_id", "contact_id"],
}
