// Contract tests of the use cases of blasts.
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { Blasts } from "../../src/blasts/Blasts.ts"
import type { AudienceSelection } from "../../src/blasts/AudienceSelection.ts"
import { BlastId, ContactId, EmailId, ListId } from "../../src/kernel/Ids.ts"
import { JobQueue } from "../../src/kernel/changes/Jobs.ts"
import { recipientQuery, furnished, inCity, notOn, type Rooms } from "./blastWorld.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"
import { until } from "../kernel/eventually.ts"

type Needs = Rooms | JobQueue | Layer.Services<typeof Blasts.layer>

const lease_ms = 60_000

const begin = Effect.fnUntraced(function* (fields: Parameters<typeof furnished>[0] = {}) {
  const world = yield* furnished(fields)
  const blasts = yield* Blasts
  const { workspace } = world
  /** A draft without an audience. */
  const blank = (name: string) => Effect.map(blasts.create(workspace, { name }), ({ blast }) => blast.id)
  const inline = (
    choice: Partial<Extract<AudienceSelection, { readonly kind: "static" }>> = {},
  ): AudienceSelection => ({
    source: "inline",
    kind: "static",
    contactIds: [],
    ...choice,
  })
  return { ...world, blasts, blank, inline, anyId: world.fresh.id }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const blastVerbs = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.provideMerge(Blasts.layer, rooms)
  choosing(name, live)
  going(name, live)
}

const choosing = <E>(name: string, live: Layer.Layer<Needs | Blasts, E>) =>
  layer(live, { excludeTestServices: true })(`Blast audience and email (${name})`, (it) => {
    it.effect("creates, gets, renames and deletes a blast", () =>
      Effect.gen(function* () {
        const { blasts, workspace } = yield* begin()
        const made = yield* blasts.create(workspace, { name: "News", description: "x" })
        assert.deepStrictEqual(made.readiness?.missing, ["audience", "email", "schedule"])
        assert.deepStrictEqual(yield* blasts.get(workspace, made.blast.id), made)
        const renamed = yield* blasts.update(workspace, made.blast.id, { description: null })
        assert.deepInclude(renamed.blast, { name: "News", description: null })
        assert.strictEqual(yield* tagOf(blasts.update(workspace, made.blast.id, { name: "" })), "Invalid")
        yield* blasts.delete(workspace, made.blast.id)
        assert.strictEqual(yield* tagOf(blasts.get(workspace, made.blast.id)), "NotFound")
        assert.strictEqual(yield* tagOf(blasts.delete(workspace, made.blast.id)), "NotFound")
      }),
    )

    it.effect("creates an inline audience as a list named after the blast, with a number when the name is taken", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, inline, person, listOf, lists } = yield* begin()
        const ann = yield* person("ann")
        yield* listOf("News audience", [])
        const id = yield* blank("News")
        const shown = yield* blasts.setAudience(workspace, id, inline({ contactIds: [ann.id, ann.id] }))
        assert.deepInclude(shown.list, { name: "News audience (2)", kind: "static", memberCount: 1 })
        assert.deepInclude(shown.blast.audience, { source: "inline" })
        assert(shown.list !== null)
        assert.strictEqual((yield* lists.get(workspace, shown.list.listId)).ownerBlastId, id)
        const { items } = yield* lists.list(workspace, { page: 1, limit: 100, search: "News", kind: null })
        assert.deepStrictEqual(
          items.map((each) => each.name),
          ["News audience"],
        )
      }),
    )

    it.effect("deletes a replaced inline audience and frees its name; deleting the blast deletes its audience", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, inline, lists, listOf } = yield* begin()
        const id = yield* blank("News")
        const first = yield* blasts.setAudience(workspace, id, inline())
        const second = yield* blasts.setAudience(workspace, id, inline({ name: "News audience", description: "d" }))
        assert(second.list !== null)
        assert.strictEqual(second.list.name, "News audience")
        assert.notStrictEqual(second.list.listId, first.list?.listId)
        assert(first.list !== null)
        assert.strictEqual(yield* tagOf(lists.get(workspace, first.list.listId)), "NotFound")
        // Setting it again by its id changes nothing.
        const same = yield* blasts.setAudience(workspace, id, { source: "existing", listId: second.list.listId })
        assert.deepStrictEqual(same.blast.audience, { listId: second.list.listId, source: "inline" })
        const other = yield* listOf("other", [])
        const third = yield* blasts.setAudience(workspace, id, { source: "existing", listId: other.id })
        assert.deepStrictEqual(third.blast.audience, { listId: other.id, source: "existing" })
        assert.strictEqual(yield* tagOf(lists.get(workspace, second.list.listId)), "NotFound")
        const fourth = yield* blasts.setAudience(workspace, id, inline())
        assert(fourth.list !== null)
        yield* blasts.delete(workspace, id)
        assert.strictEqual(yield* tagOf(lists.get(workspace, fourth.list.listId)), "NotFound")
        assert.strictEqual((yield* lists.get(workspace, other.id)).name, "other")
      }),
    )

    it.effect("waits for the deletion of an inline audience by its id, and the blast then has no audience", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, inline, deleting } = yield* begin()
        for (const goes of ["replaced", "removed"] as const) {
          const id = yield* blank("News")
          const { list } = yield* blasts.setAudience(workspace, id, inline())
          const move =
            goes === "removed"
              ? blasts.delete(workspace, id)
              : Effect.asVoid(blasts.setAudience(workspace, id, inline()))
          assert(Result.isSuccess(yield* deleting(list?.listId ?? assert.fail(), move)))
        }
      }),
    )

    it.effect("makes an inline audience whose rules name a list wait for the list's deletion, and refuses it", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, listOf, deleting } = yield* begin()
        const id = yield* blank("News")
        const named = yield* listOf("named", [])
        const choice = { source: "inline", kind: "dynamic", rules: notOn(named.id) } as const
        const refused = yield* deleting(named.id, blasts.setAudience(workspace, id, choice))
        assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "Invalid")
      }),
    )

    it.effect(
      "keeps the old audience when the new one is refused: taken names, unknown contacts, bad rules, another blast's list",
      () =>
        Effect.gen(function* () {
          const { blasts, workspace, blank, inline, listOf, anyId, person, lists } = yield* begin()
          yield* listOf("taken", [])
          const id = yield* blank("News")
          const { list } = yield* blasts.setAudience(workspace, id, inline({ contactIds: [(yield* person("ann")).id] }))
          assert(list !== null)
          const refusal = (choice: AudienceSelection, of: BlastId = id) =>
            Effect.flip(blasts.setAudience(workspace, of, choice))
          assert.strictEqual((yield* refusal(inline({ name: "TAKEN" })))._tag, "ListNameExists")
          const unknown = yield* refusal(inline({ contactIds: [ContactId.make(yield* anyId)] }))
          assert.deepStrictEqual(unknown._tag === "NotFound" && unknown.path, "contact_ids.0")
          const nowhere = yield* refusal({ source: "existing", listId: ListId.make(yield* anyId) })
          assert.deepStrictEqual(nowhere._tag === "NotFound" && nowhere.path, "list_id")
          const rules = yield* refusal({ source: "inline", kind: "dynamic", rules: { kind: "group", conditions: [] } })
          assert.strictEqual(rules._tag, "Invalid")
          const many = yield* refusal(inline({ contactIds: Array.from({ length: 501 }, () => ContactId.make(id)) }))
          assert.strictEqual(many._tag, "Invalid")
          const other = yield* blank("other")
          assert.strictEqual((yield* refusal({ source: "existing", listId: list.listId }, other))._tag, "Invalid")
          assert.deepStrictEqual((yield* blasts.get(workspace, id)).list, list)
          assert.strictEqual((yield* lists.get(workspace, list.listId)).ownerBlastId, id)
        }),
    )

    it.effect("gives an inline dynamic audience the contacts that match its rules", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, person } = yield* begin()
        yield* person("ann", { city: "Zürich" })
        const set = (city: string) =>
          Effect.flatMap(blank(city), (id) =>
            blasts.setAudience(workspace, id, { source: "inline", kind: "dynamic", rules: inCity(city) }),
          )
        const zurich = yield* set("zürich")
        assert.deepInclude(zurich.list, { kind: "dynamic", memberCount: null })
        assert.notInclude(zurich.readiness?.warnings ?? assert.fail(), "empty_dynamic_audience")
        assert.include((yield* set("Bern")).readiness?.warnings ?? [], "empty_dynamic_audience")
      }),
    )

    it.effect("creates an inline email as a draft with the workspace's default sender; it outlives the blast", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, emails } = yield* begin({
          senderDefaults: { fromName: "House", fromAddress: "house@example.test", replyToEmail: null },
        })
        const id = yield* blank("News")
        const shown = yield* blasts.setEmail(
          workspace,
          id,
          { source: "inline", fields: { subject: "Hi", fromName: "Ann" } },
          "the key",
        )
        assert.deepInclude(shown.email, { name: "News email", status: "draft", subject: "Hi", currentVersion: 1 })
        assert.deepStrictEqual(shown.readiness?.missing, ["audience", "email_approval", "schedule"])
        assert(shown.email !== null)
        const { document: email, html } = yield* emails.current(workspace, shown.email.emailId)
        assert.deepInclude(email, { fromName: "Ann", fromAddress: "house@example.test", createdByName: "the key" })
        assert.include(html ?? "", "Write your message here")
        const own = yield* blasts.setEmail(
          workspace,
          id,
          { source: "inline", fields: { name: "N" }, html: "<p>x</p>" },
          "k",
        )
        assert.notStrictEqual(own.email?.emailId, email.id)
        const back = yield* blasts.setEmail(workspace, id, { source: "existing", emailId: email.id }, "k")
        assert.deepStrictEqual(back.blast.email, { emailId: email.id, source: "existing" })
        yield* blasts.delete(workspace, id)
        assert.strictEqual((yield* emails.get(workspace, email.id)).name, "News email")
      }),
    )

    it.effect("refuses an email that is too large, unknown or malformed, and creates nothing", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, emails, anyId } = yield* begin()
        const id = yield* blank("News")
        const set = (choice: Parameters<typeof blasts.setEmail>[2]) =>
          tagOf(blasts.setEmail(workspace, id, choice, "k"))
        assert.strictEqual(
          yield* set({ source: "inline", fields: {}, html: "x".repeat(2 * 1024 * 1024 + 1) }),
          "HtmlTooLarge",
        )
        assert.strictEqual(yield* set({ source: "inline", fields: { subject: "a\r\nb" } }), "Invalid")
        assert.strictEqual(yield* set({ source: "existing", emailId: EmailId.make(yield* anyId) }), "NotFound")
        const all = yield* emails.list(workspace, { status: null, search: null, after: null, limit: 10 })
        assert.deepStrictEqual(all.items, [])
        assert.strictEqual((yield* blasts.get(workspace, id)).email, null)
      }),
    )
  })

