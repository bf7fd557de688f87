// Tests of webhooks of mail providers.
import { providers } from "@tentpole/core/bounces/providers/ProviderCall"
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { type Call, mailgunCall, postmarkCall, sendGridCall, sns_host, snsCall, topic } from "../fixtures/HookCalls.ts"
import { sent } from "../fixtures/HookWorld.ts"

type World = Effect.Success<typeof sent>

const hard = "hard bounce, invalid, suppressed: bounce"
const complained = "delivered, complained, contact unsubscribed, suppressed: complaint"
const unsubscribed = "unsubscribed, contact unsubscribed, suppressed: unsubscribe"

const ses = (message: Record<string, unknown>) => (world: World) =>
  snsCall({ Message: JSON.stringify({ mail: { source: world.returnPath }, ...message }) })
const sesBounce = (bounceType: string, recipient: Record<string, string>) =>
  ses({ notificationType: "Bounce", bounce: { bounceType, bouncedRecipients: [recipient] } })
const sendGrid = (event: Record<string, unknown>) => (world: World) =>
  sendGridCall(JSON.stringify([{ "smtp-id": `<${world.messageId}>`, ...event }]))
const mailgun = (event: Record<string, unknown>) => (world: World) =>
  mailgunCall({ message: { headers: { "message-id": world.messageId } }, ...event })
const postmark = (record: Record<string, unknown>) => (world: World) =>
  postmarkCall({ MessageID: "883953f4-6105-42a2-a16a-77a8eac79483", Metadata: { delivery: world.id }, ...record })

