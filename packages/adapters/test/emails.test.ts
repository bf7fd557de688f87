// Emails from the request to what is kept: what users are promised, on both stores, with an AI that does as it is told.
import * as SanitizeHtml from "@tentpole/adapters/ai/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { Ai, AiRefused, AiUnavailable, type EmailRequest } from "@tentpole/core/ai/Ai"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { Fresh, settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/deliveries/Links"
import { Emails } from "@tentpole/core/emails/Emails"
import type { NewEmail } from "@tentpole/core/emails/NewEmail"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import { type EmailId, EmailTemplateId, type GenerationId, Ids, type WorkspaceId } from "@tentpole/core/Ids"
import { JobQueue, Jobs } from "@tentpole/core/Jobs"
import { Secrets } from "@tentpole/core/Secrets"
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import { EmailTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { Transactor } from "@tentpole/core/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { memory, postgres } from "./Stores.ts"

/** What the AI does with a prompt, by its words. */
let asked: Array<EmailRequest> = []
let gate: Deferred.Deferred<void> | undefined
let called: Deferred.Deferred<void> | undefined
const scripted = Layer.succeed(
  Ai,
  Ai.of({
    page: () => Effect.die("no page is asked for"),
    asksForPage: () => Effect.succeed(true),
    matchColumns: () => Effect.succeed([]),
    email: (request) =>
      Effect.gen(function* () {
        asked.push(request)
        if (called !== undefined) yield* Deferred.succeed(called, undefined)
        if (gate !== undefined) yield* Deferred.await(gate)
        const { prompt } = request
        if (prompt.includes("refused")) return yield* new AiRefused({ reason: "I would rather not" })
        if (prompt.includes("silent")) return yield* new AiUnavailable({ reason: "secret detail" })
        if (prompt.includes("broken")) return yield* Effect.die("the worker's power fails")
        const html = prompt.includes("huge")
          ? "x".repeat(2 ** 21 + 1)
          : prompt.includes("blank")
            ? " \n"
            : `<html><body><h1 onclick="x()">${prompt}</h1><script>x()</script></body></html>`
        return { html, subject: " From\r\nthe AI ", previewText: `P${"🦊".repeat(150)}` }
      }),
  }),
)

/** What both worlds of stores have, as far as emails need it. */
type Stores<E> = Layer.Layer<
  | EmailStore
  | EmailTemplateStore
  | ContactStore
  | WorkspaceStore
  | Transactor
  | Ids
  | Jobs
  | JobQueue
  | Secrets
  | Fresh,
  E
>

const world = <E>(stores: Stores<E>) =>
  Layer.merge(Emails.layer, EmailTemplates.layer).pipe(
    Layer.provideMerge(Links.layer),
    Layer.provideMerge(Layer.mergeAll(settingsLayer(), scripted, SanitizeHtml.layer, DkimSigner.layer)),
    Layer.provideMerge(stores),
  )

const begin = Effect.gen(function* () {
  asked = []
  gate = undefined
  called = undefined
  const emails = yield* Emails
  const workspaces = yield* WorkspaceStore
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace({ credits: 3 })
  const credits = Effect.map(workspaces.find(workspace), (found) => found.credits)
  const made = Effect.fnUntraced(function* (email: Partial<NewEmail> = {}) {
    return yield* emails.create(workspace, { name: "An email", ...email }, "a key")
  })
  const prompted = Effect.fnUntraced(function* (prompt: string, over: Partial<NewEmail> = {}) {
    const { email, generationId } = yield* made({ prompt, ...over })
    return { id: email.id, generation: generationId ?? (yield* Effect.die("it is written by the AI")) }
  })
  const outcome = Effect.fnUntraced(function* (id: EmailId, generation: GenerationId) {
    yield* emails.generate(workspace, id, generation)
    return yield* emails.generation(workspace, id, generation)
  })
  return { emails, fresh, workspace, credits, made, prompted, outcome }
})

/** Asks for a generation, and waits until the AI is at it. */
const underway = Effect.fnUntraced(function* (workspace: WorkspaceId, id: EmailId, generation: GenerationId) {
  const emails = yield* Emails
  gate = yield* Deferred.make<void>()
  called = yield* Deferred.make<void>()
  const writing = yield* Effect.forkChild(emails.generate(workspace, id, generation))
  yield* Deferred.await(called)
  return { writing, go: Deferred.succeed(gate, undefined) }
})

const promises = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { timeout: "30 seconds", excludeTestServices: true })(`emails: ${name}`, (it) => {
    it.effect("what the AI writes is cleaned, and fills subject and preview text where there is none", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted, outcome } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        assert.deepInclude(yield* outcome(id, generation), { status: "completed", version: 1, error: null })
        const email = yield* emails.find(workspace, id)
        assert.deepInclude(email, { subject: "From the AI", currentVersion: 1, generationStatus: "completed" })
        assert.strictEqual(email.previewText, `P${"🦊".repeat(99)}`)
        const html = yield* emails.content(workspace, id)
        assert.match(html, /🦊<\/div>[^]*<h1>chairs<\/h1>/)
        assert.notMatch(html, /script|onclick/)
        assert.strictEqual(yield* credits, 2)
        const given = yield* prompted("tables", { subject: "Mine", previewText: "mine" })
        yield* outcome(given.id, given.generation)
        assert.deepInclude(yield* emails.find(workspace, given.id), { subject: "Mine", previewText: "mine" })
      }),
    )

    it.effect(
      "a refused, silent, blank or oversized answer fails with a sentence, and gives the credit back once",
      () =>
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
            yield* emails.giveUp(workspace, id, generation)
            assert.deepStrictEqual(yield* outcome(id, generation), failed)
            assert.strictEqual(yield* credits, 3)
            assert.deepInclude(yield* emails.find(workspace, id), { currentVersion: 0, generationStatus: "failed" })
            assert.strictEqual((yield* Effect.flip(emails.content(workspace, id)))._tag, "NotFound")
          }
        }),
    )

    it.effect("its job is queued with it, and a worker that does jobs has it written", () =>
      Effect.gen(function* () {
        const { emails, workspace, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const done = yield* Deferred.make<void>()
        const queue = yield* JobQueue
        const handle = (job: Parameters<Parameters<typeof queue.work>[0]["handle"]>[0]) =>
          job.type === "email_generation"
            ? Effect.andThen(
                emails.generate(job.workspaceId, job.emailId, job.generationId),
                job.generationId === generation ? Deferred.succeed(done, undefined) : Effect.void,
              )
            : Effect.void
        const worker = yield* Effect.forkChild(queue.work({ concurrency: 1, handle }))
        yield* Deferred.await(done)
        yield* Fiber.interrupt(worker)
        assert.strictEqual((yield* emails.find(workspace, id)).currentVersion, 1)
      }),
    )

    it.effect("HTML set by hand meanwhile is a version, and the generation makes the next one", () =>
      Effect.gen(function* () {
        const { emails, workspace, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const { writing, go } = yield* underway(workspace, id, generation)
        assert.strictEqual((yield* emails.setContent(workspace, id, "<p>by hand</p>")).currentVersion, 1)
        yield* emails.update(workspace, id, { subject: "By hand" })
        yield* go
        yield* Fiber.join(writing)
        assert.deepInclude(yield* emails.find(workspace, id), { currentVersion: 2, subject: "By hand" })
        assert.strictEqual(yield* emails.content(workspace, id, 1), "<p>by hand</p>")
        assert.include(yield* emails.content(workspace, id, 2), "chairs")
      }),
    )

    it.effect("an email deleted meanwhile is not written, and its credit is back", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        assert.strictEqual(yield* credits, 2)
        const { writing, go } = yield* underway(workspace, id, generation)
        yield* emails.remove(workspace, id)
        assert.strictEqual(yield* credits, 3)
        yield* go
        yield* Fiber.join(writing)
        yield* emails.giveUp(workspace, id, generation)
        assert.strictEqual(yield* credits, 3)
        assert.strictEqual((yield* Effect.flip(emails.find(workspace, id)))._tag, "NotFound")
      }),
    )

    it.effect("two workers that have it written at once make one version and spend one credit", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("chairs")
        const write = emails.generate(workspace, id, generation)
        yield* Effect.all([write, write, write], { concurrency: 3 })
        const times = asked.length
        yield* write
        assert.strictEqual(asked.length, times)
        assert.strictEqual((yield* emails.find(workspace, id)).currentVersion, 1)
        assert.strictEqual(yield* credits, 2)
      }),
    )

    it.effect("a worker that breaks off leaves it going on, for the next one to end or to give up", () =>
      Effect.gen(function* () {
        const { emails, workspace, credits, prompted } = yield* begin
        const { id, generation } = yield* prompted("broken")
        assert.isTrue(
          Result.isFailure(yield* Effect.result(Effect.sandbox(emails.generate(workspace, id, generation)))),
        )
        assert.strictEqual((yield* emails.generation(workspace, id, generation)).status, "generating")
        assert.strictEqual(yield* credits, 2)
        yield* emails.giveUp(workspace, id, generation)
        const { status, error } = yield* emails.generation(workspace, id, generation)
        assert.strictEqual(status, "failed")
        assert.include(error, "again and again")
        assert.strictEqual(yield* credits, 3)
      }),
    )

    it.effect("the next generation builds on the HTML as it is, one at a time, as long as there are credits", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, outcome } = yield* begin
        const { email } = yield* made({ html: "<p>mine</p>" })
        const start = emails.startGeneration(workspace, email.id, { prompt: "shorter", createdByName: "a key" })
        const { id } = yield* start
        assert.strictEqual((yield* Effect.flip(start))._tag, "GenerationInProgress")
        assert.deepInclude(yield* outcome(email.id, id), { status: "completed", version: 2, prompt: "shorter" })
        assert.deepInclude(asked[0], { prompt: "shorter", name: "An email", basis: "<p>mine</p>" })
        for (let credit = 0; credit < 2; credit++) yield* outcome(email.id, (yield* start).id)
        assert.strictEqual((yield* Effect.flip(start))._tag, "InsufficientCredits")
        assert.strictEqual((yield* emails.find(workspace, email.id)).generationStatus, "completed")
        const blank = yield* Effect.flip(
          emails.startGeneration(workspace, email.id, { prompt: " ", createdByName: "a key" }),
        )
        assert.strictEqual(blank._tag, "Invalid")
      }),
    )

    it.effect("HTML that people give is cleaned, byte for byte itself where there is nothing to clean", () =>
      Effect.gen(function* () {
        const { emails, workspace, made } = yield* begin
        const clean = "<P Class=x>é ☃</P>\r\n\t<!-- c --><br/>"
        const { email } = yield* made({ html: clean })
        assert.strictEqual(yield* emails.content(workspace, email.id), clean)
        yield* emails.setContent(workspace, email.id, `<p onclick="x()">two</p><script>x()</script>`)
        const html = yield* emails.content(workspace, email.id)
        assert.include(html, "<p>two</p>")
        assert.notMatch(html, /script|onclick/)
        const deep = `<script></script>${"<div>".repeat(5_000)}`
        const refused = yield* Effect.flip(emails.setContent(workspace, email.id, deep))
        assert.deepStrictEqual(refused._tag === "Invalid" ? refused.issues.map(({ path }) => path) : refused._tag, [
          "html",
        ])
        assert.strictEqual((yield* emails.find(workspace, email.id)).currentVersion, 2)
      }),
    )

    it.effect("an email is made of one thing, and of a template with a prompt", () =>
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

    it.effect("a copy is a draft of its own; what was stale stays so", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, prompted } = yield* begin
        const { email } = yield* made({ html: "<p>one</p>", subject: "S", previewText: "pre", name: "n".repeat(200) })
        yield* emails.setPlainText(workspace, email.id, "mine")
        yield* emails.setContent(workspace, email.id, "<p>two</p>")
        const copy = yield* emails.duplicate(workspace, email.id, "another key")
        assert.notStrictEqual(copy.id, email.id)
        assert.deepInclude(copy, { subject: "S", previewText: "pre", currentVersion: 1, approval: null })
        assert.deepInclude(copy, { name: `${"n".repeat(193)} (copy)`, createdByName: "another key" })
        assert.deepStrictEqual(yield* emails.find(workspace, copy.id), copy)
        assert.strictEqual(copy.plainText?.version, 0)
        const html = (id: EmailId) => emails.content(workspace, id)
        assert.strictEqual(yield* html(copy.id), yield* html(email.id))
        yield* emails.remove(workspace, email.id)
        assert.include(yield* html(copy.id), "two")
        const unwritten = yield* prompted("chairs")
        const refused = yield* Effect.flip(emails.duplicate(workspace, unwritten.id, "a key"))
        assert.strictEqual(refused._tag, "TemplateNotReady")
      }),
    )

    it.effect("a preview is untracked, says what stands for nothing, and knows no other workspace's contact", () =>
      Effect.gen(function* () {
        const { emails, workspace, made, prompted } = yield* begin
        const { email } = yield* made({
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

const seeded = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { timeout: "30 seconds", excludeTestServices: true })(
    `emails made from templates: ${name}`,
    (it) => {
      const templated = Effect.gen(function* () {
        const begun = yield* begin
        const templates = yield* EmailTemplates
        const defaults = { subject: "DS", fromName: "DN", replyToEmail: "dr@x.test" }
        const wanted = { name: "a template", html: "<p>seed</p>", defaults }
        const { template } = yield* templates.create(begun.workspace, wanted, "a key")
        yield* templates.approve(begun.workspace, template.id, {})
        return { ...begun, template: template.id, unapprove: templates.unapprove(begun.workspace, template.id) }
      })

      it.effect("copy what was approved: what is given wins, then the template, then the workspace", () =>
        Effect.gen(function* () {
          const { emails, workspace, made, template } = yield* templated
          const { email } = yield* made({ templateId: template, fromName: null })
          assert.deepInclude(email, { subject: "DS", fromName: null, fromAddress: null, replyToEmail: "dr@x.test" })
          assert.strictEqual(yield* emails.content(workspace, email.id), "<p>seed</p>")
        }),
      )

      it.effect("with a prompt, are written on top of it, whatever becomes of the template", () =>
        Effect.gen(function* () {
          const { prompted, template, unapprove, outcome } = yield* templated
          const { id, generation } = yield* prompted("greet", { templateId: template })
          yield* unapprove
          assert.strictEqual((yield* outcome(id, generation)).status, "completed")
          assert.strictEqual(asked[0]?.basis, "<p>seed</p>")
        }),
      )

      it.effect("need one that is there, and approved", () =>
        Effect.gen(function* () {
          const { made, template, unapprove, fresh } = yield* templated
          yield* unapprove
          assert.strictEqual((yield* Effect.flip(made({ templateId: template })))._tag, "TemplateNotApproved")
          const unknown = yield* Effect.flip(made({ templateId: EmailTemplateId.make(yield* fresh.id) }))
          assert.deepInclude(unknown, { _tag: "NotFound", path: "template_id" })
        }),
      )
    },
  )

seeded("memory", memory)
seeded("postgres", postgres)
