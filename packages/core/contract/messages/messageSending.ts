// Contract tests of the acceptance of single messages.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { eventsOf } from "../contacts/notifications.ts"
import { MessageId } from "../../src/kernel/Ids.ts"
import type { MessageItem } from "../../src/messages/MessageView.ts"
import { begin, domain, input, keyOf, type MessageWorld } from "./messageWorld.ts"

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const codes = (items: ReadonlyArray<MessageItem>) =>
  items.map((item) => (item.status === "accepted" ? item.view.message.subject : item.code))

export const messageSending = <E>(name: string, live: Layer.Layer<MessageWorld, E>) =>
  layer(live, { excludeTestServices: true })(`Acceptance of messages (${name})`, (it) => {
    it.effect("shows a message as it was accepted, with its header filled in", () =>
      Effect.gen(function* () {
        const { messages, send, workspace } = yield* begin()
        const sent = yield* send({
          client_item_id: "a",
          tags: { kind: "receipt" },
          metadata: { order: "17" },
          headers: { "X-B": "2", "X-A": "1" },
          preview_text: "Hello",
          from_name: "Acme",
          attachments: [{ file_name: "a.txt", content: "aGk=" }],
        })
        assert.deepInclude(sent, { status: "queued", warnings: [], replayed: false })
        assert.deepInclude(sent.message, {
          subject: "Your order 17",
          fromName: "Acme",
          fromAddress: `orders@${domain}`,
          replyToEmail: null,
          to: { email: "Ann@example.org", name: "Ann Lee" },
          contactId: null,
          clientItemId: "a",
          tags: { kind: "receipt" },
          headers: [
            ["X-B", "2"],
            ["X-A", "1"],
          ],
          operational: true,
          attachments: [{ fileName: "a.txt", contentType: "text/plain", contentId: null, size_bytes: 2 }],
        })
        const { events, ...found } = yield* messages.get(workspace, sent.message.id)
        assert.deepStrictEqual(found, { message: sent.message, status: "queued" })
        assert.deepStrictEqual(
          events.map(({ type }) => type),
          ["email_accepted"],
        )
        const content = yield* messages.content(workspace, sent.message.id)
        assert.deepStrictEqual(content, { subject: "Your order 17", html: null, text: "Thank you for order 17." })
      }),
    )

    it.effect("refuses a message that is not ready, or whose tokens have no value, and stores nothing", () =>
      Effect.gen(function* () {
        const { fresh, messages, send, workspace } = yield* begin()
        assert.strictEqual(yield* tagOf(send({ data: {} })), "UnresolvedTokens")
        assert.strictEqual(yield* tagOf(send({ from_address: "orders@elsewhere.example" })), "EmailNotReady")
        assert.strictEqual(yield* tagOf(send({ subject: undefined })), "EmailNotReady")
        const id = yield* fresh.id
        assert.strictEqual(yield* tagOf(send({ text: undefined, email_id: id })), "NotFound")
        assert.strictEqual(yield* tagOf(send({ to: undefined, contact_id: id })), "NotFound")
        assert.strictEqual(yield* tagOf(send({ to: [{ email: "ann@example.org" }] })), "Invalid")
        assert.isEmpty((yield* messages.list(workspace, {})).items)
        const sent = yield* send({ data: {}, allow_unresolved: true })
        assert.deepInclude(sent.message, { subject: "Your order ", unresolvedTokens: ["data.order.id"] })
      }),
    )

    it.effect("accepts the right items of a batch and rejects the others alone", () =>
      Effect.gen(function* () {
        const { messages, workspace } = yield* begin()
        const { items } = yield* messages.sendMany(
          workspace,
          [
            input(),
            { ...input(), client_item_id: "b", to: { email: "nobody" } },
            "text",
            { ...input(), attachments: [{ file_name: "a.txt", content: "aGk=" }] },
            { ...input(), data: {} },
            { ...input(), to: { email: "ben@example.org" }, data: { order: { id: "18" } } },
          ],
          null,
        )
        assert.deepStrictEqual(codes(items), [
          "Your order 17",
          "INVALID_ITEM",
          "INVALID_ITEM",
          "INVALID_ITEM",
          "unresolved_tokens",
          "Your order 18",
        ])
        assert.strictEqual(items[1]?.clientItemId, "b")
        assert.lengthOf((yield* messages.list(workspace, {})).items, 2)
        assert.strictEqual(yield* tagOf(messages.sendMany(workspace, [], null)), "Invalid")
      }),
    )

    it.effect("answers a repeated key with the first message, and another body not at all", () =>
      Effect.gen(function* () {
        const { messages, send, workspace } = yield* begin()
        const first = yield* send({}, keyOf("k"))
        const again = yield* send({}, keyOf("k"))
        assert.isTrue(again.replayed)
        assert.deepStrictEqual(again.message, first.message)
        assert.strictEqual(yield* tagOf(send({}, keyOf("k", "other"))), "MessageKeyReused")
        assert.lengthOf((yield* messages.list(workspace, {})).items, 1)
      }),
    )

    it.effect("sends one message for a key that eight requests use at the same time", () =>
      Effect.gen(function* () {
        const { messages, send, workspace } = yield* begin()
        const all = yield* Effect.all(
          Array.from({ length: 8 }, () => send({}, keyOf("k"))),
          { concurrency: 8 },
        )
        assert.strictEqual(new Set(all.map(({ message }) => message.id)).size, 1)
        assert.lengthOf(
          all.filter(({ replayed }) => !replayed),
          1,
        )
        assert.lengthOf((yield* messages.list(workspace, {})).items, 1)
      }),
    )

    it.effect("accepts or refuses each of many requests that come at the same time by itself", () =>
      Effect.gen(function* () {
        const { contacts, messages, send, suppress, workspace } = yield* begin()
        yield* suppress("cy@example.org", "complaint")
        const sendAs = (nth: number) =>
          send(
            {
              to: { email: nth % 10 === 3 ? "cy@example.org" : `ann${nth % 7}@example.org` },
              data: nth % 10 === 5 ? {} : { order: { id: String(nth) } },
              contact: "create",
            },
            nth % 2 === 0 ? keyOf(String(nth)) : null,
          ).pipe(Effect.exit)
        const exits = yield* Effect.forEach(Array.from({ length: 40 }).keys(), sendAs, { concurrency: "unbounded" })
        const subjects = exits.map((exit) => (Exit.isSuccess(exit) ? exit.value.message.subject : "refused"))
        assert.deepStrictEqual(
          subjects,
          Array.from({ length: 40 }, (_, nth) => (nth % 10 === 5 ? "refused" : `Your order ${nth}`)),
        )
        const { items } = yield* messages.list(workspace, { limit: 100 })
        assert.lengthOf(items, 36)
        assert.lengthOf(
          items.filter(({ status }) => status === "blocked"),
          4,
        )
        const where = { id: workspace, defaultCountry: "US" }
        assert.lengthOf(yield* contacts.findByIdentity(where, { email: "ann1@example.org" }), 1)
        assert.strictEqual(yield* tagOf(send({}, keyOf("8", "other"))), "MessageKeyReused")
      }),
    )

    it.effect("belongs to the transaction of its caller, beside requests that come at the same time", () =>
      Effect.gen(function* () {
        const { messages, send, transact, workspace } = yield* begin()
        const undone = transact(
          Effect.gen(function* () {
            const first = yield* send({}, keyOf("k"))
            const again = yield* send({}, keyOf("k"))
            assert.strictEqual(again.message.id, first.message.id)
            return yield* Effect.fail("undone")
          }),
        )
        const all = yield* Effect.all([Effect.exit(undone), send(), send(), send()], { concurrency: "unbounded" })
        assert.deepStrictEqual(all[0], Exit.fail("undone"))
        assert.lengthOf((yield* messages.list(workspace, {})).items, 3)
      }),
    )

    it.effect("keeps messages apart that have the same HTML with another preview text or plain text", () =>
      Effect.gen(function* () {
        const { messages, send, workspace } = yield* begin()
        const shown = Effect.fnUntraced(function* (given: Readonly<Record<string, unknown>>) {
          const { message } = yield* send({ html: "<p>Order {{data.order.id}}</p>", text: undefined, ...given })
          const { html, text } = yield* messages.content(workspace, message.id)
          return [html?.includes("Soon"), text]
        })
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(yield* shown({}), [false, "Order 17"])
          assert.deepStrictEqual(yield* shown({ preview_text: "Soon" }), [true, "Order 17"])
          assert.deepStrictEqual(yield* shown({ text: "Own" }), [false, "Own"])
        }
      }),
    )

    it.effect("repeats a batch with its rejected items", () =>
      Effect.gen(function* () {
        const { messages, workspace } = yield* begin()
        const items = [input(), { ...input(), data: {} }]
        const first = yield* messages.sendMany(workspace, items, keyOf("b"))
        const again = yield* messages.sendMany(workspace, items, keyOf("b"))
        assert.isTrue(again.replayed)
        assert.deepStrictEqual(again.items, first.items)
      }),
    )

    it.effect("blocks at once what the address forbids, with an event", () =>
      Effect.gen(function* () {
        const { messages, send, suppress, workspace } = yield* begin()
        yield* suppress("ann@example.org", "complaint")
        const blocked = yield* send({ tags: { kind: "receipt" } })
        assert.deepInclude(blocked, { status: "blocked" })
        assert.strictEqual(blocked.message.reason, "suppressed")
        const { events } = yield* messages.get(workspace, blocked.message.id)
        assert.deepStrictEqual(
          events.map(({ type }) => type),
          ["email_accepted", "email_blocked"],
        )
        const [event] = (yield* eventsOf(workspace)).filter(({ type }) => type === "email_blocked")
        assert.deepInclude(event, { contactId: null })
        assert.deepInclude(event?.data, {
          message_id: blocked.message.id,
          tags: { kind: "receipt" },
          reason: "suppressed",
        })
      }),
    )

    it.effect("sends operational mail to those that unsubscribed, and no marketing mail", () =>
      Effect.gen(function* () {
        const { contacts, send, suppress, workspace } = yield* begin()
        yield* suppress("ann@example.org", "unsubscribe")
        assert.strictEqual((yield* send()).status, "queued")
        assert.deepInclude((yield* send({ operational: false })).message, { state: "blocked", reason: "unsubscribed" })
        const [item] = yield* contacts.create({ id: workspace, defaultCountry: "US" }, [
          { email: "ben@example.org", marketing_email_subscribed: false },
        ])
        assert.strictEqual(item?.status, "created")
        const to = { email: "Ben@Example.org" }
        assert.strictEqual((yield* send({ to })).status, "queued")
        assert.strictEqual((yield* send({ to, operational: false })).message.reason, "opt_out")
      }),
    )

    it.effect("uses, creates or ignores the contact of the address", () =>
      Effect.gen(function* () {
        const { contacts, send, workspace } = yield* begin()
        const where = { id: workspace, defaultCountry: "US" }
        const created = yield* send({ contact: "create" })
        const [found] = yield* contacts.findByIdentity(where, { email: "ann@example.org" })
        assert.strictEqual(created.message.contactId, found?.contact.id)
        assert.deepInclude(found?.contact, {
          displayName: "Ann Lee",
          originalSource: "api",
          marketingEmailSubscribed: false,
        })
        assert.strictEqual((yield* send()).message.contactId, found?.contact.id)
        assert.isNull((yield* send({ contact: "none" })).message.contactId)
        assert.isNull((yield* send({ to: { email: "new@example.org" } })).message.contactId)
        assert.isEmpty(yield* contacts.findByIdentity(where, { email: "new@example.org" }))
        const named = yield* send({ to: undefined, contact_id: found?.contact.id })
        assert.deepStrictEqual(named.message.to, { email: "Ann@example.org", name: "Ann Lee" })
      }),
    )

    it.effect("counts messages in the plan's emails of the day", () =>
      Effect.gen(function* () {
        const { messages, send, workspace } = yield* begin({ plan: "free" })
        const hundred = Array.from({ length: 99 }, () => input())
        yield* messages.sendMany(workspace, hundred, null)
        const { items } = yield* messages.sendMany(workspace, [input(), input()], null)
        assert.deepStrictEqual(codes(items), ["Your order 17", "free_plan_email_limit"])
        assert.strictEqual(yield* tagOf(send()), "FreePlanEmailLimit")
      }),
    )

    it.effect("is unknown to other workspaces", () =>
      Effect.gen(function* () {
        const mine = yield* begin()
        const other = yield* begin()
        const { message } = yield* mine.send({}, keyOf("k"))
        const { messages, workspace } = other
        assert.strictEqual(yield* tagOf(messages.get(workspace, message.id)), "NotFound")
        assert.strictEqual(yield* tagOf(messages.content(workspace, message.id)), "NotFound")
        assert.strictEqual(yield* tagOf(messages.cancel(workspace, message.id)), "NotFound")
        assert.strictEqual(
          yield* tagOf(messages.retry(workspace, message.id, { includeUnconfirmed: true })),
          "NotFound",
        )
        assert.isEmpty((yield* messages.list(workspace, {})).items)
        assert.isEmpty(yield* other.claim())
        assert.isFalse((yield* other.send({}, keyOf("k"))).replayed)
        assert.strictEqual(
          yield* tagOf(mine.messages.get(mine.workspace, MessageId.make(yield* mine.fresh.id))),
          "NotFound",
        )
      }),
    )
  })
