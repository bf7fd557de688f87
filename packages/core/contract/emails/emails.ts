// The laws of the port to emails.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer, Result } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { createBlast, decide, type BlastChange } from "../../src/blasts/machine.ts"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import type { LaunchFacts } from "../../src/blasts/Launch.ts"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { FieldChange } from "../../src/contacts/CustomField.ts"
import type { Email, LockedEmail } from "../../src/emails/Email.ts"
import { EmailChange } from "../../src/emails/EmailChange.ts"
import type { EmailFields } from "../../src/emails/EmailFields.ts"
import type { EmailUses } from "../../src/emails/EmailErrors.ts"
import { type EmailQuery, EmailStore } from "../../src/emails/EmailStore.ts"
import { ApprovalId, BlastId, DomainId, EmailId, FieldDefinitionId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { Transactor } from "../../src/kernel/Transactor.ts"
import type { DomainStatus } from "../../src/workspaces/SendingDomain.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { supposed } from "../blasts/blastWorld.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

const whole: Omit<EmailFields, "name"> = {
  subject: "Grüße 🦊 {{contact.first_name}}",
  previewText: null,
  fromName: "Acme",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
}
const everything: EmailQuery = { status: null, search: null, after: null, limit: 100 }
const ready = { verifiedDomains: ["example.test"] }
const unused: EmailUses = { users: [], count: 0 }

export const emails = <E>(
  name: string,
  live: Layer.Layer<EmailStore | WorkspaceStore | ContactFieldStore | BlastStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`email laws: ${name}`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      return { store: yield* EmailStore, ...(yield* Transactor), fresh, workspace: yield* fresh.workspace() }
    })

    const made = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      fields: Partial<EmailFields> = {},
      options: { readonly html?: string; readonly at_ms?: number } = {},
    ) {
      const store = yield* EmailStore
      const { transact } = yield* Transactor
      const change = Result.getOrThrow(
        EmailChange.create({
          id: EmailId.make(yield* (yield* Fresh).id),
          fields: { ...whole, name: "An email", ...fields },
          html: options.html ?? "<p>one</p>",
          createdByName: "a key",
          now: at(options.at_ms ?? 1_234),
        }),
      )
      yield* transact(store.apply(workspace, change))
      return change.after
    })

    /** Locks, decides and writes, as use cases do. */
    const change = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      id: EmailId,
      decide: (current: LockedEmail) => Result.Result<EmailChange<Email>, unknown>,
    ) {
      const store = yield* EmailStore
      const { transact } = yield* Transactor
      return yield* transact(
        Effect.gen(function* () {
          const decided = Result.getOrThrow(decide(yield* store.lock(workspace, id)))
          yield* store.apply(workspace, decided)
          return decided.after
        }),
      )
    })

    const setContent = (workspace: WorkspaceId, id: EmailId, html: string) =>
      change(workspace, id, ({ email }) => EmailChange.setContent(email, html, at(2_000)))

    const approve = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId) {
      const approvalId = ApprovalId.make(yield* (yield* Fresh).id)
      const after = yield* change(workspace, id, (current) =>
        EmailChange.approve(current, ready, { approvalId }, at(3_000)),
      )
      return { after, approvalId }
    })

    it.effect("an email is found again as it was written, with its HTML", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const html = "<P Class=x>é ☃ 🦊</P>\r\n\t<!-- c --><br/>\n"
        const email = yield* made(workspace, {}, { html })
        assert.deepStrictEqual(yield* store.find(workspace, email.id), email)
        assert.deepStrictEqual(yield* store.current(workspace, email.id), { email, html })
        assert.deepStrictEqual(yield* transact(store.lock(workspace, email.id)), { email, html, generation: null })
        const bare = yield* made(workspace, {
          name: "bare",
          subject: null,
          fromName: null,
          fromAddress: null,
          replyToEmail: null,
        })
        assert.deepStrictEqual(yield* store.find(workspace, bare.id), bare)
      }),
    )

    it.effect("each version keeps its HTML, and a preview text is written over the current one", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const { id } = yield* made(workspace)
        const after = yield* setContent(workspace, id, "<p>two</p>")
        assert.deepStrictEqual(yield* store.find(workspace, id), after)
        yield* change(workspace, id, (current) => EmailChange.update(current, { previewText: "pre" }, at(2_500)))
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        const html = yield* store.html(workspace, id, 2)
        assert.match(html, /pre.*<p>two<\/p>$/)
        assert.strictEqual((yield* store.current(workspace, id)).html, html)
        for (const version of [0, 3]) {
          assert.strictEqual((yield* Effect.flip(store.html(workspace, id, version)))._tag, "NotFound")
        }
      }),
    )

    it.effect("an override of the plain text is kept, and goes", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const { id } = yield* made(workspace)
        const set = yield* change(workspace, id, ({ email }) => EmailChange.setPlainText(email, "mine\r\né", at(2_001)))
        assert.deepStrictEqual(yield* store.find(workspace, id), set)
        const gone = yield* change(workspace, id, ({ email }) => EmailChange.setPlainText(email, null, at(2_002)))
        assert.isNull(gone.plainText)
        assert.deepStrictEqual(yield* store.find(workspace, id), gone)
      }),
    )

    it.effect("what is approved is kept as it was, whatever becomes of the email", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const { id } = yield* made(workspace, { previewText: "pre" })
        const { after, approvalId } = yield* approve(workspace, id)
        assert.deepStrictEqual(yield* store.find(workspace, id), after)
        const frozen = yield* store.approval(workspace, approvalId)
        assert.strictEqual(frozen.html, yield* store.html(workspace, id, 1))
        assert.deepInclude(frozen, {
          approvalId,
          emailId: id,
          version: 1,
          previewText: "pre",
          text: "one",
          approvedAt: at(3_000),
        })
        yield* setContent(workspace, id, "<p>two</p>")
        const second = yield* approve(workspace, id)
        yield* change(workspace, id, ({ email }) => EmailChange.unapprove(email, unused, at(4_000)))
        assert.isNull((yield* store.find(workspace, id)).approval)
        assert.deepStrictEqual(yield* store.approval(workspace, approvalId), frozen)
        assert.strictEqual((yield* store.approval(workspace, second.approvalId)).version, 2)
      }),
    )

    it.effect("those who change an email at once do it one after the other, each on what the other left", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const { id } = yield* made(workspace)
        const add = (mark: string) =>
          change(workspace, id, ({ email, html }) => EmailChange.setContent(email, html + mark, at(2_000)))
        yield* Effect.all(["a", "b", "c", "d"].map(add), { concurrency: 4 })
        const { email, html } = yield* store.current(workspace, id)
        assert.strictEqual(email.currentVersion, 5)
        assert.sameMembers((html ?? "").replace("<p>one</p>", "").split(""), ["a", "b", "c", "d"])
      }),
    )

    it.effect("a change that was decided on something else is a defect and writes nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const email = yield* made(workspace)
        const stale = Result.getOrThrow(EmailChange.setContent(email, "<p>stale</p>", at(2_000)))
        yield* approve(workspace, email.id)
        const refused = yield* Effect.exit(transact(store.apply(workspace, stale)))
        assert.isTrue(Exit.hasDies(refused))
        const forged = yield* Effect.exit(
          transact(
            store.apply(workspace, Object.create(EmailChange.prototype, Object.getOwnPropertyDescriptors(stale))),
          ),
        )
        assert.isTrue(Exit.hasDies(forged))
        assert.strictEqual((yield* store.current(workspace, email.id)).html, "<p>one</p>")
      }),
    )

    it.effect("a failed transaction leaves nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const { id } = yield* made(workspace)
        const before = yield* store.current(workspace, id)
        const approvalId = ApprovalId.make(yield* (yield* Fresh).id)
        yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              const current = yield* store.lock(workspace, id)
              const decided = EmailChange.approve(current, ready, { approvalId }, at(3_000))
              yield* store.apply(workspace, Result.getOrThrow(decided))
              return yield* Effect.fail("no")
            }),
          ),
        )
        assert.deepStrictEqual(yield* store.current(workspace, id), before)
        assert.strictEqual((yield* Effect.flip(store.approval(workspace, approvalId)))._tag, "NotFound")
      }),
    )

    it.effect("another workspace sees nothing, and changes nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh } = yield* begin
        const other = yield* fresh.workspace()
        const { id } = yield* made(workspace)
        const { after, approvalId } = yield* approve(workspace, id)
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.find(other, id),
          store.current(other, id),
          store.html(other, id, 1),
          store.approval(other, approvalId),
          transact(store.lock(other, id)),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.page(other, everything), { items: [], next: null })
        const decided = Result.getOrThrow(EmailChange.setContent(after, "<p>other</p>", at(5_000)))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(other, decided)))))
        assert.deepStrictEqual(yield* store.current(workspace, id), { email: after, html: "<p>one</p>" })
      }),
    )

    const walk = Effect.fnUntraced(function* (workspace: WorkspaceId, query: Partial<EmailQuery>) {
      const store = yield* EmailStore
      const seen: Array<Email> = []
      let after: EmailQuery["after"] = null
      do {
        const page: { readonly items: ReadonlyArray<Email>; readonly next: EmailQuery["after"] } = yield* store.page(
          workspace,
          { ...everything, ...query, after },
        )
        seen.push(...page.items)
        after = page.next
      } while (after !== null)
      return seen
    })

    it.effect("a walk by pages meets each email once: the newest first, ties by id", () =>
      Effect.gen(function* () {
        const { workspace, store } = yield* begin
        const all: Array<Email> = []
        for (const at_ms of [10, 20, 20, 20, 21, 30, 30]) all.push(yield* made(workspace, {}, { at_ms }))
        const sorted = [...all].sort(
          (left, right) =>
            right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
        )
        for (const limit of [1, 2, 3, 7, 100]) assert.deepStrictEqual(yield* walk(workspace, { limit }), sorted)
        assert.isNull((yield* store.page(workspace, { ...everything, limit: 7 })).next)
        assert.isNotNull((yield* store.page(workspace, { ...everything, limit: 6 })).next)
      }),
    )

    it.effect("a listing can be narrowed by status and by a part of the name, literally and whatever its case", () =>
      Effect.gen(function* () {
        const { workspace } = yield* begin
        for (const name of ["100% Größe_x", "GRÖSSE", "Ὀδυσσεύς", "plain"]) yield* made(workspace, { name })
        const { id } = yield* made(workspace, { name: "approved plain" })
        yield* approve(workspace, id)
        const names = (query: Partial<EmailQuery>) =>
          Effect.map(walk(workspace, query), (found) => found.map((email) => email.name).sort())
        assert.deepStrictEqual(yield* names({ search: "grö" }), ["100% Größe_x", "GRÖSSE"])
        assert.deepStrictEqual(yield* names({ search: "0%" }), ["100% Größe_x"])
        assert.deepStrictEqual(yield* names({ search: "_" }), ["100% Größe_x"])
        assert.deepStrictEqual(yield* names({ search: "ΣΕΎΣ" }), ["Ὀδυσσεύς"])
        assert.deepStrictEqual(yield* names({ search: "gro\u0308sse" }), ["GRÖSSE"])
        assert.deepStrictEqual(yield* names({ search: "\\" }), [])
        assert.deepStrictEqual(yield* names({ status: "approved" }), ["approved plain"])
        assert.deepStrictEqual(yield* names({ status: "draft", search: "plain" }), ["plain"])
      }),
    )

    it.effect("blasts that are scheduled or sending count on their email, by name, and no others do", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin
        const { id } = yield* made(workspace)
        const other = yield* made(workspace)
        assert.deepStrictEqual(yield* store.uses(workspace, id), unused)
        const scheduled = yield* blast(workspace, id, "b scheduled", (draft, facts) =>
          decide(draft, { _tag: "schedule", facts, scheduledAt: at(90_000), operational: false }, at(5)),
        )
        const sending = yield* blast(workspace, id, "A sending", (draft, facts) =>
          decide(draft, { _tag: "launch", facts, operational: false }, at(5)),
        )
        yield* blast(workspace, id, "c draft", null)
        yield* blast(workspace, other.id, "d other", (draft, facts) =>
          decide(draft, { _tag: "launch", facts, operational: false }, at(5)),
        )
        const users = [
          { type: "blast" as const, id: sending, name: "A sending" },
          { type: "blast" as const, id: scheduled, name: "b scheduled" },
        ]
        assert.deepStrictEqual(yield* store.uses(workspace, id), { users, count: 2 })
        assert.deepStrictEqual(yield* store.uses(yield* (yield* Fresh).workspace(), id), unused)
      }),
    )

    it.effect("the facts agree with what the rooms they are of say themselves", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh } = yield* begin
        const workspaces = yield* WorkspaceStore
        const fields = yield* ContactFieldStore
        assert.deepStrictEqual(yield* store.facts(workspace), { verifiedDomains: [], customFields: [] })
        const statuses: ReadonlyArray<readonly [string, DomainStatus]> = [
          ["b.example", "verified"],
          ["a.example", "verified"],
          ["c.example", "pending"],
          ["d.example", "failed"],
        ]
        for (const [domain, status] of statuses) {
          yield* transact(
            workspaces.putDomain(workspace, {
              id: DomainId.make(yield* fresh.id),
              domain,
              status,
              dkimSelector: "tentpole",
              dkimPublicKey: "AAAA",
              dkimPrivateKeySealed: Uint8Array.of(1),
              verifiedAt: status === "verified" ? at(1) : null,
              createdAt: at(1),
            }),
          )
        }
        const added = Result.getOrThrow(newFields(yield* fresh.id, yield* fresh.id))
        yield* transact(fields.apply(workspace, added))
        const facts = yield* store.facts(workspace)
        const domains = yield* workspaces.domains(workspace)
        assert.deepStrictEqual(
          facts.verifiedDomains,
          domains
            .filter(({ status }) => status === "verified")
            .map(({ domain }) => domain)
            .sort(),
        )
        const active = (yield* fields.all(workspace)).filter(({ status }) => status === "active")
        assert.deepStrictEqual(facts.customFields, active.map(({ apiName }) => apiName).sort())
        assert.deepStrictEqual(facts.customFields, ["color", "size"])
        assert.deepStrictEqual(yield* store.facts(yield* fresh.workspace()), { verifiedDomains: [], customFields: [] })
      }),
    )
  })

