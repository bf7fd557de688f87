// Contract tests of the ports of documents, the same for emails, email templates and tent templates.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import type { DocumentTypes } from "../../src/documents/Document.ts"
import type { DocumentQuery, DocumentStore } from "../../src/documents/DocumentStore.ts"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { ApprovalId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { Cursor } from "../../src/kernel/Page.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { documentGenerations } from "./documentGenerations.ts"
import {
  at,
  begin,
  edit,
  emailSample,
  emailTemplateSample,
  type Ports,
  type Sample,
  tentTemplateSample,
} from "./documentWorld.ts"

export const documents = <E>(name: string, live: Layer.Layer<Ports, E>) => {
  contractOf(name, live, emailSample)
  contractOf(name, live, emailTemplateSample)
  contractOf(name, live, tentTemplateSample)
  documentGenerations(name, live, emailSample)
  documentGenerations(name, live, emailTemplateSample)
  documentGenerations(name, live, tentTemplateSample)
}

const everything: DocumentQuery = { status: null, search: null, after: null, limit: 100 }

const contractOf = <E, T extends DocumentTypes>(name: string, live: Layer.Layer<Ports, E>, sample: Sample<T>) =>
  layer(live, { excludeTestServices: true })(`DocumentStore (${sample.kind}, ${name})`, (it) => {
    const start = begin(sample)
    const { machine } = sample

    it.effect("reads a document as it was written, with its HTML", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made } = yield* start
        const html = "<P Class=x>é ☃ 🦊</P>\r\n\t<!-- c --><br/>\n"
        const document = yield* made({ html, name: "Äpfel 'n' \\ % _ 🦊" })
        assert.deepStrictEqual(yield* store.get(workspace, document.id), document)
        assert.deepStrictEqual(yield* store.current(workspace, document.id), { document, html })
        const locked = yield* transact(store.lock(workspace, document.id))
        assert.deepStrictEqual(locked, { document, html, generation: null })
        const bare = yield* made({ fields: sample.bare })
        assert.deepStrictEqual(yield* store.get(workspace, bare.id), bare)
      }),
    )

    it.effect("stores the HTML of each version; an update creates no version", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move, setContent } = yield* start
        const { id } = yield* made()
        yield* setContent(id, "<p>two</p>")
        const updated = yield* move(id, (current) =>
          Result.getOrThrow(machine.update(current, sample.patch, edit(2_500))),
        )
        assert.deepStrictEqual(yield* store.get(workspace, id), updated?.after)
        assert.deepInclude<object>(updated?.after ?? {}, { currentVersion: 2, name: "other", updatedAt: at(2_500) })
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        assert.strictEqual(yield* store.html(workspace, id, 2), "<p>two</p>")
        assert.strictEqual((yield* store.current(workspace, id)).html, "<p>two</p>")
        for (const version of [0, 3]) {
          assert.strictEqual((yield* Effect.flip(store.html(workspace, id, version)))._tag, "NotFound")
        }
      }),
    )

    it.effect("stores the design of a version; a change of its HTML keeps it, and the next version has its own", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move, setContent } = yield* start
        const { id } = yield* made()
        const design = JSON.stringify({ editor: "blocks", document: { text: "é \u0000 \ud800 🦊" } })
        yield* setContent(id, "<p>two</p>", design)
        yield* move(id, (current) => Result.getOrThrow(machine.update(current, sample.patch, edit(2_500))))
        yield* setContent(id, "<p>three</p>")
        const designs = yield* Effect.forEach([1, 2, 3], (version) => store.design(workspace, id, version))
        assert.deepStrictEqual(designs, [null, design, null])
        assert.strictEqual((yield* Effect.flip(store.design(workspace, id, 4)))._tag, "NotFound")
      }),
    )

    it.effect("lists the versions with their authors and sizes, newest first, in slices", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move, setContent, started } = yield* start
        const [{ id }, other] = [yield* made({ html: "<p>é ☃</p>" }), yield* made()]
        const generation = yield* started(id)
        const written = yield* move(id, (locked) => machine.complete(locked, generation, sample.answer, at(2_200)))
        yield* setContent(id, "<p>three</p>")
        yield* move(id, (current) => Result.getOrThrow(machine.update(current, sample.patch, edit(2_500))))
        const all = yield* store.versions(workspace, id, { after: null, limit: 100 })
        const html = (yield* store.current(workspace, id)).html ?? ""
        assert.deepStrictEqual(all, {
          items: [
            {
              version: 3,
              madeBy: "upload",
              byName: "a key",
              size_bytes: encodeText(html).length,
              createdAt: at(2_000),
            },
            {
              version: 2,
              madeBy: "generation",
              byName: "asker",
              size_bytes: encodeText(written?.html ?? "").length,
              createdAt: at(2_200),
            },
            { version: 1, madeBy: "upload", byName: "a key", size_bytes: 13, createdAt: at(1_234) },
          ],
          next: null,
        })
        const first = yield* store.versions(workspace, id, { after: null, limit: 2 })
        assert.deepStrictEqual(first.items, all.items.slice(0, 2))
        const rest = yield* store.versions(workspace, id, { after: first.next, limit: 2 })
        assert.deepStrictEqual(rest, { items: all.items.slice(2), next: null })
        assert.strictEqual((yield* store.versions(workspace, other.id, { after: null, limit: 100 })).items.length, 1)
        const elsewhere = yield* start
        const theirs = yield* store.versions(elsewhere.workspace, id, { after: null, limit: 100 })
        assert.deepStrictEqual(theirs, { items: [], next: null })
      }),
    )

    it.effect.skipIf(!sample.hasPlainText)("writes and clears an override of the plain text", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move } = yield* start
        const { id } = yield* made({ fields: sample.bare })
        const set = yield* move(id, ({ document }) =>
          Result.getOrThrow(machine.setPlainText(document, "mine\r\né", edit(2_001))),
        )
        assert.deepStrictEqual(set?.after.plainText, { text: "mine\r\né", at: at(2_001), version: 1 })
        assert.deepStrictEqual(yield* store.get(workspace, id), set?.after)
        const cleared = yield* move(id, ({ document }) =>
          Result.getOrThrow(machine.setPlainText(document, null, edit(2_002))),
        )
        assert.isNull(cleared?.after.plainText)
        assert.deepStrictEqual(yield* store.get(workspace, id), cleared?.after)
      }),
    )

    it.effect("retains an approval when the document is edited, unapproved or deleted", () =>
      Effect.gen(function* () {
        const { store, workspace, fresh, made, move, approve, remove, setContent } = yield* start
        const { id } = yield* made()
        const first = yield* approve(id)
        const frozen = yield* store.approval(workspace, first)
        assert.deepInclude<object>(frozen, { approvalId: first, version: 1, html: "<p>one</p>", approvedAt: at(3_000) })
        assert.deepStrictEqual((yield* store.get(workspace, id)).approval, {
          id: first,
          version: 1,
          by: "key:tp_live_abcd",
        })
        yield* setContent(id, "<p>two</p>")
        yield* move(id, (current) => Result.getOrThrow(machine.update(current, sample.patch, edit(4_001))))
        const approvalId = ApprovalId.make(yield* fresh.id)
        const again = yield* move(id, (locked) =>
          Result.getOrThrow(machine.approve(locked, sample.facts, { approvalId }, edit(5_000))),
        )
        assert.deepStrictEqual(yield* store.approval(workspace, approvalId), again?.approved)
        const back = yield* move(id, ({ document }) =>
          Result.getOrThrow(machine.unapprove(document, sample.unused, at(6_000))),
        )
        assert.isNull(back?.after.approval)
        assert.deepStrictEqual(yield* store.get(workspace, id), back?.after)
        yield* remove(id)
        assert.deepStrictEqual(yield* store.approval(workspace, first), frozen)
        assert.strictEqual((yield* store.approval(workspace, approvalId)).html, "<p>two</p>")
      }),
    )

    it.effect("deletes a document with its versions, and no other document", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, remove, setContent } = yield* start
        const [{ id }, other] = [yield* made(), yield* made()]
        yield* setContent(id, "<p>two</p>")
        yield* remove(id)
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.get(workspace, id),
          store.current(workspace, id),
          store.html(workspace, id, 1),
          store.html(workspace, id, 2),
          store.basis(workspace, id),
          transact(store.lock(workspace, id)),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.deepStrictEqual((yield* store.list(workspace, everything)).items, [other])
        assert.strictEqual(yield* store.html(workspace, other.id, 1), "<p>one</p>")
      }),
    )

    it.effect("finds no use of a document that is used by no send and no template", () =>
      Effect.gen(function* () {
        const { store, workspace, made } = yield* start
        const { id } = yield* made()
        assert.deepStrictEqual(yield* store.uses(workspace, id), sample.unused)
      }),
    )

    it.effect("runs concurrent changes of a document one after the other", () =>
      Effect.gen(function* () {
        const { store, workspace, made, move } = yield* start
        const { id } = yield* made()
        const add = (mark: string) =>
          move(id, ({ document, html }) =>
            Result.getOrThrow(machine.setContent(document, { html: html + mark, byName: "a key" }, edit(2_000))),
          )
        yield* Effect.all(["a", "b", "c", "d"].map(add), { concurrency: 4 })
        const { document, html } = yield* store.current(workspace, id)
        assert.strictEqual(document.currentVersion, 5)
        assert.sameMembers((html ?? "").replace("<p>one</p>", "").split(""), ["a", "b", "c", "d"])
      }),
    )

    it.effect("dies on a change that was not decided on the current document, and writes nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, approve } = yield* start
        const document = yield* made()
        const stale = Result.getOrThrow(
          machine.setContent(document, { html: "<p>stale</p>", byName: "a key" }, edit(2_000)),
        )
        yield* approve(document.id)
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, stale)))))
        const removal = Result.getOrThrow(machine.remove({ document, generation: null }, sample.unused))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, removal)))))
        assert.strictEqual((yield* store.current(workspace, document.id)).html, "<p>one</p>")
      }),
    )

    it.effect("writes nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, made } = yield* start
        const { id } = yield* made()
        const before = yield* store.current(workspace, id)
        const approvalId = ApprovalId.make(yield* fresh.id)
        yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              const locked = yield* store.lock(workspace, id)
              const decided = machine.approve(locked, sample.facts, { approvalId }, edit(3_000))
              yield* store.apply(workspace, Result.getOrThrow(decided))
              return yield* Effect.fail("no")
            }),
          ),
        )
        assert.deepStrictEqual(yield* store.current(workspace, id), before)
        assert.strictEqual((yield* Effect.flip(store.approval(workspace, approvalId)))._tag, "NotFound")
      }),
    )

    it.effect("shows and changes nothing of another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh, made, approve } = yield* start
        const other = yield* fresh.workspace()
        const { id } = yield* made()
        const approvalId = yield* approve(id)
        const before = yield* store.current(workspace, id)
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.get(other, id),
          store.current(other, id),
          store.html(other, id, 1),
          store.design(other, id, 1),
          store.basis(other, id),
          store.approval(other, approvalId),
          transact(store.lock(other, id)),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.list(other, everything), { items: [], next: null })
        const decided = Result.getOrThrow(
          machine.setContent(before.document, { html: "<p>other</p>", byName: "a key" }, edit(5_000)),
        )
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(other, decided)))))
        assert.deepStrictEqual(yield* store.current(workspace, id), before)
      }),
    )

    it.effect("lists each document once by pages: the newest first, ties by id", () =>
      Effect.gen(function* () {
        const { workspace, store, made } = yield* start
        const all: Array<T["document"]> = []
        for (const at_ms of [10, 20, 20, 20, 21, 30, 30]) all.push(yield* made({ at_ms }))
        const sorted = [...all].sort(
          (left, right) =>
            right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
        )
        for (const limit of [1, 2, 3, 7, 100]) {
          assert.deepStrictEqual(yield* walk(store, workspace, { limit }), sorted)
        }
        assert.isNull((yield* store.list(workspace, { ...everything, limit: 7 })).next)
        assert.isNotNull((yield* store.list(workspace, { ...everything, limit: 6 })).next)
      }),
    )

    it.effect("filters a listing by status and by a part of the name, literally and in any case", () =>
      Effect.gen(function* () {
        const { workspace, store, made, approve } = yield* start
        for (const named of ["100% Größe_x", "GRÖSSE", "Ὀδυσσεύς", "plain"]) yield* made({ name: named })
        yield* approve((yield* made({ name: "approved plain" })).id)
        const names = (query: Partial<DocumentQuery>) =>
          Effect.map(walk(store, workspace, query), (found) => found.map((each) => each.name).sort())
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
  })

const walk = Effect.fnUntraced(function* <T extends DocumentTypes>(
  store: DocumentStore<T>,
  workspace: WorkspaceId,
  query: Partial<DocumentQuery>,
) {
  const seen: Array<T["document"]> = []
  let after: Cursor | null = null
  do {
    const page: { readonly items: ReadonlyArray<T["document"]>; readonly next: Cursor | null } = yield* store.list(
      workspace,
      { ...everything, ...query, after },
    )
    seen.push(...page.items)
    after = page.next
  } while (after !== null)
  return seen
})
