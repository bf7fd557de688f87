// Contract tests of what callers read and change after the acceptance: listings, content, cancellation and retries.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { decodeText } from "../../src/kernel/Bytes.ts"
import { ownApproval } from "../../src/sending/messages/MessageContent.ts"
import { MessageContentStore } from "../../src/sending/messages/MessageContentStore.ts"
import type { ListedMessages } from "../../src/messages/MessageView.ts"
import { accepted, begin, type MessageWorld } from "./messageWorld.ts"

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const messageReading = <E>(name: string, live: Layer.Layer<MessageWorld, E>) =>
  layer(live, { excludeTestServices: true })(`Reading of messages (${name})`, (it) => {
    it.effect("lists messages newest first, by every filter and page by page", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, settle, suppress, workspace } = yield* begin()
        const to = (email: string) => ({ to: { email } })
        yield* suppress("blocked@example.org", "manual")
        const sent = (yield* send(to("sent@example.org"))).message
        const [claimed] = yield* claim()
        assert(claimed !== undefined)
        yield* grant([claimed])
        yield* settle(claimed, accepted)
        const tagged = (yield* send({ ...to("ann@example.org"), tags: { kind: "receipt" }, contact: "create" })).message
        const blocked = (yield* send(to("blocked@example.org"))).message
        const now = yield* DateTime.now
        const scheduled = (yield* send({
          ...to("later@example.org"),
          tags: { kind: "reminder" },
          scheduled_at: DateTime.formatIso(DateTime.add(now, { hours: 1 })),
        })).message
        const ids = (by: ListedMessages) =>
          Effect.map(messages.list(workspace, by), ({ items }) => items.map(({ message }) => message.id))
        assert.deepStrictEqual(yield* ids({}), [scheduled.id, blocked.id, tagged.id, sent.id])
        assert.deepStrictEqual(yield* ids({ status: "sent" }), [sent.id])
        assert.deepStrictEqual(yield* ids({ status: "queued" }), [tagged.id])
        assert.deepStrictEqual(yield* ids({ status: "blocked" }), [blocked.id])
        assert.deepStrictEqual(yield* ids({ status: "scheduled" }), [scheduled.id])
        assert.deepStrictEqual(yield* ids({ status: "failed" }), [])
        assert.deepStrictEqual(yield* ids({ to: "SENT@example.org" }), [sent.id])
        assert.deepStrictEqual(yield* ids({ to: "no address" }), [])
        assert.deepStrictEqual(yield* ids({ tag: "kind:receipt" }), [tagged.id])
        assert(tagged.contactId !== null)
        assert.deepStrictEqual(yield* ids({ contactId: tagged.contactId }), [tagged.id])
        assert.deepStrictEqual(yield* ids({ createdBefore: sent.createdAt }), [])
        assert.deepStrictEqual(yield* ids({ createdAfter: scheduled.createdAt, to: "later@example.org" }), [
          scheduled.id,
        ])
        assert.strictEqual(yield* tagOf(messages.list(workspace, { tag: "kind" })), "Invalid")
        assert.strictEqual(yield* tagOf(messages.list(workspace, { cursor: "x" })), "BrokenCursor")
        const first = yield* messages.list(workspace, { limit: 3 })
        assert(first.next !== null)
        const rest = yield* messages.list(workspace, { limit: 3, cursor: first.next })
        assert.isNull(rest.next)
        assert.deepStrictEqual(
          rest.items.map(({ message }) => message.id),
          [sent.id],
        )
      }),
    )

    it.effect("deletes content that is not to be retained with the end of its message", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, settle, workspace } = yield* begin()
        const kept = (yield* send()).message
        const passing = (yield* send({
          retain_content: false,
          attachments: [{ file_name: "a.txt", content: "aGk=" }],
        })).message
        const claimed = yield* claim()
        yield* grant(claimed)
        yield* messages.content(workspace, passing.id)
        const contents = yield* MessageContentStore
        assert.deepStrictEqual(
          (yield* contents.files(workspace, passing.id)).map((bytes) => decodeText(bytes)),
          ["hi"],
        )
        assert.strictEqual(yield* contents.approvalOf(workspace, passing.id), ownApproval(passing.id))
        for (const each of claimed) yield* settle(each, accepted)
        yield* messages.content(workspace, kept.id)
        assert.strictEqual(yield* tagOf(messages.content(workspace, passing.id)), "NotFound")
        assert.strictEqual((yield* messages.get(workspace, passing.id)).status, "sent")
        assert.isEmpty(yield* contents.files(workspace, passing.id))
        assert.isNull((yield* contents.get(workspace, passing.id)).body)
        assert.strictEqual(yield* tagOf(contents.get((yield* begin()).workspace, kept.id)), "NotFound")
        const cancelled = (yield* send({ retain_content: false })).message
        yield* messages.cancel(workspace, cancelled.id)
        assert.strictEqual(yield* tagOf(messages.content(workspace, cancelled.id)), "NotFound")
      }),
    )

    it.effect("cancels a message until it is handed over", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, settle, workspace } = yield* begin()
        const waiting = (yield* send()).message
        const cancelled = yield* messages.cancel(workspace, waiting.id)
        assert.deepInclude(cancelled, { status: "blocked" })
        assert.strictEqual(cancelled.message.reason, "cancelled")
        assert.deepInclude((yield* messages.get(workspace, waiting.id)).message, { reason: "cancelled" })
        assert.strictEqual(yield* tagOf(messages.cancel(workspace, waiting.id)), "InvalidState")
        assert.isEmpty(yield* claim())
        const claimedOne = (yield* send()).message
        const claimed = yield* claim()
        yield* messages.cancel(workspace, claimedOne.id)
        assert.strictEqual((yield* grant(claimed)).size, 0)
        const handed = (yield* send()).message
        const [last] = yield* claim()
        assert(last !== undefined)
        yield* grant([last])
        assert.strictEqual(yield* tagOf(messages.cancel(workspace, handed.id)), "InvalidState")
        yield* settle(last, accepted)
        assert.strictEqual((yield* messages.get(workspace, handed.id)).status, "sent")
      }),
    )

    it.effect("sends a message again that failed for a passing reason, an unconfirmed one only by name", () =>
      Effect.gen(function* () {
        const { claim, grant, messages, send, settle, workspace } = yield* begin()
        const { id } = (yield* send()).message
        const retry = (includeUnconfirmed: boolean) => messages.retry(workspace, id, { includeUnconfirmed })
        assert.strictEqual(yield* tagOf(retry(true)), "InvalidState")
        const [first] = yield* claim()
        assert(first !== undefined)
        yield* grant([first])
        yield* settle(first, { _tag: "refused", code: 554, reply: "554 5.7.1 no" })
        assert.deepInclude((yield* messages.get(workspace, id)).message, { state: "failed", reason: "refused" })
        assert.strictEqual((yield* retry(false)).status, "queued")
        const [second] = yield* claim()
        assert(second !== undefined)
        yield* grant([second])
        yield* settle(second, { _tag: "inDoubt" })
        assert.deepInclude(yield* messages.get(workspace, id), { status: "failed" })
        assert.strictEqual(yield* tagOf(retry(false)), "InvalidState")
        assert.strictEqual((yield* retry(true)).status, "queued")
        const [third] = yield* claim()
        assert(third !== undefined)
        yield* grant([third])
        yield* settle(third, { _tag: "refused", code: 550, reply: "550 5.1.1 unknown" })
        assert.strictEqual(yield* tagOf(retry(true)), "InvalidState")
        assert.strictEqual((yield* send()).message.reason, "suppressed")
      }),
    )
  })
