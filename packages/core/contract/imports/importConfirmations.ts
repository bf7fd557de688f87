// Contract tests of imports with double opt-in: who is asked, how fast, and once.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Random } from "effect"
import { ConfirmationQueue } from "../../src/imports/confirmations/ConfirmationQueue.ts"
import { ImportConfirmations } from "../../src/imports/confirmations/ImportConfirmations.ts"
import { ImportRuns } from "../../src/imports/ImportRuns.ts"
import { Imports } from "../../src/imports/Imports.ts"
import type { ContactId, ImportSessionId } from "../../src/kernel/Ids.ts"
import { ContactMerges } from "../../src/operations/merge/ContactMerges.ts"
import { Links } from "../../src/rendering/Links.ts"
import type { Topic } from "../../src/topics/Topic.ts"
import { TopicChoices } from "../../src/topics/TopicChoices.ts"
import { Topics } from "../../src/topics/Topics.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import {
  begin as beginSubscriptions,
  type SubscriptionPorts,
  withUseCases,
} from "../subscriptions/subscriptionWorld.ts"
import { mergesLive } from "../operations/mergeWorld.ts"
import { execution, some } from "./importSamples.ts"

const used = Layer.mergeAll(
  Imports.layer,
  ImportRuns.layer,
  ImportConfirmations.layer,
  Topics.layer,
  TopicChoices.layer,
  mergesLive,
).pipe(Layer.provideMerge(Links.layer))

type Ports = SubscriptionPorts | Layer.Services<typeof used>

const country = (id: Parameters<Imports["Service"]["preview"]>[0]["id"]) => ({ id, defaultCountry: "US" })

const begin = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const world = yield* beginSubscriptions(fields)
  const { person, subscriptions, workspace } = world
  const [imports, runs, { run }] = [yield* Imports, yield* ImportRuns, yield* ImportConfirmations]

  const executePeople = (
    session: ImportSessionId,
    topics: ReadonlyArray<Topic>,
    doubleOptIn = true,
    column: "email" | "phone" = "email",
  ) =>
    imports.execute(workspace, session, {
      ...execution(),
      mappings: [{ header: "Email", targetField: column, targetKind: null, overwriteBehavior: "overwrite" }],
      consent: {
        topicIds: topics.map((topic) => topic.id),
        source: "fair",
        text: "Yes, send me the letter.",
        collectedAt: null,
        collectedAtHeader: null,
        doubleOptIn,
      },
    })

  /** Imports people who have to confirm. Returns the id of the run. */
  const importPeople = Effect.fnUntraced(function* (
    emails: ReadonlyArray<string>,
    topics: ReadonlyArray<Topic>,
    column: "email" | "phone" = "email",
  ) {
    const rows = emails.map((email) => ({ Email: email }))
    const session = yield* imports.beginRows(workspace, rows, null)
    const { id } = yield* executePeople(session.id, topics, true, column)
    yield* runs.run(workspace, id)
    return id
  })
  const waiting = (id: Parameters<typeof imports.getRun>[1]) =>
    Effect.map(imports.getRun(workspace, id), ({ confirmationsWaiting }) => confirmationsWaiting)
  const requestsOf = (contactId: ContactId) =>
    Effect.map(subscriptions.list(workspace, { contactId, limit: 100 }), ({ items }) => items)
  const known = (email: string) => Effect.map(person(email), some)
  /** The actions of the records of a person, and the status for a topic. */
  const stateOf = Effect.fnUntraced(function* (email: string, { id }: Topic) {
    const { records, statuses } = yield* known(email)
    return [statuses.get(id) ?? "nothing", ...records.map(({ action }) => action).toSorted()].join(" ")
  })
  return { ...world, askAll: run, executePeople, importPeople, imports, known, requestsOf, stateOf, waiting }
})

const runsIn = ({ items }: { readonly items: ReadonlyArray<unknown> }): number => items.length

const asked = "pending confirmation_sent imported requested"

