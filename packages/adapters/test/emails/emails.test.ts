// Emails from the request to the stored version, on both stores.
import { tagged } from "@tentpole/core/contract"
import type { NewEmail } from "@tentpole/core/emails/NewEmail"
import { type EmailId, EmailTemplateId } from "@tentpole/core/kernel/Ids"
import { JobQueue } from "@tentpole/core/kernel/changes/Jobs"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { aiRequests, begin, type Stores, underway, world } from "../fixtures/EmailsWorld.ts"
import { memory, postgres } from "../fixtures/Stores.ts"

const promises = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { excludeTestServices: true })(`emails: ${name}`, (it) => {
    const aiOutputTest = tagged(it.effect, "attack/ai-output")
    aiOutputTest("AI output is cleaned, and fills an empty subject and preview text", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted, outcome } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        assert.deepInclude(yield* outcome(id, generation), { status: "completed", version: 1, error: null })
        const email = yield* emails.get(workspace, id)
        assert.deepInclude(email, { subject: "From the AI", currentVersion: 1, generationStatus: "completed" })
        assert.strictEqual(email.previewText, `P${"🦊".repeat(99)}`)
        const html = yield* emails.content(workspace, id)
        assert.match(html, /🦊<\/div>[^]*<h1>chairs<\/h1>/)
        assert.notMatch(html, /script|onclick/)
        assert.strictEqual(yield* credits, 2)
        const given = yield* prompted("tables", { subject: "Mine", previewText: "mine" })
        yield* outcome(given.id, given.generation)
        assert.deepInclude(yield* emails.get(workspace, given.id), { subject: "Mine", previewText: "mine" })
      }),
    )

    it.effect("a refused, silent, blank or oversized answer fails with a sentence and returns the credit once", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted, outcome } = yield* begin
        for (const [prompt, sentence] of [
          ["refused", "I would rather not"],
          ["silent", "does not answer"],
          ["blank", "it must not be empty"],
          ["huge", "larger than 2 MB"],
        ] as const) {
          const { id, generation } = yield* prompted(prompt)
          const failed = yield* outcome(id, generation)
          assert.strictEqual(failed.status, "failed")
          assert.include(failed.error, sentence)
          assert.notInclude(failed.error, "secret")
          assert.strictEqual(yield* credits, 3)
          yield* emails.abandonGeneration(workspace, id, generation)
          assert.deepStrictEqual(yield* outcome(id, generation), failed)
          assert.strictEqual(yield* credits, 3)
          assert.deepInclude(yield* emails.get(workspace, id), { currentVersion: 0, generationStatus: "failed" })
          assert.strictEqual((yield* Effect.flip(emails.content(workspace, id)))._tag, "NotFound")
        }
      }),
    )

    it.effect("creating an email enqueues its job, and a worker generates it", () =>
      Effect.gen(function* () {
        const { emails, workspace, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const done = yield* Deferred.make<void>()
        const queue = yield* JobQueue
        const handle = (job: Parameters<Parameters<typeof queue.work>[0]["handle"]>[0]) =>
          job.type === "email_generation"
            ? Effect.andThen(
                emails.runGeneration(job.workspaceId, job.emailId, job.generationId),
                job.generationId === generation ? Deferred.succeed(done, undefined) : Effect.void,
              )
            : Effect.void
        const worker = yield* Effect.forkChild(queue.work({ concurrency: 1, handle }))
        yield* Deferred.await(done)
        yield* Fiber.interrupt(worker)
        assert.strictEqual((yield* emails.get(workspace, id)).currentVersion, 1)
      }),
    )

    it.effect("HTML set during a generation is a version, and the generation creates the next one", () =>
      Effect.gen(function* () {
        const { emails, workspace, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const { writing, go } = yield* underway(workspace, id, generation)
        assert.strictEqual(
          (yield* emails.setContent(workspace, id, { html: "<p>by hand</p>", byName: "a key" })).currentVersion,
          1,
        )
        yield* emails.update(workspace, id, { subject: "By hand" })
        yield* go
        yield* Fiber.join(writing)
        assert.deepInclude(yield* emails.get(workspace, id), { currentVersion: 2, subject: "By hand" })
        assert.strictEqual(yield* emails.content(workspace, id, 1), "<p>by hand</p>")
        assert.include(yield* emails.content(workspace, id, 2), "chairs")
      }),
    )

    it.effect("an email deleted during its generation is not written, and its credit is returned", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        assert.strictEqual(yield* credits, 2)
        const { writing, go } = yield* underway(workspace, id, generation)
        yield* emails.delete(workspace, id)
        assert.strictEqual(yield* credits, 3)
        yield* go
        yield* Fiber.join(writing)
        yield* emails.abandonGeneration(workspace, id, generation)
        assert.strictEqual(yield* credits, 3)
        assert.strictEqual((yield* Effect.flip(emails.get(workspace, id)))._tag, "NotFound")
      }),
    )

    it.effect("two workers on one generation create one version and take one credit", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const write = emails.runGeneration(workspace, id, generation)
        yield* Effect.all([write, write, write], { concurrency: 3 })
        const times = aiRequests.length
        yield* write
        assert.strictEqual(aiRequests.length, times)
        assert.strictEqual((yield* emails.get(workspace, id)).currentVersion, 1)
        assert.strictEqual(yield* credits, 2)
      }),
    )

    it.effect("a crashed worker leaves the generation for the next one to complete or abandon", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("broken")
        assert.isTrue(
          Result.isFailure(yield* Effect.result(Effect.sandbox(emails.runGeneration(workspace, id, generation)))),
        )
        assert.strictEqual((yield* emails.generation(workspace, id, generation)).status, "generating")
        assert.strictEqual(yield* credits, 2)
        yield* emails.abandonGeneration(workspace, id, generation)
        const { status, error } = yield* emails.generation(workspace, id, generation)
        assert.strictEqual(status, "failed")
        assert.include(error, "failed repeatedly")
        assert.strictEqual(yield* credits, 3)
      }),
    )

    it.effect("the next generation starts from the current HTML; one at a time, and only with credits", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, outcome } = yield* begin
        const { document: email } = yield* made({ html: "<p>mine</p>" })
        const start = emails.startGeneration(workspace, email.id, { prompt: "shorter", createdByName: "a key" })
        const { id } = yield* start
        assert.strictEqual((yield* Effect.flip(start))._tag, "GenerationInProgress")
        assert.deepInclude(yield* outcome(email.id, id), { status: "completed", version: 2, prompt: "shorter" })
        assert.deepInclude(aiRequests[0], { prompt: "shorter", name: "An email", basis: "<p>mine</p>" })
        for (let credit = 0; credit < 2; credit++) yield* outcome(email.id, (yield* start).id)
        assert.strictEqual((yield* Effect.flip(start))._tag, "InsufficientCredits")
        assert.strictEqual((yield* emails.get(workspace, email.id)).generationStatus, "completed")
        const blank = yield* Effect.flip(
          emails.startGeneration(workspace, email.id, { prompt: " ", createdByName: "a key" }),
        )
        assert.strictEqual(blank._tag, "Invalid")
      }),
    )

    it.effect("HTML of users is cleaned, and stays byte for byte the same if it is clean", () =>
      Effect.gen(function* () {
        const { emails, workspace, made } = yield* begin
        const clean = "<P Class=x>é ☃</P>\r\n\t<!-- c --><br/>"
        const { document: email } = yield* made({ html: clean })
        assert.strictEqual(yield* emails.content(workspace, email.id), clean)
        yield* emails.setContent(workspace, email.id, {
          html: `<p onclick="x()">two</p><script>x()</script>`,
          byName: "a key",
        })
        const html = yield* emails.content(workspace, email.id)
        assert.include(html, "<p>two</p>")
        assert.notMatch(html, /script|onclick/)
        const deep = `<script></script>${"<div>".repeat(5_000)}`
        const refused = yield* Effect.flip(emails.setContent(workspace, email.id, { html: deep, byName: "a key" }))
        assert.deepStrictEqual(refused._tag === "Invalid" ? refused.issues.map(({ path }) => path) : refused._tag, [
          "html",
        ])
        assert.strictEqual((yield* emails.get(workspace, email.id)).currentVersion, 2)
      }),
    )

    it.effect("an email is created from exactly one source, or from a template with a prompt", () =>
      Effect.gen(function* () {
        const { made } = yield* begin
        const templateId = EmailTemplateId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11")
        const wrongs: ReadonlyArray<readonly [Partial<NewEmail>, ReadonlyArray<string>]> = [
          [{ html: "<p>", templateId }, ["template_id"]],
          [{ html: "<p>", prompt: "p" }, ["prompt"]],
          [{ html: "<p>", prompt: "p", templateId }, ["template_id", "prompt"]],
          [{ prompt: " \n" }, ["prompt"]],
          [{ prompt: "p".repeat(10_001) }, ["prompt"]],
        ]
        for (const [wrong, paths] of wrongs) {
          const refused = yield* Effect.flip(made(wrong))
          assert.deepStrictEqual(refused._tag === "Invalid" ? refused.issues.map(({ path }) => path) : refused._tag, [
            ...paths,
          ])
        }
      }),
    )

    it.effect("a duplicate is an independent draft, and a stale plain text stays stale", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, prompted } = yield* begin
        const { document: email } = yield* made({
          html: "<p>one</p>",
          subject: "S",
          previewText: "pre",
          name: "n".repeat(200),
        })
        yield* emails.setPlainText(workspace, email.id, "mine")
        yield* emails.setContent(workspace, email.id, { html: "<p>two</p>", byName: "a key" })
        const copy = yield* emails.duplicate(workspace, email.id, "another key")
        assert.notStrictEqual(copy.id, email.id)
        assert.deepInclude(copy, { subject: "S", previewText: "pre", currentVersion: 1, approval: null })
        assert.deepInclude(copy, { name: `${"n".repeat(193)} (copy)`, createdByName: "another key" })
        assert.deepStrictEqual(yield* emails.get(workspace, copy.id), copy)
        assert.strictEqual(copy.plainText?.version, 0)
        const html = (id: EmailId) => emails.content(workspace, id)
        assert.strictEqual(yield* html(copy.id), yield* html(email.id))
        yield* emails.delete(workspace, email.id)
        assert.include(yield* html(copy.id), "two")
        const unwritten = yield* prompted("chairs")
        const refused = yield* Effect.flip(emails.duplicate(workspace, unwritten.id, "a key"))
        assert.strictEqual(refused._tag, "TemplateNotReady")
      }),
    )

    it.effect("a preview is untracked, lists unknown tokens, and finds no contact of another workspace", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, prompted } = yield* begin
        const { document: email } = yield* made({
          subject: "Hi {{contact.first_name}}",
          html: `<a href="https://example.com/">{{contact.nope|x}}</a>{{unsubscribe_url}}`,
        })
        const seen = yield* emails.preview(workspace, email.id)
        assert.strictEqual(seen.subject, "Hi Sample")
        assert.include(seen.html, `<a href="https://example.com/">x</a>http://pages.test/u/`)
        assert.deepStrictEqual(seen.unresolvedTokens, ["contact.nope"])
        assert.deepStrictEqual(yield* emails.preview(workspace, email.id), seen)
        const unwritten = yield* prompted("chairs")
        assert.strictEqual((yield* Effect.flip(emails.preview(workspace, unwritten.id)))._tag, "TemplateNotReady")
      }),
    )
  })

promises("memory", memory)
promises("postgres", postgres)
