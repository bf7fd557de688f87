// Contract tests of duplicated blasts: inline parts are copied, other lists and emails are shared.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Blasts } from "../../src/blasts/Blasts.ts"
import { ListChange } from "../../src/lists/List.ts"
import { recipientQuery, furnished, inCity, type Rooms } from "./blastWorld.ts"

type Needs = Rooms | Layer.Services<typeof Blasts.layer>

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const blasts = yield* Blasts
  const { workspace } = world
  const members = (list: Parameters<typeof world.lists.memberIds>[1]) => world.lists.memberIds(workspace, list)
  return { ...world, blasts, members }
})

export const blastCopies = <E>(name: string, rooms: Layer.Layer<Needs, E>) =>
  layer(Layer.provideMerge(Blasts.layer, rooms), { excludeTestServices: true })(`Duplicated blasts (${name})`, (it) => {
    it.effect("shares a list and an email that are not inline, and the copy is ready to launch", () =>
      Effect.gen(function* () {
        const { blasts, workspace, ready, person } = yield* begin
        const { id, audience, email } = yield* ready("News", [yield* person("ann")])
        yield* blasts.update(workspace, id, { description: "of May" })
        yield* blasts.sendNow(workspace, id, { operational: true })
        const copy = yield* blasts.duplicate(workspace, id, "the key")
        assert.deepInclude(copy.blast, {
          name: "News (copy)",
          description: "of May",
          status: "draft",
          operational: false,
          audience,
          email,
        })
        assert.isTrue(copy.readiness?.ready)
        assert.notStrictEqual(copy.blast.id, id)
        yield* blasts.sendNow(workspace, copy.blast.id, { operational: false })
      }),
    )

    it.effect("copies an inline audience and an inline email, which then change independently", () =>
      Effect.gen(function* () {
        const { blasts, workspace, person, emails, approve, members, lists } = yield* begin
        const [ann, bob] = [yield* person("ann"), yield* person("bob")]
        const { blast } = yield* blasts.create(workspace, { name: "News" })
        const contactIds = [ann.id, bob.id]
        yield* blasts.setAudience(workspace, blast.id, {
          source: "inline",
          kind: "static",
          contactIds,
          description: "mine",
        })
        const fields = { subject: "Hi", fromName: "A", fromAddress: "a@example.test", replyToEmail: "a@example.test" }
        const set = yield* blasts.setEmail(workspace, blast.id, { source: "inline", fields, html: "<p>x</p>" }, "a key")
        const original = set.email ?? assert.fail()
        yield* approve(original.emailId)
        const copy = yield* blasts.duplicate(workspace, blast.id, "the key")
        const list = copy.list ?? assert.fail()
        assert.deepInclude(list, { name: "News audience (copy)", kind: "static", memberCount: 2 })
        assert.deepInclude(yield* lists.get(workspace, list.listId), {
          ownerBlastId: copy.blast.id,
          description: "mine",
        })
        assert.sameMembers([...(yield* members(list.listId))], contactIds)
        const email = copy.email ?? assert.fail()
        assert.deepInclude(email, { name: "News email (copy)", status: "draft", subject: "Hi", currentVersion: 1 })
        assert.notStrictEqual(email.emailId, original.emailId)
        const { document: made, html } = yield* emails.current(workspace, email.emailId)
        assert.deepStrictEqual([made.createdByName, html], ["the key", "<p>x</p>"])
        assert.deepStrictEqual(copy.blast.audience, { listId: list.listId, source: "inline" })
        yield* blasts.delete(workspace, blast.id)
        assert.strictEqual((yield* members(list.listId)).length, 2)
        // A taken name gets a number.
        const again = yield* blasts.duplicate(workspace, copy.blast.id, "the key")
        assert.strictEqual(again.list?.name, "News audience (copy) (copy)")
        assert.strictEqual(
          (yield* blasts.duplicate(workspace, copy.blast.id, "k")).list?.name,
          "News audience (copy) (copy) (2)",
        )
      }),
    )

    it.effect("copies the rules of an inline audience", () =>
      Effect.gen(function* () {
        const { blasts, workspace, person, lists } = yield* begin
        yield* person("ann", { city: "Bern" })
        const { blast } = yield* blasts.create(workspace, { name: "News" })
        const rules = inCity("Bern")
        const set = yield* blasts.setAudience(workspace, blast.id, { source: "inline", kind: "dynamic", rules })
        const copy = yield* blasts.duplicate(workspace, blast.id, "k")
        const [before, after] = yield* Effect.forEach([set, copy], ({ list }) =>
          lists.get(workspace, list?.listId ?? assert.fail()),
        )
        assert(before?.kind === "dynamic" && after?.kind === "dynamic")
        assert.deepStrictEqual(after.rules, before.rules)
        assert.notStrictEqual(after.id, before.id)
        assert.notInclude(copy.readiness?.warnings ?? assert.fail(), "empty_dynamic_audience")
      }),
    )

    it.effect("keeps names within their limit, leaves out deleted parts, and finds no blast of another workspace", () =>
      Effect.gen(function* () {
        const { blasts, workspace, ready, lists, transact, fresh } = yield* begin
        const { blast } = yield* blasts.create(workspace, { name: `${"x".repeat(193)}😀` })
        assert.strictEqual((yield* blasts.duplicate(workspace, blast.id, "k")).blast.name, `${"x".repeat(193)} (copy)`)
        const { id, audience } = yield* ready("a", [])
        const facts = yield* transact(lists.lockForDelete(workspace, audience?.listId ?? assert.fail()))
        const removed = ListChange.delete(facts, blast.createdAt)
        yield* Effect.orDie(transact(lists.apply(workspace, yield* Effect.fromResult(removed))))
        const copy = yield* blasts.duplicate(workspace, id, "k")
        assert.deepStrictEqual([copy.blast.audience, copy.readiness?.missing], [null, ["audience", "schedule"]])
        const other = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(blasts.duplicate(other, id, "k")))._tag, "NotFound")
        assert.deepStrictEqual(yield* lists.memberIds(other, audience?.listId ?? assert.fail()), [])
        assert.strictEqual((yield* blasts.recipients(workspace, copy.blast.id, recipientQuery)).total, 0)
      }),
    )
  })
