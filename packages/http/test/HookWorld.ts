// The hooks of providers, served over memory: one message that was sent, and calls signed by keys made for the test.
import { contacts } from "@tentpole/adapters/memory/ContactStore"
import { deliveries, newDelivery, suppressions } from "@tentpole/adapters/memory/DeliveryTables"
import * as Jobs from "@tentpole/adapters/memory/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import * as Sns from "@tentpole/adapters/sns/Sns"
import type { Provider } from "@tentpole/core/bounces/hooks/Call"
import { Hooks } from "@tentpole/core/bounces/hooks/Hooks"
import { settingsLayer } from "@tentpole/core/contract"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { Links } from "@tentpole/core/deliveries/Links"
import { ApprovalId, BlastId, ContactId, DeliveryId, Ids } from "@tentpole/core/Ids"
import { useCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { edge } from "@tentpole/http/Edge"
import { hooks } from "@tentpole/http/hooks/Hooks"
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { parts } from "./World.ts"

const fixture = (name: string) => readFileSync(new URL(`../../../test/fixtures/sns/${name}`, import.meta.url), "utf8")
const snsKey = fixture("key.pem")
const certificate = fixture("certificate.pem")

export const topic = "arn:aws:sns:eu-west-1:123456789012:mail"
export const sns_host = "https://sns.eu-west-1.amazonaws.com"
const certificate_url = `${sns_host}/SimpleNotificationService-0123456789abcdef.pem`
const mailgun_key = "a signing key for tests"
const postmark_login = "postmark:a password for tests"

const sendgrid = generateKeyPairSync("ec", { namedCurve: "P-256" })

export interface Call {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const nowInSeconds = () => Math.trunc(performance.timeOrigin / 1000 + performance.now() / 1000)

export const sendGridCall = (body: string, age_s = 0): Call => {
  const timestamp = String(nowInSeconds() - age_s)
  return {
    body,
    headers: {
      "x-twilio-email-event-webhook-timestamp": timestamp,
      "x-twilio-email-event-webhook-signature": sign(
        "sha256",
        Buffer.from(timestamp + body),
        sendgrid.privateKey,
      ).toString("base64"),
    },
  }
}

export const mailgunCall = (event: unknown, { age_s = 0, token = `token ${Math.random()}` } = {}): Call => {
  const timestamp = String(nowInSeconds() - age_s)
  const signature = createHmac("sha256", mailgun_key)
    .update(timestamp + token)
    .digest("hex")
  return { body: JSON.stringify({ signature: { timestamp, token, signature }, "event-data": event }) }
}

export const postmarkCall = (record: unknown, login = postmark_login): Call => ({
  body: JSON.stringify(record),
  headers: { authorization: `Basic ${Buffer.from(login).toString("base64")}` },
})

/** An envelope as SNS signs it; `different` is put in before, `forged` after it has been signed. */
export const snsCall = (different: Record<string, string>, forged: Record<string, string> = {}): Call => {
  const envelope: Record<string, string> = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Message: "{}",
    Timestamp: "2026-03-02T10:00:00.000Z",
    SignatureVersion: "2",
    SigningCertURL: certificate_url,
    ...different,
  }
  const names =
    envelope["Type"] === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
  const text = names.flatMap((name) => (envelope[name] === undefined ? [] : [`${name}\n${envelope[name]}\n`])).join("")
  const algorithm = envelope["SignatureVersion"] === "1" ? "sha1" : "sha256"
  const Signature = sign(algorithm, Buffer.from(text), snsKey.slice(snsKey.indexOf("-----BEGIN"))).toString("base64")
  // SNS says that it is text.
  return { body: JSON.stringify({ ...envelope, Signature, ...forged }), headers: { "content-type": "text/plain" } }
}

const epoch = DateTime.makeUnsafe(1_700_000_000_000)
const address = "ann@example.test"

/** A workspace whose contact Ann was sent a message; how providers call, and what became of it. Scoped. */
export const sent = Effect.gen(function* () {
  const asked: Array<string> = []
  const fetching = (input: string | URL | Request) => {
    asked.push(String(input instanceof Request ? input.url : input))
    return Promise.resolve(new Response(certificate))
  }
  const keys = {
    sesTopicArns: [topic],
    sendgridPublicKey: sendgrid.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    mailgunSigningKey: Redacted.make(mailgun_key),
    postmarkLogin: Redacted.make(postmark_login),
  }
  const surroundings = Layer.mergeAll(parts, settingsLayer({ hooks: keys }), Sns.layer({ fetch: fetching }))
  const context = yield* Layer.build(
    useCases.pipe(
      Layer.provideMerge(Memory.stores),
      Layer.provideMerge(Jobs.layer()),
      Layer.provideMerge(surroundings),
      Layer.provideMerge(Memory.database),
    ),
  )
  const get = <Id, Service>(service: Context.Key<Id, Service>) => Context.getUnsafe(context, service)
  const db = get(MemoryDatabase)
  const workspace = yield* get(Workspaces).create({ name: "Ours" })
  const other = yield* get(Workspaces).create({ name: "Theirs" })
  const [a = "", b = "", c = "", d = ""] = yield* get(Ids).many(4)
  const contact = { ...blankContact(ContactId.make(a), epoch), email: address, emailNormalized: address }
  yield* db.put(contacts, workspace.id, a, contact)
  const id = DeliveryId.make(b)
  const names = {
    id,
    blastId: BlastId.make(c),
    flow: null,
    contactId: contact.id,
    approvalId: ApprovalId.make(d),
    operational: false,
  }
  yield* db.put(deliveries, workspace.id, b, {
    ...newDelivery(names, contact, undefined, epoch),
    state: "sent",
    token: 1,
    leaseUntil_ms: 1,
    handedOverAt: epoch,
    sentAt: epoch,
  })

  const app = Layer.merge(hooks, edge([])).pipe(
    Layer.provide(Layer.succeedContext(context)),
    Layer.provide(HttpServer.layerServices),
  )
  const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
  const send = (path: string, { body, headers = {} }: Call, method = "POST") =>
    Effect.promise(async () => {
      const response = await handler(
        new Request(`http://api.test${path}`, { method, headers, ...(method === "GET" ? {} : { body }) }),
      )
      const text = await response.text()
      return { status: response.status, text, headers: response.headers }
    })
  const pathOf = (provider: Provider, of = workspace.id) =>
    new URL(
      get(Hooks)
        .addresses(of)
        .find((each) => each.provider === provider)?.url ?? assert.fail(),
    ).pathname
  return {
    context,
    send,
    pathOf,
    call: (provider: Provider, call: Call) => Effect.map(send(pathOf(provider), call), ({ status }) => status),
    theirs: (provider: Provider, call: Call) =>
      Effect.map(send(pathOf(provider, other.id), call), ({ status }) => status),
    asked,
    messageId: `${id}@example.test`,
    id,
    returnPath: get(Links).of({ workspaceId: workspace.id, deliveryId: id }).returnPath("example.test"),
    /** What became of the message, its recipient and the address, in words. */
    state: Effect.gen(function* () {
      const row = (yield* db.find(deliveries, workspace.id, b)) ?? assert.fail()
      const person = (yield* db.find(contacts, workspace.id, a)) ?? assert.fail()
      const suppression = yield* db.find(suppressions, workspace.id, address)
      return [
        ...(row.deliveredAt === null ? [] : ["delivered"]),
        ...(row.bouncedAt === null ? [] : [`${row.bounceKind} bounce`]),
        ...(row.complainedAt === null ? [] : ["complained"]),
        ...(row.unsubscribedAt === null ? [] : ["unsubscribed"]),
        ...(person.marketingEmailInvalid ? ["invalid"] : []),
        ...(person.unsubscribed ? ["contact unsubscribed"] : []),
        ...(suppression === undefined ? [] : [`suppressed: ${suppression.reason}`]),
      ].join(", ")
    }),
  }
})
