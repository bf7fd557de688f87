// Contract tests of what operators do with single messages: erasure and export of a person, a restore, and its release.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { about, erasing, kept } from "../operations/privacy.ts"
import { decideRelease } from "../../src/operations/restore/Release.ts"
import { RestoreStore } from "../../src/operations/restore/RestoreStore.ts"
import { PrivacyStore } from "../../src/operations/privacy/PrivacyStore.ts"
import { accepted, begin, type MessagePorts, type MessageWorld, withUseCases } from "./messageWorld.ts"

type Operated = MessagePorts | PrivacyStore | RestoreStore

export const messageOperations = <E>(name: string, ports: Layer.Layer<Operated, E>) =>
  layer(withUseCases(ports) as Layer.Layer<MessageWorld | Operated, E>, { excludeTestServices: true })(
    `Operations on messages (${name})`,
    (it) => {
      it.effect("exports a person's messages, also those before the contact existed, and erases their content", () =>
        Effect.gen(function* () {
          const { claim, grant, messages, send, settle, workspace } = yield* begin()
          const secret = "canary-17"
          const private_ = {
            text: `Order ${secret} of {{data.name}}`,
            data: { order: { id: secret }, name: "ann lee" },
            metadata: { order: secret },
            tags: { kind: secret },
            headers: { "X-Order": secret },
            attachments: [{ file_name: `${secret}.txt`, content: "Y2FuYXJ5LTE3" }],
          }
          const before = yield* send({ ...private_, contact: "none" })
          const after = yield* send({ ...private_, contact: "create" })
          const { contactId } = after.message
          assert(contactId !== null)
          const [claimed, other] = yield* claim()
          assert(claimed !== undefined && other !== undefined)
          yield* grant([claimed, other])
          yield* settle(claimed, accepted)
          yield* settle(other, accepted)
          const waiting = yield* send({ ...private_, contact: "none" })
          const untouched = yield* send({ ...private_, to: { email: "ben@example.org" }, text: "Hello Ben" })
          const privacy = yield* PrivacyStore
          const rows = yield* privacy.rowsOf(workspace, contactId)
          for (const { message } of [before, after, waiting]) {
            for (const table of ["delivery", "email_message", "email_message_content", "email_message_file"]) {
              assert(
                rows.some((each) => each.table === table && each.row["delivery_id"] === message.id),
                table,
              )
            }
          }
          assert.notInclude(JSON.stringify(rows), untouched.message.id)
          yield* erasing(workspace, contactId)
          const left = (yield* kept(workspace)).filter((line) => !line.includes(untouched.message.id))
          for (const trace of [secret, "ann@example.org", "ann lee", "63616e6172792d3137"]) {
            assert.deepStrictEqual(about(left, trace), [], trace)
          }
          assert.strictEqual((yield* messages.get(workspace, before.message.id)).status, "sent")
          const ended = yield* messages.get(workspace, waiting.message.id)
          assert.deepInclude(ended.message, { state: "blocked", reason: "contact_deleted", subject: "" })
          assert.strictEqual((yield* messages.content(workspace, untouched.message.id)).text, "Hello Ben")
        }),
      )

      it.effect("sends nothing that a restore has brought back until it is released, and nothing of it twice", () =>
        Effect.gen(function* () {
          const { claim, deliveries, messages, send, transact, turns, workspace } = yield* begin()
          const restores = yield* RestoreStore
          const waiting = (yield* send()).message
          yield* restores.markRestored((yield* restores.counter) + 10)
          assert.isEmpty(yield* claim())
          const later = (yield* send({ to: { email: "ben@example.org" } })).message
          assert.isEmpty(yield* claim())
          const [turn] = yield* turns
          assert(turn !== undefined)
          yield* transact(deliveries.endMessageTurn(turn, false))
          const { blasts } = yield* restores.restored(workspace)
          const [line, ...others] = blasts
          assert(line !== undefined && others.length === 0)
          const restore = yield* restores.restore
          assert(restore !== null)
          assert.strictEqual(decideRelease(line, restore), "unconfirm")
          assert.strictEqual(yield* transact(restores.unconfirm(workspace, line.id, 100)), 1)
          yield* transact(restores.releaseBlast(workspace, line.id))
          assert.deepInclude((yield* messages.get(workspace, waiting.id)).message, {
            state: "unconfirmed",
            reason: "unconfirmed",
          })
          assert.lengthOf(yield* turns, 1)
          assert.deepStrictEqual(
            (yield* claim()).map(({ id }) => id),
            [later.id],
          )
          yield* restores.end
        }),
      )
    },
  )
