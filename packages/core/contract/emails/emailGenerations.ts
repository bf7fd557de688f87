// The laws of the port to emails, where the AI writes them and where they are deleted: generations, the credits that go with
// them, what the next one builds on, and what stays when an email goes.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer, Result } from "effect"
import type { Email, LockedEmail } from "../../src/emails/Email.ts"
import { EmailChange } from "../../src/emails/EmailChange.ts"
import type { EmailUses } from "../../src/emails/EmailErrors.ts"
import { EmailStore } from "../../src/emails/EmailStore.ts"
import { ApprovalId, EmailId, GenerationId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { Transactor } from "../../src/kernel/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const unused: EmailUses = { users: [], count: 0 }
const fields = {
  name: "An email",
  subject: "Hello",
  fromName: "Acme",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
}
const written = { html: "<p>by the AI</p>", subject: null, previewText: null }

export const emailGenerations = <E>(
  name: string,
  live: Layer.Layer<EmailStore | WorkspaceStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`email generation laws: ${name}`, (it) => {
    const begin = Effect.fnUntraced(function* (credits = 3) {
      const fresh = yield* Fresh
      const workspaces = yield* WorkspaceStore
      const workspace = yield* fresh.workspace({ credits })
      const left = Effect.map(workspaces.find(workspace), (found) => found.credits)
      return { store: yield* EmailStore, ...(yield* Transactor), fresh, workspace, left }
    })

    const apply = Effect.fnUntraced(function* <After extends Email | null>(
      workspace: WorkspaceId,
      change: EmailChange<After>,
    ) {
      yield* (yield* Transactor).transact((yield* EmailStore).apply(workspace, change))
      return change.after
    })

    const asked = Effect.map(
      Effect.flatMap(Fresh, ({ id }) => id),
      (id) => ({
        id: GenerationId.make(id),
        prompt: "Write é ☃",
        createdByName: "a key",
      }),
    )

    const begun = Effect.fnUntraced(function* () {
      return { id: EmailId.make(yield* (yield* Fresh).id), fields, createdByName: "a key", now: at(1_000) }
    })

    const uploaded = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const change = EmailChange.create({ ...(yield* begun()), html: "<p>one</p>" })
      return yield* apply(workspace, Result.getOrThrow(change))
    })

    /** One that the AI is to write, on top of this HTML. */
    const prompted = Effect.fnUntraced(function* (workspace: WorkspaceId, basis: string | null) {
      const prompt = yield* asked
      const change = EmailChange.createByPrompt({ ...(yield* begun()), basis, asked: prompt })
      const email = yield* apply(workspace, Result.getOrThrow(change))
      return { email, id: email.id, generation: prompt.id }
    })

    /** Locks, decides and writes, as use cases do. Null writes nothing. */
    const change = Effect.fnUntraced(function* <After extends Email | null>(
      workspace: WorkspaceId,
      id: EmailId,
      decide: (current: LockedEmail) => EmailChange<After> | null,
    ) {
      const store = yield* EmailStore
      const { transact } = yield* Transactor
      return yield* transact(
        Effect.gen(function* () {
          const decided = decide(yield* store.lock(workspace, id))
          if (decided !== null) yield* store.apply(workspace, decided)
          return decided
        }),
      )
    })

    const started = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId, now = 2_000) {
      const prompt = yield* asked
      yield* change(workspace, id, (current) => Result.getOrThrow(EmailChange.generate(current, prompt, at(now))))
      return prompt.id
    })

    it.effect("an email that the AI is to write is there without HTML, its generation going on, a credit taken", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, left } = yield* begin()
        const { email, id, generation } = yield* prompted(workspace, null)
        assert.deepInclude(email, { currentVersion: 0, generationStatus: "generating" })
        assert.deepStrictEqual(yield* store.find(workspace, id), email)
        assert.deepStrictEqual(yield* store.current(workspace, id), { email, html: null })
        const going = yield* store.generation(workspace, id, generation)
        assert.deepStrictEqual(going, {
          id: generation,
          status: "generating",
          prompt: "Write é ☃",
          version: null,
          error: null,
          createdByName: "a key",
          createdAt: at(1_000),
          completedAt: null,
        })
        assert.deepStrictEqual(yield* transact(store.lock(workspace, id)), { email, html: null, generation: going })
        const query = { status: null, search: null, after: null, limit: 10 }
        assert.deepStrictEqual((yield* store.page(workspace, query)).items, [email])
        assert.strictEqual(yield* left, 2)
      }),
    )

    it.effect("a completed generation is the next version; its credit stays taken", () =>
      Effect.gen(function* () {
        const { store, workspace, left } = yield* begin()
        const { id } = yield* uploaded(workspace)
        const generation = yield* started(workspace, id)
        yield* change(workspace, id, (current) => EmailChange.complete(current, generation, written, at(3_000)))
        const { email, html } = yield* store.current(workspace, id)
        assert.deepInclude(email, { currentVersion: 2, generationStatus: "completed" })
        assert.strictEqual(html, written.html)
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        assert.deepInclude(yield* store.generation(workspace, id, generation), {
          status: "completed",
          version: 2,
          completedAt: at(3_000),
        })
        assert.strictEqual(yield* left, 2)
      }),
    )

    it.effect("a failed one gives its credit back, once, and makes nothing; the next one is the latest", () =>
      Effect.gen(function* () {
        const { store, workspace, left } = yield* begin()
        const { id } = yield* uploaded(workspace)
        const first = yield* started(workspace, id)
        const fail = change(workspace, id, (current) => EmailChange.fail(current, first, "No", at(3_000)))
        assert.isNotNull(yield* fail)
        assert.isNull(yield* fail)
        assert.deepInclude((yield* store.current(workspace, id)).email, {
          currentVersion: 1,
          generationStatus: "failed",
        })
        assert.deepInclude(yield* store.generation(workspace, id, first), { status: "failed", error: "No" })
        assert.strictEqual(yield* left, 3)
        // As by a process whose clock is behind.
        const second = yield* started(workspace, id, 1_500)
        assert.strictEqual((yield* store.find(workspace, id)).generationStatus, "generating")
        assert.isNull(
          yield* change(workspace, id, (current) => EmailChange.complete(current, first, written, at(4_000))),
        )
        yield* change(workspace, id, (current) => EmailChange.complete(current, second, written, at(4_000)))
        assert.strictEqual((yield* store.find(workspace, id)).generationStatus, "completed")
      }),
    )

    it.effect("without a credit nothing is written; of two who want the last one, one gets it", () =>
      Effect.gen(function* () {
        const { store, workspace, left } = yield* begin(1)
        const [one, other] = [yield* uploaded(workspace), yield* uploaded(workspace)]
        const exits = yield* Effect.all(
          [one, other].map(({ id }) => Effect.result(started(workspace, id))),
          { concurrency: 2 },
        )
        const refused = exits.flatMap((exit) => (Result.isFailure(exit) ? [exit.failure._tag] : []))
        assert.deepStrictEqual(refused, ["InsufficientCredits"])
        assert.strictEqual(yield* left, 0)
        const statuses = [yield* store.find(workspace, one.id), yield* store.find(workspace, other.id)]
        assert.sameMembers(
          statuses.map(({ generationStatus }) => generationStatus),
          ["generating", null],
        )
        const none = yield* Effect.flip(prompted(workspace, null))
        assert.strictEqual(none._tag, "InsufficientCredits")
        const query = { status: null, search: null, after: null, limit: 10 }
        assert.lengthOf((yield* store.page(workspace, query)).items, 2)
      }),
    )

    it.effect("of several who ask at once for one email, one is taken and the others find it going on", () =>
      Effect.gen(function* () {
        const { workspace, left } = yield* begin()
        const { id } = yield* uploaded(workspace)
        const ask = Effect.gen(function* () {
          const prompt = yield* asked
          let tag = "taken"
          yield* change(workspace, id, (current) => {
            const decided = EmailChange.generate(current, prompt, at(2_000))
            if (Result.isFailure(decided)) tag = decided.failure._tag
            return Result.isSuccess(decided) ? decided.success : null
          })
          return tag
        })
        const tags = yield* Effect.all([ask, ask, ask, ask], { concurrency: 4 })
        assert.deepStrictEqual([...tags].sort(), [...Array.from({ length: 3 }, () => "GenerationInProgress"), "taken"])
        assert.strictEqual(yield* left, 2)
      }),
    )

    it.effect("a generation builds on the template's HTML until there is a version, then on the current one", () =>
      Effect.gen(function* () {
        const { store, workspace } = yield* begin()
        const { id, generation } = yield* prompted(workspace, "<p>template</p>")
        assert.strictEqual(yield* store.basis(workspace, id), "<p>template</p>")
        yield* change(workspace, id, (current) => EmailChange.fail(current, generation, "No", at(2_000)))
        yield* change(workspace, id, (current) =>
          Result.getOrThrow(EmailChange.update(current, { subject: "New" }, at(2_001))),
        )
        assert.strictEqual(yield* store.basis(workspace, id), "<p>template</p>")
        yield* change(workspace, id, ({ email }) =>
          Result.getOrThrow(EmailChange.setContent(email, "<p>mine</p>", at(3_000))),
        )
        assert.strictEqual(yield* store.basis(workspace, id), "<p>mine</p>")
        const bare = yield* prompted(workspace, null)
        assert.isNull(yield* store.basis(workspace, bare.id))
      }),
    )

    it.effect("a deleted email is gone with its versions and generations; a generation that goes on is paid back", () =>
      Effect.gen(function* () {
        const { store, workspace, left, fresh } = yield* begin()
        const { id } = yield* uploaded(workspace)
        const other = yield* uploaded(workspace)
        const approvalId = ApprovalId.make(yield* fresh.id)
        const facts = { verifiedDomains: ["example.test"] }
        yield* change(workspace, id, (current) =>
          Result.getOrThrow(EmailChange.approve(current, facts, { approvalId }, at(1_500))),
        )
        const frozen = yield* store.approval(workspace, approvalId)
        const generation = yield* started(workspace, id)
        const kept = yield* started(workspace, other.id)
        assert.strictEqual(yield* left, 1)
        yield* change(workspace, id, (current) => Result.getOrThrow(EmailChange.remove(current, unused)))
        assert.strictEqual(yield* left, 2)
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.find(workspace, id),
          store.current(workspace, id),
          store.html(workspace, id, 1),
          store.basis(workspace, id),
          store.generation(workspace, id, generation),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.approval(workspace, approvalId), frozen)
        assert.strictEqual(yield* store.html(workspace, other.id, 1), "<p>one</p>")
        assert.strictEqual((yield* store.generation(workspace, other.id, kept)).status, "generating")
      }),
    )

    it.effect("a deletion that was decided on something else is a defect, and deletes and pays nothing", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, left } = yield* begin()
        const { id } = yield* uploaded(workspace)
        yield* started(workspace, id)
        const stale = Result.getOrThrow(EmailChange.remove(yield* transact(store.lock(workspace, id)), unused))
        yield* change(workspace, id, ({ email }) =>
          Result.getOrThrow(EmailChange.setContent(email, "<p>two</p>", at(3_000))),
        )
        assert.isTrue(Exit.hasDies(yield* Effect.exit(apply(workspace, stale))))
        assert.strictEqual(yield* left, 2)
        assert.strictEqual((yield* store.find(workspace, id)).currentVersion, 2)
      }),
    )

    it.effect("another email, and another workspace, know nothing of a generation", () =>
      Effect.gen(function* () {
        const { store, workspace, fresh } = yield* begin()
        const { id, generation } = yield* prompted(workspace, "<p>template</p>")
        const other = yield* uploaded(workspace)
        const elsewhere = yield* fresh.workspace()
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.generation(workspace, other.id, generation),
          store.generation(elsewhere, id, generation),
          store.basis(elsewhere, id),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.isNull((yield* store.find(workspace, other.id)).generationStatus)
      }),
    )
  })