export const importConfirmations = <E>(name: string, live: Layer.Layer<Ports, E>) =>
  layer(Layer.provideMerge(used, Layer.merge(withUseCases(live), live)), { excludeTestServices: true })(
    `Imports with double opt-in (${name})`,
    (it) => {
      it.effect("ask each person once, with the evidence of the import", () =>
        Effect.gen(function* () {
          const { askAll, confirm, importPeople, known, requestsOf, topic, waiting } = yield* begin()
          const [news, offers] = [yield* topic("News"), yield* topic("Offers")]
          const run = yield* importPeople(["ann@example.org", "bo@example.org", "ann@example.org"], [news, offers])
          const { contact, statuses } = yield* known("ann@example.org")
          assert.strictEqual(contact.marketingEmailSubscribed, false)
          assert.deepStrictEqual([...statuses.values()], ["pending", "pending"])
          assert.strictEqual(yield* waiting(run), 2)
          yield* Effect.all([askAll, askAll], { concurrency: 2 })
          yield* askAll
          assert.strictEqual(yield* waiting(run), 0)
          // A second import of the same people asks for nothing that they were asked for.
          yield* importPeople(["ann@example.org", "bo@example.org"], [news])
          yield* askAll
          const [request, ...others] = yield* requestsOf(contact.id)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(request, { status: "pending", madeContact: false })
          assert.lengthOf(request?.mailedAt ?? [], 1)
          assert.lengthOf(yield* requestsOf((yield* known("bo@example.org")).contact.id), 1)
          yield* confirm(some(request).id)
          const after = yield* known("ann@example.org")
          assert.deepStrictEqual([...after.statuses.values()], ["subscribed", "subscribed"])
          assert.strictEqual(after.contact.marketingEmailSubscribed, true)
          const confirmed = after.records.find(({ action }) => action === "confirmed")
          const evidence = { importRunId: run, sourceDetail: "fair", text: "Yes, send me the letter." }
          assert.deepInclude(confirmed, { ...evidence, source: "import", messageId: some(request).messageId })
        }),
      )

      it.effect("are refused while no confirmation mail can be sent, and the session can be executed later", () =>
        Effect.gen(function* () {
          const elsewhere = { fromName: "Acme", fromAddress: "news@elsewhere.example", replyToEmail: null }
          const nowhere = { fromName: null, fromAddress: null, replyToEmail: null }
          for (const [senderDefaults, missing] of [
            [nowhere, "from_address"],
            [elsewhere, "sender_domain"],
          ] as const) {
            const { imports, executePeople, topic, workspace } = yield* begin({ senderDefaults })
            const [news, before] = [yield* topic("News"), yield* Effect.map(imports.listRuns(workspace, {}), runsIn)]
            const session = yield* imports.beginRows(workspace, [{ Email: "ann@example.org" }], null)
            const refusal = yield* Effect.flip(executePeople(session.id, [news]))
            assert.deepInclude(refusal, { _tag: "EmailNotReady", missing: [missing] })
            assert.match(refusal.message, missing === "from_address" ? /sender_defaults/ : /news@elsewhere\.example/)
            // Nothing was written: without a confirmation the same session is executed.
            assert.strictEqual(yield* Effect.map(imports.listRuns(workspace, {}), runsIn), before)
            assert.strictEqual((yield* executePeople(session.id, [news], false)).status, "queued")
          }
        }),
      )

      it.effect("wait in a queue of their workspace, of which each is taken once", () =>
        Effect.gen(function* () {
          const { fresh, importPeople, topic, transact, waiting, workspace } = yield* begin()
          const [queue, other] = [yield* ConfirmationQueue, yield* fresh.workspace()]
          const [news, offers] = [yield* topic("News"), yield* topic("Offers")]
          const run = yield* importPeople(["ann@example.org", "bo@example.org"], [news])
          const now = yield* DateTime.now
          const due = (at = now, limit = 10) => queue.due(workspace, at, limit)
          const [first, second] = yield* due()
          assert.lengthOf(yield* due(now, 1), 1)
          assert.deepStrictEqual(yield* due(DateTime.subtract(now, { hours: 1 })), [])
          yield* transact(queue.postpone(workspace, some(first), DateTime.add(now, { hours: 1 })))
          assert.deepStrictEqual([yield* due(), (yield* due(DateTime.add(now, { hours: 2 }))).length], [[second], 2])
          yield* Effect.exit(transact(Effect.andThen(queue.take(workspace, some(second)), Effect.fail("rolled back"))))
          assert.isNull(yield* transact(queue.take(other, some(second))))
          assert.deepStrictEqual([yield* queue.due(other, now, 10), (yield* queue.counts(other, [run])).size], [[], 0])
          assert.strictEqual(yield* waiting(run), 2)
          yield* transact(queue.add(workspace, [{ ...some(second), topicIds: [offers.id] }]))
          const take = transact(queue.take(workspace, some(second)))
          const taken = (yield* Effect.all([take, take], { concurrency: 2 })).filter((each) => each !== null)
          assert.deepStrictEqual(
            taken.map(({ topicIds }) => topicIds),
            [[news.id, offers.id]],
          )
          assert.strictEqual(yield* waiting(run), 1)
        }),
      )

      it.effect("leave a fifth of the requests of an hour to others, and go on when there is room", () =>
        Effect.gen(function* () {
          const { ask, askAll, confirm, importPeople, subscriptions, topic, waiting, workspace } = yield* begin({
            consent: { confirmationsPerHour: 5 },
          })
          const news = yield* topic("News")
          const people = Array.from({ length: 7 }, (_, at) => `p${at}@example.org`)
          const run = yield* importPeople(people, [news])
          yield* askAll
          assert.strictEqual(yield* waiting(run), 3)
          assert.strictEqual((yield* ask([news], { email: "cy@example.org" })).status, "pending")
          const { items } = yield* subscriptions.list(workspace, { status: "pending" })
          // The limit counts those of the visitor, too.
          for (const { id } of items.slice(0, 3)) yield* confirm(id)
          // Its chunk makes the workspace due, which waits until the hour is over.
          yield* importPeople(["last@example.org"], [news])
          yield* askAll
          assert.strictEqual(yield* waiting(run), 1)
        }),
      )

      it.effect("do not ask people who can't confirm, or who have chosen meanwhile", () =>
        Effect.gen(function* () {
          const { askAll, contacts, importPeople, known, requestsOf, stateOf, suppress, topic, waiting, workspace } =
            yield* begin()
          const [news, old] = [yield* topic("News"), yield* topic("Old")]
          const names = ["ann", "bo", "cy", "di", "ed"] as const
          const run = yield* importPeople(
            names.map((each) => `${each}@example.org`),
            [news, old],
          )
          yield* importPeople(["+14155550100"], [news], "phone")
          const contactOf = (each: string) => Effect.map(known(`${each}@example.org`), ({ contact }) => contact.id)
          const [bo, cy] = [yield* contactOf("bo"), yield* contactOf("cy")]
          yield* suppress("ann@example.org", "bounce")
          yield* contacts.updateOne(country(workspace), bo, { unsubscribed: true })
          const consent = { text: "Yes.", source: "desk" }
          yield* (yield* TopicChoices).update(workspace, cy, [
            { topicId: news.id, status: "subscribed", consent },
            { topicId: old.id, status: "unsubscribed" },
          ])
          yield* contacts.deleteOne(workspace, yield* contactOf("di"))
          yield* (yield* Topics).update(workspace, old.id, { status: "archived" })
          assert.strictEqual(yield* waiting(run), 4)
          yield* askAll
          assert.strictEqual(yield* waiting(run), 0)
          const states = yield* Effect.forEach(["ann", "bo", "ed"], (each) =>
            Effect.all([stateOf(`${each}@example.org`, news), stateOf(`${each}@example.org`, old)]),
          )
          const both = "nothing expired expired imported imported"
          const one = "confirmation_sent expired imported imported requested"
          assert.deepStrictEqual(states, [
            [both, both],
            [both, both],
            [`pending ${one}`, `nothing ${one}`],
          ])
          for (const id of [bo, cy]) assert.deepStrictEqual(yield* requestsOf(id), [])
          assert.strictEqual((yield* known("cy@example.org")).statuses.get(news.id), "subscribed")
        }),
      )

      it.effect("wait while an address got a mail just now, and join what the person asked for", () =>
        Effect.gen(function* () {
          const { ask, askAll, importPeople, stateOf, topic, waiting } = yield* begin()
          const [news, offers] = [yield* topic("News"), yield* topic("Offers")]
          yield* ask([offers])
          const run = yield* importPeople(["ann@example.org", "bo@example.org"], [news])
          yield* askAll
          assert.strictEqual(yield* waiting(run), 1)
          assert.strictEqual(yield* stateOf("bo@example.org", news), asked)
        }),
      )

      it.effect("ask the contact into which those that wait were merged, once", () =>
        Effect.gen(function* () {
          const { askAll, contacts, importPeople, known, requestsOf, stateOf, topic, waiting, workspace } =
            yield* begin()
          const news = yield* topic("News")
          const run = yield* importPeople(["ann@example.org", "bo@example.org"], [news])
          yield* contacts.create(country(workspace), [{ email: "cy@example.org" }])
          const [ann, bo, cy] = [
            (yield* known("ann@example.org")).contact.id,
            (yield* known("bo@example.org")).contact.id,
            (yield* known("cy@example.org")).contact.id,
          ]
          const merges = yield* ContactMerges
          for (const source of [ann, bo]) {
            yield* merges.merge(workspace, cy, { source, prefer: "target", fields: {}, dryRun: false })
          }
          assert.strictEqual(yield* waiting(run), 1)
          yield* askAll
          assert.lengthOf(yield* requestsOf(cy), 1)
          assert.include(yield* stateOf("cy@example.org", news), "pending confirmation_sent")
        }),
      )

      it.effect("have the same result when workers are interrupted at any instant", () =>
        Effect.gen(function* () {
          const { askAll, importPeople, known, requestsOf, topic } = yield* begin()
          const news = yield* topic("News")
          const people = Array.from({ length: 20 }, (_, at) => `p${at}@example.org`)
          for (const half of [people.slice(0, 10), people.slice(10)]) {
            yield* importPeople(half, [news])
            for (let stops = 0; stops < 4; stops++) {
              const worker = yield* Effect.forkChild(askAll)
              yield* Effect.sleep(yield* Random.nextBetween(0, name === "memory" ? 10 : 80))
              yield* Fiber.interrupt(worker)
            }
          }
          // An interrupted turn ends by time: this chunk makes the workspace due.
          yield* importPeople(["last@example.org"], [news])
          yield* askAll
          for (const email of people) {
            const found = yield* requestsOf((yield* known(email)).contact.id)
            assert.deepStrictEqual(
              found.map(({ mailedAt }) => mailedAt.length),
              [1],
            )
          }
        }),
      )
    },
  )
