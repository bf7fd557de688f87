// Contract tests of reading blasts: listings, and the related data in a view.
import { assert, layer } from "@effect/vitest"
import { type DateTime, Effect, type Layer, Struct } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { decide } from "../../src/blasts/machine.ts"
import type { BlastQuery } from "../../src/blasts/BlastStore.ts"
import { emailChanges, readiness } from "../../src/blasts/Readiness.ts"
import { EmailChange } from "../../src/emails/Email.ts"
import type { ListId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { everything, furnished, inCity, later, noon, type Rooms, supposed } from "./blastWorld.ts"

export const reading = <E>(name: string, live: Layer.Layer<Rooms, E>) =>
  layer(live, { excludeTestServices: true })(`Blast views (${name})`, (it) => {
    it.effect("lists blasts by status or name in each order, ties by id, blasts without a time last", () =>
      Effect.gen(function* () {
        const { store, workspace, write, draft } = yield* furnished()
        const { facts, listId, emailId } = yield* supposed
        const a = yield* draft("Öl 50%", later(1))
        const b = yield* draft("öl_x", later(3))
        const c = yield* draft("Zebra", later(2))
        const d = yield* draft("zebra", later(2))
        const attach = Effect.fnUntraced(function* (blast: Blast, scheduled: DateTime.Utc) {
          const audience = yield* Effect.fromResult(
            decide(blast, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, later(10)),
          )
          yield* write(audience)
          const email = yield* Effect.fromResult(
            decide(
              audience.after,
              { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null },
              later(10),
            ),
          )
          yield* write(email)
          yield* write(
            yield* Effect.fromResult(
              decide(
                email.after,
                { _tag: "schedule", by: "worker", facts, scheduledAt: scheduled, operational: false },
                later(10),
              ),
            ),
          )
        })
        yield* attach(a, later(90))
        yield* attach(b, later(80))
        yield* write(yield* Effect.fromResult(decide(d, { _tag: "archive" }, later(20))))
        const ids = (query: Partial<BlastQuery>) =>
          Effect.map(store.list(workspace, { ...everything, ...query }, noon), ({ items, total }) => {
            assert.isAtLeast(total, items.length)
            return items.map(({ blast }) => blast.id)
          })
        const firstOfTies = [c.id, d.id].sort()
        const tie = [a.id, b.id].sort()
        assert.deepStrictEqual(yield* ids({}), [...tie, c.id])
        assert.deepStrictEqual(yield* ids({ status: "any", sortBy: "name", sortOrder: "asc" }), [
          ...firstOfTies,
          a.id,
          b.id,
        ])
        assert.deepStrictEqual(yield* ids({ status: "any", sortBy: "name" }), [b.id, a.id, ...firstOfTies])
        assert.deepStrictEqual(yield* ids({ status: "archived" }), [d.id])
        assert.deepStrictEqual(yield* ids({ status: "scheduled", sortBy: "created_at", sortOrder: "asc" }), [
          a.id,
          b.id,
        ])
        for (const sortOrder of ["asc", "desc"] as const) {
          const times = sortOrder === "asc" ? [b.id, a.id] : [a.id, b.id]
          assert.deepStrictEqual(yield* ids({ sortBy: "scheduled_at", sortOrder }), [...times, c.id])
        }
        assert.deepStrictEqual(yield* ids({ search: "ÖL" }), tie)
        assert.deepStrictEqual(yield* ids({ search: "%" }), [a.id])
        assert.deepStrictEqual(yield* ids({ search: "_" }), [b.id])
        assert.deepStrictEqual(yield* ids({ search: "nothing" }), [])
        assert.deepStrictEqual(yield* ids({ page: 2, limit: 2 }), [c.id])
        assert.strictEqual((yield* store.list(workspace, { ...everything, page: 9 }, noon)).total, 3)
      }),
    )

    it.effect("shows the same related data for one blast and in a listing, except what only readiness depends on", () =>
      Effect.gen(function* () {
        const world = yield* furnished({ postalAddress: null })
        const { store, workspace, write, person, listOf, approvedEmail, draft, emails, setDomain } = world
        yield* setDomain("pending.test", "pending")
        const blank = yield* draft("a")
        const bare = (yield* store.get(workspace, blank.id, noon)).facts
        assert.deepInclude(bare, { list: null, email: null, senderAddress: null, postalAddress: null })
        assert.deepStrictEqual([...bare.verifiedDomains], ["example.test"])

        const list = yield* listOf("friends", [yield* person("ann"), yield* person("bob")])
        const { id: emailId } = yield* approvedEmail("mail", { html: "<p>{{contact.nick|x}} {{contact.city}}</p>" })
        const audience = yield* Effect.fromResult(
          decide(
            blank,
            { _tag: "setAudience", audience: { listId: list.id, source: "existing" }, lists: [] },
            later(1),
          ),
        )
        yield* write(audience)
        yield* write(
          yield* Effect.fromResult(
            decide(
              audience.after,
              { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null },
              later(2),
            ),
          ),
        )
        const email = yield* emails.get(workspace, emailId)
        assert(email.approval !== null)
        const found = yield* store.get(workspace, blank.id, noon)
        assert.deepStrictEqual(found.facts.list, {
          listId: list.id,
          name: "friends",
          kind: "static",
          memberCount: 2,
          empty: false,
        })
        assert.deepInclude(found.facts.email, {
          emailId,
          name: "mail",
          status: "approved",
          subject: email.subject,
          currentVersion: 1,
          approval: { approvalId: email.approval.id, version: 1, by: "worker" },
        })
        assert.strictEqual(found.facts.senderAddress, "news@example.test")
        const { blast } = found
        assert(blast.status === "draft")
        assert.deepStrictEqual(readiness(blast, found.facts), {
          ready: true,
          missing: ["schedule"],
          warnings: ["unresolved_tokens", "no_postal_address"],
        })
        const [listed] = (yield* store.list(workspace, everything, noon)).items
        assert(found.facts.list !== null && found.facts.email !== null)
        assert.deepStrictEqual(listed, {
          ...found,
          facts: {
            list: Struct.omit(found.facts.list, ["empty"]),
            email: Struct.omit(found.facts.email, ["texts"]),
            approvedHeader: found.facts.approvedHeader,
          },
        })
      }),
    )

    it.effect("judges an unapproved email by its draft and an approved one by its approval", () =>
      Effect.gen(function* () {
        const { store, workspace, write, draft, draftEmail, approve, transact, emails } = yield* furnished()
        const made = yield* draftEmail("mail", { fromAddress: "a@other.test", html: "<p>{{contact.nick}}</p>" })
        const blank = yield* draft("a")
        yield* write(
          yield* Effect.fromResult(
            decide(
              blank,
              { _tag: "setEmail", email: { emailId: made.id, source: "inline" }, inlineEmail: null },
              later(1),
            ),
          ),
        )
        const judged = Effect.map(store.get(workspace, blank.id, noon), ({ blast, facts }) => {
          assert(blast.status === "draft")
          const { missing, warnings } = readiness(blast, facts)
          return [missing, warnings]
        })
        assert.deepStrictEqual(yield* judged, [
          ["audience", "email_approval", "schedule", "sender_domain"],
          ["unresolved_tokens"],
        ])
        yield* approve(made.id)
        // The email was edited after the approval: the approval counts.
        yield* transact(
          Effect.gen(function* () {
            const current = yield* emails.lock(workspace, made.id)
            const change = EmailChange.update(
              current,
              { fromAddress: "b@example.test", subject: "plain" },
              { by: "worker", now: later(9) },
            )
            yield* emails.apply(workspace, yield* Effect.fromResult(change))
          }),
        )
        assert.deepStrictEqual(yield* judged, [
          ["audience", "schedule", "sender_domain"],
          ["unresolved_tokens", "email_changed_since_approval"],
        ])
        const { facts } = yield* store.get(workspace, blank.id, noon)
        assert.deepStrictEqual(emailChanges(facts), ["subject", "from_address"])
        assert.strictEqual(facts.approvedHeader?.fromAddress, "a@other.test")
        assert.strictEqual(facts.email?.header.fromAddress, "b@example.test")
      }),
    )

    it.effect("shows each kind of audience without contacts as empty, and a deleted audience as none", () =>
      Effect.gen(function* () {
        const { store, workspace, write, draft, list, lists, transact, person } = yield* furnished()
        const system = yield* lists.list(workspace, { page: 1, limit: 100, search: null, kind: "system" })
        const unsubscribed = system.items.find((each) => each.kind === "system" && each.systemList === "unsubscribed")
        assert(unsubscribed !== undefined)
        const emptyList = yield* list("empty", { kind: "static", contactIds: [] })
        const nowhere = yield* list("nowhere", { kind: "dynamic", rules: inCity("Atlantis") })
        const zurich = yield* list("zurich", { kind: "dynamic", rules: inCity("Zürich") })
        const ruleless = yield* list("ruleless", { kind: "dynamic", rules: null })
        yield* person("ann", { city: "zürich" })
        const shown = Effect.fnUntraced(function* (id: ListId) {
          const blank = yield* draft(`to ${id}`)
          yield* write(
            yield* Effect.fromResult(
              decide(blank, { _tag: "setAudience", audience: { listId: id, source: "existing" }, lists: [] }, later(1)),
            ),
          )
          const { facts } = yield* store.get(workspace, blank.id, noon)
          return [facts.list?.kind, facts.list?.memberCount, facts.list?.empty]
        })
        assert.deepStrictEqual(yield* shown(emptyList.id), ["static", 0, true])
        assert.deepStrictEqual(yield* shown(nowhere.id), ["dynamic", null, true])
        assert.deepStrictEqual(yield* shown(zurich.id), ["dynamic", null, false])
        assert.deepStrictEqual(yield* shown(ruleless.id), ["dynamic", null, true])
        assert.deepStrictEqual(yield* shown(unsubscribed.id), ["system", null, true])
        const owner = yield* draft("owner")
        const gone = ListChange.discardInline({ ...zurich, ownerBlastId: owner.id }, later(9))
        yield* transact(lists.apply(workspace, gone))
        assert.deepStrictEqual(yield* shown(zurich.id), [undefined, undefined, undefined])
      }),
    )
  })
