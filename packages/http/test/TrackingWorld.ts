// One sent message to one person, over memory, and how to follow its links.
import { blasts, deliveries, newDelivery, suppressions } from "@tentpole/adapters/memory/DeliveryTables"
import { contacts } from "@tentpole/adapters/memory/ContactStore"
import { emailApprovals } from "@tentpole/adapters/memory/EmailStore"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { Links, type LinkTarget } from "@tentpole/core/deliveries/Links"
import { Tracking } from "@tentpole/core/deliveries/Tracking"
import { ApprovalId, BlastId, ContactId, DeliveryId, EmailId, Ids, type WorkspaceId } from "@tentpole/core/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import * as Routes from "@tentpole/http/tracking/Tracking"
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { testKey, world } from "./World.ts"

export const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
export const gmail = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"

const epoch = DateTime.makeUnsafe(1_700_000_000_000)

const ann = (id: ContactId): Contact => ({
  ...blankContact(id, epoch),
  firstName: "Änn & Co",
  email: "ann@example.test",
  emailNormalized: "ann@example.test",
})

/** One sent message to Ann, and how to follow its links. Scoped. */
export const sending = Effect.fnUntraced(function* (html: string) {
  const context = yield* Layer.build(world)
  const get = <Id, Service>(service: Context.Key<Id, Service>) => Context.getUnsafe(context, service)
  yield* get(Workspaces).bootstrap({ apiKey: testKey })
  const ws: WorkspaceId = (yield* get(WorkspaceStore).all)[0]?.id ?? assert.fail()
  const db = get(MemoryDatabase)
  const { written } = get(Tracking)
  const [a = "", b = "", c = "", d = "", e = ""] = yield* get(Ids).many(5)
  const contact = ann(ContactId.make(a))
  const approvalId = ApprovalId.make(b)
  yield* db.put(contacts, ws, a, contact)
  yield* db.put(emailApprovals, ws, b, {
    approvalId,
    emailId: EmailId.make(c),
    version: 1,
    subject: "Hello",
    previewText: null,
    fromName: "News",
    fromAddress: "news@example.test",
    replyToEmail: "news@example.test",
    html,
    text: "Hello",
    approvedAt: epoch,
  })
  const target: LinkTarget = { workspaceId: ws, deliveryId: DeliveryId.make(d) }
  const id = {
    id: target.deliveryId,
    blastId: BlastId.make(e),
    flow: null,
    contactId: contact.id,
    approvalId,
    operational: false,
  }
  yield* db.put(deliveries, ws, d, {
    ...newDelivery(id, contact, undefined, epoch),
    state: "sent",
    token: 1,
    leaseUntil_ms: 1,
    handedOverAt: epoch,
    sentAt: epoch,
    deliveredAt: epoch,
  })
  const app = Routes.layer().pipe(Layer.provide(Layer.succeedContext(context)), Layer.provide(HttpServer.layerServices))
  const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
  const ask = (url: string, init: RequestInit = {}, userAgent: string | null = chrome) =>
    Effect.promise(async () => {
      const headers = new Headers(init.headers)
      if (userAgent !== null) headers.set("user-agent", userAgent)
      const response = await handler(new Request(url, { ...init, headers, redirect: "manual" }))
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  return {
    context,
    ask,
    links: get(Links).of(target),
    linksOf: get(Links).of,
    target,
    delivery: Effect.andThen(
      written,
      Effect.map(db.find(deliveries, ws, d), (row) => row ?? assert.fail()),
    ),
    contact: Effect.andThen(
      written,
      Effect.map(db.find(contacts, ws, a), (row) => row ?? assert.fail()),
    ),
    removeContact: db.remove(contacts, ws, a),
    handOver: (at: DateTime.Utc) =>
      Effect.flatMap(db.find(deliveries, ws, d), (row) =>
        row === undefined ? Effect.void : db.put(deliveries, ws, d, { ...row, handedOverAt: at }),
      ),
    suppressed: Effect.map(db.find(suppressions, ws, "ann@example.test"), (row) => row !== undefined),
    blasts: db.all(blasts, ws),
    /** Everything that is stored, as one value: the same one as long as nothing is written. */
    everything: Effect.map(written, () => db.root.state),
  }
})

const html = `<html><body><p>Hello {{contact.first_name}}</p>
<a href="https://example.com/A?b=1&amp;c=%2F#top">plain</a>
<a href="https://example.com/{{contact.first_name}}">own</a>
<a href="https://exämple.com/ü">beyond</a>
<script>alert(1)</script></body></html>`

export const sent = sending(html)

export const oneClick = {
  method: "POST",
  body: "List-Unsubscribe=One-Click",
  headers: { "content-type": "application/x-www-form-urlencoded" },
}
