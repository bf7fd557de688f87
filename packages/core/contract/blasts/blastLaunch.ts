// Contract tests of launches: all facts are read under one lock, and no launch exceeds the plan's daily limit.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"
import { decide } from "../../src/blasts/machine.ts"
import { EmailMessageStore } from "../../src/messages/EmailMessageStore.ts"
import { EmailChange } from "../../src/emails/Email.ts"
import { later, furnished, inCity, noon, type Rooms } from "./blastWorld.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

const day_ms = 86_400_000

export const launching = <E>(name: string, live: Layer.Layer<Rooms, E>) =>
  layer(live, { excludeTestServices: true })(`Blast launch (${name})`, (it) => {
    it.effect("decides on the same facts that reading the blast shows", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, ready, person } = yield* furnished()
        const { id } = yield* ready("a", [yield* person("ann")])
        const { facts, blast } = yield* transact(store.lockForLaunch(workspace, id, { now: noon }))
        const shown = yield* store.get(workspace, id, noon)
        assert.deepStrictEqual(blast, shown.blast)
        assert.deepStrictEqual({ ...shown.facts, plan: facts.plan, allotment: null }, facts)
        assert.strictEqual(facts.plan.plan, "max")
      }),
    )

    it.effect("makes its sender one of marketing, unless it is operational or was never launched", () =>
      Effect.gen(function* () {
        const { fresh, launch, person, ready, workspace } = yield* furnished()
        const { marketingSenders } = yield* EmailMessageStore
        const people = [yield* person("ann")]
        const { id } = yield* ready("a", people)
        const { id: operational } = yield* ready("b", people)
        yield* launch(operational, noon, true)
        assert.deepStrictEqual([...(yield* marketingSenders(workspace))], [])
        yield* launch(id)
        assert.deepStrictEqual([...(yield* marketingSenders(workspace))], ["news@example.test"])
        assert.deepStrictEqual([...(yield* marketingSenders(yield* fresh.workspace()))], [])
      }),
    )

    it.effect("lets one of several concurrent launches win; the others are refused because the blast is sending", () =>
      Effect.gen(function* () {
        const { ready, person, launch, store, workspace } = yield* furnished()
        const { id } = yield* ready("a", [yield* person("ann")])
        const all = yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.result(launch(id))),
          { concurrency: 4 },
        )
        const refused = all.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual(refused, ["InvalidState", "InvalidState", "InvalidState"])
        assert.strictEqual((yield* store.get(workspace, id, noon)).blast.status, "sending")
      }),
    )

    it.effect("reads the facts after waiting for the lock, not before", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, ready, person, approvedEmail, listOf } = yield* furnished()
        const { id } = yield* ready("a", [yield* person("ann")])
        const held = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const before = yield* store.lock(workspace, id)
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(go)
              const { id: emailId } = yield* approvedEmail("newer")
              const { id: listId } = yield* listOf("newer list", [])
              const email = yield* Effect.fromResult(
                decide(
                  before,
                  { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null },
                  later(1),
                ),
              )
              yield* store.apply(workspace, email)
              yield* store.apply(
                workspace,
                yield* Effect.fromResult(
                  decide(
                    email.after,
                    { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] },
                    later(1),
                  ),
                ),
              )
            }),
          ),
        )
        yield* Deferred.await(held)
        const second = yield* Effect.forkChild(transact(store.lockForLaunch(workspace, id, { now: noon })))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(first)
        const { blast, facts } = yield* Fiber.join(second)
        assert.strictEqual(facts.email?.name, "newer")
        assert.strictEqual(facts.list?.name, "newer list")
        assert.strictEqual(facts.email?.emailId, blast.email?.emailId)
      }),
    )

    it.effect("waits for a running unapproval and is refused because of it", () =>
      Effect.gen(function* () {
        const { workspace, transact, ready, person, launch, emails } = yield* furnished()
        const { id, email } = yield* ready("a", [yield* person("ann")])
        const emailId = email?.emailId ?? assert.fail()
        const held = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const takenBack = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const { document: approved } = yield* emails.lock(workspace, emailId)
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(go)
              const uses = yield* emails.uses(workspace, emailId)
              yield* emails.apply(workspace, yield* Effect.fromResult(EmailChange.unapprove(approved, uses, later(1))))
            }),
          ),
        )
        yield* Deferred.await(held)
        const launched = yield* Effect.forkChild(Effect.flip(launch(id)))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(takenBack)
        assert.strictEqual((yield* Fiber.join(launched))._tag, "CampaignNotReady")
      }),
    )

    it.effect("makes an unapproval wait for the launch and refuses it because the email is in use", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, ready, person, emails } = yield* furnished()
        const { id, email } = yield* ready("a", [yield* person("ann")])
        const emailId = email?.emailId ?? assert.fail()
        const launched = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const launch = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now: noon })
              yield* Deferred.succeed(launched, undefined)
              yield* Deferred.await(go)
              const change = decide(blast, { _tag: "launch", by: "worker", facts, operational: false }, noon)
              yield* store.apply(workspace, yield* Effect.fromResult(change))
            }),
          ),
        )
        yield* Deferred.await(launched)
        const uses = yield* Effect.forkChild(
          transact(Effect.andThen(emails.lock(workspace, emailId), emails.uses(workspace, emailId))),
        )
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(launch)
        assert.deepStrictEqual(yield* Fiber.join(uses), { users: [{ type: "blast", id, name: "a" }], count: 1 })
      }),
    )

    it.effect("counts contacts, the day's emails and the qualified recipients on a plan with limits", () =>
      Effect.gen(function* () {
        const world = yield* furnished({ plan: "free" })
        const { store, workspace, transact, ready, person, launch, deliveries } = world
        const people = yield* Effect.all([
          person("fine"),
          person("gone", { unsubscribed: true }),
          person("no", { marketingEmailSubscribed: false }),
          person("never-asked", { marketingEmailSubscribed: null }),
          person("phone", { email: null, phone: "+14155550123" }),
        ])
        const { id } = yield* ready("a", people)
        const ask = (operational: boolean, now = noon) =>
          Effect.map(transact(store.lockForLaunch(workspace, id, { now, operational })), ({ facts }) => facts.allotment)
        assert.deepStrictEqual(yield* ask(false), { contacts: 5, usedToday: 0, qualified: 2 })
        assert.deepStrictEqual(yield* ask(true), { contacts: 5, usedToday: 0, qualified: 4 })
        yield* Effect.orDie(launch(id))
        const other = yield* ready("b", [])
        const used = (now = noon) =>
          Effect.map(
            transact(store.lockForLaunch(workspace, other.id, { now })),
            ({ facts }) => facts.allotment?.usedToday,
          )
        assert.strictEqual(yield* used(), 2)
        // Once the audience is complete, its qualified recipients count, whatever was used before.
        const fixed = yield* transact(wholeAudience(deliveries, workspace, id))
        assert.strictEqual(fixed?.qualifiedCount, 2)
        assert.strictEqual(yield* used(), 2)
        assert.strictEqual(yield* used(later(day_ms / 2 - 1)), 2)
        assert.strictEqual(yield* used(later(day_ms / 2)), 0)
      }),
    )

    it.effect("counts the same recipients as the audience pass of a dynamic list", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, draft, write, person, list, approvedEmail, launch, deliveries } =
          yield* furnished({
            plan: "free",
          })
        yield* person("ann", { city: "Zürich" })
        yield* person("bob", { city: "ZÜRICH", unsubscribed: true })
        yield* person("cyd", { city: "Bern" })
        const { id: listId } = yield* list("zurich", { kind: "dynamic", rules: inCity("zürich") })
        const { id: emailId } = yield* approvedEmail("mail")
        const blank = yield* draft("a")
        const audience = yield* Effect.fromResult(
          decide(blank, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, later(1)),
        )
        yield* write(audience)
        yield* write(
          yield* Effect.fromResult(
            decide(
              audience.after,
              { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null },
              later(1),
            ),
          ),
        )
        const launched = yield* Effect.orDie(launch(blank.id))
        assert.strictEqual(launched.launch.allotted, 1)
        const fixed = yield* transact(wholeAudience(deliveries, workspace, blank.id))
        assert.deepInclude(fixed, { recipientCount: 2, qualifiedCount: 1 })
        const { blast, tally } = yield* store.get(workspace, blank.id, noon)
        assert.deepStrictEqual(blast.status === "sending" && blast.launch.audience, fixed)
        assert.deepInclude(tally, { queued: 1, blocked: 1, sent: 0, failed: 0 })
      }),
    )

    it.effect("waits on a plan with limits for the launch before it and counts its emails", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, ready, person } = yield* furnished({ plan: "free" })
        const first = yield* ready("first", [yield* person("ann"), yield* person("bob")])
        const second = yield* ready("second", [])
        const launched = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const one = yield* Effect.forkChild(
          transact(
            Effect.gen(function* () {
              const { blast, facts } = yield* store.lockForLaunch(workspace, first.id, { now: noon })
              const change = decide(blast, { _tag: "launch", by: "worker", facts, operational: false }, noon)
              yield* store.apply(workspace, yield* Effect.fromResult(change))
              yield* Deferred.succeed(launched, undefined)
              yield* Deferred.await(go)
            }),
          ),
        )
        yield* Deferred.await(launched)
        const other = yield* Effect.forkChild(transact(store.lockForLaunch(workspace, second.id, { now: noon })))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(one)
        assert.strictEqual((yield* Fiber.join(other)).facts.allotment?.usedToday, 2)
      }),
    )

    it.effect("never lets two concurrent blasts both take the last emails of the day", () =>
      Effect.gen(function* () {
        const { ready, launch, person, listOf, draft, write, approvedEmail } = yield* furnished({ plan: "free" })
        const people = yield* Effect.all(
          Array.from({ length: 30 }, (_, index) => person(`p${index}`)),
          { concurrency: 1 },
        )
        const first = yield* ready("first", people)
        const { id: listId } = yield* listOf("the same", people)
        const { id: emailId } = yield* approvedEmail("the same")
        const more = yield* Effect.forEach(["b", "c", "d", "e"], (letter) =>
          Effect.gen(function* () {
            const blank = yield* draft(letter)
            const audience = yield* Effect.fromResult(
              decide(blank, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, later(1)),
            )
            yield* write(audience)
            yield* write(
              yield* Effect.fromResult(
                decide(
                  audience.after,
                  { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null },
                  later(1),
                ),
              ),
            )
            return blank.id
          }),
        )
        // 100 a day, 30 each: three of five blasts launch.
        const all = yield* Effect.all(
          [first.id, ...more].map((id) => Effect.result(launch(id))),
          { concurrency: 5 },
        )
        const refused = all.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual(refused, ["FreePlanEmailLimit", "FreePlanEmailLimit"])
      }),
    )
  })
