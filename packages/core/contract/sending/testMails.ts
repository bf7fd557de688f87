// Contract tests of test messages: each is handed over at most once and is deleted with its email.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer, Result } from "effect"
import { EmailChange } from "../../src/emails/Email.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import { type TestMail, TestMailStore } from "../../src/sending/TestMailStore.ts"
import { ContactId, EmailId, TestMailId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

export const testMails = <E>(name: string, live: Layer.Layer<TestMailStore | EmailStore | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`TestMailStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const store = yield* TestMailStore
      const emails = yield* EmailStore
      const { transact } = yield* Transactor
      const created = EmailChange.create({
        id: EmailId.make(yield* fresh.id),
        fields: { name: "An email" },
        html: "<p>one</p>",
        createdByName: "a key",
        by: "worker",
        now: DateTime.makeUnsafe(1_000),
      })
      const { after: email } = Result.getOrThrow(created)
      yield* transact(emails.apply(workspace, Result.getOrThrow(created)))
      const added = Effect.fnUntraced(function* (over: Partial<TestMail> = {}) {
        const mail: TestMail = {
          id: TestMailId.make(yield* fresh.id),
          emailId: email.id,
          version: 1,
          contactId: ContactId.make(yield* fresh.id),
          address: "Ann@Bücher.example",
          addressNormalized: "ann@xn--bcher-kva.example",
          ...over,
        }
        yield* transact(store.add(workspace, [mail]))
        return mail
      })
      const waits = (id: TestMailId, of: WorkspaceId = workspace) =>
        Effect.map(Effect.result(store.waiting(of, id)), Result.isSuccess)
      return { fresh, workspace, store, emails, transact, email, added, waits }
    })

    it.effect("reads a message as it was written until it is handed over", () =>
      Effect.gen(function* () {
        const { workspace, store, transact, added } = yield* begin
        for (const mail of [yield* added(), yield* added({ contactId: null })]) {
          assert.deepStrictEqual(yield* store.waiting(workspace, mail.id), mail)
        }
        yield* transact(store.add(workspace, []))
      }),
    )

    it.effect("hands a message over once, whatever the number of requests", () =>
      Effect.gen(function* () {
        const { workspace, store, transact, added, waits } = yield* begin
        const { id } = yield* added()
        const ask = transact(store.handOver(workspace, id))
        const answers = yield* Effect.all([ask, ask, ask, ask], { concurrency: 4 })
        assert.deepStrictEqual([...answers].sort(), [false, false, false, true])
        assert.isFalse(yield* waits(id))
      }),
    )

    it.effect("queues a message again that was certainly not sent, and no message with an outcome", () =>
      Effect.gen(function* () {
        const { workspace, store, transact, added, waits } = yield* begin
        const { id } = yield* added()
        assert.isTrue(yield* transact(store.handOver(workspace, id)))
        yield* transact(store.release(workspace, id))
        assert.isTrue(yield* waits(id))
        assert.isTrue(yield* transact(store.handOver(workspace, id)))
        yield* transact(store.delete(workspace, id))
        yield* transact(store.release(workspace, id))
        assert.isFalse(yield* transact(store.handOver(workspace, id)))
        assert.isFalse(yield* waits(id))
      }),
    )

    it.effect("hands nothing over when the transaction fails", () =>
      Effect.gen(function* () {
        const { workspace, store, transact, added, waits } = yield* begin
        const { id } = yield* added()
        yield* Effect.exit(transact(Effect.andThen(store.handOver(workspace, id), Effect.fail("no"))))
        assert.isTrue(yield* waits(id))
      }),
    )

    it.effect("deletes test messages with their email, and none of another email", () =>
      Effect.gen(function* () {
        const { workspace, store, emails, transact, email, added, waits } = yield* begin
        const mine = yield* added()
        const handed = yield* added()
        yield* transact(store.handOver(workspace, handed.id))
        yield* transact(
          Effect.gen(function* () {
            const current = yield* emails.lock(workspace, email.id)
            const removed = EmailChange.remove(current, { users: [], count: 0 })
            yield* emails.apply(workspace, Result.getOrThrow(removed))
          }),
        )
        assert.isFalse(yield* waits(mine.id))
        yield* transact(store.release(workspace, handed.id))
        assert.isFalse(yield* waits(handed.id))
      }),
    )

    it.effect("neither shows nor changes test messages of another workspace", () =>
      Effect.gen(function* () {
        const { fresh, store, transact, added, waits } = yield* begin
        const other = yield* fresh.workspace()
        const { id } = yield* added()
        assert.isFalse(yield* waits(id, other))
        assert.isFalse(yield* transact(store.handOver(other, id)))
        yield* transact(store.delete(other, id))
        assert.isTrue(yield* waits(id))
      }),
    )
  })
