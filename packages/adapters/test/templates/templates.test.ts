// Templates from the request to the HTML, on both stores, with a scripted AI.
import * as SanitizeHtml from "@tentpole/adapters/ai/html/SanitizeHtml"
import { Ai, AiRefused, AiUnavailable, type EmailRequest, type PageRequest } from "@tentpole/core/ports/Ai"
import { Fresh, settingsLayer, until } from "@tentpole/core/contract"
import { Emails } from "@tentpole/core/emails/Emails"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { Links } from "@tentpole/core/rendering/Links"
import { EmailStore } from "@tentpole/core/emails/EmailStore"
import { EmailId, Ids, TentId } from "@tentpole/core/kernel/Ids"
import { type Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { EmailTemplates, type NewEmailTemplate } from "@tentpole/core/emails/EmailTemplates"
import { EmailTemplateStore, TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { dangersOf } from "@tentpole/core/documents/Clean"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Tents } from "@tentpole/core/tents/Tents"
import { TentStore } from "@tentpole/core/tents/TentStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { memory, postgres } from "../fixtures/Stores.ts"

/** The AI's behaviour, by the words of a prompt. */
let emailsAsked: Array<EmailRequest> = []
let pagesAsked: Array<PageRequest> = []
let intents: Array<boolean> = []
let gate: Deferred.Deferred<void> | undefined

const answered = Effect.fnUntraced(function* (prompt: string) {
  if (gate !== undefined) yield* Deferred.await(gate)
  if (prompt.includes("refused")) return yield* new AiRefused({ reason: "I would rather not" })
  if (prompt.includes("silent")) return yield* new AiUnavailable({ reason: "secret detail" })
  if (prompt.includes("empty")) return " "
  if (prompt.includes("huge")) return `<p>${"x".repeat(3 * 2 ** 20)}</p>`
  return `<html><head><title>t</title></head><body><h1 onclick="x()">${prompt} {{contact.first_name}}</h1><script>x()</script></body></html>`
})

const scripted = Layer.succeed(
  Ai,
  Ai.of({
    provider: "test",
    generateEmail: (_, request) => {
      emailsAsked.push(request)
      return Effect.map(answered(request.prompt), (html) => ({ html, subject: "of the AI", previewText: "before" }))
    },
    generatePage: (_, request) => {
      pagesAsked.push(request)
      return answered(request.prompt)
    },
    asksForPage: (_, __, { hasTemplate }) => Effect.sync(() => intents.push(hasTemplate) > 0),
    matchColumns: () => Effect.succeed([]),
  }),
)

/** Waits until the AI has had that many requests. */
const askedBy = (count: number) => until(() => emailsAsked.length >= count)

type Stores<E> = Layer.Layer<
  | ContactStore
  | EmailStore
  | EmailTemplateStore
  | TentTemplateStore
  | TentStore
  | WorkspaceStore
  | AssetStore
  | BlobStore
  | Transactor
  | Ids
  | Jobs
  | JobQueue
  | Secrets
  | Fresh,
  E
>

const world = <E>(stores: Stores<E>) =>
  Layer.mergeAll(EmailTemplates.layer, TentTemplates.layer, Tents.layer, Emails.layer).pipe(
    Layer.provideMerge(Links.layer),
    Layer.provideMerge(Layer.mergeAll(settingsLayer(), scripted, SanitizeHtml.layer)),
    Layer.provideMerge(stores),
  )

const blank: NewEmailTemplate = { name: "a template", defaults: {} }

const promises = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { excludeTestServices: true })(`templates: ${name}`, (it) => {
    const begin = Effect.gen(function* () {
      emailsAsked = []
      pagesAsked = []
      intents = []
      gate = undefined
      const emailTemplates = yield* EmailTemplates
      const tentTemplates = yield* TentTemplates
      const workspaces = yield* WorkspaceStore
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace({ brand: { name: "Acme" } })
      const credits = (of = workspace) => Effect.map(workspaces.get(of), (found) => found.credits)
      const email = (over: Partial<NewEmailTemplate> = {}, of = workspace) =>
        emailTemplates.create(of, { ...blank, ...over }, "a key")
      /** A template to generate, and its generation's id. */
      const begun = Effect.fnUntraced(function* (prompt: string, of = workspace) {
        const { document, generationId } = yield* email({ prompt }, of)
        return { id: document.id, generation: generationId ?? assert.fail("a generation is there") }
      })
      const tents = yield* Tents
      const page = { name: "t", prompt: "a page", includeBrand: false, autoPublish: false, assetIds: [] }
      return { emailTemplates, tentTemplates, tents, page, fresh, workspace, credits, email, begun }
    })

    it.effect("AI output is cleaned, retains its merge tokens, and fills only empty fields", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, credits, email } = yield* begin
        const wanted = { prompt: "a greeting", defaults: { subject: "mine" } }
        const { document: template, generationId } = yield* email(wanted)
        assert.deepInclude(template, { currentVersion: 0, generationStatus: "generating" })
        assert.strictEqual((yield* Effect.flip(emailTemplates.content(workspace, template.id)))._tag, "NotFound")
        yield* emailTemplates.runGeneration(workspace, template.id, generationId ?? assert.fail())
        const shown = yield* emailTemplates.get(workspace, template.id)
        assert.deepInclude(shown, { currentVersion: 1, generationStatus: "completed" })
        assert.deepInclude(shown.defaults, { subject: "mine", previewText: "before" })
        const html = yield* emailTemplates.content(workspace, template.id)
        assert.include(html, "a greeting {{contact.first_name}}")
        assert.deepStrictEqual(dangersOf(html), [])
        assert.deepStrictEqual(
          emailsAsked.map(({ brand, basis }) => [brand?.name, basis]),
          [["Acme", null]],
        )
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("another generation starts from the current HTML", () =>
      Effect.gen(function* () {
        const { emailTemplates, tentTemplates, workspace, email } = yield* begin
        const { document: template } = yield* email({ html: "<p>mine</p>" })
        const asked = { prompt: "bolder", createdByName: "asker" }
        const { id } = yield* emailTemplates.startGeneration(workspace, template.id, asked)
        yield* emailTemplates.runGeneration(workspace, template.id, id)
        const page = yield* tentTemplates.create(workspace, { name: "t", html: "<h1>mine</h1>" }, "a key")
        const other = yield* tentTemplates.startGeneration(workspace, page.document.id, asked)
        yield* tentTemplates.runGeneration(workspace, page.document.id, other.id)
        assert.deepStrictEqual([emailsAsked[0]?.basis, pagesAsked[0]?.template], ["<p>mine</p>", "<h1>mine</h1>"])
        assert.strictEqual((yield* tentTemplates.get(workspace, page.document.id)).currentVersion, 2)
        const done = yield* emailTemplates.generation(workspace, template.id, id)
        assert.deepInclude(done, { status: "completed", version: 2, prompt: "bolder", createdByName: "asker" })
      }),
    )

    it.effect("a refused, silent, empty or endless answer fails with a sentence and returns the credit once", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, credits, begun } = yield* begin
        for (const [prompt, sentence] of [
          ["refused", "I would rather not"],
          ["silent", "does not answer"],
          ["empty", "it must not be empty"],
          ["huge", "larger than 2 MB"],
        ] as const) {
          const { id, generation } = yield* begun(prompt)
          yield* emailTemplates.runGeneration(workspace, id, generation)
          yield* emailTemplates.runGeneration(workspace, id, generation)
          const failed = yield* emailTemplates.generation(workspace, id, generation)
          assert.strictEqual(failed.status, "failed")
          assert.include(failed.error, sentence)
          assert.notInclude(failed.error, "secret")
          assert.strictEqual(yield* credits(), 1000)
        }
      }),
    )

    it.effect("creating a template of either kind enqueues its job", () =>
      Effect.gen(function* () {
        const { emailTemplates, tentTemplates, workspace, begun } = yield* begin
        const { id, generation } = yield* begun("a greeting")
        const page = yield* tentTemplates.create(workspace, { name: "t", prompt: "a page" }, "a key")
        const seen: Array<Job> = []
        const done = yield* Deferred.make<void>()
        const queue = yield* JobQueue
        const worker = yield* Effect.forkChild(
          queue.work({
            concurrency: 1,
            handle: (job) =>
              Effect.suspend(() => {
                if (job.workspaceId !== workspace) return Effect.void
                seen.push(job)
                return seen.length === 2 ? Deferred.succeed(done, undefined) : Effect.void
              }),
          }),
        )
        yield* Deferred.await(done)
        yield* Fiber.interrupt(worker)
        assert.sameDeepMembers(seen, [
          { type: "email_template_generation", workspaceId: workspace, templateId: id, generationId: generation },
          {
            type: "tent_template_generation",
            workspaceId: workspace,
            templateId: page.document.id,
            generationId: page.generationId ?? assert.fail(),
          },
        ])
        yield* emailTemplates.delete(workspace, id)
      }),
    )

    it.effect("two workers on one generation create one version and take one credit", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, credits, begun } = yield* begin
        const { id, generation } = yield* begun("a greeting")
        const opened = (gate = yield* Deferred.make<void>())
        const run = emailTemplates.runGeneration(workspace, id, generation)
        const both = yield* Effect.forkChild(Effect.all([run, run], { concurrency: 2 }))
        yield* askedBy(2)
        yield* Deferred.succeed(opened, undefined)
        yield* Fiber.join(both)
        assert.lengthOf(emailsAsked, 2)
        assert.strictEqual((yield* emailTemplates.get(workspace, id)).currentVersion, 1)
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect(
      "a worker that dies during the AI request leaves a generation that the next one completes for the same credit",
      () =>
        Effect.gen(function* () {
          const { emailTemplates, workspace, credits, begun } = yield* begin
          const { id, generation } = yield* begun("a greeting")
          gate = yield* Deferred.make<void>()
          const dying = yield* Effect.forkChild(emailTemplates.runGeneration(workspace, id, generation))
          yield* askedBy(1)
          yield* Fiber.interrupt(dying)
          assert.strictEqual((yield* emailTemplates.get(workspace, id)).generationStatus, "generating")
          gate = undefined
          yield* emailTemplates.runGeneration(workspace, id, generation)
          assert.strictEqual((yield* emailTemplates.get(workspace, id)).currentVersion, 1)
          assert.strictEqual(yield* credits(), 999)
        }),
    )

    it.effect("a template that is deleted during its generation stays deleted, and its credit is returned", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, credits, begun } = yield* begin
        const { id, generation } = yield* begun("a greeting")
        const opened = (gate = yield* Deferred.make<void>())
        const working = yield* Effect.forkChild(emailTemplates.runGeneration(workspace, id, generation))
        yield* askedBy(1)
        yield* emailTemplates.delete(workspace, id)
        assert.strictEqual(yield* credits(), 1000)
        yield* Deferred.succeed(opened, undefined)
        yield* Fiber.join(working)
        yield* emailTemplates.abandonGeneration(workspace, id, generation)
        assert.strictEqual((yield* Effect.flip(emailTemplates.get(workspace, id)))._tag, "NotFound")
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("an abandoned generation fails with the reason, and a late answer is ignored", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, credits, begun } = yield* begin
        const { id, generation } = yield* begun("a greeting")
        yield* emailTemplates.abandonGeneration(workspace, id, generation)
        yield* emailTemplates.runGeneration(workspace, id, generation)
        assert.deepInclude(yield* emailTemplates.get(workspace, id), { currentVersion: 0, generationStatus: "failed" })
        assert.include((yield* emailTemplates.generation(workspace, id, generation)).error, "failed repeatedly")
        assert.lengthOf(emailsAsked, 0)
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("of two concurrent requests for the last credit one is accepted, as of two for one template", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, fresh, credits, email } = yield* begin
        const codes = (results: ReadonlyArray<Result.Result<unknown, { readonly code: string }>>) =>
          results.map((each) => (Result.isFailure(each) ? each.failure.code : "ok")).sort()
        const poor = yield* fresh.workspace({ credits: 1 })
        const create = Effect.result(email({ prompt: "p" }, poor))
        assert.deepStrictEqual(codes(yield* Effect.all([create, create], { concurrency: 2 })), [
          "insufficient_credits",
          "ok",
        ])
        assert.deepStrictEqual([yield* credits(poor), (yield* emailTemplates.list(poor, {})).items.length], [0, 1])
        const { document: template } = yield* email()
        const asked = { prompt: "p", createdByName: "b" }
        const ask = Effect.result(emailTemplates.startGeneration(workspace, template.id, asked))
        assert.deepStrictEqual(codes(yield* Effect.all([ask, ask], { concurrency: 2 })), [
          "generation_in_progress",
          "ok",
        ])
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect(
      "a template created from an email has its fields and HTML; the preview text is a default and not in the HTML",
      () =>
        Effect.gen(function* () {
          const { emailTemplates, workspace, fresh, email } = yield* begin
          const emails = yield* Emails
          const { document: made } = yield* emails.create(
            workspace,
            { name: "e", subject: "S", previewText: "P", fromName: "F", html: "<p>one</p>" },
            "a key",
          )
          yield* emails.setPlainText(workspace, made.id, "mine")
          const { document: template } = yield* email({ emailId: made.id, defaults: { fromName: "G" } })
          assert.strictEqual(template.sourceId, made.id)
          assert.deepInclude(template.defaults, { subject: "S", previewText: "P", fromName: "G" })
          assert.strictEqual(template.plainText?.text, "mine")
          assert.strictEqual(yield* emailTemplates.content(workspace, template.id), "<p>one</p>")
          const other = yield* fresh.workspace()
          const refused = yield* Effect.flip(email({ emailId: made.id }, other))
          assert.deepStrictEqual([refused.code, refused._tag === "NotFound" && refused.path], ["not_found", "email_id"])
          const unknown = yield* Effect.flip(email({ emailId: EmailId.make(yield* fresh.id) }))
          assert.strictEqual(unknown.code, "not_found")
        }),
    )

    it.effect("a duplicate is an independent draft, and a stale plain text stays stale", () =>
      Effect.gen(function* () {
        const { emailTemplates, workspace, email } = yield* begin
        const { document: template } = yield* email({ html: "<p>one</p>", defaults: { subject: "S" } })
        yield* emailTemplates.setPlainText(workspace, template.id, "mine")
        yield* emailTemplates.approve(workspace, template.id, {})
        yield* emailTemplates.setContent(workspace, template.id, { html: "<p>two</p>", byName: "a key" })
        const copy = yield* emailTemplates.duplicate(workspace, template.id, "b key")
        assert.deepInclude(copy, {
          name: "a template (copy)",
          currentVersion: 1,
          approval: null,
          createdByName: "b key",
        })
        assert.deepInclude(copy.plainText, { text: "mine", version: 0 })
        assert.strictEqual(copy.defaults.subject, "S")
        yield* emailTemplates.delete(workspace, template.id)
        assert.strictEqual(yield* emailTemplates.content(workspace, copy.id), "<p>two</p>")
      }),
    )

    it.effect("a tent template created from a tent has its page, and a tent without a page is refused", () =>
      Effect.gen(function* () {
        const { tentTemplates, tents, page, workspace, fresh } = yield* begin
        const { id } = (yield* tents.create(workspace, page, "a key")).tent
        const make = (tentId: TentId) => tentTemplates.create(workspace, { name: "t", tentId }, "a key")
        assert.strictEqual((yield* Effect.flip(make(id))).code, "tent_not_ready")
        yield* tents.runGeneration(workspace, id)
        const { document: template } = yield* make(id)
        assert.strictEqual(template.sourceId, id)
        assert.strictEqual(yield* tentTemplates.content(workspace, template.id), yield* tents.content(workspace, id))
        assert.strictEqual((yield* Effect.flip(make(TentId.make(yield* fresh.id)))).code, "not_found")
      }),
    )

    it.effect("a tent uses the template's approval at its creation, whatever happens to the template later", () =>
      Effect.gen(function* () {
        const { tentTemplates, tents, page, workspace, fresh, credits } = yield* begin
        const { document: template } = yield* tentTemplates.create(
          workspace,
          { name: "t", html: "<h1>approved</h1>" },
          "a key",
        )
        const create = (of = workspace) => tents.create(of, { ...page, templateId: template.id }, "a key")
        const draft = yield* Effect.flip(create())
        assert.deepStrictEqual([draft.code, yield* credits()], ["template_not_approved", 1000])
        yield* tentTemplates.approve(workspace, template.id, {})
        const elsewhere = yield* Effect.flip(create(yield* fresh.workspace()))
        assert.deepStrictEqual(
          [elsewhere.code, elsewhere._tag === "NotFound" && elsewhere.path],
          ["not_found", "template_id"],
        )
        const [{ tent: first }, { tent: second }] = [yield* create(), yield* create()]
        assert.deepStrictEqual(intents, [true, true])
        yield* tentTemplates.setContent(workspace, template.id, { html: "<h1>later</h1>", byName: "a key" })
        yield* tentTemplates.approve(workspace, template.id, {})
        yield* tents.runGeneration(workspace, first.id)
        yield* tentTemplates.delete(workspace, template.id)
        yield* tents.runGeneration(workspace, second.id)
        assert.deepStrictEqual(
          pagesAsked.map((asked) => asked.template),
          ["<h1>approved</h1>", "<h1>approved</h1>"],
        )
        assert.strictEqual((yield* tents.get(workspace, second.id)).tent.generation.status, "completed")
        assert.strictEqual((yield* Effect.flip(create())).code, "not_found")
      }),
    )

    it.effect("the check of the prompt is strict without a template", () =>
      Effect.gen(function* () {
        const { tents, page, workspace } = yield* begin
        const { id } = (yield* tents.create(workspace, page, "a key")).tent
        yield* tents.runGeneration(workspace, id)
        assert.deepStrictEqual([intents, pagesAsked.map((asked) => asked.template)], [[false], [null]])
      }),
    )
  })

promises("memory", memory)
promises("postgres", postgres)