/** A blast with this email, moved on from its draft unless `move` is null. */
const blast = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  emailId: EmailId,
  name: string,
  move: ((draft: Blast, facts: LaunchFacts) => Result.Result<BlastChange<Blast>, unknown>) | null,
) {
  const store = yield* BlastStore
  const { transact } = yield* Transactor
  const { facts, listId } = yield* supposed
  const id = BlastId.make(yield* (yield* Fresh).id)
  const created = Result.getOrThrow(createBlast(id, { name }, at(2)))
  yield* transact(store.apply(workspace, created))
  const heard = Result.getOrThrow(
    decide(created.after, { _tag: "setAudience", audience: { listId, source: "existing" }, lists: [] }, at(3)),
  )
  yield* transact(store.apply(workspace, heard))
  const written = Result.getOrThrow(
    decide(heard.after, { _tag: "setEmail", email: { emailId, source: "existing" }, inlineEmail: null }, at(4)),
  )
  yield* transact(store.apply(workspace, written))
  if (move !== null) yield* transact(store.apply(workspace, Result.getOrThrow(move(written.after, facts))))
  return id
})

const newFields = (...ids: ReadonlyArray<string>) =>
  FieldChange.create(
    ["size", "color"].map((apiName) => ({
      apiName,
      displayName: apiName,
      valueType: "string" as const,
      isEditable: true,
      description: null,
      showInPeopleListDefault: false,
    })),
    { existing: [], ids: ids.map((id) => FieldDefinitionId.make(id)), now: at(1) },
    { provenanceKind: "api", pathOf: () => "" },
  )