const going = <E>(name: string, live: Layer.Layer<Needs | Blasts, E>) =>
  layer(live, { excludeTestServices: true })(`Blast sending (${name})`, (it) => {
    it.effect("sends a blast with the current approval and queues its audience pass once", () =>
      Effect.gen(function* () {
        const { blasts, workspace, ready, person } = yield* begin()
        const queue = yield* JobQueue
        const { id } = yield* ready("a", [yield* person("ann")])
        const all = yield* Effect.all(
          Array.from({ length: 3 }, () => Effect.result(blasts.sendNow(workspace, id, { operational: true }))),
          { concurrency: 3 },
        )
        const [sent] = all.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        assert.deepInclude(sent?.blast, { status: "sending", operational: true, paused: false })
        assert.strictEqual(sent?.readiness, null)
        assert.deepStrictEqual(sent, { ...(yield* blasts.get(workspace, id)), email: sent?.email ?? null })
        const started: Array<string> = []
        const working = yield* Effect.forkChild(
          queue.work({
            concurrency: 1,
            handle: (job, { id: jobId }) =>
              Effect.sync(() => {
                if (job.type === "blast_start" && job.workspaceId === workspace) started.push(jobId)
              }),
          }),
        )
        yield* until(() => started.length > 0)
        yield* Effect.sleep("100 millis")
        yield* Fiber.interrupt(working)
        assert.deepStrictEqual(started, [`blast_start:${id}`])
      }),
    )

    it.effect("refuses a blast that is not ready and reports the same missing items as reading the draft", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank } = yield* begin()
        const id = yield* blank("a")
        const refused = yield* Effect.flip(blasts.sendNow(workspace, id, { operational: false }))
        assert(refused._tag === "CampaignNotReady")
        assert.deepStrictEqual(refused.readiness, (yield* blasts.get(workspace, id)).readiness)
      }),
    )

    it.effect("refuses the 101st email of a day on the free plan, and the blast stays a draft", () =>
      Effect.gen(function* () {
        const { blasts, workspace, ready, person } = yield* begin({ plan: "free" })
        const people = yield* Effect.forEach(Array.from({ length: 60 }), (_, index) => person(`p${index}`))
        const first = yield* ready("first", people)
        const second = yield* ready("second", people)
        yield* blasts.sendNow(workspace, first.id, { operational: false })
        const refused = yield* Effect.flip(blasts.sendNow(workspace, second.id, { operational: false }))
        assert(refused._tag === "FreePlanEmailLimit")
        assert.deepStrictEqual(refused.extras, { limit: 100, current: 60 })
        assert.strictEqual((yield* blasts.get(workspace, second.id)).blast.status, "draft")
      }),
    )

    it.effect("sends to every kind of list", () =>
      Effect.gen(function* () {
        const { blasts, workspace, blank, person, lists, list, approvedEmail, deliveries, transact } = yield* begin()
        yield* person("ann", { city: "Bern" })
        yield* person("bob", { unsubscribed: true })
        const { id: emailId } = yield* approvedEmail("mail")
        const system = yield* lists.list(workspace, { page: 1, limit: 10, search: null, kind: "system" })
        const bern = yield* list("bern", { kind: "dynamic", rules: inCity("Bern") })
        const counts = yield* Effect.forEach([...system.items, bern], (each) =>
          Effect.gen(function* () {
            const id = yield* blank(each.name)
            yield* blasts.setAudience(workspace, id, { source: "existing", listId: each.id })
            yield* blasts.setEmail(workspace, id, { source: "existing", emailId }, "k")
            yield* blasts.sendNow(workspace, id, { operational: false })
            const fixed = yield* transact(wholeAudience(deliveries, workspace, id))
            return [each.name, fixed?.recipientCount, fixed?.qualifiedCount]
          }),
        )
        assert.sameDeepMembers(counts, [
          ["All contacts", 2, 1],
          ["Unsubscribed", 1, 0],
          ["bern", 1, 1],
        ])
      }),
    )

    it.effect(
      "ends the recipients of a cancelled blast; claimed ones end at the intent or when their lease expires",
      () =>
        Effect.gen(function* () {
          const { blasts, workspace, sending, person, deliveries, transact } = yield* begin()
          const id = yield* sending("a", [yield* person("ann"), yield* person("bob"), yield* person("cyd")])
          const [handed, claimed] = yield* transact(deliveries.claim(workspace, { limit: 2, lease_ms }))
          assert(handed !== undefined && claimed !== undefined)
          yield* deliveries.grant(workspace, [handed], lease_ms)
          const cancelled = yield* blasts.cancel(workspace, id)
          assert.deepInclude(cancelled.blast, { status: "cancelled", cancelledReason: null })
          assert.deepInclude(cancelled.tally, { queued: 1, blocked: 2 })
          assert.deepStrictEqual([...(yield* deliveries.grant(workspace, [claimed], lease_ms)).values()], [])
          // The worker that claimed it knows that it was not sent and releases it. It is not sent later and does not stay
          // open.
          assert.strictEqual(yield* transact(deliveries.release(workspace, [handed])), 1)
          yield* blasts.finish(workspace)
          assert.deepInclude((yield* blasts.get(workspace, id)).tally, { queued: 0, blocked: 3 })
          assert.strictEqual(yield* tagOf(blasts.cancel(workspace, id)), "InvalidState")
        }),
    )

    it.effect("finishes a blast that was paused and resumed several times when no delivery is open", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sending, ready, person, deliveries, transact } = yield* begin()
        const id = yield* sending("a", [yield* person("ann", { unsubscribed: true })])
        const busy = yield* sending("b", [yield* person("bob")])
        const draft = yield* ready("c", [])
        for (const paused of [true, true, false, false, true]) {
          const { blast } = yield* paused ? blasts.pause(workspace, id) : blasts.resume(workspace, id)
          assert.deepInclude(blast, { status: "sending", paused })
        }
        assert.strictEqual(yield* tagOf(blasts.pause(workspace, draft.id)), "InvalidState")
        yield* blasts.finish(workspace)
        assert.strictEqual((yield* blasts.get(workspace, id)).blast.status, "sent")
        assert.strictEqual((yield* blasts.get(workspace, busy)).blast.status, "sending")
        yield* blasts.fail(workspace, busy, "authentication_refused")
        const failed = yield* blasts.get(workspace, busy)
        assert.deepInclude(failed.blast, { status: "failed", failure: "authentication_refused" })
        assert.deepInclude(failed.tally, { queued: 0, failed: 1 })
        assert.deepStrictEqual(yield* transact(deliveries.claim(workspace, { limit: 9, lease_ms })), [])
        const { items } = yield* blasts.recipients(workspace, busy, recipientQuery)
        assert.deepStrictEqual(
          items.map(({ reason }) => reason),
          ["blast_failed"],
        )
      }),
    )
  })
