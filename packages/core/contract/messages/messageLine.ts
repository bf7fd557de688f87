// Contract tests of the line: how single messages are claimed, handed over and settled, and how they end otherwise.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { eventsOf } from "../contacts/notifications.ts"
import { eventually } from "../kernel/eventually.ts"
import type { ClaimedDelivery } from "../../src/sending/DeliveryStore.ts"
import { OutgoingMail } from "../../src/sending/OutgoingMail.ts"
import { decodeText } from "../../src/kernel/Bytes.ts"
import { accepted, begin, deferred, lease_ms, type MessageWorld } from "./messageWorld.ts"

const inFuture = (millis: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { milliseconds: millis })))

export const messageLine = <E>(name: string, live: Layer.Layer<MessageWorld, E>) =>
  layer(live, { excludeTestServices: true })(`The line of messages (${name})`, (it) => {
    it.effect("claims, grants and settles a message, apart from the deliveries of blasts", () =>
      Effect.gen(function* () {
        const { claim, deliveries, grant, messages, send, settle, transact, turns, workspace } = yield* begin()
        assert.isEmpty(yield* turns)
        const { message } = yield* send({ tags: { kind: "receipt" }, metadata: { order: "17" } })
        const [turn] = yield* turns
        assert.strictEqual(turn?.workspace, workspace)
        assert.isEmpty(yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms })))
        const [claimed, ...none] = yield* claim()
        assert.isEmpty(none)
        assert(claimed !== undefined && claimed.message !== null)
        assert.deepInclude(claimed, { id: message.id, address: "Ann@example.org", operational: true, tokens: null })
        assert.deepInclude(claimed.message.body?.data, { order: { id: 17 } })
        assert.isEmpty(yield* claim())
        assert.strictEqual((yield* grant([claimed])).get(claimed.id), "granted")
        yield* settle(claimed, accepted)
        const found = yield* messages.get(workspace, message.id)
        assert.strictEqual(found.status, "sent")
        assert.deepStrictEqual(
          found.events.map(({ type }) => type),
          ["email_accepted", "email_sent", "email_delivered"],
        )
        const events = (yield* eventsOf(workspace)).filter(({ type }) => type.startsWith("email_"))
        assert.deepStrictEqual(
          events.map(({ contactId, data, type }) => ({ contactId, data, type })),
          ["email_sent", "email_delivered"].map((type) => ({
            type,
            contactId: null,
            data: { message_id: message.id, tags: { kind: "receipt" }, metadata: { order: "17" } },
          })),
        )
      }),
    )

    it.effect("renders a claimed message with its data, its name, its headers and its files", () =>
      Effect.gen(function* () {
        const { claim, send, workspace } = yield* begin()
        const { render } = yield* OutgoingMail
        const { message } = yield* send({
          html: '<p>Order {{data.order.id}} <img src="cid:logo"></p>',
          text: undefined,
          data: { order: { id: "<b>17\r\nX: y" } },
          headers: { "X-Entity-Ref-ID": "17" },
          attachments: [
            { file_name: "logo.png", content: "aGk=", content_id: "logo" },
            { file_name: "Rechnung für Ann.pdf", content: "aGk=" },
          ],
        })
        assert.strictEqual(message.subject, "Your order <b>17X: y")
        const [claimed] = yield* claim()
        assert(claimed !== undefined)
        const { bytes, envelope } = yield* render(workspace, claimed)
        const mail = decodeText(bytes)
        assert.strictEqual(envelope.to, "Ann@example.org")
        assert.include(mail, 'To: "Ann Lee" <Ann@example.org>\r\n')
        assert.include(mail, "Subject: Your order <b>17X: y\r\n")
        assert.include(mail, "\r\nX-Entity-Ref-ID: 17\r\n")
        assert.include(mail, "&lt;b&gt;17")
        assert.include(mail, "Content-ID: <logo>")
        assert.include(mail, "filename*0*=UTF-8''Rechnung%20f%C3%BCr%20Ann.pdf")
        assert.include(mail, "multipart/mixed")
        assert.include(mail, "multipart/related")
        assert.notInclude(mail, "List-Unsubscribe")
        assert.notInclude(mail, "List-Id")
        assert.notMatch(mail.slice(0, mail.indexOf("\r\n\r\n")), /^X: y/m)
        assert.notMatch(mail, /\r(?!\n)|(?<!\r)\n/)
      }),
    )

    it.effect("blocks at the intent what was suppressed meanwhile, by address", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, suppress, workspace } = yield* begin()
        const { message } = yield* send()
        const claimed = yield* claim()
        yield* suppress("ann@example.org", "manual")
        assert.strictEqual((yield* grant(claimed)).get(message.id), "suppressed")
        const found = yield* messages.get(workspace, message.id)
        assert.deepInclude(found.message, { state: "blocked", reason: "suppressed" })
        assert.isNotNull(found.message.blockedAt)
      }),
    )

    it.effect("tries again soon after a temporary refusal, until the end of the message", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, settle, turns, workspace } = yield* begin()
        const { message } = yield* send()
        const [claimed] = yield* claim()
        assert(claimed !== undefined)
        yield* grant([claimed])
        assert.strictEqual((yield* settle(claimed, deferred)).pause_s, 5)
        assert.deepInclude((yield* messages.get(workspace, message.id)).message, { state: "queued", attempts: 1 })
        assert.isEmpty(yield* claim())
        yield* turns
        const late = yield* send({ to: { email: "ben@example.org" }, expires_at: yield* inFuture(3_000) })
        const [last] = yield* claim()
        assert(last !== undefined)
        yield* grant([last])
        yield* settle(last, deferred)
        assert.deepInclude((yield* messages.get(workspace, late.message.id)).message, {
          state: "failed",
          reason: "temporarily_refused",
        })
      }),
    )

    it.effect("suppresses an address without contact after five soft bounces in a row", () =>
      Effect.gen(function* () {
        const { claim, grant, send, settle } = yield* begin()
        for (let bounce = 0; bounce < 5; bounce++) {
          assert.strictEqual((yield* send()).status, "queued")
          const [claimed] = yield* claim()
          assert(claimed !== undefined)
          yield* grant([claimed])
          yield* settle(claimed, { _tag: "refused", code: 552, reply: "552 5.2.2 over quota" })
        }
        assert.strictEqual((yield* send()).message.reason, "suppressed")
      }),
    )

    it.effect("does not claim a message before its time, and ends one that was not handed over in time", () =>
      Effect.gen(function* () {
        const { claim, messages, send, sweep, workspace } = yield* begin()
        const scheduled = yield* send({ scheduled_at: yield* inFuture(3_600_000) })
        assert.strictEqual(scheduled.status, "scheduled")
        const short = yield* send({ expires_at: yield* inFuture(20) })
        const [claimed] = yield* claim(1)
        assert.strictEqual(claimed?.id, short.message.id)
        // A claimed message has its worker.
        assert.strictEqual((yield* sweep).expired, 0)
        const other = yield* send({ expires_at: yield* inFuture(20) })
        const ended = yield* eventually(
          Effect.andThen(sweep, messages.get(workspace, other.message.id)),
          ({ status }) => status === "failed",
        )
        assert.strictEqual(ended.message.reason, "expired")
        assert.deepStrictEqual(
          (yield* eventsOf(workspace)).map(({ data, type }) => [type, data["message_id"], data["reason"]]),
          [["email_failed", other.message.id, "expired"]],
        )
        assert.strictEqual((yield* messages.get(workspace, scheduled.message.id)).status, "scheduled")
      }),
    )

    it.effect("takes single messages first where a limit holds for all mail", () =>
      Effect.gen(function* () {
        const { deliveries, send, transact, workspace } = yield* begin({ sendingPerSecond: 1 })
        const { message } = yield* send()
        const claimed = yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms }))
        assert.deepStrictEqual(
          claimed.map(({ id }) => id),
          [message.id],
        )
        assert.isNotNull(claimed[0]?.message)
      }),
    )

    it.effect("claims within the limits of recipient domains", () =>
      Effect.gen(function* () {
        const { claim, send } = yield* begin({ sendingPerDomainPerSecond: 1 })
        yield* send({ to: { email: "a@example.org" } })
        yield* send({ to: { email: "b@example.org" } })
        yield* send({ to: { email: "c@example.com" } })
        const first = yield* claim()
        assert.deepStrictEqual(first.map(({ address }) => address).sort(), ["a@example.org", "c@example.com"])
      }),
    )

    it.effect("makes the workspace due when the next message is", () =>
      Effect.gen(function* () {
        const { claim, deliveries, send, transact, turns } = yield* begin()
        yield* send({ scheduled_at: yield* inFuture(3_600_000) })
        yield* send()
        const [turn] = yield* turns
        assert(turn !== undefined)
        yield* claim()
        yield* transact(deliveries.endMessageTurn(turn, false))
        assert.isEmpty(yield* turns)
        yield* send({ to: { email: "ben@example.org" } })
        const [next] = yield* turns
        assert(next !== undefined)
        yield* transact(deliveries.endMessageTurn(next, true))
        assert.lengthOf(yield* turns, 1)
      }),
    )

    it.effect("keeps the workspace open for sweeps as long as a message is claimed: its worker may have died", () =>
      Effect.gen(function* () {
        const { claim, deliveries, grant, send, settle, transact, turns, workspace } = yield* begin()
        const isOpen = Effect.map(deliveries.openWorkspaces(10_000), (open) => open.includes(workspace))
        const settleAll = (claimed: ReadonlyArray<ClaimedDelivery>) =>
          Effect.andThen(
            grant(claimed),
            Effect.forEach(claimed, (each) => settle(each, accepted)),
          )
        /** A turn that claims what waits. */
        const serve = Effect.fnUntraced(function* (inTurn: typeof settleAll | null) {
          yield* send()
          const [turn] = yield* turns
          assert(turn !== undefined)
          const claimed = yield* claim()
          if (inTurn !== null) yield* inTurn(claimed)
          yield* transact(deliveries.endMessageTurn(turn, false))
          return claimed
        })
        const left = yield* serve(null)
        assert.isTrue(yield* isOpen)
        yield* serve(settleAll)
        assert.isTrue(yield* isOpen)
        yield* settleAll(left)
        yield* serve(settleAll)
        assert.isFalse(yield* isOpen)
      }),
    )

    it.effect("queues a message again whose worker released it", () =>
      Effect.gen(function* () {
        const { claim, deliveries, send, transact, turns, workspace } = yield* begin()
        yield* send()
        const [turn] = yield* turns
        assert(turn !== undefined)
        const claimed = yield* claim()
        yield* transact(deliveries.endMessageTurn(turn, false))
        yield* transact(deliveries.release(workspace, claimed))
        assert.lengthOf(yield* turns, 1)
        assert.lengthOf(yield* claim(), 1)
      }),
    )
  })