const sayings = [
  ["ses", "a delivery", ses({ eventType: "Delivery", delivery: {} }), "delivered"],
  ["ses", "a bad address", sesBounce("Permanent", { status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 no" }), hard],
  ["ses", "a bounce without a code", sesBounce("Permanent", {}), hard],
  ["ses", "a full mailbox", sesBounce("Transient", { status: "5.2.2" }), "soft bounce"],
  ["ses", "a complaint", ses({ notificationType: "Complaint", complaint: {} }), complained],
  ["ses", "not spam", ses({ eventType: "Complaint", complaint: { complaintFeedbackType: "not-spam" } }), ""],
  ["ses", "an opening", ses({ eventType: "Open", open: {} }), ""],
  ["sendgrid", "a delivery", sendGrid({ event: "delivered", response: "250 OK" }), "delivered"],
  ["sendgrid", "a bad address", sendGrid({ event: "bounce", status: "5.1.1", reason: "550 5.1.1 no" }), hard],
  ["sendgrid", "a refusal", sendGrid({ event: "bounce", type: "blocked", status: "5.7.1" }), "soft bounce"],
  ["sendgrid", "a bare bounce", sendGrid({ event: "bounce", type: "bounce", status: "5.0.0" }), hard],
  ["sendgrid", "a known bad address", sendGrid({ event: "dropped", reason: "Bounced Address" }), hard],
  ["sendgrid", "spam", sendGrid({ event: "spamreport" }), complained],
  ["sendgrid", "an unsubscription", sendGrid({ event: "group_unsubscribe", asm_group_id: 1 }), unsubscribed],
  ["sendgrid", "a deferral", sendGrid({ event: "deferred", response: "451 later" }), ""],
  ["mailgun", "a delivery", mailgun({ event: "delivered" }), "delivered"],
  [
    "mailgun",
    "a bad address",
    mailgun({
      event: "failed",
      severity: "permanent",
      reason: "bounce",
      "delivery-status": { code: 550, message: "5.1.1 no" },
    }),
    hard,
  ],
  [
    "mailgun",
    "a full mailbox",
    mailgun({
      event: "failed",
      severity: "permanent",
      reason: "bounce",
      "delivery-status": { message: "552 5.2.2 full" },
    }),
    "soft bounce",
  ],
  ["mailgun", "a deferral", mailgun({ event: "failed", severity: "temporary", reason: "generic" }), ""],
  [
    "mailgun",
    "a known complaint",
    mailgun({ event: "failed", severity: "permanent", reason: "suppress-complaint" }),
    complained,
  ],
  ["mailgun", "a complaint", mailgun({ event: "complained" }), complained],
  ["mailgun", "an unsubscription", mailgun({ event: "unsubscribed" }), unsubscribed],
  ["mailgun", "a click", mailgun({ event: "clicked" }), ""],
  ["postmark", "a delivery", postmark({ RecordType: "Delivery" }), "delivered"],
  ["postmark", "a bad address", postmark({ RecordType: "Bounce", Type: "HardBounce", TypeCode: 1 }), hard],
  ["postmark", "a soft bounce", postmark({ RecordType: "Bounce", Type: "SoftBounce", Details: "full" }), "soft bounce"],
  ["postmark", "an automatic reply", postmark({ RecordType: "Bounce", Type: "AutoResponder" }), ""],
  ["postmark", "a complaint", postmark({ RecordType: "SpamComplaint", Type: "SpamComplaint" }), complained],
  [
    "postmark",
    "an unsubscription",
    postmark({ RecordType: "SubscriptionChange", SuppressSending: true, SuppressionReason: "ManualSuppression" }),
    unsubscribed,
  ],
  ["postmark", "an opening", postmark({ RecordType: "Open" }), ""],
] as const

describe("POST /hooks/:provider/:secret", () => {
  it.live.each(sayings)(
    "records the report of %s: %s, once for three calls, and not at another workspace's URL",
    (saying) =>
      Effect.gen(function* () {
        const [provider, , call, state] = saying
        const world = yield* sent
        assert.strictEqual(yield* world.theirs(provider, call(world)), 200)
        assert.strictEqual(yield* world.state, "")
        for (let nth = 1; nth <= 3; nth++) assert.strictEqual(yield* world.call(provider, call(world)), 200)
        assert.strictEqual(yield* world.state, state)
      }).pipe(Effect.scoped),
  )

  const forgedReportTest = tagged(it.live, "attack/forged-report")
  forgedReportTest("answers wrong secrets, secrets of other providers and unknown providers alike", () =>
    Effect.gen(function* () {
      const world = yield* sent
      const path = world.pathOf("sendgrid")
      const call = sendGrid({ event: "spamreport" })(world)
      const secret = path.slice("/hooks/sendgrid/".length)
      const changed = `${secret.startsWith("A") ? "B" : "A"}${secret.slice(1)}`
      const paths = [
        `/hooks/sendgrid/${changed}`,
        `/hooks/sendgrid/${secret.slice(0, -1)}`,
        `/hooks/sendgrid/x`,
        `/hooks/mailgun/${secret}`,
        `/hooks/sparkpost/${secret}`,
      ]
      for (const wrong of paths) {
        const { status, text } = yield* world.send(wrong, call)
        assert.strictEqual(status, 404, wrong)
        assert.include(text, "No such hook")
      }
      assert.strictEqual(yield* world.state, "")
      const asked = yield* world.send(path, call, "GET")
      assert.strictEqual(asked.status, 405)
      assert.strictEqual(asked.headers.get("allow"), "POST")
    }).pipe(Effect.scoped),
  )

  forgedReportTest("refuses invalid signatures", () =>
    Effect.gen(function* () {
      const world = yield* sent
      const signed = sendGrid({ event: "spamreport" })(world)
      const record = { RecordType: "SpamComplaint", Metadata: { delivery: world.id } }
      const complaint = JSON.stringify({ notificationType: "Complaint", mail: { source: world.returnPath } })
      const calls: ReadonlyArray<readonly [(typeof providers)[number], Call]> = [
        ["sendgrid", { body: signed.body }],
        ["sendgrid", { ...signed, body: `${signed.body} ` }],
        ["sendgrid", sendGridCall(signed.body, 3700)],
        ["sendgrid", sendGridCall(signed.body, -400)],
        [
          "mailgun",
          mailgunCall(
            { event: "complained", message: { headers: { "message-id": world.messageId } } },
            { age_s: 3700 },
          ),
        ],
        [
          "mailgun",
          { body: mailgun({ event: "complained" })(world).body.replace(/"[0-9a-f]{64}"/, `"${"0".repeat(64)}"`) },
        ],
        [
          "mailgun",
          { body: mailgun({ event: "complained" })(world).body.replace(/"token":"token /, '"token":"other ') },
        ],
        ["postmark", postmarkCall(record, "postmark:another password")],
        ["postmark", { body: JSON.stringify(record) }],
        ["ses", snsCall({}, { Message: complaint })],
        ["ses", snsCall({ Message: complaint }, { Signature: "AAAA" })],
      ]
      for (const [at, [provider, call]] of calls.entries()) {
        assert.strictEqual(yield* world.call(provider, call), 403, `${provider}, call ${at}`)
      }
      assert.strictEqual(yield* world.state, "")
    }).pipe(Effect.scoped),
  )

  forgedReportTest("refuses a Mailgun token with another body", () =>
    Effect.gen(function* () {
      const world = yield* sent
      const message = { headers: { "message-id": world.messageId } }
      const first = mailgunCall({ event: "delivered", message }, { token: "once" })
      assert.strictEqual(yield* world.call("mailgun", first), 200)
      assert.strictEqual(yield* world.call("mailgun", first), 200, "a repeated call")
      const replayed = mailgunCall({ event: "complained", message }, { token: "once" })
      assert.strictEqual(yield* world.call("mailgun", replayed), 403)
      assert.strictEqual(yield* world.state, "delivered")
    }).pipe(Effect.scoped),
  )

  const ssrfTest = tagged(it.live, "attack/ssrf", "attack/sns-subscription")
  ssrfTest("sends requests only to SNS, and only for its own topic", () =>
    Effect.gen(function* () {
      const world = yield* sent
      const elsewhere = [
        "https://evil.example/SimpleNotificationService-0.pem",
        "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0.pem",
        "https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-0.pem",
        "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        `${sns_host}/SimpleNotificationService-0.pem?to=evil.example`,
        `${sns_host}/../SimpleNotificationService-0.pem`,
        `${sns_host}/other.pem`,
        "file:///etc/passwd",
        "",
      ]
      for (const SigningCertURL of elsewhere) {
        assert.strictEqual(yield* world.call("ses", snsCall({ SigningCertURL })), 403, SigningCertURL)
      }
      const foreign = snsCall({ TopicArn: "arn:aws:sns:eu-west-1:210987654321:mail" })
      assert.strictEqual(yield* world.call("ses", foreign), 403)
      assert.isEmpty(world.asked)
    }).pipe(Effect.scoped),
  )

  const snsSubscriptionTest = tagged(it.live, "attack/sns-subscription")
  snsSubscriptionTest("confirms a signed subscription of its own topic at SNS", () =>
    Effect.gen(function* () {
      const world = yield* sent
      const query = `Action=ConfirmSubscription&TopicArn=${topic}&Token=abc123`
      const subscribe = (SubscribeURL: string, version = "2") =>
        world.call(
          "ses",
          snsCall({ Type: "SubscriptionConfirmation", Token: "abc123", SubscribeURL, SignatureVersion: version }),
        )
      for (const wrong of [
        `https://evil.example/?${query}`,
        `http://sns.eu-west-1.amazonaws.com/?${query}`,
        `${sns_host}@evil.example/?${query}`,
        `${sns_host}/?${query.replace("ConfirmSubscription", "DeleteTopic")}`,
        `${sns_host}/?${query.replace(":mail", ":other")}`,
      ]) {
        assert.strictEqual(yield* subscribe(wrong), 403, wrong)
      }
      assert.strictEqual(world.asked.length, 1, "only the certificate, once")
      assert.strictEqual(yield* subscribe(`${sns_host}/?${query}`), 200)
      assert.strictEqual(yield* subscribe(`${sns_host}/?${query}`, "1"), 200)
      assert.deepStrictEqual(world.asked.slice(1), [`${sns_host}/?${query}`, `${sns_host}/?${query}`])
    }).pipe(Effect.scoped),
  )

  forgedReportTest("refuses too large bodies and invalid JSON, and skips unknown events of a batch", () =>
    Effect.gen(function* () {
      const world = yield* sent
      assert.strictEqual(yield* world.call("sendgrid", { body: "x".repeat(10_000_001) }), 413)
      for (const body of ["", "{", "not json", "[".repeat(200_000), `[${"[],".repeat(250_000)}1]`]) {
        assert.strictEqual(yield* world.call("sendgrid", sendGridCall(body)), 400, body.slice(0, 10))
      }
      for (const body of ["{}", "null", "1"]) assert.strictEqual(yield* world.call("sendgrid", sendGridCall(body)), 400)
      const events = [null, 1, {}, { event: 5 }, { event: "bounce" }, { event: "bounce", "smtp-id": "<x@y>" }]
      const batch = JSON.stringify([
        ...events,
        { event: "spamreport", "smtp-id": `<${world.messageId}>` },
        { event: "bounce", status: "5.1.1", "smtp-id": `<${world.messageId}>` },
      ])
      assert.strictEqual(yield* world.call("sendgrid", sendGridCall(batch)), 200)
      assert.strictEqual(
        yield* world.state,
        "hard bounce, complained, invalid, contact unsubscribed, suppressed: complaint",
      )
    }).pipe(Effect.scoped),
  )
})
