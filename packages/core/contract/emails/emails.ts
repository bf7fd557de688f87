// Contract tests of what only emails have among documents.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { createBlast, decide, type BlastChange } from "../../src/blasts/machine.ts"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import type { LaunchFacts } from "../../src/blasts/Readiness.ts"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { FieldChange } from "../../src/contacts/CustomField.ts"
import { EmailChange } from "../../src/emails/Email.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import { BlastId, DomainId, EmailId, FieldDefinitionId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { DomainStatus } from "../../src/workspaces/SendingDomain.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { supposed } from "../blasts/blastWorld.ts"
import { at, begin, edit, emailSample, type Ports } from "../documents/documentWorld.ts"
import { Fresh } from "../kernel/fresh.ts"

export const emails = <E>(name: string, live: Layer.Layer<Ports | ContactFieldStore | BlastStore, E>) =>
  layer(live, { excludeTestServices: true })(`EmailStore (${name})`, (it) => {
    const start = begin(emailSample)

    it.effect("writes the preview text into the current HTML", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move, setContent } = yield* start
        const { id } = yield* made()
        yield* setContent(id, "<p>two</p>")
        yield* move(id, (current) =>
          Result.getOrThrow(EmailChange.update(current, { previewText: "pre" }, edit(2_500))),
        )
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        const html = yield* store.html(workspace, id, 2)
        assert.match(html, /pre.*<p>two<\/p>$/)
        assert.strictEqual((yield* store.current(workspace, id)).html, html)
      }),
    )

    it.effect("builds the first generation on the template's HTML until there is a version", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, move, setContent, request } = yield* start
        const id = EmailId.make(yield* fresh.id)
        const fields = emailSample.given(id)
        const asked = { id, fields, createdByName: "a key", ...edit(1_000), request: yield* request }
        const decision = EmailChange.createByPrompt({ ...asked, basis: "<p>template</p>" })
        yield* transact(store.apply(workspace, Result.getOrThrow(decision)))
        assert.strictEqual(yield* store.basis(workspace, id), "<p>template</p>")
        yield* move(id, (locked) => EmailChange.fail(locked, asked.request.id, "No", at(2_000)))
        yield* move(id, (locked) => Result.getOrThrow(EmailChange.update(locked, { subject: "New" }, edit(2_001))))
        assert.strictEqual(yield* store.basis(workspace, id), "<p>template</p>")
        yield* setContent(id, "<p>mine</p>")
        assert.strictEqual(yield* store.basis(workspace, id), "<p>mine</p>")
      }),
    )

    it.effect("is used by scheduled and sending blasts, by name, and by no others", () =>
      Effect.gen(function* () {
        const { store, workspace, made } = yield* start
        const { id } = yield* made()
        const other = yield* made()
        const scheduled = yield* blast(workspace, id, "b scheduled", (draft, facts) =>
          decide(draft, { _tag: "schedule", by: "worker", facts, scheduledAt: at(90_000), operational: false }, at(5)),
        )
        const sending = yield* blast(workspace, id, "A sending", (draft, facts) =>
          decide(draft, { _tag: "launch", by: "worker", facts, operational: false }, at(5)),
        )
        yield* blast(workspace, id, "c draft", null)
        yield* blast(workspace, other.id, "d other", (draft, facts) =>
          decide(draft, { _tag: "launch", by: "worker", facts, operational: false }, at(5)),
        )
        const users = [
          { type: "blast" as const, id: sending, name: "A sending" },
          { type: "blast" as const, id: scheduled, name: "b scheduled" },
        ]
        assert.deepStrictEqual(yield* store.uses(workspace, id), { users, count: 2 })
        assert.deepStrictEqual(yield* store.uses(yield* (yield* Fresh).workspace(), id), emailSample.unused)
      }),
    )

    it.effect("reads the same facts as the rooms that own them", () =>
      Effect.gen(function* () {
        const { transact, workspace, fresh } = yield* start
        const store = yield* EmailStore
        const workspaces = yield* WorkspaceStore
        const fields = yield* ContactFieldStore
        assert.deepStrictEqual(yield* store.facts(workspace), {
          verifiedDomains: [],
          customFields: [],
          fourEyes: false,
        })
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
        const active = (yield* fields.list(workspace)).filter(({ status }) => status === "active")
        assert.deepStrictEqual(facts.customFields, active.map(({ apiName }) => apiName).sort())
        assert.deepStrictEqual(facts.customFields, ["color", "size"])
        assert.deepStrictEqual(yield* store.facts(yield* fresh.workspace()), {
          verifiedDomains: [],
          customFields: [],
          fourEyes: false,
        })
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
